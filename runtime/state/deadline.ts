/**
 * The deadline for waiting on the state database. It follows the work through everything that it awaits, so that a
 * call and the checks of its key share one time limit.
 */

import { scopedStorage } from "./scoped-storage.js";

/** A point in time of `performance.now()`. */
type Instant = number;

const deadline = scopedStorage<Instant>();

/** Time limit of background work (statistics, the audit, deleting old rows), in milliseconds. */
export const BACKGROUND_MS = 15_000;

/**
 * Runs work that may wait for the state database for `ms`. It replaces an outer deadline, because background work
 * outlives the call that started it.
 */
export const withinStateMs = <T>(ms: number, work: () => Promise<T>): Promise<T> =>
  deadline.run(performance.now() + Math.max(0, ms), work);

/** As {@link withinStateMs}, but never beyond the outer deadline. */
export const withinAtMost = <T>(ms: number, work: () => Promise<T>): Promise<T> =>
  withinStateMs(Math.min(ms, remainingMs(ms)), work);

/** The remaining time of the current work; `otherwise` if it has no deadline. */
export const remainingMs = (otherwise: number): number => {
  const at = deadline.current();
  return at === undefined ? otherwise : Math.max(0, at - performance.now());
};

/** Waits until `work` has ended, well or not, at most `ms`. */
export const untilDone = async (work: Promise<unknown>, ms: number): Promise<void> => {
  await inTime(work, ms, () => new Error("not done in time")).catch(() => undefined);
};

/**
 * Waits for `work`, at most `ms`. A result that comes later is ignored.
 *
 * @throws the error of `late` when the time is over
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
