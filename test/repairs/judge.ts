/**
 * Judges an answer to a malformed call by what was meant alone: by the effect of the valid call that the malformed one
 * was made from.
 */

import type { JsonValue } from "toolwright/codegen";
import { isObject } from "./model.js";
import type { Effect, Observed, Observer } from "./observed.js";

/** What came of a malformed call. */
export type Verdict =
  /** It was carried out, as it was meant. */
  | "repaired"
  /** It was refused; the corrected call, copied, does what was meant. */
  | "offered"
  /** Something else was done, at once or after copying. */
  | "different"
  /** It was refused, and the answer tells what to change. */
  | "refused"
  /** It was refused, and the answer leads nowhere. */
  | "dead end";

/** Equal values for values that mean the same: instants, and members without a value. */
function normal(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((one) => normal(one as JsonValue) ?? null);
  if (isObject(value))
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map((name) => [name, normal(value[name]) ?? null]),
    );
  const isTime = typeof value === "string" && /^\d{4}-\d\d-\d\d(T|$)/.test(value);
  const instant = isTime ? Date.parse(value) : Number.NaN;
  return Number.isNaN(instant) ? value : `instant ${instant}`;
}

const keyOf = ({ op, args, dryRun, key }: Effect): string => JSON.stringify([op, normal(args), dryRun, key ?? null]);

/** Whether two effects are the same. */
export const isSame = (a: Effect, b: Effect): boolean => keyOf(a) === keyOf(b);

/** The verdict on a call by what it did and by what its corrected call does. */
export async function judge(observer: Observer, { envelope, effect }: Observed, meant: Effect): Promise<Verdict> {
  if (effect) return isSame(effect, meant) ? "repaired" : "different";
  if (envelope.ok) return "different";
  const { corrected_call: offered, details } = envelope.error;
  if (offered) {
    const copied = await observer.call(JSON.parse(JSON.stringify(offered)));
    if (copied.effect) return isSame(copied.effect, meant) ? "offered" : "different";
    return "refused";
  }
  const { field_errors, suggestions, items } = details;
  const isTelling = [field_errors, suggestions, items].some((one) => Array.isArray(one) && one.length > 0);
  return isTelling ? "refused" : "dead end";
}
