/** `ot.query`: asks stored results with SQL. */

import { sharingCaller } from "../../contract/capabilities.js";
import { ExactNumber } from "../../contract/exact-number.js";
import { fail } from "../../contract/handler.js";
import { readJson } from "../../contract/read-json.js";
import { busyText, type ConcurrencyLimit, concurrencyLimit } from "../../run/concurrency-limit.js";
import { answerSql, type SqlAnswer, SqlError } from "../../run/sql/query.js";
import { type Cell, type Column, rowsOf, type Table, TableError, tableOf } from "../../run/sql/table.js";
import { columnsText, ONLY_TABLE } from "../../run/sql/table-text.js";
import type { HostContext } from "../host.js";
import { valueError } from "./info.js";
import { isStoredReply, type Stored, storedResult } from "./read-result.js";

/** What is asked, and of which results. */
export interface ResultsQuery {
  /** The result of the table `r`, or results by the name of their table. */
  readonly handle: Stored | Readonly<Record<string, Stored>>;
  readonly sql: string;
  /** Path to the list of rows within each result, or paths by the name of their table. */
  readonly rows: string | Readonly<Record<string, string>>;
}

/** The rows of an answer. */
export interface QueryAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Set if there are more rows, or if numbers are rounded. */
  readonly note?: string;
}

/** Most rows of an answer, and most tables of a query. */
const MAX_ROWS = 200;
const MAX_TABLES = 8;
const TABLE_NAME = /^[A-Za-z_]\w{0,39}$/;

/**
 * The rows.
 *
 * @throws ToolFailure for an unknown handle, a result that is no table, wrong SQL, and past a limit
 */
export async function queryResults({ handle, sql, rows }: ResultsQuery, ctx: HostContext): Promise<QueryAnswer> {
  const handles = Object.entries(handlesOf(handle));
  if (handles.length === 0 || handles.length > MAX_TABLES) valueError(`handle names 1 to ${MAX_TABLES} results`);
  const tables = new Map<string, Table>();
  for (const [name, one] of handles) {
    if (!TABLE_NAME.test(name)) valueError(`'${name.slice(0, 40)}' cannot be the name of a table`);
    const path = typeof rows === "string" ? rows : Object.hasOwn(rows, name) ? rows[name] : "";
    tables.set(name, await tableFor(name, { stored: one, rows: path ?? "" }, ctx));
  }
  try {
    const { maxInlineSize } = ctx.host.project.settings.run.output;
    const bytes = maxInlineSize === 0 ? {} : { bytes: maxInlineSize };
    const query = { tables, sql, rows: MAX_ROWS, ...bytes, signal: ctx.signal };
    return fitting(await inTurn(ctx, () => answerSql(query)), maxInlineSize, notesOf(tables));
  } catch (error) {
    if (error instanceof SqlError) return valueError(`${error.message}. ${schemaOf(tables)}`);
    throw error;
  }
}

/** The turns of queries, by project: as many processes as programs may run, and as many that wait. */
const turns = new WeakMap<object, ConcurrencyLimit>();

/** Answers a query when its turn comes. They have turns apart from programs, which wait for their own queries. */
function inTurn<T>({ host, principal, signal }: HostContext, work: () => Promise<T>): Promise<T> {
  const { runs, queue } = host.project.settings.run;
  const gate = turns.get(host.project) ?? concurrencyLimit(runs);
  turns.set(host.project, gate);
  const caller = sharingCaller(principal);
  if (!gate.hasRoom(queue, caller)) {
    const busy = busyText(gate, caller, { runs, queue, noun: ["query", "queries"] });
    return fail("RATE_LIMITED", `${busy}. Try again later.`, { retry_after_ms: 1000 });
  }
  return gate.pass(work, signal as AbortSignal | undefined, caller);
}

/** Results by the name of their table, which clients that know texts only send as JSON. */
function handlesOf(given: ResultsQuery["handle"]): Readonly<Record<string, Stored>> {
  const handle = typeof given === "string" && given.startsWith("{") ? parsedHandles(given) : given;
  return typeof handle === "string" || isStoredReply(handle)
    ? { [ONLY_TABLE]: handle }
    : (handle as Readonly<Record<string, Stored>>);
}

function parsedHandles(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return valueError(
      "handle is neither the handle of a result nor JSON of handles by table; pass the answer of ot.keep as it is",
    );
  }
}

