/** Checks the address of an API, and words the errors of the web client for ops of the API. */

import { fail, isToolFailure } from "../contract/handler.js";
import { hint } from "../contract/own-command.js";
import { isNeverSent } from "./proxy.js";

/**
 * Checks an address before anything is sent to it, a token is asked for included.
 *
 * @param check throws as the web client
 * @throws ToolFailure UNAVAILABLE, as a request
 */
export async function checkAddress(url: URL, check: (url: URL) => Promise<void>): Promise<void> {
  try {
    await check(url);
  } catch (error) {
    if (!isToolFailure(error)) throw error;
    refuseAddress(error, url, false);
  }
}

/** Errors before a connection existed; after any other error, a write may have taken effect. */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Rewrites an error of the web client, which names an argument `url` that these ops do not have. */
export function refuseAddress(
  error: Error & { readonly code?: unknown; readonly details?: object | undefined },
  url: URL,
  writes: boolean,
): never {
  const details: object = error.details ?? {};
  if (error.code === "VALIDATION_ERROR") {
    const remedy = hint(
      "name the API under `server` in its source, or its host under web.allow_private, in toolwright.yaml",
      "name the API with --server to allow it",
    );
    return fail("UNAVAILABLE", `${url.host} is not called, since its address is not public: ${remedy}.`, {
      server: url.host,
    });
  }
  const reason = "reason" in details ? details.reason : undefined;
  const uncertain = writes && !NEVER_SENT.has(reason) && !isNeverSent(reason);
  return fail("UNAVAILABLE", error.message, { ...details, ...(uncertain ? { outcome: "unknown" } : {}) });
}
