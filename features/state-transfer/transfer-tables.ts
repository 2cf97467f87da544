/** What an export and an import of the state share: the tables and columns of a database. */

import { sql } from "kysely";
import type { Dialect } from "../../runtime/contract/tables.js";
import { MIGRATIONS } from "../../runtime/state/migrations.js";
import type { State } from "../../runtime/state/open.js";
import type { Queries } from "../../runtime/state/schema.js";

/** Time limit of an export and of an import: a day. */
export const TRANSFER_MS = 86_400_000;
/** Rows that are read, or inserted, at once. */
export const ROWS_AT_ONCE = 100;
/** The table whose rows are in a file of their own beside a SQLite database. */
export const KEYS = "api_keys";

/** What both directions need. */
export interface TransferOptions {
  readonly state: State;
  readonly dialect: Dialect;
  /** Called with the table that is worked on. */
  readonly progress: (table: string) => void;
}

/** What was moved. */
export interface Transferred {
  readonly tables: Readonly<Record<string, number>>;
  readonly rows: number;
}

/** The newest migration. */
export const latestMigration = (): number => MIGRATIONS.at(-1)?.version ?? 0;

/** Large results, which end soon and are files beside SQLite. */
const RESULTS = ["results", "result_chunks"];

/** Tables in which nothing has to last: large results, and those that PostgreSQL empties after a crash. */
export async function transientTables(db: Queries, dialect: Dialect): Promise<ReadonlySet<string>> {
  if (dialect === "sqlite") return new Set();
  const found = await sql<{ name: string }>`select relname as name from pg_class where relpersistence = 'u'
    and relkind = 'r' and relnamespace = current_schema()::regnamespace`.execute(db);
  return new Set([...RESULTS, ...found.rows.map(({ name }) => name)]);
}

/** The columns of a table, without those that the database computes. */
export async function storedColumns(db: Queries, dialect: Dialect, table: string): Promise<readonly string[]> {
  const asked =
    dialect === "sqlite"
      ? sql<{ name: string }>`select name from pragma_table_info(${table}) order by cid`
      : sql<{ name: string }>`select column_name as name from information_schema.columns
          where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER' order by ordinal_position`;
  return (await asked.execute(db)).rows.map(({ name }) => name);
}
