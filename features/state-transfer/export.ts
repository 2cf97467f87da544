/** Writes a whole state database into a file, a few rows at a time. */

import { type Expression, sql } from "kysely";
import type { Dialect } from "../../runtime/contract/tables.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { withinStateMs } from "../../runtime/state/deadline.js";
import { tableNames } from "../../runtime/state/migrate.js";
import { isOf, ownTables } from "../../runtime/state/pack-tables.js";
import { type ApiKeyRow, type Queries, queries } from "../../runtime/state/schema.js";
import { createWriter, FORMAT, type Row, type TableHeader } from "./transfer-format.js";
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

/** Options of {@link exportState}. */
export interface ExportOptions extends TransferOptions {
  readonly version: string;
  readonly now: Date;
  /** The keys, if they are not in the database. */
  readonly keys: readonly ApiKeyRow[] | undefined;
  readonly write: (text: string) => Promise<void>;
  readonly warn: (message: string) => void;
}

/**
 * Writes every table that lasts, as it is at one moment. Other processes may go on writing.
 *
 * @throws UsageError for tables that could not be imported again
 */
export async function exportState(options: ExportOptions): Promise<Transferred> {
  const { state, dialect, progress, keys, write, warn } = options;
  const counts: Record<string, number> = {};
  const work = async (db: Queries): Promise<number> => {
    const packs = await packVersions(db);
    const names = await lastingTables(db, dialect, Object.keys(packs), warn);
    const tables = await Promise.all(
      names.map(async (name) => ({ name, columns: await storedColumns(db, dialect, name) })),
    );
    const writer = createWriter(write);
    await writer.header({
      ...{ toolwright_state: FORMAT, version: options.version, at: options.now.toISOString() },
      ...{ migration: latestMigration(), packs, tables },
    });
    for (const table of tables) {
      progress(table.name);
      await writer.table(table.name);
      counts[table.name] = 0;
      const isKeys = keys !== undefined && table.name === KEYS;
      for await (const row of isKeys ? keyRows(keys, table) : rowsOf(db, dialect, table)) {
        await writer.row(row);
        counts[table.name] = (counts[table.name] ?? 0) + 1;
      }
    }
    return writer.end();
  };
  const rows = await withinStateMs(TRANSFER_MS, () => state.transaction("read", (tx) => work(queries(tx))));
  return { tables: counts, rows };
}

function* keyRows(keys: readonly ApiKeyRow[], { columns }: TableHeader): Generator<Row> {
  for (const key of keys) yield columns.map((name) => key[name as keyof ApiKeyRow] ?? null);
}

async function packVersions(db: Queries): Promise<Readonly<Record<string, number>>> {
  const rows = await db
    .selectFrom("pack_versions")
    .select(({ fn }) => ["pack", fn.max("version").as("version")])
    .groupBy("pack")
    .orderBy("pack")
    .execute();
  return Object.fromEntries(rows.map(({ pack, version }) => [pack, version]));
}

/** The tables of toolwright and of packs, by name. */
async function lastingTables(
  db: Queries,
  dialect: Dialect,
  packs: readonly string[],
  warn: (message: string) => void,
): Promise<readonly string[]> {
  const own = new Set(ownTables(dialect));
  const present = await tableNames(db, dialect);
  const transient = await transientTables(db, dialect);
  const empty = packs.find((pack) => !present.some((table) => isOf(pack, table)));
  if (empty !== undefined)
    throw new UsageError(
      `the tables of ${empty} are of an early version: call one of its writes with this version, which brings them up to date`,
    );
  const isLasting = (name: string): boolean =>
    !transient.has(name) && (own.has(name) || packs.some((pack) => isOf(pack, name)));
  const foreign = present.filter((name) => !own.has(name) && name !== "migrations" && !isLasting(name));
  for (const name of foreign)
    if (!transient.has(name)) warn(`${name} is left out: it is no table of toolwright or of a pack`);
  return present.filter(isLasting).sort();
}

async function keyColumns(db: Queries, dialect: Dialect, table: string): Promise<readonly string[]> {
  const asked =
    dialect === "sqlite"
      ? sql<{ name: string }>`select name from pragma_table_info(${table}) where pk > 0 order by pk`
      : sql<{ name: string }>`select a.attname as name from pg_index i
          join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
          where i.indisprimary and i.indrelid = ${table}::regclass order by array_position(i.indkey::int2[], a.attnum)`;
  return (await asked.execute(db)).rows.map(({ name }) => name);
}

/** The rows in the order of their primary key. */
async function* rowsOf(db: Queries, dialect: Dialect, { name, columns }: TableHeader): AsyncGenerator<Row> {
  const keys = await keyColumns(db, dialect, name);
  const texts = await columnsAsText(db, dialect, name);
  const all = db
    .selectFrom(name as "ledger")
    .select(
      columns.map((one) => (texts.has(one) ? sql<string>`${sql.ref(one)}::text` : sql.ref<unknown>(one)).as(one)),
    );
  const select = keys.reduce((query, key) => query.orderBy(key as "key"), all);
  const wide = new Set<string>();
  for await (const values of dialect === "sqlite" ? select.stream() : fetched(db, select)) {
    const row = columns.map((column) => (values as Values)[column]);
    for (const [i, value] of row.entries()) if (isWide(value)) wide.add(columns[i] ?? "");
    yield row;
  }
  for (const column of wide) await requireFloats(db, dialect, name, column);
}

/** Types of PostgreSQL whose values arrive exactly. Others, such as JSON, times and arrays, are moved as their text. */
const EXACT = [
  "text",
  "character varying",
  "smallint",
  "integer",
  "bigint",
  "real",
  "double precision",
  "boolean",
  "bytea",
];

async function columnsAsText(db: Queries, dialect: Dialect, table: string): Promise<ReadonlySet<string>> {
  if (dialect === "sqlite") return new Set();
  await sql`set local timezone = 'UTC'`.execute(db);
  const { rows } = await sql<{ name: string }>`select column_name as name from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and data_type not in (${sql.join(EXACT)})`.execute(
    db,
  );
  return new Set(rows.map(({ name }) => name));
}

type Values = Readonly<Record<string, unknown>>;

/** Whether a value is a number that stands for several integers. */
const isWide = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

/** @throws UsageError for an integer that JavaScript rounds; floating-point numbers are kept exactly */
async function requireFloats(db: Queries, dialect: Dialect, table: string, column: string): Promise<void> {
  const type = dialect === "sqlite" ? sql`typeof(${sql.ref(column)})` : sql`pg_typeof(${sql.ref(column)})::text`;
  const { rows } = await sql`select 1 as found from ${sql.table(table)}
    where abs(${sql.ref(column)}) > ${sql.lit(Number.MAX_SAFE_INTEGER)} and ${type} in ('integer', 'bigint') limit 1`.execute(
    db,
  );
  if (rows.length > 0)
    throw new UsageError(`${table}.${column} holds an integer beyond 2^53, which would be rounded: store it as text`);
}

/** Rows of PostgreSQL by a cursor, since its driver would read all of them at once. */
async function* fetched(db: Queries, select: Expression<Values>): AsyncGenerator<Values> {
  await sql`declare toolwright_rows no scroll cursor for ${select}`.execute(db);
  for (;;) {
    const { rows } = await sql<Values>`fetch ${sql.lit(ROWS_AT_ONCE)} from toolwright_rows`.execute(db);
    if (rows.length === 0) break;
    yield* rows;
  }
  await sql`close toolwright_rows`.execute(db);
}
