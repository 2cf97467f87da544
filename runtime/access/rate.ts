/** How often a key may call: a bucket of tokens for each, over all of its connections. */

import { isObject } from "../json.js";
import { remember } from "../session.js";

/** `access.rate`. */
export interface RateSettings {
  /** Calls that a key may make at once. */
  readonly burst: number;
  /** Calls that it may make again, each second. */
  readonly perSecond: number;
}

/** What is left for each key. */
export interface Rates {
  /**
   * Takes calls from what a key has left; more at once than it may ever have are taken where it has all.
   *
   * @param calls how many; default 1; none are never refused
   * @returns 0 where they are taken, else the milliseconds until they could be, and nothing is taken
   */
  take(keyId: string, calls?: number): number;
}

/** Keys that are remembered; one that is forgotten has all of its calls again. */
const MOST_KEYS = 10_000;
/** Where nothing is refilled: as long as a client can wait. */
const NEVER_MS = 2 ** 31 - 1;

/** What sums of fractions are off by. */
const ROUNDING = 1e-6;

interface Bucket {
  readonly left: number;
  /** When that was so. */
  readonly at: number;
}

/**
 * Nobody has called so far.
 *
 * @param clock milliseconds that never run backwards
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
        return perMs > 0 ? Math.min(NEVER_MS, Math.ceil(lacking / perMs - ROUNDING)) : NEVER_MS;
      remember(buckets, keyId, { left: left - calls, at }, MOST_KEYS);
      return 0;
    },
  };
}

/** Entries of one batch that count; one with more is refused as a whole. */
const MOST_ENTRIES = 20;

/** How many calls a call of a tool counts as: each entry of a batch is one. */
export function callsIn(tool: unknown, input: unknown): number {
  if (tool !== "tool_batch" && tool !== "tool.batch") return 1;
  const entries = isObject(input) ? input["ops"] : undefined;
  return Array.isArray(entries) ? Math.min(Math.max(entries.length, 1), MOST_ENTRIES) : 1;
}
