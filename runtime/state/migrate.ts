/** Runs the migrations that a database lacks. Rule: once, in order, and never on a newer database. */

import { type Kysely, sql } from "kysely";
import { UsageError } from "../usage-error.js";
import type { Dialect, Migration } from "./migrations.js";

/** The table that says which steps a database has seen. */
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

/**
 * Brings a database up to date. Call it in a write transaction: the lock lets one process migrate while others wait.
 *
 * @returns the versions that it ran
 * @throws UsageError when the database is newer than this program, or lacks a step before its newest
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
  const applied = await db.selectFrom("migrations").select(["version", "name"]).orderBy("version").execute();
  check(applied, known);
  const lacking = known.slice(applied.length);
  for (const { version, name, statements } of lacking) {
    for (const statement of statements(dialect)) await sql.raw(statement).execute(db);
    await db.insertInto("migrations").values({ version, name, applied_at: now().toISOString() }).execute();
  }
  return lacking.map(({ version }) => version);
}