/** The rows of one table. */
interface RowsPlace {
  readonly stored: Stored;
  readonly rows: string;
}

async function tableFor(name: string, { stored, rows }: RowsPlace, ctx: HostContext): Promise<Table> {
  const found = await storedResult(stored, ctx);
  if (typeof found === "string") return fail("NOT_FOUND", found);
  const { handle } = found.meta;
  try {
    return tableOf(rowsOf(readJson(found.text), rows));
  } catch (error) {
    if (error instanceof SyntaxError)
      return valueError(`Result '${handle}' is text and no JSON: read it with ot.result.`);
    if (!(error instanceof TableError)) throw error;
    return valueError(`Result '${handle}' has no rows for the table ${name}: ${error.message}.`);
  }
}

/** The tables with the types of their columns, for the next attempt. */
const schemaOf = (tables: ReadonlyMap<string, Table>): string =>
  `Tables: ${[...tables].map(([name, { columns }]) => columnsText(name, columns)).join("; ")}`;

/** Says which columns do not compare as one may expect. */
function notesOf(tables: ReadonlyMap<string, Table>): string {
  const named = (is: (column: Column) => boolean): string => {
    const names = [...tables].flatMap(([table, { columns }]) =>
      columns.flatMap((column) => (is(column) ? [`${table}.${column.name}`] : [])),
    );
    return `${names.slice(0, MAX_COLUMNS).join(", ")}${names.length > MAX_COLUMNS ? ", …" : ""}`;
  };
  const [rounded, mixed] = [named(({ isRounded }) => isRounded === true), named(({ type }) => type === "mixed")];
  return [
    ...(rounded === ""
      ? []
      : [`Rounded to 15 digits, since they have numbers beyond 64 bits: ${rounded}. ot.load gives the exact ones.`]),
    ...(mixed === "" ? [] : [`With values of several types, where numbers are less than all texts: ${mixed}.`]),
  ].join(" ");
}

const MAX_COLUMNS = 40;
/** Bytes of a reply besides its rows, including what a format or a boundary may add. */
const FRAME_BYTES = 600;

/** As many rows as fit into a reply; of a first row that does not fit, the beginning of its texts. */
function fitting({ columns, rows: all, isCut }: SqlAnswer, maxInlineSize: number, about: string): QueryAnswer {
  const rows: (readonly unknown[])[] = [];
  const room = maxInlineSize === 0 ? Number.POSITIVE_INFINITY : maxInlineSize - FRAME_BYTES - about.length;
  let left = room;
  for (const cells of all) {
    left -= sizeOf(cells);
    if (left < 0) break;
    rows.push(cells.map(resultOf));
  }
  const [first] = all;
  const isLong = rows.length === 0 && first !== undefined;
  if (isLong) rows.push(shortened(first, room).map(resultOf));
  const cut =
    rows.length < all.length
      ? `The first ${rows.length} rows, which fit into a reply: select fewer columns, or use limit and offset.`
      : isCut
        ? `The first ${rows.length} rows: use limit and offset for others, or group them.`
        : "";
  const notes = [isLong ? "Long texts are cut: select parts of them with substr()." : "", cut, about].filter(Boolean);
  return { columns, rows, ...(notes.length === 0 ? {} : { note: notes.join(" ") }) };
}

const sizeOf = (cells: readonly Cell[]): number =>
  Buffer.byteLength(JSON.stringify(cells.map(String))) + 4 * cells.length;

/** Most bytes of an escaped character. */
const MAX_CHARACTER_BYTES = 6;

/** A row with its texts cut to an equal share of the room. */
function shortened(cells: readonly Cell[], room: number): readonly Cell[] {
  const most = Math.max(1, Math.floor(room / (MAX_CHARACTER_BYTES * cells.length)));
  return cells.map((cell) => (typeof cell === "string" && cell.length > most ? `${cell.slice(0, most)}…` : cell));
}

/** An integer beyond what JavaScript holds stays exact. Infinities are null, as in the results of programs. */
function resultOf(cell: Cell): unknown {
  if (typeof cell === "number" && !Number.isFinite(cell)) return null;
  if (typeof cell !== "bigint") return cell;
  const number = Number(cell);
  return Number.isSafeInteger(number) ? number : new ExactNumber(String(cell));
}
