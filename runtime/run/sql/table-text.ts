/** Describes the tables in a result in one line, so that a first query of them can be right. */

import { isObject } from "../../contract/json.js";
import { type Column, TableError, tableColumns, tableLists } from "./table.js";

/** Most tables, columns of each, columns to join on, and characters of a name, in a description. */
const MAX_TABLES = 3;
const MAX_COLUMNS = 40;
const MAX_JOINS = 5;
const MAX_NAME = 60;
/** Rows that are looked at. */
const MAX_ROWS = 20_000;

/** The name in SQL of the table of a query that asks one result. */
export const ONLY_TABLE = "r";

/**
 * The tables in a value: their path if they are not the value itself, columns with types, number of rows, and the columns that are
 * likely to hold ids. Undefined where no list of objects is found.
 *
 * @example
 * tablesText({ data: { issues: [{ id: 1, team: { id: 2 } }] } })
 * // "rows=\"data.issues\": r(id integer, team json), 1 row; join on id, team->>'id'"
 */
export function tablesText(value: unknown): string | undefined {
  const texts = tableLists(value)
    .filter(([, rows]) => rows.some((row) => isObject(row)))
    .slice(0, MAX_TABLES)
    .flatMap(([path, rows]) => tableText(path, rows) ?? []);
  return texts.length === 0 ? undefined : texts.join(" | ");
}

function tableText(path: string, rows: readonly unknown[]): string | undefined {
  const sample = rows.slice(0, MAX_ROWS);
  const columns = columnsIn(sample);
  if (!columns) return undefined;
  const joins = columns.flatMap((column) => joinOf(column, sample) ?? []).slice(0, MAX_JOINS);
  const place = path === "" ? "" : `rows=${JSON.stringify(short(path))}: `;
  const on = joins.length === 0 ? "" : `; join on ${joins.join(", ")}`;
  const seen = rows.length > MAX_ROWS ? `; columns of the first ${MAX_ROWS} rows` : "";
  return `${place}${columnsText(ONLY_TABLE, columns)}, ${rows.length} ${rows.length === 1 ? "row" : "rows"}${on}${seen}`;
}

/** A table with the types of its columns: `r(id integer, team json, wei real (rounded))`. */
export function columnsText(table: string, columns: readonly Column[]): string {
  const names = columns
    .slice(0, MAX_COLUMNS)
    .map(({ name, type, isRounded }) => `${short(name)} ${type}${isRounded ? " (rounded)" : ""}`);
  const more = columns.length > MAX_COLUMNS ? [`${columns.length - MAX_COLUMNS} more`] : [];
  return `${table}(${[...names, ...more].join(", ")})`;
}

function columnsIn(rows: readonly unknown[]): readonly Column[] | undefined {
  try {
    return tableColumns(rows);
  } catch (error) {
    if (error instanceof TableError) return undefined;
    throw error;
  }
}

const short = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name);

/** Names of columns that hold ids. */
const ID = /(?:^|_)(?:id|key|uuid|sha|slug)$|[a-z](?:Id|Key)$/;

/** The expression by which another table can refer to a column, or that refers to another table. */
function joinOf({ name, type }: Column, rows: readonly unknown[]): string | undefined {
  if (name.length > MAX_NAME) return undefined;
  if (type === "text" || type === "integer") return ID.test(name) ? name : undefined;
  if (type !== "json") return undefined;
  const value = rows.map((row) => (isObject(row) ? row[name] : undefined)).find(isObject);
  return value && Object.hasOwn(value, "id") ? `${name}->>'id'` : undefined;
}
