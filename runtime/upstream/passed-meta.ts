/** `_meta` of a result as it is passed on to a client. */

import type { JsonObject } from "../contract/registry.js";

/** Longest JSON of `_meta` that is passed on, in characters. */
const MAX_META_LENGTH = 20_000;

/** Prefixes that the protocol reserves, and names of the request and its trace: they are about one connection only. */
const OWN =
  /^(?:[^/]*\.)?(?:modelcontextprotocol|mcp|toolwright)(?:\.[^/]*)?\/|^(?:progressToken|traceparent|tracestate|baggage)$/i;

/**
 * The members that are passed on, and the fault of a `_meta` that is too large to be.
 *
 * @example
 * passedMeta({ "example.com/page": 2, "io.modelcontextprotocol/serverInfo": {} }).meta; // { "example.com/page": 2 }
 */
export function passedMeta(meta: JsonObject | undefined): { readonly meta?: JsonObject; readonly fault?: string } {
  const kept = Object.entries(meta ?? {}).filter(([name]) => !OWN.test(name));
  if (kept.length === 0) return {};
  const passed = Object.fromEntries(kept);
  if (JSON.stringify(passed).length <= MAX_META_LENGTH) return { meta: passed };
  return { fault: `with _meta of more than ${MAX_META_LENGTH} characters, which is left out` };
}
