/** Outages of the state database, as a run sees them: which of its calls wait, and what is stored when they are over. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Outages } from "../../call/call.js";
import { type Backoff, waitAfter } from "../../contract/backoff.js";
import { BACKGROUND_MS, withinStateMs } from "../../state/deadline.js";
import { isOutage } from "../../state/failure.js";
import { queries } from "../../state/schema.js";
import type { RunOutcome } from "../languages/language.js";
import type { KeepParts } from "./asking.js";

/** The calls of a run that wait. */
export interface RunOutages extends Outages {
  /**
   * Whether they have ended a program: its time was over while a call waited, or while what it stores before a write could
   * not be stored.
   *
   * @param isStored - whether it is stored, or was to be
   */
  haveEnded(outcome: RunOutcome, isStored: boolean): Promise<boolean>;
  /** What {@link haveEnded} said last. */
  isEnd(): boolean;
}

/** Begins without calls. */
export function createOutages(parts: Pick<KeepParts, "state">): RunOutages {
  let isEnd = false;
  const waiting = new Set<string>();
  /** Calls that have waited, until the call that makes them begins anew. */
  const delayed = new Set<string>();
  return {
    waits(key = "") {
      waiting.add(key);
      delayed.add(key);
    },
    answered: (key = "") => void waiting.delete(key),
    takeWithin(key = "") {
      const within = [...delayed].filter((one) => one.startsWith(`${key}.`));
      for (const one of within) for (const set of [waiting, delayed]) set.delete(one);
      return within.length > 0;
    },
    async haveEnded(outcome, isStored) {
      const isTimedOut = !outcome.ok && outcome.kind === "timeout";
      isEnd = isTimedOut && (waiting.size > 0 || (isStored && (await isDatabaseAway(parts))));
      return isEnd;
    },
    isEnd: () => isEnd,
  };
}

/** How long the database may take for a sign of life. */
const SIGN_MS = 500;

/** Whether the database does not answer now. */
async function isDatabaseAway({ state }: Pick<KeepParts, "state">): Promise<boolean> {
  const read = async (): Promise<unknown> =>
    (await state.get()).transaction("read", (tx) =>
      queries(tx).selectFrom("server_secrets").select("name").limit(1).execute(),
    );
  return withinStateMs(SIGN_MS, read).then(() => false, isOutage);
}

/** Pauses between attempts, and how long it is tried: by then, another server goes on with the run. */
const PAUSES: Backoff = { firstMs: 200, longestMs: 10_000 };
const STORE_MS = 600_000;

/**
 * Stores something about a run, as soon as the database lets it. Never rejects.
 *
 * @param what says what is not stored, for the log
 */
export async function storeLater(
  { log }: Pick<KeepParts, "log">,
  run: string,
  what: string,
  store: () => Promise<void>,
): Promise<void> {
  const until = performance.now() + STORE_MS;
  for (let failures = 1; ; failures++)
    try {
      return await withinStateMs(BACKGROUND_MS, store);
    } catch (error) {
      const isLast = !isOutage(error) || performance.now() > until;
      if (failures === 1 || isLast) log.warn(what, { run, error: String(error), is_tried_again: !isLast });
      if (isLast) return;
      await sleep(waitAfter(failures, Math.random, PAUSES), undefined, { ref: false });
    }
}
