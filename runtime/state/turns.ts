/** A queue that runs work one at a time, in order of arrival, and drops work that has waited too long. */

import { inTime } from "./deadline.js";
import { StateFailure } from "./failure.js";

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
  return {
    async take(work, ms) {
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
      last = turn.catch(() => undefined);
      try {
        await inTime(begun, ms, () => new StateFailure("locked", { message: BUSY }));
      } catch (error) {
        isGivenUp = true;
        throw error;
      }
      return turn as ReturnType<typeof work>;
    },
  };
}

const BUSY = "The database is kept by another call. Try again.";
