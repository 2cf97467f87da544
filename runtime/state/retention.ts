/** Deletes rows that are older than their retention, in the background. */

import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import type { Logger, Transaction } from "../contract/handler.js";
import { BACKGROUND_MS, withinStateMs } from "./deadline.js";
import type { Jobs } from "./jobs.js";
import { rowTime } from "./newest-row.js";
import type { State } from "./open.js";
import { type Database, hourOf, iso, queries } from "./schema.js";

/** A table with a retention, and its time column: a time, a day, or the hour if it is called so. */
type Ageing = readonly [table: string, column: string];

/** The audit, which is kept for `stats.retention_days`. */
export const AUDIT: readonly Ageing[] = [["audit", "at"]];

/** Idempotency keys, runs and names of users, whose rows know when they expire: their retention is 0. */
export const LEDGER: readonly Ageing[] = [
  ["ledger", "expires_at"],
  ["run_calls", "expires_at"],
  ["run_plans", "expires_at"],
  ["run_deliveries", "expires_at"],
  ["run_inner", "expires_at"],
  ["runs", "expires_at"],
  ["user_names", "expires_at"],
  ["approvals", "kept_until"],
  ["outcomes", "kept_until"],
];

const EXPIRE_MS = 3_600_000;
const KEPT =
  "old rows of the state database are kept, since a clock may be wrong; they are deleted once the rows of a whole day agree";

/** What is deleted, and how long it is kept. */
export interface RetainParts {
  readonly jobs: Jobs;
  /** What the rows are, which names the job. */
  readonly of: string;
  readonly clock: () => number;
  readonly log: Pick<Logger, "warn">;
  readonly keptMs: number;
  readonly tables: readonly Ageing[];
}

/** Deletes old rows in the background. */
export interface Retention {
  /** Begins with a database, after rows were written; later calls do nothing. */
  on(state: State): void;
}

/** Rows of a command stay until a server deletes them. */
export const NO_RETENTION: Retention = { on: () => undefined };

/**
 * Deletes old rows of some tables once an hour: a recurring job, which one of the servers of a database runs. What is old
 * depends on the newest row, and nothing is deleted after the time has jumped.
 */
export function retain({ jobs, of, clock, log, keptMs, tables }: RetainParts): Retention {
  let said = "";
  jobs.handle(
    `retention ${of}`,
    async ({ state, signal }) => {
      const { at, jump = "" } = await rowTime(state, clock());
      if (jump !== said && jump !== "") log.warn(`${KEPT}: ${jump}`, { of });
      said = jump;
      if (at === undefined) return undefined;
      await expire(state, at - keptMs, tables, signal);
      signal.throwIfAborted();
      return undefined;
    },
    { everyMs: EXPIRE_MS },
  );
  return { on: jobs.use };
}

/** Rows of one deletion: takes a few milliseconds. */
const PER_DELETION = 5000;

/**
 * Deletes rows older than a time, in small transactions, so that other work runs in between.
 *
 * @param signal stops it early, after at least one transaction
 */
export async function expire(
  state: Pick<State, "transaction">,
  before: number,
  tables: readonly Ageing[],
  signal?: AbortSignal,
): Promise<void> {
  for (const ageing of tables) {
    const end = ageing[1] === "hour" ? hourOf(before) : iso(before);
    const some = () => state.transaction("write", (tx) => deleteSome(tx, ageing, end), "retention");
    while (await withinStateMs(BACKGROUND_MS, some)) {
      if (signal?.aborted) return;
      await turn();
    }
  }
}

/** Deletes the oldest rows before a time; returns whether there may be more. */
async function deleteSome(tx: Transaction, [name, column]: Ageing, end: string): Promise<boolean> {
  const db = queries(tx);
  // Features have tables of their own.
  const table = name as keyof Database;
  const time = sql.ref<string>(column);
  const next = await db
    .selectFrom(table)
    .select(time.as("time"))
    .where(time, "<", end)
    .orderBy(time)
    .offset(PER_DELETION)
    .limit(1)
    .executeTakeFirst();
  await db
    .deleteFrom(table)
    .where(time, next ? "<=" : "<", next?.time ?? end)
    .execute();
  return next !== undefined;
}
