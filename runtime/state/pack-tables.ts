/** The tables of packs: each pack has a version of its own, and is brought up to date when it is first used. */

import { sql } from "kysely";
import { columnTypes, type Dialect, defineTables, type Tables, type TablesVersion } from "../contract/tables.js";
import { messageOf } from "../contract/thrown.js";
import { isUsageError, UsageError } from "../contract/usage-error.js";
import { inTime, remainingMs, withinStateMs } from "./deadline.js";
import type { Connected } from "./driver.js";
import { causeOf, forCaller, LOCK_TIMEOUT_MS, StateFailure } from "./failure.js";
import { MIGRATION_MS, tableNames } from "./migrate.js";
import { MIGRATIONS } from "./migrations.js";
import type { Queries } from "./schema.js";

/**
 * Creates the tables of a pack, or brings them to the newest version.
 *
 * @throws ToolFailure UNAVAILABLE if the database has a newer version, a statement fails, or it takes longer than the
 * current deadline; the work then continues for later calls
 */
export type EnsureTables = (tables: Tables) => Promise<void>;

/**
 * Makes the function for one open database, which looks at each version of each pack once.
 *
 * @param ensured gets the names of the tables that are there afterwards
 */
export function ensureTables(
  { dialect, transaction }: Pick<Connected, "dialect" | "transaction">,
  ensured: Set<string>,
): EnsureTables {
  const ready = new Map<string, Promise<void>>();
  const ensure = async (tables: Tables): Promise<void> => {
    const { name, versions } = defineTables(tables);
    const found = await withinStateMs(LOCK_TIMEOUT_MS, () => transaction("read", (tx) => versionOf(tx, tables)));
    if (found !== versions.length)
      await withinStateMs(MIGRATION_MS, () =>
        transaction("write", (tx) => migrateTables(tx, dialect, { name, versions }), "migrations"),
      );
    const present = await withinStateMs(LOCK_TIMEOUT_MS, () => transaction("read", (tx) => tableNames(tx, dialect)));
    for (const table of present) if (isOf(name, table)) ensured.add(table);
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

/** Whether a table belongs to a pack: its name says so. */
export const isOf = (pack: string, table: string): boolean => table.startsWith(`${pack}_`);

/**
 * Tables that should be there and are not: those of toolwright, those that this process has seen, and `PACK_…` for packs
 * of which none is left.
 */
export async function missingTables(
  db: Queries,
  dialect: Dialect,
  ensured: ReadonlySet<string>,
): Promise<readonly string[]> {
  const present = new Set(await tableNames(db, dialect));
  const missing = [...ownTables(dialect), ...ensured].filter((table) => !present.has(table));
  if (missing.length > 0) return missing;
  const packs = await db.selectFrom("pack_versions").select("pack").distinct().execute();
  return packs.filter(({ pack }) => ![...present].some((table) => isOf(pack, table))).map(({ pack }) => `${pack}_…`);
}

/** The tables that migrations make. */
export const ownTables = (dialect: Dialect): readonly string[] =>
  MIGRATIONS.flatMap(({ statements }) => statements(dialect)).flatMap((one) => CREATED.exec(one)?.[1] ?? []);

const CREATED = /^create (?:unlogged )?table (\w+)/;

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

/** Runs the missing versions. Call it in a write transaction of the order "migrations". */
export async function migrateTables(db: Queries, dialect: Dialect, tables: Tables): Promise<void> {
  const found = await versionOf(db, tables);
  const before = new Set(await tableNames(db, dialect));
  for (const step of tables.versions.slice(found)) {
    await runVersion(db, dialect, tables, step);
    const applied_at = new Date().toISOString();
    await db.insertInto("pack_versions").values({ pack: tables.name, version: step.version, applied_at }).execute();
  }
  const foreign = (await tableNames(db, dialect)).find((table) => !before.has(table) && !isOf(tables.name, table));
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
