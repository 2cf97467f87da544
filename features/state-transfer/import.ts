/** Fills an empty state database from a file of an export, in one transaction. */

import { type RawBuilder, sql } from "kysely";
import type { Dialect, Tables } from "../../runtime/contract/tables.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { withinStateMs } from "../../runtime/state/deadline.js";
import { migrate, tableNames } from "../../runtime/state/migrate.js";
import { MIGRATIONS } from "../../runtime/state/migrations.js";
import { migrateTables, ownTables } from "../../runtime/state/pack-tables.js";
import { type ApiKeyRow, type Queries, queries } from "../../runtime/state/schema.js";
import { type Header, openReading, type Row, type TableHeader } from "./transfer-format.js";
import {
  KEYS,
  latestMigration,
  ROWS_AT_ONCE,
  storedColumns,
  TRANSFER_MS,
  type TransferOptions,
  type Transferred,
  transientTables,
} from "./transfer-tables.js";

/** Most parameters of one statement. */
const MAX_PARAMETERS = 10_000;
/** The first migration with versions of the tables of packs. */
const FIRST_MIGRATION = 9;
/** The secret that every new database makes. */
const SEALING = "sealing";

/** Options of {@link importState}. */
export interface ImportOptions extends TransferOptions {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The tables of a pack by its name, as the project declares them. */
  readonly tablesOf: (pack: string) => Promise<Tables | undefined>;
  /** Stores the keys elsewhere, before the commit; absent if they are in the database. */
  readonly storeKeys?: ((keys: readonly ApiKeyRow[]) => Promise<void>) | undefined;
}

/**
 * Fills an empty database from a file, in one transaction: all of it, or nothing.
 *
 * @throws UsageError if the database is not empty, the file is of a newer version, or is damaged
 */
export async function importState(options: ImportOptions): Promise<Transferred> {
  const { header, parts } = await openReading(options.chunks);
  const tables = await packsOf(header, options);
  const counts: Record<string, number> = {};
  const work = async (db: Queries): Promise<number> => {
    await begin(db, options.dialect);
    await requireEmpty(db, options.dialect);
    await createTables(db, options.dialect, header, tables);
    const inserting = createInserting(db, options, header, counts);
    const reopen = await deferReferences(db, options.dialect);
    for await (const part of parts) {
      if (part.kind === "table") await inserting.table(part.name);
      else if (part.kind === "row") await inserting.row(part.row);
    }
    await inserting.flush();
    await reopen();
    await continueSequences(db, options.dialect, header.tables);
    if (header.migration < latestMigration()) await migrate(db as never, options.dialect, MIGRATIONS);
    await options.storeKeys?.(inserting.keys);
    return Object.values(counts).reduce((sum, one) => sum + one, 0);
  };
  const { state } = options;
  const rows = await withinStateMs(TRANSFER_MS, () =>
    state.transaction("write", (tx) => work(queries(tx)), "migrations"),
  );
  return { tables: counts, rows };
}

async function begin(db: Queries, dialect: Dialect): Promise<void> {
  // References may point to rows that come later in the file.
  if (dialect === "sqlite") await sql`pragma defer_foreign_keys = on`.execute(db);
  // The file may come through a slow pipe.
  else await sql`set local idle_in_transaction_session_timeout = 0`.execute(db);
}

/** The tables of the packs of a file, at the version of the file. */
async function packsOf({ migration, packs, version }: Header, { tablesOf }: ImportOptions): Promise<readonly Tables[]> {
  if (migration > latestMigration())
    throw new UsageError(
      `the file is of version ${migration} of the state, this toolwright knows ${latestMigration()}: install toolwright ${version} or newer`,
    );
  if (migration < FIRST_MIGRATION) throw new UsageError("the file is older than any version that can export");
  return Promise.all(
    Object.entries(packs).map(async ([name, found]) => {
      const tables = await tablesOf(name);
      if (!tables)
        throw new UsageError(
          `the file has tables of ${name}, and no pack of this project declares them: add the pack, run "toolwright generate", and import again`,
        );
      if (found > tables.versions.length)
        throw new UsageError(
          `the tables of ${name} have version ${found} in the file, this project knows ${tables.versions.length}: use the definitions that wrote them`,
        );
      return { ...tables, versions: tables.versions.slice(0, found) };
    }),
  );
}

/** A new database has its own key for sealing, and its own time, which the file replaces. */
async function requireEmpty(db: Queries, dialect: Dialect): Promise<void> {
  await db.deleteFrom("newest_row").execute();
  await db.deleteFrom("server_secrets").where("name", "=", SEALING).execute();
  const transient = await transientTables(db, dialect);
  for (const table of await tableNames(db, dialect)) {
    if (table === "migrations" || transient.has(table)) continue;
    const { rows } = await sql`select 1 as found from ${sql.table(table)} limit 1`.execute(db);
    if (rows.length > 0)
      throw new UsageError(
        `the database is not empty: ${table} has rows. Name an empty one with --state; to replace this one, move .onetool/state.db and .onetool/keys away, or drop its schema`,
      );
  }
}

