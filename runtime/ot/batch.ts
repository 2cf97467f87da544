/** `ot.batch`: several calls at once, each with a check of its own. */

import type { JsonValue } from "../contract/registry.js";
import { isObject } from "../json.js";
import type { HostContext, HostedCall } from "../shipped.js";
import { valueError } from "./info.js";

const OWN = "ot.batch";

/** The values of the calls in their order, or what each raised as `{"error": text}`. */
export async function batch(calls: readonly unknown[], ctx: HostContext): Promise<JsonValue[]> {
  const most = ctx.host.project.settings.run.limits.hostCalls;
  if (calls.length > most) valueError(`calls must be at most ${most}, got ${calls.length}`);
  const answers = await ctx.host.callAll(calls.map(callOf), ctx);
  return answers.map((one) => ("error" in one ? { error: one.error } : one.value));
}

/** The call that `(op, args)` or `(op,)` stands for. A batch of batches would make many more calls at once than a caller may. */
function callOf(pair: unknown, at: number): HostedCall {
  const [op, args = {}, ...rest] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
  if (typeof op !== "string" || !isObject(args) || rest.length > 0)
    return valueError(`calls[${at}] must be (op, args), as ("pack.op", {"name": "value"})`);
  return op === OWN ? valueError(`${OWN} cannot call itself`) : { op, args };
}
