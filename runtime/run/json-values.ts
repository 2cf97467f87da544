/** Python values as JSON, for arguments of ops, and JSON as Python values, for their results. */

import type { JsonValue } from "../contract/registry.js";
import { HostError, type Value } from "./engine/engine.js";

/** A result as Python sees it: an object is a dict. */
export function valueOfJson(json: JsonValue): Value {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(valueOfJson);
  return { $: "dict", entries: Object.entries(json).map(([key, member]) => [key, valueOfJson(member)] as const) };
}

/**
 * An argument as JSON: tuples and sets are lists, dates and paths their text, bytes base64.
 *
 * @throws HostError for what JSON cannot hold; it names the argument
 */
export function jsonOfValue(value: Value, argument: string): JsonValue {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "bigint") return exact(value, argument);
  if (typeof value === "number") return finite(value, argument);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  const list = (items: readonly Value[]): JsonValue => items.map((item) => jsonOfValue(item, argument));
  if (!("$" in value)) return list(value);
  switch (value.$) {
    case "dict":
      return Object.fromEntries(
        value.entries.map(([key, item]) => [keyOf(key, argument), jsonOfValue(item, argument)]),
      );
    case "tuple":
    case "set":
      return list(value.items);
    case "float":
    case "timedelta":
      return finite(Number(value.text), argument);
    case "opaque":
      throw new HostError("TypeError", `${argument} cannot be sent: ${value.text} is no JSON value`);
    default:
      return value.text;
  }
}

/** A larger integer would silently become another one. */
function exact(integer: bigint, argument: string): number {
  if (Number.isSafeInteger(Number(integer))) return Number(integer);
  throw new HostError("ValueError", `${argument} is an integer beyond 2**53, which JSON changes: send it as text`);
}

function finite(number: number, argument: string): number {
  if (Number.isFinite(number)) return number;
  throw new HostError("ValueError", `${argument} must be a finite number`);
}

function keyOf(key: Value, argument: string): string {
  if (typeof key === "string") return key;
  if (key === null || typeof key === "boolean" || typeof key === "number" || typeof key === "bigint")
    return String(key);
  throw new HostError("TypeError", `${argument} has a key that is no text`);
}

const TYPES: Readonly<Record<string, string>> = { string: "str", boolean: "bool", bigint: "int" };

/** `int`, `str`, `dict`: what Python calls the type of a value. */
export function typeName(value: Value): string {
  if (value === null) return "None";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  if (typeof value !== "object") return TYPES[typeof value] ?? typeof value;
  if (value instanceof Uint8Array) return "bytes";
  return "$" in value ? value.$ : "list";
}
