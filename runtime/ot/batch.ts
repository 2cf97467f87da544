/** `ot.batch`: several calls at once, each with a check of its own. */

import type { JsonObject, JsonValue } from "../contract/registry.js";
import type { HostContext } from "../shipped.js";
import { valueError } from "./info.js";

/** An op, and its arguments by name. */
export type BatchCall = readonly [op: string, args?: Readonly<Record<string, unknown>>];

const OWN = "ot.batch";

/** The values of the calls in their order, or what each raised as `{"error": text}`. */
export async function batch(calls: readonly BatchCall[], ctx: HostContext): Promise<readonly JsonValue[]> {
  const most = ctx.host.project.settings.run.limits.hostCalls;
  if (calls.length > most) valueError(`calls must be at most ${most}, got ${calls.length}`);
  // A batch of batches would make many more calls at once than a caller may.
  if (calls.some(([op]) => op === OWN)) valueError(`${OWN} cannot call itself`);
  const answers = await ctx.host.callAll(
    calls.map(([op, args = {}]) => ({ op, args: args as JsonObject })),
    ctx,
  );
  return answers.map((one) => ("error" in one ? { error: one.error } : one.value));
}
