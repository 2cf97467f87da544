/**
 * Until when work may wait for the state database. The deadline goes with the work, through everything that it awaits, so that a call
 * and the checks of its key are bounded by one time.
 */

import { AsyncLocalStorage } from "node:async_hooks";

/** A point in time of `performance.now()`. */
type Instant = number;

const current = new AsyncLocalStorage<Instant>();

/** Longest wait of background work: statistics, the audit, deleting old rows. In milliseconds. */
export const BACKGROUND_MS = 15_000;

/**
 * Does work that may wait for the state database for `ms`. An earlier deadline around it does not count: work in the background
 * outlives the call that started it.
 */
export const withinMs = <T>(ms: number, work: () => Promise<T>): Promise<T> =>
  current.run(performance.now() + Math.max(0, ms), work);

/** As {@link withinMs}, but never longer than the work around it may wait. */
export const withinAtMost = <T>(ms: number, work: () => Promise<T>): Promise<T> =>
  withinMs(Math.min(ms, remainingMs(ms)), work);

/** How long the current work may still wait; `otherwise` where it has no deadline. */
export const remainingMs = (otherwise: number): number => {
  const deadline = current.getStore();
  return deadline === undefined ? otherwise : Math.max(0, deadline - performance.now());
};

/**
 * Waits for `work`, but no longer than `ms`. What becomes of the work afterwards is ignored.
 *
 * @throws what `late` gives when the time is over
 */
export async function inTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
