/** Rate limit of a key: one token bucket for each, shared by all of its connections. */

import { remember } from "../catalog/session.js";
import type { RateSettings } from "../config/rate-settings.js";
import { isObject } from "../contract/json.js";
import { MAX_BATCH_ENTRIES } from "../contract/request-fields.js";
import { MAX_TIMER_MS } from "../contract/timer.js";

/** The remaining calls of each key. */
export interface Rates {
  /**
   * Takes calls from the allowance of a key; a request for more than the whole allowance succeeds if the allowance is
   * full.
   *
   * @param calls number of calls; default 1; 0 always succeeds
   * @returns 0 on success, else the milliseconds until the calls could be taken, and nothing is taken
   */
  take(keyId: string, calls?: number): number;
}

/** Keys that are tracked; one that is dropped starts again with a full allowance. */
const MAX_KEYS = 10_000;

/** Tolerance for rounding errors. */
const ROUNDING = 1e-6;

interface Bucket {
  readonly left: number;
  /** Time of that allowance. */
  readonly at: number;
}

/**
 * Creates full allowances.
 *
 * @param clock monotonic clock, in milliseconds
 */
export function createRates({ burst, perSecond }: RateSettings, clock: () => number): Rates {
  const buckets = new Map<string, Bucket>();
  const perMs = perSecond / 1000;
  return {
    take(keyId, calls = 1) {
      const at = clock();
      const before = buckets.get(keyId) ?? { left: burst, at };
      const left = Math.min(burst, before.left + (at - before.at) * perMs);
      const lacking = Math.min(calls, Math.max(burst, 1)) - left;
      if (calls > 0 && lacking > ROUNDING)
        return perMs > 0 ? Math.min(MAX_TIMER_MS, Math.ceil(lacking / perMs - ROUNDING)) : MAX_TIMER_MS;
      remember(buckets, keyId, { left: left - calls, at }, MAX_KEYS);
      return 0;
    },
  };
}

/**
 * Number of calls that a request counts as: each entry of a batch is one. A batch with too many entries is refused as
 * a whole.
 */
export function callsIn(tool: unknown, input: unknown): number {
  if (tool !== "tool_batch" && tool !== "tool.batch") return 1;
  const entries = isObject(input) ? input["ops"] : undefined;
  return Array.isArray(entries) ? Math.min(Math.max(entries.length, 1), MAX_BATCH_ENTRIES) : 1;
}
