/** A connection to a state database past `openState`, to see and to spoil what it wrote. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Kysely, PostgresDialect, SqliteDialect, sql } from "kysely";
import LibsqlDatabase from "libsql";
import pg from "pg";
import type { Dialect } from "../../../runtime/contract/tables.js";
import type { Place } from "./databases.js";

/** Connects to the database of a place, which is created if it does not exist. */
export function raw(place: Pick<Place, "root" | "url">): { readonly db: Kysely<never>; readonly dialect: Dialect } {
  const sqlite = place.url === "";
  const folder = join(place.root, ".onetool");
  if (sqlite) mkdirSync(folder, { recursive: true });
  const dialect = sqlite
    ? new SqliteDialect({ database: new LibsqlDatabase(join(folder, "state.db")) })
    : new PostgresDialect({ pool: new pg.Pool({ connectionString: place.url }) });
  return { db: new Kysely<never>({ dialect }), dialect: sqlite ? "sqlite" : "postgres" };
}

const COLUMNS: Readonly<Record<Dialect, string>> = {
  sqlite:
    "select t.name || ' ' || c.name || ' ' || c.type || ' ' || c.\"notnull\" as line from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'sqlite_%'",
  postgres:
    "select table_name || ' ' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(collation_name, '') as line from information_schema.columns where table_schema = current_schema()",
};

/** Every column of every table, as text, sorted. */
export async function columnsOf(place: Pick<Place, "root" | "url">): Promise<readonly string[]> {
  const { db, dialect } = raw(place);
  const { rows } = await sql.raw<{ line: string }>(COLUMNS[dialect]).execute(db);
  await db.destroy();
  return rows.map(({ line }) => line).sort();
}

/** The names of all tables, sorted. */
export const tablesOf = async (place: Pick<Place, "root" | "url">): Promise<readonly string[]> => [
  ...new Set((await columnsOf(place)).map((line) => line.split(" ")[0] ?? "")),
];
