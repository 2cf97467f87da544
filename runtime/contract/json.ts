/** Plain JSON values: which values may enter and leave a handler, how deep they may nest, and how maps are merged. */

import { arrayIndex, isExact, objectOf } from "./exact-number.js";
import { nestsDeeper } from "./json-schema.js";
import type { JsonObject, JsonValue } from "./registry.js";

/** Levels of nesting that arguments and results may have (`limits.result_depth`). */
export const MAX_JSON_DEPTH = 64;

/** Whether a value is an object literal or a null-prototype object: no array, no class instance. */
export function isObject(value: unknown): value is JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The own member of an object, or undefined; never an inherited one such as `constructor`. */
export function own(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The JSON name of the kind of a value: `array`, `null`, `number`. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return isExact(value) ? "number" : typeof value;
}

/** Whether a value nests deeper than {@link MAX_JSON_DEPTH} levels. */
export const isTooDeep = (value: unknown): boolean => nestsDeeper(value, MAX_JSON_DEPTH);

/** A value that JSON cannot hold, with where it is. */
class NotPlainError extends Error {
  override readonly name = "NotPlainError";
}

/**
 * A deep copy as plain JSON: `undefined` becomes null at the top and is left out below it. Exact numbers and the order of keys stay.
 *
 * @param name what an error calls the value
 * @throws NotPlainError for functions, symbols, bigints, numbers that are not finite, class instances, and nesting over {@link MAX_JSON_DEPTH}
 */
export const plainJson = (value: unknown, name = "result"): JsonValue =>
  value === undefined ? null : copied(value, 0, [name]);

/** @param way the name of the value, then the key of each level down to this one; longer where an earlier member was deeper */
function copied(value: unknown, depth: number, way: (string | number)[]): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (depth > MAX_JSON_DEPTH && !isExact(value))
    throw new NotPlainError(`${placeOf(way, depth)} nests deeper than ${MAX_JSON_DEPTH} levels`);
  const level = depth + 1;
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      way[level] = index;
      return copied(item ?? null, level, way);
    });
  }
  if (isExact(value)) return value as unknown as JsonValue;
  if (!isObject(value)) throw new NotPlainError(`${placeOf(way, depth)} is ${describe(value)}, which JSON cannot hold`);
  const keys = Object.keys(value);
  if (keys.some(isSpecial)) return objectOf(keys.flatMap((key) => memberOf(value, key, level, way)));
  // Takes a third of the time of making entries, which are needed for keys that assignment would move or lose.
  const made: Record<string, JsonValue> = {};
  for (const key of keys) {
    const member = value[key];
    if (member === undefined) continue;
    way[level] = key;
    made[key] = copied(member, level, way);
  }
  return made;
}

const isSpecial = (key: string): boolean => key === "__proto__" || arrayIndex(key) >= 0;

function memberOf(value: JsonObject, key: string, level: number, way: (string | number)[]) {
  const member: unknown = value[key];
  if (member === undefined) return [];
  way[level] = key;
  return [[key, copied(member, level, way)] as const];
}

const placeOf = ([name, ...keys]: readonly (string | number)[], depth: number): string =>
  [name, ...keys.slice(0, depth).map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`))].join("");

/**
 * A copy in which every valid `Date` is ISO text.
 *
 * @throws NotPlainError for nesting over {@link MAX_JSON_DEPTH}, so that a circular value does not loop forever
 */
export function datesAsText(value: unknown, depth = 0): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? value : value.toISOString();
  if (depth > MAX_JSON_DEPTH) throw new NotPlainError(`result nests deeper than ${MAX_JSON_DEPTH} levels`);
  if (Array.isArray(value)) return value.map((one) => datesAsText(one, depth + 1));
  if (!isObject(value)) return value;
  return objectOf(Object.entries(value).map(([key, member]) => [key, datesAsText(member, depth + 1)] as const));
}

function describe(value: unknown): string {
  if (typeof value !== "object" || value === null) return `a ${typeof value}`;
  return `an instance of ${value.constructor?.name ?? "a class"}`;
}

/** Unchecked values by name, as a parser gives them. */
export type Values = Readonly<Record<string, unknown>>;

/** Whether a value is an object and no array: an object of any class, unlike `isObject`. */
export const isRecord = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value, or an empty list where it is no list. */
export const listOrEmpty = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * Merges one map over another: maps merge, lists and scalars replace. Keys keep the order of their first appearance.
 */
export function mergeMaps(base: Values, over: Values): Values {
  const result = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const before = result.get(key);
    result.set(key, isRecord(before) && isRecord(value) ? mergeMaps(before, value) : value);
  }
  return Object.fromEntries(result);
}
