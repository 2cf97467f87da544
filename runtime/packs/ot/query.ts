/** `ot.query`: asks stored results with SQL. */

import { ExactNumber } from "../../contract/exact-number.js";
import { readJson } from "../../contract/read-json.js";
import { answerSql, SqlError } from "../../run/sql/query.js";
import { type Cell, rowsOf, type Table, TableError, tableOf } from "../../run/sql/table.js";
import type { HostContext } from "../host.js";
import { errorText, valueError } from "./info.js";

/** What is asked, and of which results. */
export interface ResultsQuery {
  /** The handle of the table `r`, or handles by the name of their table. */
  readonly handle: string | Readonly<Record<string, string>>;
  readonly sql: string;
  /** Path to the list of rows within a result. */
  readonly rows: string;
}

/** The rows of an answer. */
export interface QueryAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Set if there are more rows. */
  readonly note?: string;
}

/** Most rows of an answer, and most tables of a query. */
const MAX_ROWS = 200;
const MAX_TABLES = 8;
/** The only table of a query of one handle. */
const ONLY_TABLE = "r";
const TABLE_NAME = /^[A-Za-z_]\w{0,39}$/;

/** The rows, or the error text. */
export async function queryResults(
  { handle, sql, rows }: ResultsQuery,
  ctx: HostContext,
): Promise<QueryAnswer | string> {
  const handles = Object.entries(typeof handle === "string" ? { [ONLY_TABLE]: handle } : handle);
  if (handles.length === 0 || handles.length > MAX_TABLES) valueError(`handle names 1 to ${MAX_TABLES} results`);
  const tables = new Map<string, Table>();
  for (const [name, one] of handles) {
    if (!TABLE_NAME.test(name)) valueError(`'${name.slice(0, 40)}' cannot be the name of a table`);
    const table = await tableFor(one, rows, ctx);
    if (typeof table === "string") return table;
    tables.set(name, table);
  }
  try {
    const answer = await answerSql({ tables, sql, rows: MAX_ROWS, signal: ctx.signal });
    return fitting(answer.columns, answer.rows, answer.isCut, ctx.host.project.settings.run.output.maxInlineSize);
  } catch (error) {
    if (error instanceof SqlError) return errorText(ctx, "VALIDATION_ERROR", `${error.message}. ${schemaOf(tables)}`);
    throw error;
  }
}

async function tableFor(handle: string, rows: string, ctx: HostContext): Promise<Table | string> {
  const found = await ctx.host.results.read(handle, ctx.principal.id);
  const short = handle.slice(0, 40);
  if (found.kind !== "found") {
    const why = found.kind === "expired" ? "has expired" : "is not there";
    return errorText(ctx, "NOT_FOUND", `Result '${short}' ${why}. Run the code again.`);
  }
  if (found.meta.sanitized) ctx.record?.foreign.add(found.meta.tool);
  try {
    return tableOf(rowsOf(readJson(found.text), rows));
  } catch (error) {
    if (error instanceof SyntaxError)
      return errorText(ctx, "VALIDATION_ERROR", `Result '${short}' is text and no JSON: read it with ot.result.`);
    if (!(error instanceof TableError)) throw error;
    return errorText(ctx, "VALIDATION_ERROR", `Result '${short}' is no table: ${error.message}.`);
  }
}

/** The tables with the types of their columns, for the next attempt. */
function schemaOf(tables: ReadonlyMap<string, Table>): string {
  const texts = [...tables].map(
    ([name, { columns }]) =>
      `${name}(${columns
        .slice(0, MAX_COLUMNS)
        .map((column) => `${column.name} ${column.type}`)
        .join(", ")}${columns.length > MAX_COLUMNS ? ", …" : ""})`,
  );
  return `Tables: ${texts.join("; ")}`;
}

const MAX_COLUMNS = 40;
/** Bytes of a reply besides its rows, including what a format or a boundary may add. */
const FRAME_BYTES = 600;

/** As many rows as fit into a reply. */
function fitting(
  columns: readonly string[],
  all: readonly (readonly Cell[])[],
  isCut: boolean,
  maxInlineSize: number,
): QueryAnswer {
  const rows: (readonly unknown[])[] = [];
  let left = maxInlineSize === 0 ? Number.POSITIVE_INFINITY : maxInlineSize - FRAME_BYTES;
  for (const cells of all) {
    const row = cells.map(resultOf);
    left -= Buffer.byteLength(JSON.stringify(cells.map(String))) + 4 * cells.length;
    if (left < 0 && rows.length > 0) break;
    rows.push(row);
  }
  const note =
    rows.length < all.length
      ? `The first ${rows.length} rows, which fit into a reply: select fewer columns, or use limit and offset.`
      : isCut
        ? `The first ${rows.length} rows: use limit and offset for others, or group them.`
        : undefined;
  return { columns, rows, ...(note === undefined ? {} : { note }) };
}

/** An integer beyond what JavaScript holds stays exact. */
function resultOf(cell: Cell): unknown {
  if (typeof cell !== "bigint") return cell;
  const number = Number(cell);
  return Number.isSafeInteger(number) ? number : new ExactNumber(String(cell));
}
