/** Slows down who tries keys over HTTP: after a few wrong ones from an address, the answers to further ones wait for their turn. */

import { remember } from "../session.js";

/** Wrong keys from each address. */
export interface BadKeyDelay {
  /**
   * Counts a wrong key, and says how long its answer has to wait. A caller with a valid key is never asked to wait, whatever others at its
   * address do.
   *
   * @returns milliseconds, or `full` where too many answers wait already: the connection is to be closed with this one
   */
  waitOf(address: string): number | "full";
}

/** Wrong keys of one address within {@link WINDOW_MS} that are answered at once. */
const FREE_PER_WINDOW = 10;
const WINDOW_MS = 60_000;
/** Shortest wait of the others, and the time between two answers to the same address. */
const SHORTEST_MS = 50;
const BETWEEN_MS = 5;
/** Answers whose turn would be later than that do not wait. */
const LONGEST_MS = 2000;
/** Addresses that are remembered; one that is forgotten begins again. */
const MAX_ADDRESSES = 10_000;

interface Address {
  readonly windowFrom: number;
  readonly count: number;
  /** When the last answer goes out. */
  readonly lastAt: number;
}

/**
 * No key was wrong so far.
 *
 * @param clock - milliseconds that never run backwards
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
      const isFull = at - now > LONGEST_MS;
      remember(addresses, address, { windowFrom, count: count + 1, lastAt: isFull ? lastAt : at }, MAX_ADDRESSES);
      return isFull ? "full" : at - now;
    },
  };
}
