/**
 * Slows down guessing of keys over HTTP: after a few wrong keys from an address, answers to further ones are delayed.
 */

import { remember } from "../catalog/session.js";

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
      remember(addresses, address, { windowFrom, count: count + 1, lastAt: isFull ? lastAt : at }, MAX_ADDRESSES);
      return isFull ? "full" : at - now;
    },
  };
}
