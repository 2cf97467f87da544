/**
 * Keeps an identity provider that hangs from holding up the callers of others: few questions wait for it at a time, and
 * after one that it has not answered in time it is asked again only once in a while.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { isTimeout } from "../../runtime/access/issuer-client.js";

/** Most questions to one provider at a time; the others wait for a moment. */
export const MAX_ASKING = 32;
/** How long a caller waits where as many wait already. */
const MOMENT_MS = 250;
/** First and longest time without questions after one that was not answered; each further one doubles it. */
const PAUSE_MS = [1000, 30_000] as const;
/** How long others are refused while one question tries again: longer than it takes. */
const TRIAL_MS = 15_000;

/** The gate of one provider. */
export interface ProviderGate {
  /**
   * Asks the provider, if it is not in a pause, and if fewer than {@link MAX_ASKING} questions are under way within a
   * moment.
   *
   * @throws Error that says why it is not asked, and what the question throws
   */
  ask<T>(question: () => Promise<T>): Promise<T>;
  /** Waits for an answer: only a moment where {@link MAX_ASKING} callers wait already. @throws Error after it */
  wait<T>(answer: Promise<T>): Promise<T>;
}

/** @param clock monotonic, in milliseconds */
export function providerGate(clock: () => number = () => performance.now()): ProviderGate {
  let [asking, waiting] = [0, 0];
  const freed: (() => void)[] = [];
  const pause = pauses(clock);

  /** A place for a question, which another one may leave within a moment. */
  const place = async (): Promise<void> => {
    if (asking < MAX_ASKING) {
      asking++;
      return;
    }
    let take = (): void => undefined;
    const handed = new Promise<"handed">((resolve) => {
      take = () => resolve("handed");
    });
    freed.push(take);
    if ((await aMoment(handed)) === "handed") return;
    // A place that was handed over in the same instant is kept: it is no longer in the list.
    const at = freed.indexOf(take);
    if (at === -1) return;
    freed.splice(at, 1);
    throw new Error(`${MAX_ASKING} questions to it are under way`);
  };
  const left = (): void => {
    const next = freed.shift();
    if (next) next();
    else asking--;
  };

  return {
    async ask(question) {
      pause.check();
      await place();
      try {
        return await pause.watch(question);
      } finally {
        left();
      }
    },
    async wait(answer) {
      if (waiting >= MAX_ASKING) {
        const found = await aMoment(answer.then((value) => ({ value })));
        if (found) return found.value;
        throw new Error(`${MAX_ASKING} callers wait for it already`);
      }
      waiting++;
      return answer.finally(() => waiting--);
    },
  };
}

/** Resolves as the promise does, or with undefined after a moment. */
async function aMoment<T>(promise: Promise<T>): Promise<T | undefined> {
  const done = new AbortController();
  const late = sleep(MOMENT_MS, undefined, { signal: done.signal }).catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    done.abort();
  }
}

/** Pauses after questions that were not answered in time; one question at the end of each tries again. */
function pauses(clock: () => number) {
  let pause: { readonly end: number; readonly ms: number } | undefined;
  const check = (): void => {
    if (!pause) return;
    const left = pause.end - clock();
    if (left > 0) throw new Error(`it has not answered in time, and is asked again in ${Math.ceil(left / 1000)} s`);
  };
  return {
    check,
    async watch<T>(question: () => Promise<T>): Promise<T> {
      // The pause may have begun during the wait for a place.
      check();
      const before = pause;
      // Others are refused while this one tries again.
      if (before) pause = { end: clock() + TRIAL_MS, ms: before.ms };
      try {
        const answer = await question();
        pause = undefined;
        return answer;
      } catch (error) {
        if (!isTimeout(error)) pause = undefined;
        // Questions that were asked before the pause began prolong it no further.
        else if (!pause || before) {
          const ms = before ? Math.min(2 * before.ms, PAUSE_MS[1]) : PAUSE_MS[0];
          pause = { end: clock() + ms, ms };
        }
        throw error;
      }
    },
  };
}
