/** `ot.batch`: several calls in parallel, each validated separately. */

import { readNames } from "../../call/request-names.js";
import type { RegistryView } from "../../catalog/registry.js";
import { isObject } from "../../contract/json.js";
import type { JsonValue } from "../../contract/registry.js";
import type { HostContext, HostedCall } from "../host.js";
import { valueError } from "./info.js";

const OWN = "ot.batch";

/** The values of the calls in order, or `{"error": text}` for one that raised. */
export async function batch(calls: readonly unknown[], ctx: HostContext): Promise<JsonValue[]> {
  const most = ctx.host.project.settings.run.limits.hostCalls;
  if (calls.length > most) valueError(`calls must be at most ${most}, got ${calls.length}`);
  const view = ctx.host.view(ctx.principal);
  const answers = await ctx.host.callAll(
    calls.map((call, at) => callOf(view, call, at)),
    ctx,
  );
  return answers.map((one) => ("error" in one ? { error: one.error } : one.value));
}

/**
 * The call for `(op, args)`, `(op,)` or an entry of `tool_batch`. Nested batches are refused, since they would exceed the
 * limit of parallel calls.
 */
function callOf(view: RegistryView, call: unknown, at: number): HostedCall {
  const [op, args = {}, ...rest] = Array.isArray(call) ? (call as readonly unknown[]) : partsOf(view, call);
  if (typeof op !== "string" || !isObject(args) || rest.length > 0)
    return valueError(`calls[${at}] must be (op, args), as ("pack.op", {"name": "value"})`);
  return op === OWN ? valueError(`${OWN} cannot call itself`) : { op, args };
}

/** The op and the arguments of an object, and the values of its other fields. */
function partsOf(view: RegistryView, call: unknown): readonly unknown[] {
  const { request } = readNames(view, call);
  if (!isObject(request)) return [];
  const { op, args, ...others } = request;
  return [op, args, ...Object.values(others)];
}
