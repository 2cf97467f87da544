/** Work in parts, between which the event loop answers others. */

import { setImmediate } from "node:timers/promises";

/** How long work goes on before others have their turn, in milliseconds. */
const SLICE_MS = 5;

/** Resolves in the next turn of the event loop. */
export const nextTurn = (): Promise<void> => setImmediate();

/** Does work on each item in order; other events have their turn whenever it has taken a few milliseconds. */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void | Promise<void>): Promise<void> {
  let began = performance.now();
  for (const item of items) {
    const working = work(item);
    if (working) await working;
    if (performance.now() - began < SLICE_MS) continue;
    await nextTurn();
    began = performance.now();
  }
}
