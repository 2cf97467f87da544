/** Limits what callers send: calls of a key, by a token bucket that its connections share, and wrong keys of an address over HTTP. */

import { rememberNewest } from "../catalog/session.js";
import type { RateSettings } from "../config/transport-settings.js";
import { GATEWAY_TOOLS, type GatewayTool, gatewayTool } from "../contract/gateway-tools.js";
import { MAX_TIMER_MS } from "../contract/guard.js";

/** The remaining calls of each key. */
export interface Rates {
  /**
   * Takes calls from the allowance of a key; a request for more than the whole allowance succeeds if the allowance is
   * full.
   *
   * @param calls number of calls; default 1; 0 always succeeds
   * @returns 0 on success, else the milliseconds until the calls could be taken, and nothing is taken; a promise if the
   * database has to be asked
   */
  take(keyId: string, calls?: number): number | Promise<number>;
}

/** Allowances in the memory of this process. */
export interface LocalRates extends Rates {
  take(keyId: string, calls?: number): number;
}

/** Keys that are tracked; one that is dropped starts again with a full allowance. */
export const MAX_KEYS = 10_000;

/** Tolerance for rounding errors. */
export const ROUNDING = 1e-6;

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
export function createRates({ burst, perSecond }: RateSettings, clock: () => number): LocalRates {
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
      rememberNewest(buckets, keyId, { left: left - calls, at }, MAX_KEYS);
      return 0;
    },
  };
}

/**
 * Number of calls that a request to a gateway tool counts as; 1 for any other tool.
 *
 * @param tools - the gateway tools that are served
 */
export const callsIn = (name: unknown, input: unknown, tools: readonly GatewayTool[] = GATEWAY_TOOLS): number =>
  gatewayTool(name, tools)?.callsIn?.(input) ?? 1;

/** Counts wrong keys by address. */
export interface BadKeyDelay {
  /**
   * Counts a wrong key and returns the delay of its answer. A caller with a valid key is never delayed, whatever
   * others at its address do.
   *
   * @returns milliseconds, or `full` if too many answers are waiting: close the connection after this one
   */
  waitOf(address: string): number | "full";
}

/** Wrong keys of one address within {@link WINDOW_MS} that are answered without delay. */
const FREE_PER_WINDOW = 10;
const WINDOW_MS = 60_000;
/** Shortest delay of the other answers, and the time between two answers to the same address. */
const SHORTEST_MS = 50;
const BETWEEN_MS = 5;
/** Longest delay; an answer that would be delayed longer is `full`. */
const MAX_DELAY_MS = 2000;
/** Addresses that are tracked; one that is dropped starts again from zero. */
const MAX_ADDRESSES = 10_000;

interface Address {
  readonly windowFrom: number;
  readonly count: number;
  /** When the last answer is sent. */
  readonly lastAt: number;
}

/**
 * Creates an empty counter.
 *
 * @param clock - monotonic clock, in milliseconds
 */
export function createBadKeyDelay(clock: () => number): BadKeyDelay {
  const addresses = new Map<string, Address>();
  return {
    waitOf(address) {
      const now = clock();
      const known = addresses.get(address);
      const { windowFrom, count, lastAt } =
        known && now - known.windowFrom < WINDOW_MS
          ? known
          : { windowFrom: now, count: 0, lastAt: known?.lastAt ?? now };
      const isFree = count < FREE_PER_WINDOW;
      const at = isFree ? now : Math.max(now + SHORTEST_MS, lastAt + BETWEEN_MS);
      const isFull = at - now > MAX_DELAY_MS;
      rememberNewest(addresses, address, { windowFrom, count: count + 1, lastAt: isFull ? lastAt : at }, MAX_ADDRESSES);
      return isFull ? "full" : at - now;
    },
  };
}
