/** Reads stored results of a caller. */

import { isObject } from "../../contract/json.js";
import type { FoundResult } from "../../run/results.js";
import type { HostContext } from "../host.js";
import { valueError } from "./info.js";

/** The handle of a stored result, or the answer that has it, such as that of `ot.keep`. */
export type Stored = string | Readonly<Record<string, unknown>>;

/** Whether a value is the answer of `ot.keep`, or another reply that was stored. */
export const isStoredReply = (value: unknown): boolean => isObject(value) && typeof value["size_bytes"] === "number";

/**
 * A stored result of the caller or of a key that its key has replaced, or why there is none. The text of a sanitised result is
 * sanitised again.
 *
 * @throws ToolFailure VALIDATION_ERROR for a value that has no handle
 */
export async function storedResult(
  stored: Stored,
  ctx: HostContext,
): Promise<string | Extract<FoundResult, { readonly kind: "found" }>> {
  const handle = typeof stored === "string" ? stored : stored["handle"];
  if (typeof handle !== "string") return valueError("handle must be a text, or the answer of ot.keep, which has one");
  const found = await readResult(handle, ctx);
  if (found.kind !== "found") {
    const { resultTtl } = ctx.host.project.settings.run.output;
    const kept = resultTtl > 0 ? ` Results are kept ${resultTtl} s.` : "";
    const why = found.kind === "expired" ? "has expired." : `not found.${kept}`;
    // A program that has written something is not to be run again.
    return `Result '${handle.slice(0, 40)}' ${why} Run the code again if it only reads.`;
  }
  if (found.meta.sanitized) ctx.record?.foreign.add(found.meta.tool);
  return found;
}

async function readResult(handle: string, { host, principal }: HostContext): Promise<FoundResult> {
  const own = await host.results.read(handle, principal.id);
  if (own.kind !== "unknown") return own;
  for (const id of (await host.idsOf(principal)).slice(1)) {
    const found = await host.results.read(handle, id);
    if (found.kind !== "unknown") return found;
  }
  return own;
}
