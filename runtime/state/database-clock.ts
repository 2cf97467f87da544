/** The clock of a database that servers share: what expires does so for all of them at once, however their own clocks differ. */

import { type Kysely, sql } from "kysely";
import type { Database } from "./schema.js";

/** The clock of a database. */
export interface DatabaseClock {
  /** Milliseconds since the epoch, by what was measured last; by the clock of this process before that. */
  now(): number;
  /** Asks the database for its time. Returns by how much the clock of this process is ahead of it, in milliseconds. */
  measure(): Promise<number>;
}

/**
 * Makes the clock of a database.
 *
 * @param once runs a statement
 * @param own the clock of this process, in milliseconds since the epoch; default: `Date.now`
 */
export function createDatabaseClock(
  once: <T>(work: (db: Kysely<Database>) => Promise<T>) => Promise<T>,
  own: () => number = Date.now,
): DatabaseClock {
  let aheadMs = 0;
  return {
    now: () => own() - aheadMs,
    async measure() {
      const asked = own();
      const { rows } = await once((db) =>
        sql<{ now: number }>`select extract(epoch from clock_timestamp())::double precision * 1000 as now`.execute(db),
      );
      const answered = own();
      const { now = asked } = rows[0] ?? {};
      // The database read its clock between the question and the answer: no difference is seen if its time lies between.
      aheadMs = now < asked ? Math.ceil(asked - now) : Math.min(0, Math.floor(answered - now));
      return aheadMs;
    },
  };
}
