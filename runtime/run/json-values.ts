/** Python values as JSON, for arguments of ops, and JSON as Python values, for their results. */

import { ExactNumber, isExact, objectOf } from "../contract/exact-number.js";
import type { JsonValue } from "../contract/registry.js";
import { HostError, type Value } from "./engine/engine.js";

/** Digits of an integer that Python reads and writes as text. */
const MOST_DIGITS = 4300;
/** Their number where the integer is written in base 16. */
const MOST_HEX_DIGITS = Math.floor(MOST_DIGITS / Math.log10(16));

/**
 * A result as Python sees it: an object is a dict, `10` an int of any size, `10.0` a float.
 *
 * @throws HostError for an integer that Python does not read from JSON
 */
export function valueOfJson(json: JsonValue): Value {
  if (typeof json !== "object" || json === null) return json;
  if (isExact(json)) return numberOf(json);
  if (Array.isArray(json)) return json.map(valueOfJson);
  return { $: "dict", entries: Object.entries(json).map(([key, member]) => [key, valueOfJson(member)] as const) };
}

function numberOf(number: ExactNumber): Value {
  if (!number.isInt) return { $: "float", text: number.text };
  const value = Number(number.text);
  // There is no negative zero among integers.
  if (Number.isSafeInteger(value)) return value + 0;
  if (number.text.length <= MOST_DIGITS) return BigInt(number.text);
  throw new HostError("ValueError", `the result holds an integer of more than ${MOST_DIGITS} digits`);
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
      return objectOf(value.entries.map(([key, item]) => [keyOf(key, argument), jsonOfValue(item, argument)] as const));
    case "tuple":
    case "set":
      return list(value.items);
    case "float":
      return float(value.text, argument);
    case "timedelta":
      return finite(Number(value.text), argument);
    case "opaque":
      throw new HostError("TypeError", `${argument} cannot be sent: ${value.text} is no JSON value`);
    default:
      return value.text;
  }
}

function exact(integer: bigint, argument: string): JsonValue {
  if (Number.isSafeInteger(Number(integer))) return Number(integer);
  if (integer.toString(16).length <= MOST_HEX_DIGITS) return asJson(new ExactNumber(String(integer)));
  throw new HostError("ValueError", `${argument} is an integer of more than ${MOST_DIGITS} digits: send it as text`);
}

/** A whole float is written with its fraction, as Python writes it. */
function float(text: string, argument: string): JsonValue {
  const number = finite(Number(text), argument);
  if (!Number.isInteger(number)) return number;
  return asJson(new ExactNumber(floatText(number)));
}

/** A whole float as Python's `repr` writes it. */
function floatText(number: number): string {
  if (Math.abs(number) >= 1e16) return number.toExponential();
  return Object.is(number, -0) ? "-0.0" : `${number}.0`;
}

/** Whoever writes the value knows of exact numbers. */
const asJson = (number: ExactNumber): JsonValue => number as unknown as JsonValue;

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
