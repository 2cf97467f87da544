/** `ot.batch`: several calls in parallel, each validated separately. */

import { isObject } from "../../contract/json.js";
import type { JsonValue } from "../../contract/registry.js";
import type { HostContext, HostedCall } from "../host.js";
import { valueError } from "./info.js";

const OWN = "ot.batch";

/** The values of the calls in order, or `{"error": text}` for one that raised. */
export async function batch(calls: readonly unknown[], ctx: HostContext): Promise<JsonValue[]> {
  const most = ctx.host.project.settings.run.limits.hostCalls;
  if (calls.length > most) valueError(`calls must be at most ${most}, got ${calls.length}`);
  const answers = await ctx.host.callAll(calls.map(callOf), ctx);
  return answers.map((one) => ("error" in one ? { error: one.error } : one.value));
}

/**
 * The call for `(op, args)` or `(op,)`. Nested batches are refused, since they would exceed the limit of parallel
 * calls.
 */
function callOf(pair: unknown, at: number): HostedCall {
  const [op, args = {}, ...rest] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
  if (typeof op !== "string" || !isObject(args) || rest.length > 0)
    return valueError(`calls[${at}] must be (op, args), as ("pack.op", {"name": "value"})`);
  return op === OWN ? valueError(`${OWN} cannot call itself`) : { op, args };
}
