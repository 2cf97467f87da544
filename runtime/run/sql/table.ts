/** Turns a JSON value into a table: its objects are rows, their properties columns. */

import { isExact, isRounded, writeJson } from "../../contract/exact-number.js";
import { isObject } from "../../contract/json.js";
import { escapePointer, pointerParts } from "../../contract/json-pointer.js";

/** What a column of SQLite holds; `json` is the text of an object or a list. */
export type ColumnType = "text" | "integer" | "real" | "boolean" | "json" | "mixed";

/** One cell, as SQLite stores it. */
export type Cell = string | number | bigint | null;

/** A column. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Whether numbers were rounded: SQLite holds integers of 64 bits, and other numbers with 15 digits. */
  readonly isRounded?: true;
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
 * @param path - names of properties to the list, such as `data.issues`, or a JSON Pointer; empty: the value itself, or its only list
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
  const names = path.startsWith("/") ? pointerParts(path) : path.split(".");
  const at = names.reduce<unknown>((inner, name) => (isObject(inner) ? own(inner, name) : undefined), value);
  if (Array.isArray(at)) return at;
  const lists = Array.isArray(value) ? [] : listsIn(value);
  const others = lists.length === 0 ? "leave rows out" : `lists are at ${lists.join(", ")}`;
  throw new TableError(`there is no list at rows="${path.slice(0, 100)}": ${others}`);
}

/** Levels of objects that are searched for lists, and lists that are named. */
const LIST_DEPTH = 3;
const MAX_LISTS = 10;

/** A list in a value, and the path that leads to it. */
type PlacedList = readonly [path: string, list: readonly unknown[]];

/** `data.issues`; a JSON Pointer where a name would be read as another path. */
const pathOf = (names: readonly string[]): string =>
  names.some((name) => name === "" || name.includes(".")) || names[0]?.startsWith("/")
    ? names.map((name) => `/${escapePointer(name)}`).join("")
    : names.join(".");

/** The lists that become tables: the value itself if it is a list, else its lists of objects. If it has no list of objects, its other lists. */
export function tableLists(value: unknown): readonly PlacedList[] {
  if (Array.isArray(value)) return [["", value]];
  const found: PlacedList[] = [];
  const look = (inner: unknown, names: readonly string[]): void => {
    if (!isObject(inner) || names.length >= LIST_DEPTH) return;
    for (const [name, one] of Object.entries(inner)) {
      if (found.length >= MAX_LISTS) return;
      if (Array.isArray(one)) found.push([pathOf([...names, name]), one]);
      else look(one, [...names, name]);
    }
  };
  look(value, []);
  const ofObjects = found.filter(([, list]) => list.some((item) => isObject(item)));
  return ofObjects.length > 0 ? ofObjects : found;
}

const listsIn = (value: unknown): readonly string[] => tableLists(value).map(([path]) => path);

/**
 * Makes a table of rows. Objects give a column for each property that one of them has; other values, and objects without
 * properties, give the column `value`.
 *
 * @throws TableError if there are too many rows or columns
 */
export function tableOf(rows: readonly unknown[]): Table {
  if (rows.length > TABLE_BOUNDS.rows) throw new TableError(`more than ${TABLE_BOUNDS.rows} rows`);
  const sources = sourcesOf(rows);
  if (sources.length * rows.length > TABLE_BOUNDS.cells) throw new TableError(`more than ${TABLE_BOUNDS.cells} cells`);
  const columns = namedColumns(rows, sources);
  const cells = rows.map((row) => sources.map(({ read }, at) => cellOf(read(row), columns[at]?.type)));
  return { columns, rows: cells };
}

/**
 * The columns of a table of rows.
 *
 * @throws TableError if there are too many
 */
export const tableColumns = (rows: readonly unknown[]): readonly Column[] => namedColumns(rows, sourcesOf(rows));

const namedColumns = (rows: readonly unknown[], sources: readonly Source[]): readonly Column[] =>
  uniqueNames(sources.map(({ name }) => name)).map((name, at) => columnOf(name, rows, sources[at]));

/** Where the cells of a column come from. */
interface Source {
  readonly name: string;
  read(row: unknown): unknown;
}

const own = (row: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(row, name) ? row[name] : undefined;

/** A column for each property, and one for the rows that have none. */
function sourcesOf(rows: readonly unknown[]): readonly Source[] {
  const names = new Set<string>();
  for (const row of rows) if (isObject(row)) for (const name of Object.keys(row)) names.add(name);
  if (names.size > TABLE_BOUNDS.columns) throw new TableError(`more than ${TABLE_BOUNDS.columns} columns`);
  const isWhole = (row: unknown): boolean => !isObject(row) || names.size === 0;
  const properties = [...names].map(
    (name): Source => ({ name, read: (row) => (isObject(row) ? own(row, name) : null) }),
  );
  const needsValue = names.size === 0 || rows.some((row) => row !== null && isWhole(row));
  return needsValue ? [...properties, { name: "value", read: (row) => (isWhole(row) ? row : null) }] : properties;
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

function columnOf(name: string, rows: readonly unknown[], source: Source | undefined): Column {
  let type: ColumnType | undefined;
  for (const row of rows) type = widened(type, typeOf(source?.read(row)));
  const isReal = type === "real";
  const isRounding = isReal && rows.some((row) => isRoundedAsReal(source?.read(row)));
  return { name, type: type ?? "text", ...(isRounding ? { isRounded: true } : {}) };
}

function typeOf(value: unknown): ColumnType | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "real";
  if (typeof value === "bigint") return integerOf(String(value)) === undefined ? "real" : "integer";
  if (isExact(value)) return value.isInt && integerOf(value.text) !== undefined ? "integer" : "real";
  return typeof value === "string" ? "text" : "json";
}

function widened(before: ColumnType | undefined, type: ColumnType | undefined): ColumnType | undefined {
  if (before === undefined || type === undefined || before === type) return before ?? type;
  const isNumber = (one: ColumnType): boolean => one === "integer" || one === "real";
  return isNumber(before) && isNumber(type) ? "real" : "mixed";
}

const MIN_INTEGER = -(2n ** 63n);
const MAX_INTEGER = 2n ** 63n - 1n;
const INTEGER = /^-?\d{1,19}$/;

/** An integer of 64 bits; undefined for a larger one. */
function integerOf(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const integer = BigInt(text);
  return integer >= MIN_INTEGER && integer <= MAX_INTEGER ? integer : undefined;
}

/** Whether a number of a column of floating-point numbers is not what it was. */
function isRoundedAsReal(value: unknown): boolean {
  if (typeof value === "bigint") return BigInt(Number(value)) !== value;
  return isExact(value) && isRounded(value);
}

/** A value as SQLite holds it. Numbers stay numbers, so that they compare as such; only beside other values one that would be rounded is a text. */
function cellOf(value: unknown, type: ColumnType | undefined): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number" || typeof value === "string") return value;
  if (typeof value !== "bigint" && !isExact(value)) return writeJson(value);
  const text = String(value);
  if (type === "real") return Number(text);
  const integer = typeof value === "bigint" || value.isInt ? integerOf(text) : undefined;
  if (integer !== undefined) return integer;
  return isRoundedAsReal(value) ? text : Number(text);
}
