/**
 * The process of one query: loads tables into a database in memory, runs one SELECT, sends its rows, and ends.
 *
 * SQLite is compiled to WebAssembly: SQL reaches nothing outside of its memory. A native build has
 * functions that read and write files.
 */

import type { Database, SqlValue, Statement } from "sql.js";
import initSqlJs from "sql.js/dist/sql-wasm-inline.js";
import { openChannel } from "../engine/child-channel.js";
import type { ChildAnswer, ChildQuery } from "./sql-wire.js";
import type { Cell, ColumnType } from "./table.js";

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** JavaScript can pass large integers as texts or floats only. */
const INTEGERS: ReadonlySet<ColumnType> = new Set(["integer", "boolean"]);

/** The columns have no types: SQLite would take the text '007' for equal to the integer 7. */
function load(database: Database, { name, columns, rows }: ChildQuery["tables"][number]): void {
  database.run(`create table ${quoted(name)} (${columns.map((column) => quoted(column.name)).join(", ")})`);
  const into = (isInteger: (at: number) => boolean): Statement => {
    const places = columns.map((_, at) => (isInteger(at) ? "cast(? as integer)" : "?"));
    return database.prepare(`insert into ${quoted(name)} values (${places.join(", ")})`);
  };
  const isInteger = (at: number): boolean => INTEGERS.has(columns[at]?.type ?? "text");
  const insert = into(isInteger);
  for (const row of rows) {
    if (!row.some((cell, at) => typeof cell === "bigint" && !isInteger(at))) {
      insert.run(row as SqlValue[]);
      continue;
    }
    const mixed = into((at) => isInteger(at) || typeof row[at] === "bigint");
    mixed.run(row as SqlValue[]);
    mixed.free();
  }
  insert.free();
}

/** The first word of a statement that reads, after comments. Others give rows too: EXPLAIN, DELETE … RETURNING. */
const READS = /^(?:\s|--.*(?:\n|$)|\/\*[\s\S]*?\*\/)*(?:select|with|values)\b/i;
const ONLY_SELECT = "only one statement is allowed, a SELECT";

/** The only statement of a text. */
function onlyStatement(database: Database, sql: string): Statement {
  if (!READS.test(sql)) throw new Error(ONLY_SELECT);
  const statements = database.iterateStatements(sql);
  const first = statements.next();
  if (first.done) throw new Error(ONLY_SELECT);
  if (!READS.test(first.value.getSQL()) || statements.getRemainingSQL().replace(/^[\s;]+/, "") !== "")
    throw new Error(ONLY_SELECT);
  return first.value;
}

/** Reads integers as `bigint`; the package's types lack the second argument. */
interface ExactStatement extends Omit<Statement, "get"> {
  get(params: null, config: { readonly useBigInt: true }): readonly (Cell | Uint8Array)[];
}

/** The cells of a row, whose texts are cut where no reply could hold them, and their length. */
function cellsOf(
  row: readonly (Cell | Uint8Array)[],
  most: number,
): { readonly cells: readonly Cell[]; readonly length: number } {
  let length = 0;
  const cells = row.map((cell) => {
    const whole = cell instanceof Uint8Array ? Buffer.from(cell.subarray(0, most)).toString("hex") : cell;
    const shown = typeof whole === "string" && whole.length > most ? whole.slice(0, most) : whole;
    length += typeof shown === "string" ? shown.length : 8;
    return shown;
  });
  return { cells, length };
}

function answer(database: Database, { tables, sql, rows: most, bytes, heapBytes }: ChildQuery): ChildAnswer {
  database.run(`pragma hard_heap_limit = ${heapBytes}`);
  database.run("begin");
  for (const table of tables) load(database, table);
  database.run("commit");
  database.run("pragma query_only = on");
  channel.send({ kind: "loaded" } satisfies ChildAnswer);
  const statement = onlyStatement(database, sql);
  const rows: (readonly Cell[])[] = [];
  let left = bytes;
  while (statement.step()) {
    if (rows.length >= most || left < 0)
      return { kind: "rows", columns: statement.getColumnNames(), rows, isCut: true };
    const row = (statement as unknown as ExactStatement).get(null, { useBigInt: true });
    const { cells, length } = cellsOf(row, bytes);
    left -= length;
    rows.push(cells);
  }
  return { kind: "rows", columns: statement.getColumnNames(), rows, isCut: false };
}

async function reply(query: ChildQuery): Promise<ChildAnswer> {
  const { Database } = await initSqlJs();
  try {
    return answer(new Database(), query);
  } catch (error) {
    return { kind: "error", message: error instanceof Error ? error.message : String(error) };
  }
}

const channel = openChannel(async (query) => channel.end(await reply(query as ChildQuery)));
