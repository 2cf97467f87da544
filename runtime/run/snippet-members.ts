/** The members of values that templates can access: items of lists, keys of dicts, and a few of Python's methods. */

import { textRepr } from "./text-repr.js";

type Method = (...args: readonly unknown[]) => unknown;

/** The text of a string value, which the library may have wrapped; undefined for other values. */
export const textOfValue = (value: unknown): string | undefined =>
  typeof value === "string" ? value : value instanceof String ? value.toString() : undefined;

const str = (value: unknown): string => textOfValue(value) ?? String(value);

/** Tests characters that `strip` removes: those of its argument, else white space. */
const isOff = (chars: unknown): ((one: string) => boolean) => {
  const set = textOfValue(chars);
  return set === undefined ? (one) => /\s/.test(one) : (one) => set.includes(one);
};

function stripped(text: string, chars: unknown, left: boolean, right: boolean): string {
  const off = isOff(chars);
  let from = 0;
  let to = text.length;
  while (left && from < to && off(text[from] ?? "")) from++;
  while (right && to > from && off(text[to - 1] ?? "")) to--;
  return text.slice(from, to);
}

function split(text: string, separator: unknown, limit: unknown): readonly string[] {
  const most = typeof limit === "number" && limit >= 0 ? limit : Number.POSITIVE_INFINITY;
  const by = textOfValue(separator);
  const parts = by === undefined ? text.split(/\s+/).filter((part) => part !== "") : text.split(by);
  if (by === undefined || parts.length <= most + 1) return parts;
  return [...parts.slice(0, most), parts.slice(most).join(by)];
}

const anyOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value : [value]).map(str);

/** Methods of strings. */
const TEXT: Readonly<Record<string, (text: string) => Method>> = {
  strip: (text) => (chars) => stripped(text, chars, true, true),
  lstrip: (text) => (chars) => stripped(text, chars, true, false),
  rstrip: (text) => (chars) => stripped(text, chars, false, true),
  split: (text) => (separator, limit) => split(text, separator, limit),
  join: (text) => (items) => (Array.isArray(items) ? items : [...str(items)]).map(str).join(text),
  lower: (text) => () => text.toLowerCase(),
  upper: (text) => () => text.toUpperCase(),
  title: (text) => () => text.toLowerCase().replace(/(?<!\p{L})\p{L}/gu, (one) => one.toUpperCase()),
  startswith: (text) => (start) => anyOf(start).some((one) => text.startsWith(one)),
  endswith: (text) => (end) => anyOf(end).some((one) => text.endsWith(one)),
  replace: (text) => (from, to) => text.replaceAll(str(from), () => str(to)),
};

/** Methods of dicts. */
const DICT: Readonly<Record<string, (dict: object) => Method>> = {
  items: (dict) => () => Object.entries(dict),
  get:
    (dict) =>
    (key, otherwise = null) =>
      Object.hasOwn(dict, str(key)) ? Reflect.get(dict, str(key)) : otherwise,
};

/** A member by name; any member that is not listed here, such as `constructor`, is undefined. */
export function snippetMember(holder: unknown, key: unknown): unknown {
  const text = textOfValue(holder);
  if (text !== undefined) return typeof key === "number" ? [...text].at(key) : entry(TEXT, key)?.(text);
  if (typeof holder !== "object" || holder === null) return undefined;
  if (Array.isArray(holder)) return typeof key === "number" ? holder.at(key) : undefined;
  const method = entry(DICT, key);
  if (method) return method(holder);
  return Object.hasOwn(holder, str(key)) ? Reflect.get(holder, str(key)) : undefined;
}

const entry = <T>(table: Readonly<Record<string, T>>, key: unknown): T | undefined =>
  typeof key === "string" && Object.hasOwn(table, key) ? table[key] : undefined;

/** A value as a template prints it, in the form of Python's `str`. */
export function printedValue(value: unknown, isNested = false): string {
  const text = textOfValue(value);
  if (text !== undefined) return isNested ? textRepr(text) : text;
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map((item) => printedValue(item, true)).join(", ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([key, item]) => `${textRepr(key)}: ${printedValue(item, true)}`)
      .join(", ")}}`;
  return typeof value === "function" ? "None" : String(value);
}
