/** Waits for a turn on a database: a queue of work in this process, and retries while another process holds the lock of SQLite. */

import { setTimeout as sleep } from "node:timers/promises";
import { inTime } from "./deadline.js";
import { isBusy, StateFailure } from "./failure.js";

/** A queue of work, one at a time. */
export interface Turns {
  /**
   * Runs work when its turn comes.
   *
   * @throws StateFailure `locked` if the wait takes longer than `ms`; the work then never starts
   */
  take<T>(work: () => Promise<T>, ms: number): Promise<T>;
}

/** Creates an empty queue. */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  /** Work that is under way or waits. */
  let ahead = 0;
  const done = (): void => {
    ahead -= 1;
  };
  const queued = async <T>(work: () => Promise<T>, ms: number): Promise<T> => {
    let begin = (): void => undefined;
    const begun = new Promise<boolean>((resolve) => {
      begin = () => resolve(true);
    });
    let isGivenUp = false;
    const turn = last.then(() => {
      if (isGivenUp) return undefined;
      begin();
      return work();
    });
    last = turn.then(done, done);
    try {
      await inTime(begun, ms, () => new StateFailure("locked", { message: BUSY }));
    } catch (error) {
      isGivenUp = true;
      throw error;
    }
    return turn as Promise<T>;
  };
  return {
    take(work, ms) {
      ahead += 1;
      if (ahead > 1) return queued(work, ms);
      const turn = (async () => work())();
      last = turn.then(done, done);
      return turn;
    },
  };
}

const BUSY = "The database is kept by another call. Try again.";

/** Longest pause between two attempts to take a lock that another process holds. */
const PAUSE_MS = 25;

/**
 * Repeats `attempt` while SQLite is locked, without blocking the thread.
 *
 * @param deadline of `performance.now()`
 * @throws StateFailure `locked` after the deadline
 */
export async function retryWhileLocked<T>(attempt: () => Promise<T> | T, deadline: number): Promise<T> {
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
