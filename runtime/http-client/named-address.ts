/**
 * Requests to addresses that others name, such as the endpoints in the metadata of an identity provider: they reach public
 * addresses, the host that the operator has configured, and what `web.allow_private` holds.
 */

import { outwardFetch } from "./proxy.js";

/** Private hosts and networks that projects of this process allow, by their roots. */
const allowed = new Map<string, readonly string[]>();

/** Allows the private hosts and networks of a project, in place of those that it allowed before. */
export const allowPrivateOf = (root: string, entries: readonly string[]): void => void allowed.set(root, entries);

/** The `fetch` of a request whose address was named beside a configured host. */
export async function fetchBeside(host: string, url: URL): Promise<typeof globalThis.fetch> {
  if (url.hostname === host) return outwardFetch;
  const { guardedFetch } = await import("./guard.js");
  return guardedFetch({ allowPrivate: [...allowed.values()].flat() }) as typeof globalThis.fetch;
}