/** Brings the database to the version of the file; migrations that came later run over the rows of the file. */
async function createTables(db: Queries, dialect: Dialect, header: Header, packs: readonly Tables[]): Promise<void> {
  if (header.migration < latestMigration()) {
    // A table may refer to those that were made before it.
    for (const table of [...ownTables(dialect).toReversed(), "migrations"]) await db.schema.dropTable(table).execute();
    await migrate(
      db as never,
      dialect,
      MIGRATIONS.filter(({ version }) => version <= header.migration),
    );
  }
  for (const tables of packs) await migrateTables(db, dialect, tables);
  await db.deleteFrom("pack_versions").execute();
}

/** @param last number of the last of these rows in its table */
async function insert(db: Queries, table: string, rows: readonly object[], last: number): Promise<void> {
  try {
    await db
      .insertInto(table as "ledger")
      .values(rows as never)
      .execute();
  } catch (cause) {
    const from = last - rows.length + 1;
    throw new UsageError(`rows ${from} to ${last} of ${table} do not fit the database: ${messageOf(cause)}`, { cause });
  }
}

/** Checks that a table takes the columns of the file, and gives those that hold booleans. */
async function acceptedBooleans(db: Queries, dialect: Dialect, table: TableHeader): Promise<ReadonlySet<string>> {
  const columns = await storedColumns(db, dialect, table.name);
  const strange = table.columns.find((one) => !columns.includes(one));
  if (strange === undefined) return booleanColumns(db, dialect, table.name);
  throw new UsageError(
    `the file has a column ${table.name}.${strange}, which this version of the tables does not have`,
  );
}

/** Collects rows of a table, and inserts some at a time. */
function createInserting(
  db: Queries,
  { dialect, progress, storeKeys }: ImportOptions,
  header: Header,
  counts: Record<string, number>,
) {
  const headers = new Map(header.tables.map((table) => [table.name, table]));
  const keys: ApiKeyRow[] = [];
  let current: TableHeader | undefined;
  let booleans: ReadonlySet<string> = new Set();
  let waiting: Record<string, unknown>[] = [];
  const flush = async (): Promise<void> => {
    const rows = waiting;
    waiting = [];
    if (!current || rows.length === 0) return;
    if (storeKeys && current.name === KEYS) keys.push(...(rows as unknown as ApiKeyRow[]));
    else await insert(db, current.name, rows, counts[current.name] ?? 0);
  };
  return {
    keys,
    flush,
    async table(name: string): Promise<void> {
      await flush();
      current = headers.get(name);
      if (!current) throw new UsageError(`the file has rows of ${name}, which its header does not name`);
      booleans = await acceptedBooleans(db, dialect, current);
      counts[name] = 0;
      progress(name);
    },
    async row(row: Row): Promise<void> {
      if (!current || row.length !== current.columns.length)
        throw new UsageError("a row of the file has not as many values as its table has columns");
      const { name, columns } = current;
      waiting.push(
        Object.fromEntries(columns.map((column, i) => [column, fitting(row[i], dialect, booleans.has(column))])),
      );
      counts[name] = (counts[name] ?? 0) + 1;
      if (waiting.length >= Math.min(ROWS_AT_ONCE, MAX_PARAMETERS / columns.length)) await flush();
    },
  };
}

function fitting(value: unknown, dialect: Dialect, isBoolean: boolean): unknown {
  if (typeof value === "boolean" && dialect === "sqlite") return value ? 1 : 0;
  return isBoolean && typeof value === "number" ? value !== 0 : value;
}

async function booleanColumns(db: Queries, dialect: Dialect, table: string): Promise<ReadonlySet<string>> {
  if (dialect === "sqlite") return new Set();
  const { rows } = await sql<{ name: string }>`select column_name as name from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and data_type = 'boolean'`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/** Has PostgreSQL check references at the end; the returned function checks them and sets them back. */
async function deferReferences(db: Queries, dialect: Dialect): Promise<() => Promise<void>> {
  if (dialect === "sqlite") return async () => undefined;
  const { rows } = await sql<{ name: string; on: string }>`select conname as name, relname as on from pg_constraint
    join pg_class on pg_class.oid = conrelid
    where contype = 'f' and not condeferrable and connamespace = current_schema()::regnamespace`.execute(db);
  const alter = async (how: RawBuilder<unknown>): Promise<void> => {
    for (const { name, on } of rows)
      await sql`alter table ${sql.table(on)} alter constraint ${sql.ref(name)} ${how}`.execute(db);
  };
  await alter(sql`deferrable initially deferred`);
  return async () => {
    await sql`set constraints all immediate`.execute(db);
    await alter(sql`not deferrable`);
  };
}

/** Has the sequences of PostgreSQL go on after the highest number; SQLite does so itself. */
async function continueSequences(db: Queries, dialect: Dialect, tables: readonly TableHeader[]): Promise<void> {
  if (dialect === "sqlite") return;
  for (const { name, columns } of tables)
    for (const column of columns) {
      const found = await sql<{
        sequence: string | null;
      }>`select pg_get_serial_sequence(quote_ident(${name}), ${column}) as sequence`.execute(db);
      const sequence = found.rows[0]?.sequence;
      if (!sequence) continue;
      await sql`select setval(${sequence}::regclass, max(${sql.ref(column)})) from ${sql.table(name)} having max(${sql.ref(column)}) is not null`.execute(
        db,
      );
    }
}
