/** Reads stored results of a caller. */

import type { Found } from "../../run/results.js";
import type { HostContext } from "../host.js";

/** What to do if a stored result is gone: a program that has written something is not to be run again. */
export const READ_AGAIN = "Run the code again if it only reads";

/** A stored result of the caller, or of a key that its key has replaced. */
export async function readResult(handle: string, { host, principal }: HostContext): Promise<Found> {
  const own = await host.results.read(handle, principal.id);
  if (own.kind !== "unknown") return own;
  for (const id of (await host.idsOf(principal)).slice(1)) {
    const found = await host.results.read(handle, id);
    if (found.kind !== "unknown") return found;
  }
  return own;
}
