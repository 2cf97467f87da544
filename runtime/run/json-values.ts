/** Converts Python values to JSON for arguments of ops, and JSON to Python values for their results. */

import { ExactNumber, isExact, objectOf } from "../contract/exact-number.js";
import type { JsonValue } from "../contract/registry.js";
import { HostError } from "./engine/engine.js";
import type { Data } from "./languages/language.js";

/** Most digits of an integer that Python converts from and to text. */
const MAX_DIGITS = 4300;
/** The same limit in base 16. */
const MAX_HEX_DIGITS = Math.floor(MAX_DIGITS / Math.log10(16));

/**
 * Converts a result to Python: an object becomes a dict, `10` an int of any size, `10.0` a float.
 *
 * @throws HostError for an integer that Python cannot read from JSON
 */
export function valueOfJson(json: JsonValue): Data {
  if (typeof json !== "object" || json === null) return json;
  if (isExact(json)) return numberOf(json);
  if (Array.isArray(json)) return json.map(valueOfJson);
  return { $: "dict", entries: Object.entries(json).map(([key, member]) => [key, valueOfJson(member)] as const) };
}

function numberOf(number: ExactNumber): Data {
  if (!number.isInt) return { $: "float", text: number.text };
  const value = Number(number.text);
  // Integers have no negative zero.
  if (Number.isSafeInteger(value)) return value + 0;
  if (number.text.length <= MAX_DIGITS) return BigInt(number.text);
  throw new HostError("ValueError", `the result holds an integer of more than ${MAX_DIGITS} digits`);
}

/**
 * Converts an argument to JSON: tuples and sets become lists, dates and paths text, bytes base64.
 *
 * @throws HostError for values that JSON cannot hold; it names the argument
 */
export function jsonOfValue(value: Data, argument: string): JsonValue {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "bigint") return exact(value, argument);
  if (typeof value === "number") return finite(value, argument);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  const list = (items: readonly Data[]): JsonValue => items.map((item) => jsonOfValue(item, argument));
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
  if (integer.toString(16).length <= MAX_HEX_DIGITS) return asJson(new ExactNumber(String(integer)));
  throw new HostError("ValueError", `${argument} is an integer of more than ${MAX_DIGITS} digits: send it as text`);
}

/** A whole float keeps its fraction, as in Python. */
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

/** The writer of the value supports exact numbers. */
const asJson = (number: ExactNumber): JsonValue => number as unknown as JsonValue;

function finite(number: number, argument: string): number {
  if (Number.isFinite(number)) return number;
  throw new HostError("ValueError", `${argument} must be a finite number`);
}

function keyOf(key: Data, argument: string): string {
  if (typeof key === "string") return key;
  if (key === null || typeof key === "boolean" || typeof key === "number" || typeof key === "bigint")
    return String(key);
  throw new HostError("TypeError", `${argument} has a key that is no text`);
}
