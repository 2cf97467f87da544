/** Rate limit of a key: one token bucket for each, shared by all of its connections. */

import { remember } from "../catalog/session.js";
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
 * Number of calls that a request to a gateway tool counts as; 1 for any other tool.
 *
 * @param tools - the gateway tools that are served
 */
export const callsIn = (name: unknown, input: unknown, tools: readonly GatewayTool[] = GATEWAY_TOOLS): number =>
  gatewayTool(name, tools)?.callsIn?.(input) ?? 1;
