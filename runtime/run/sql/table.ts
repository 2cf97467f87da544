/** Turns a JSON value into a table: its objects are rows, their properties columns. */

import { isExact, isRounded, writeJson } from "../../contract/exact-number.js";
import { isObject } from "../../contract/json.js";

/** What a column of SQLite holds; `json` is the text of an object or a list. */
export type ColumnType = "text" | "integer" | "real" | "boolean" | "json" | "mixed";

/** One cell, as SQLite stores it. */
export type Cell = string | number | bigint | null;

/** A column. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

/** A table of a query. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Bounds of a table. */
export const TABLE_BOUNDS = { rows: 1_000_000, columns: 500, cells: 5_000_000 } as const;

/** A value from which no table can be made; the message says why, and what to do. */
export class TableError extends Error {
  override readonly name = "TableError";
}

/**
 * The list of rows in a value.
 *
 * @param path - names of properties to the list, such as `data.issues`; empty: the value itself, or its only list
 * @throws TableError if there is no list, naming the lists that there are
 */
export function rowsOf(value: unknown, path: string): readonly unknown[] {
  if (path !== "") return rowsAt(value, path);
  if (Array.isArray(value)) return value;
  const lists = listsIn(value);
  const [only] = lists;
  if (lists.length === 1 && only !== undefined) return rowsAt(value, only);
  if (isObject(value) && lists.length === 0) return [value];
  throw new TableError(
    lists.length === 0
      ? "the result is one value and no list of rows"
      : `the result holds several lists: choose one with rows=, such as rows="${only}" (${lists.join(", ")})`,
  );
}

function rowsAt(value: unknown, path: string): readonly unknown[] {
  const at = path.split(".").reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
  if (Array.isArray(at)) return at;
  const lists = Array.isArray(value) ? [] : listsIn(value);
  const others = lists.length === 0 ? "leave rows out" : `lists are at ${lists.join(", ")}`;
  throw new TableError(`there is no list at rows="${path.slice(0, 100)}": ${others}`);
}

/** Levels of objects that are searched for lists, and lists that are named. */
const LIST_DEPTH = 3;
const MAX_LISTS = 10;

/** Paths of lists of objects in a value; of other lists where there are none of objects. */
function listsIn(value: unknown): readonly string[] {
  const found: (readonly [path: string, list: readonly unknown[]])[] = [];
  const look = (inner: unknown, path: string, depth: number): void => {
    if (!isObject(inner) || depth > LIST_DEPTH) return;
    for (const [name, one] of Object.entries(inner)) {
      if (found.length >= MAX_LISTS) return;
      if (Array.isArray(one)) found.push([`${path}${name}`, one]);
      else look(one, `${path}${name}.`, depth + 1);
    }
  };
  look(value, "", 1);
  const ofObjects = found.filter(([, list]) => list.some((item) => isObject(item)));
  return (ofObjects.length > 0 ? ofObjects : found).map(([path]) => path);
}

/**
 * Makes a table of rows. Objects give a column for each property that one of them has; other values give the column
 * `value`.
 *
 * @throws TableError if there are too many rows or columns
 */
export function tableOf(rows: readonly unknown[]): Table {
  if (rows.length > TABLE_BOUNDS.rows) throw new TableError(`more than ${TABLE_BOUNDS.rows} rows`);
  const isFlat = !rows.some((row) => isObject(row));
  const names = isFlat ? ["value"] : columnNames(rows);
  if (names.length > TABLE_BOUNDS.columns) throw new TableError(`more than ${TABLE_BOUNDS.columns} columns`);
  if (names.length * rows.length > TABLE_BOUNDS.cells) throw new TableError(`more than ${TABLE_BOUNDS.cells} cells`);
  const types: (ColumnType | undefined)[] = names.map(() => undefined);
  const cells = rows.map((row) =>
    names.map((name, at) => {
      const value = isFlat ? row : isObject(row) ? own(row, name) : undefined;
      types[at] = widened(types[at], typeOf(value));
      return cellOf(value);
    }),
  );
  const unique = uniqueNames(names);
  return { columns: unique.map((name, at) => ({ name, type: types[at] ?? "text" })), rows: cells };
}

const own = (row: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(row, name) ? row[name] : undefined;

function columnNames(rows: readonly unknown[]): readonly string[] {
  const names = new Set<string>();
  for (const row of rows) if (isObject(row)) for (const name of Object.keys(row)) names.add(name);
  return [...names];
}

/** SQLite takes names that differ in case only for the same column: the later ones get a number. */
function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 2; taken.has(unique.toLowerCase()); count++) unique = `${name}_${count}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}

function typeOf(value: unknown): ColumnType | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "real";
  if (typeof value === "bigint") return "integer";
  if (isExact(value)) return NUMBER_TYPES[typeof cellOf(value)] ?? "text";
  return typeof value === "string" ? "text" : "json";
}

const NUMBER_TYPES: Readonly<Record<string, ColumnType>> = { bigint: "integer", number: "real" };

function widened(before: ColumnType | undefined, type: ColumnType | undefined): ColumnType | undefined {
  if (before === undefined || type === undefined || before === type) return before ?? type;
  const isNumber = (one: ColumnType): boolean => one === "integer" || one === "real";
  return isNumber(before) && isNumber(type) ? "real" : "mixed";
}

const MIN_INTEGER = -(2n ** 63n);
const MAX_INTEGER = 2n ** 63n - 1n;
const INTEGER = /^-?\d{1,19}$/;

/** Integers beyond 64 bits, and numbers that SQLite would round, stay texts. */
function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number" || typeof value === "string") return value;
  if (typeof value === "bigint") return integerOf(String(value));
  if (!isExact(value)) return writeJson(value);
  if (value.isInt) return integerOf(value.text);
  return isRounded(value) ? value.text : Number(value.text);
}

function integerOf(text: string): Cell {
  if (!INTEGER.test(text)) return text;
  const integer = BigInt(text);
  return integer >= MIN_INTEGER && integer <= MAX_INTEGER ? integer : text;
}
