/**
 * A trial on PostgreSQL: one transaction that is rolled back. It waits only briefly for the locks of others, and ends as soon
 * as another writer waits for one of its own.
 */

import { type Kysely, sql, type Transaction } from "kysely";
import { withinStateMs } from "./deadline.js";
import type { Database } from "./schema.js";
import { type ConnectedTrial, trialEnded } from "./trial.js";
import { createTurns } from "./turns.js";

/** How long the transaction may be open by default. */
const TRIAL_MS = 2000;
/** How long it waits for a lock of another transaction. */
const LOCK_MS = 500;
/** How often it looks whether another writer waits for it. */
const LOOK_MS = 40;

const tooLong = (ms: number): string =>
  `The preview had its transaction open for longer than ${ms} ms, which holds up other writers. Preview a shorter program, or parts of it.`;
const IN_THE_WAY =
  "Another writer waited for what the preview had written, so the preview gave way. Nothing was changed; try again.";

interface Opened {
  readonly tx: Transaction<Database>;
  /** Process id of its server process. */
  readonly pid: number;
}

/**
 * Opens a trial.
 *
 * @param database where its transaction goes; it sends no statement of the work after the signal
 * @param once runs a statement on another connection
 * @param limitMs how long it may be open
 */
export async function openPostgresTrial(
  database: (ends: AbortSignal) => Kysely<Database>,
  once: <T>(work: (db: Kysely<Database>) => Promise<T>) => Promise<T>,
  limitMs = TRIAL_MS,
): Promise<ConnectedTrial> {
  const over = new AbortController();
  const { opened, ended } = openTransaction(database(over.signal), over.signal, limitMs);
  const { tx, pid } = await opened;
  const timer = setTimeout(() => over.abort(trialEnded(tooLong(limitMs))), limitMs);
  const looking = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    const isWaitedFor = await once((other) => blocks(other, pid)).finally(() => {
      isLooking = false;
    });
    if (isWaitedFor) over.abort(trialEnded(IN_THE_WAY));
  };
  const turns = createTurns();
  const stop = (): void => {
    clearTimeout(timer);
    clearInterval(looking);
  };
  over.signal.addEventListener("abort", stop, { once: true });
  return {
    dialect: "postgres",
    signal: over.signal,
    transaction: (_, work) => turns.take(() => undoneAlone(tx, over.signal, work), limitMs),
    async close() {
      over.abort(trialEnded("The preview has ended."));
      await ended;
    },
  };
}

/** Holds the transaction open until the signal aborts. */
function openTransaction(db: Kysely<Database>, signal: AbortSignal, limitMs: number) {
  let ended: Promise<void> = Promise.resolve();
  const opened = new Promise<Opened>((resolve, reject) => {
    const work = async (tx: Transaction<Database>): Promise<never> => {
      await sql.raw(`set local lock_timeout = ${LOCK_MS}; savepoint ${SAVEPOINT}`).execute(tx);
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      resolve({ tx, pid: rows[0]?.pid ?? 0 });
      await aborted(signal);
      throw signal.reason;
    };
    // Rejects always, so that it is rolled back.
    ended = withinStateMs(limitMs, () => db.transaction().execute(work)).catch(reject);
  });
  return { opened, ended };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

const SAVEPOINT = "toolwright_call";

/** Runs work after the savepoint, to which it goes back if the work fails. */
async function undoneAlone<T>(
  tx: Transaction<Database>,
  signal: AbortSignal,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  try {
    const done = await work(tx);
    signal.throwIfAborted();
    await sql.raw(`release savepoint ${SAVEPOINT}; savepoint ${SAVEPOINT}`).execute(tx);
    return done;
  } catch (error) {
    signal.throwIfAborted();
    await sql.raw(`rollback to savepoint ${SAVEPOINT}`).execute(tx);
    throw error;
  }
}

/** Whether another server process waits for a lock that the one with this id holds. */
async function blocks(db: Kysely<Database>, pid: number): Promise<boolean> {
  const { rows } = await sql<{ blocked: boolean }>`select exists (
    select 1 from pg_stat_activity where wait_event_type = 'Lock' and ${pid}::int = any(pg_blocking_pids(pid))
  ) as blocked`.execute(db);
  return rows[0]?.blocked === true;
}
