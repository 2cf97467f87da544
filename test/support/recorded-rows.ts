/** Rows of recorded calls, as the servers of a released version have written them. */

import { sql } from "kysely";
import type { Transaction } from "../../runtime/contract/handler.js";
import { queries } from "../../runtime/state/schema.js";

/** A call, or a counter of an hour. */
type RecordedRow = Readonly<Record<string, string | number>>;

/** Inserts rows into a table of statistics. */
export async function insertRecorded(tx: Transaction, table: string, rows: readonly RecordedRow[]): Promise<void> {
  for (const row of rows) {
    const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
    await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(row))})`.execute(
      queries(tx),
    );
  }
}
