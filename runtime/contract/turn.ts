/** Work in parts, between which the event loop answers others. */

import { setImmediate } from "node:timers/promises";

/** How long work goes on before others have their turn, in milliseconds. */
const SLICE_MS = 5;

/** Messages of a client after which others have their turn: most of the work on one is done after it was taken. */
export const MESSAGES_A_TURN = 16;

/** Resolves in the next turn of the event loop. */
export const nextTurn = (): Promise<void> => setImmediate();

/**
 * Does work on each item in order; other events have their turn whenever it has taken a few milliseconds.
 *
 * @param most - items after which they have it too: fewer where the work goes on after it has returned, which takes time that
 * is not seen here
 */
export async function inTurns<T>(
  items: Iterable<T>,
  work: (item: T) => void | Promise<void>,
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  let [began, done] = [performance.now(), 0];
  for (const item of items) {
    const working = work(item);
    if (working) await working;
    if (++done < most && performance.now() - began < SLICE_MS) continue;
    await nextTurn();
    [began, done] = [performance.now(), 0];
  }
}
