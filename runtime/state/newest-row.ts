/**
 * The time of a database by its own rows, by which old rows are deleted: a process whose clock is wrong deletes nothing that
 * is young. A row that is more than a day younger than those before it may be of such a process, so its time counts once
 * rows have followed it for a day.
 */

import { sql } from "kysely";
import { BACKGROUND_MS, withinStateMs } from "./deadline.js";
import type { State } from "./open.js";
import { type NewestRow, queries } from "./schema.js";

const DAY_MS = 86_400_000;

/** The time of the newest row, as SQL. Each part reads one entry of an index. */
const NEWEST_ROW = `select max(at) as newest from (${[
  ["stat_calls", "at", "at"],
  ["audit", "at", "at"],
  ["learned", "updated_at", "updated_at"],
  ["ledger", "created_at", "expires_at"],
  ["runs", "created_at", "expires_at"],
  ["approvals", "asked_at", "kept_until"],
]
  .map(
    ([table, at, index]) =>
      `select * from (select ${at} as at from ${table} order by ${index} desc limit 1) as ${table}_newest`,
  )
  .join(" union all ")}) as newest_rows`;

/** The time of a database, or why it is not known; neither if it has no rows. */
export interface RowTime {
  readonly at?: number;
  readonly jump?: string;
}

/** The time of a database. @param now the clock of this process */
export const rowTime = (state: Pick<State, "transaction">, now: number): Promise<RowTime> =>
  withinStateMs(BACKGROUND_MS, () =>
    state.transaction(
      "write",
      async (tx) => {
        const db = queries(tx);
        const { rows } = await sql.raw<{ newest: string | null }>(NEWEST_ROW).execute(db);
        const newest = rows[0]?.newest ?? undefined;
        if (newest === undefined) return {};
        const at = Date.parse(newest);
        if (Math.abs(at - now) > DAY_MS)
          return { jump: `the newest row is of ${newest}, a day or more ${at < now ? "before" : "after"} this clock` };
        const row = next(await db.selectFrom("newest_row").selectAll().executeTakeFirst(), newest);
        await db.deleteFrom("newest_row").execute();
        await db.insertInto("newest_row").values(row).execute();
        return row.since === null ? { at } : { jump: `the rows after ${row.before} begin at ${row.since}` };
      },
      "retention",
    ),
  );

/** What is known once this is the newest row. */
function next(known: NewestRow | undefined, at: string): NewestRow {
  if (!known) return { at, since: null, before: null };
  if (apart(known.at, at) > DAY_MS) return { at, since: at, before: known.at };
  const isSettled = known.since === null || apart(known.since, at) >= DAY_MS;
  return isSettled ? { at, since: null, before: null } : { ...known, at };
}

const apart = (from: string, to: string): number => Date.parse(to) - Date.parse(from);
