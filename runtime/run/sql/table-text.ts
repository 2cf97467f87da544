/** Describes the tables in a result in one line, so that a first query of them can be right. */

import { isObject } from "../../contract/json.js";
import { type Column, columnsOf, TableError, tableLists } from "./table.js";

/** Most tables, columns of each, columns to join on, and characters of a name, in a description. */
const MAX_TABLES = 3;
const MAX_COLUMNS = 40;
const MAX_JOINS = 5;
const MAX_NAME = 60;
/** Rows that are looked at. */
const MAX_ROWS = 20_000;

/**
 * The tables in a value: their path if they are not the value itself, number of rows, columns with types, and the columns that are
 * likely to hold ids. Undefined where no list of objects is found.
 *
 * @example
 * tablesText({ data: { issues: [{ id: 1, team: { id: 2 } }] } })
 * // "rows=\"data.issues\": 1 row: id integer, team json; join on id, team->>'id'"
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
  const names = columns.slice(0, MAX_COLUMNS).map((column) => `${short(column.name)} ${typeText(column)}`);
  const more = columns.length > MAX_COLUMNS ? [`${columns.length - MAX_COLUMNS} more`] : [];
  const joins = columns.flatMap((column) => joinOf(column, sample) ?? []).slice(0, MAX_JOINS);
  const place = path === "" ? "" : `rows=${JSON.stringify(short(path))}: `;
  const on = joins.length === 0 ? "" : `; join on ${joins.join(", ")}`;
  const seen = rows.length > MAX_ROWS ? `; columns of the first ${MAX_ROWS} rows` : "";
  return `${place}${rows.length} ${rows.length === 1 ? "row" : "rows"}: ${[...names, ...more].join(", ")}${on}${seen}`;
}

function columnsIn(rows: readonly unknown[]): readonly Column[] | undefined {
  try {
    return columnsOf(rows);
  } catch (error) {
    if (error instanceof TableError) return undefined;
    throw error;
  }
}

/** `real (rounded)`: the type as a description names it. */
export const typeText = ({ type, isRounded }: Column): string => `${type}${isRounded ? " (rounded)" : ""}`;

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
