/** The tables of packs: each pack has a version of its own, and is brought up to date when it is first used. */

import { type Kysely, sql } from "kysely";
import { messageOf } from "../contract/message-of.js";
import { columnTypes, type Dialect, defineTables, type Tables, type TablesVersion } from "../contract/tables.js";
import { isUsageError, UsageError } from "../contract/usage-error.js";
import { inTime, remainingMs, withinMs } from "./deadline.js";
import type { Connected } from "./driver.js";
import { causeOf, forCaller, LOCK_TIMEOUT_MS, StateFailure } from "./failure.js";
import { MIGRATION_MS } from "./migrate.js";
import type { Queries } from "./schema.js";

/**
 * Creates the tables of a pack, or brings them to the newest version.
 *
 * @throws ToolFailure UNAVAILABLE if the database has a newer version, a statement fails, or it takes longer than the
 * current deadline; the work then continues for later calls
 */
export type EnsureTables = (tables: Tables) => Promise<void>;

/** Makes the function for one open database, which looks at each version of each pack once. */
export function ensureTables({ dialect, transaction }: Pick<Connected, "dialect" | "transaction">): EnsureTables {
  const ready = new Map<string, Promise<void>>();
  const ensure = async (tables: Tables): Promise<void> => {
    const { name, versions } = defineTables(tables);
    const found = await withinMs(LOCK_TIMEOUT_MS, () => transaction("read", (tx) => versionOf(tx, tables)));
    if (found === versions.length) return;
    await withinMs(MIGRATION_MS, () => transaction("write", (tx) => migrateTables(tx, dialect, { name, versions })));
  };
  return async (tables) => {
    const key = `${tables.name} ${tables.versions.length}`;
    const known = ready.get(key);
    const work = known ?? ensure(tables);
    if (!known) {
      ready.set(key, work);
      work.catch(() => ready.delete(key));
    }
    try {
      await inTime(work, remainingMs(LOCK_TIMEOUT_MS), () => new StateFailure("slow"));
    } catch (error) {
      throw forCaller(error);
    }
  };
}

/** @throws UsageError if the database is newer than the pack */
async function versionOf(db: Queries, { name, versions }: Tables): Promise<number> {
  const row = await db
    .selectFrom("pack_versions")
    .select(({ fn }) => fn.max("version").as("version"))
    .where("pack", "=", name)
    .executeTakeFirst();
  const found = row?.version ?? 0;
  if (found > versions.length)
    throw new UsageError(
      `the tables of ${name} in the state database have version ${found}, this project knows ${versions.length}: use the definitions that wrote them, or name another database`,
    );
  return found;
}

/** Runs the missing versions. Call it in a write transaction, so that one process migrates while others wait. */
async function migrateTables(db: Queries, dialect: Dialect, tables: Tables): Promise<void> {
  const found = await versionOf(db, tables);
  const before = new Set(await tableNames(db, dialect));
  for (const step of tables.versions.slice(found)) {
    await runVersion(db, dialect, tables, step);
    const applied_at = new Date().toISOString();
    await db.insertInto("pack_versions").values({ pack: tables.name, version: step.version, applied_at }).execute();
  }
  const foreign = (await tableNames(db, dialect)).find(
    (table) => !before.has(table) && !table.startsWith(`${tables.name}_`),
  );
  if (foreign !== undefined)
    throw new UsageError(`the tables of ${tables.name} contain ${foreign}: call it ${tables.name}_${foreign}`);
}

async function runVersion(db: Queries, dialect: Dialect, { name }: Tables, step: TablesVersion): Promise<void> {
  for (const statement of step.statements(columnTypes(dialect)))
    try {
      await sql.raw(statement).execute(db);
    } catch (error) {
      // A missing table is a fault of the statement here.
      if (isUsageError(error) || !["emptied", undefined].includes(causeOf(error))) throw error;
      const origin = error instanceof StateFailure ? error.cause : error;
      throw new UsageError(
        `the tables of ${name} cannot be brought to version ${step.version}: ${messageOf(origin)} (in: ${statement.slice(0, MAX_SHOWN_LENGTH)})`,
      );
    }
}

/** Length of a statement in a message. */
const MAX_SHOWN_LENGTH = 120;

const TABLE_NAMES: Readonly<Record<Dialect, string>> = {
  sqlite: "select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite_%'",
  postgres: "select table_name as name from information_schema.tables where table_schema = current_schema()",
};

const tableNames = async (db: Queries, dialect: Dialect): Promise<readonly string[]> =>
  (await sql.raw<{ name: string }>(TABLE_NAMES[dialect]).execute(db as Kysely<never>)).rows.map(({ name }) => name);
