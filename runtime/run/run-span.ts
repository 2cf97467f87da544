/** What the span of a run says about it. */

import type { SpanFields } from "../call/recent-spans.js";
import type { SpanFailure } from "../call/span.js";
import type { RunOutcome } from "./engine/engine.js";
import type { PackProxy } from "./pack-proxy.js";

/** Most ops in a span. */
const MAX_OPS = 20;

/** The fields of the span of a run. */
export function fieldsOf({ stats }: RunOutcome, { calls }: PackProxy): SpanFields {
  const { engine, cpuMs, hostCalls } = stats;
  return { ops: [...calls.keys()].slice(0, MAX_OPS), engine, calls: hostCalls, cpu_ms: Math.round(cpuMs) };
}

/** Why a run failed, as its span says it. */
export function failureOf(outcome: RunOutcome, isError: boolean): { readonly failure?: SpanFailure } {
  if (!outcome.ok) return { failure: { type: outcome.pyType, message: outcome.message } };
  return isError ? { failure: { type: "Error" } } : {};
}
