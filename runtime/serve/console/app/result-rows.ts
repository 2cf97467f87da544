/** Says how a result is shown: as rows, as members, or as text. */

import { isExact } from "../../../contract/exact-number.js";
import { isObject } from "../../../contract/json.js";
import type { JsonObject, JsonValue } from "../../../contract/registry.js";

/** Most columns of a table; the other members of a row are in its last cell. */
const MAX_COLUMNS = 8;
/** Rows that say which columns there are. */
const ROWS_READ = 200;

/** Whether a value is a list of at least one object, and of objects only. */
export const isRows = (value: unknown): value is readonly JsonObject[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject);

/** Whether a value has no members. */
export const hasNoMembers = (value: unknown): boolean => value === null || typeof value !== "object" || isExact(value);

/** Columns of a table, and members that have none. */
export interface Columns {
  readonly shown: readonly string[];
  readonly rest: readonly string[];
}

/** The members of rows in their order; those with short values come first where there are many. */
export function rowColumns(rows: readonly JsonObject[]): Columns {
  const read = rows.slice(0, ROWS_READ);
  const names = [...new Set(read.flatMap((row) => Object.keys(row)))];
  if (names.length <= MAX_COLUMNS) return { shown: names, rest: [] };
  const isShort = (name: string): boolean => read.some((row) => isShortValue(row[name]));
  const shown = new Set(names.filter(isShort).slice(0, MAX_COLUMNS));
  return { shown: names.filter((name) => shown.has(name)), rest: names.filter((name) => !shown.has(name)) };
}

/** Longest text that a column is for, if there are many. */
const SHORT_TEXT = 80;

function isShortValue(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || !hasNoMembers(value)) return false;
  return typeof value !== "string" || (value.length <= SHORT_TEXT && !/^https?:/.test(value));
}
