/** Runs the missing migrations of a database: each once, in order, and never on a newer database. */

import { type Kysely, sql } from "kysely";
import type { Dialect } from "../contract/tables.js";
import { UsageError } from "../contract/usage-error.js";
import { StateFailure } from "./failure.js";
import type { Migration } from "./migrations.js";
import type { Queries } from "./schema.js";

/** Time limit of migrations: tables may be large, and other servers that start wait for them. */
export const MIGRATION_MS = 600_000;

/** The table of migrations that a database has had. */
interface Applied {
  readonly migrations: { readonly version: number; readonly name: string; readonly applied_at: string };
}

function check(applied: readonly { version: number; name: string }[], known: readonly Migration[]): void {
  const latest = known.at(-1)?.version ?? 0;
  const newest = applied.at(-1)?.version ?? 0;
  if (newest > latest)
    throw new UsageError(
      `the state database has version ${newest}, this toolwright knows ${latest}: install the version that wrote it, or name another database`,
    );
  const missing = applied.find((row, i) => row.version !== known[i]?.version);
  if (missing)
    throw new UsageError(
      `the state database has version ${missing.version} (${missing.name}) without the ones before it: restore it from a copy`,
    );
}

/** State of a database before migration: no tables of toolwright, missing migrations, or up to date. */
export type MigrationStanding = "empty" | "behind" | "current";

const TABLE: Readonly<Record<Dialect, string>> = {
  sqlite:
    "select name as found, 0 as read_only, 0 as standby from sqlite_schema where type = 'table' and name = 'migrations'",
  postgres:
    "select to_regclass('migrations')::text as found, (current_setting('transaction_read_only') = 'on')::int as read_only, pg_is_in_recovery()::int as standby",
};

/**
 * Reads the state of a database. Takes no lock that writers wait for.
 *
 * @throws StateFailure if it cannot be written; UsageError as {@link migrate}
 */
export async function migrationStanding(
  tx: Kysely<never>,
  dialect: Dialect,
  known: readonly Migration[],
): Promise<MigrationStanding> {
  const db = tx as unknown as Kysely<Applied>;
  const { rows } = await sql
    .raw<{ found: string | null; read_only: number; standby: number }>(TABLE[dialect])
    .execute(db);
  if (rows[0]?.standby) throw new StateFailure("standby");
  if (rows[0]?.read_only) throw new StateFailure("read_only");
  if (!rows[0]?.found) return "empty";
  const applied = await appliedIn(db);
  check(applied, known);
  if (applied.length === 0) return "empty";
  return applied.length < known.length ? "behind" : "current";
}

const appliedIn = (db: Kysely<Applied>) =>
  db.selectFrom("migrations").select(["version", "name"]).orderBy("version").execute();

/**
 * Brings a database up to date. Call it in a write transaction of the order "migrations", so that one process migrates while others wait.
 *
 * @returns the versions of the migrations that ran
 * @throws UsageError if the database is newer than this program, or lacks a migration before its newest one
 */
export async function migrate(
  tx: Kysely<never>,
  dialect: Dialect,
  known: readonly Migration[],
  now: () => Date = () => new Date(),
): Promise<readonly number[]> {
  const db = tx as unknown as Kysely<Applied>;
  await sql`create table if not exists migrations (version integer primary key, name text not null, applied_at text not null)`.execute(
    db,
  );
  const applied = await appliedIn(db);
  check(applied, known);
  const lacking = known.slice(applied.length);
  for (const { version, name, statements } of lacking) {
    for (const statement of statements(dialect)) await sql.raw(statement).execute(db);
    await db.insertInto("migrations").values({ version, name, applied_at: now().toISOString() }).execute();
  }
  return lacking.map(({ version }) => version);
}

const TABLE_NAMES: Readonly<Record<Dialect, string>> = {
  sqlite: "select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite_%'",
  postgres: "select table_name as name from information_schema.tables where table_schema = current_schema()",
};

/** The names of all tables and views. */
export const tableNames = async (db: Queries, dialect: Dialect): Promise<readonly string[]> =>
  (await sql.raw<{ name: string }>(TABLE_NAMES[dialect]).execute(db as Kysely<never>)).rows.map(({ name }) => name);
