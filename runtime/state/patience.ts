/** Waits for the lock of SQLite without blocking the thread; SQLite's own wait would block it. */

import { setTimeout as sleep } from "node:timers/promises";
import { isBusy, StateFailure } from "./failure.js";

/** Longest pause between two attempts to take a lock that another process holds. */
const PAUSE_MS = 25;

/**
 * Repeats `attempt` while SQLite is locked, without blocking the thread.
 *
 * @param deadline of `performance.now()`
 * @throws StateFailure `locked` after the deadline
 */
export async function patiently<T>(attempt: () => Promise<T> | T, deadline: number): Promise<T> {
  for (let pause = 1; ; pause = Math.min(pause * 2, PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() >= deadline) throw new StateFailure("locked", { cause: error });
      await sleep(pause);
    }
  }
}
