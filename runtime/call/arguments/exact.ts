/**
 * Handles numbers that JavaScript cannot represent: validates them exactly, and rounds them for code that takes plain
 * numbers.
 */

import { equalItems } from "../../contract/equal-values.js";
import {
  compareNumbers,
  type ExactNumber,
  holdsExact,
  isExact,
  isMultiple,
  isRounded,
  isWhole,
  mapMembers,
} from "../../contract/exact-number.js";
import type { FieldError } from "../../contract/handler.js";
import { escapePointer } from "../../contract/json-pointer.js";
import type { JsonSchema, JsonValue } from "../../contract/registry.js";
import type { ValidationIssue } from "../../contract/validation.js";
import { matchingBranch, placeAt } from "./branch.js";
import { joinPath, typesOf } from "./schema.js";

/** A copy with the nearest JavaScript number in place of every exact one; the value itself if it has none. */
export function withNearestNumbers<T>(value: T): T {
  return holdsExact(value) ? (nearestMember(value) as T) : value;
}

const nearestMember = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  return isExact(value) ? Number(value.text) : mapMembers(value, nearestMember);
};

/**
 * The plain values between which a value lies: with the nearest number in place of each that is rounded, with the next larger
 * one, and with the next smaller one. The value itself if no number in it is rounded.
 */
export function around<T>(value: T): readonly T[] {
  const plain = withNearestNumbers(value);
  if (plain === value || roundingsIn(value as JsonValue).length === 0) return [plain];
  return [plain, ...[1, -1].map((step) => movedMember(value, step) as T)];
}

const movedMember = (value: unknown, step: number): unknown => {
  if (typeof value !== "object" || value === null) return value;
  if (!isExact(value)) return mapMembers(value, (member) => movedMember(member, step));
  return isRounded(value) ? nextNumber(Number(value.text), step) : Number(value.text);
};

/** The next number that JavaScript has above or below one. */
function nextNumber(from: number, step: number): number {
  if (from === 0) return step * Number.MIN_VALUE;
  if (!Number.isFinite(from)) return from > 0 === step > 0 ? from : Math.sign(from) * Number.MAX_VALUE;
  const bits = new BigInt64Array(new Float64Array([from]).buffer);
  bits[0] = (bits[0] ?? 0n) + BigInt(from > 0 ? step : -step);
  return new Float64Array(bits.buffer)[0] ?? from;
}

/** A number that is rounded for code that takes plain JavaScript numbers. */
interface Rounding {
  readonly path: string;
  readonly number: ExactNumber;
}

/** The numbers in arguments that {@link withNearestNumbers} changes. */
export const roundingsIn = (args: JsonValue): readonly Rounding[] =>
  exactNumbers(args)
    .filter(({ number }) => isRounded(number))
    .map(({ keys, number }) => ({ path: keys.reduce<string>(joinPath, ""), number }));

/** Rounded numbers that get their own warning; the rest is counted. */
const MAX_NAMED = 5;

/** Warnings about rounded numbers. */
export function roundingWarnings(roundings: readonly Rounding[]): readonly string[] {
  const named = roundings.slice(0, MAX_NAMED).map(({ path, number }) => {
    const read = `${path} ${shown(number)} was read as ${Number(number.text)}`;
    return `number_rounded: ${read}; send it as text if every digit counts`;
  });
  const more = roundings.length - named.length;
  return more > 0 ? [...named, `number_rounded: ${more} more numbers were rounded`] : named;
}

/** The keyword of errors about numbers that a tool cannot take. */
export const ROUNDED = "rounded";

/** Whether a number exceeds the range of JavaScript numbers: `1e999` would become Infinity, which JSON cannot represent. */
export const exceedsNumberRange = ({ number }: Rounding): boolean => !Number.isFinite(Number(number.text));

/** Errors in place of {@link roundingWarnings}: for a program, which reads no warnings, and for numbers that are too large. */
export const roundingErrors = (roundings: readonly Rounding[]): readonly FieldError[] =>
  roundings.map((rounding) => {
    const { path, number } = rounding;
    const kind = exceedsNumberRange(rounding)
      ? "a number beyond 1.8e308"
      : isWhole(number)
        ? "an integer beyond 2**53"
        : "a number of too many digits";
    return {
      path,
      keyword: ROUNDED,
      message: `${path} is ${kind}, which this tool cannot take: send it as text`,
      expected: `${kind}, which this tool cannot take: send it as text`,
      received: shown(number),
    };
  });

const shown = ({ text }: ExactNumber): string => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

interface Place {
  readonly keys: readonly (string | number)[];
  readonly number: ExactNumber;
}

function exactNumbers(value: unknown, keys: readonly (string | number)[] = []): readonly Place[] {
  if (typeof value !== "object" || value === null) return [];
  if (isExact(value)) return [{ keys, number: value }];
  const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item, at) => [at, item] as const)
    : Object.entries(value);
  return members.flatMap(([key, member]) => exactNumbers(member, [...keys, key]));
}

/** Keywords that are checked against the exact value. */
const JUDGED: ReadonlySet<string> = new Set(["multipleOf"]);

/**
 * Corrects a validator's findings about rounded numbers by the rules for the exact ones: `9007199254740992.5` is not
 * an integer, although the nearest JavaScript number is.
 *
 * @param args the exact arguments; the validator has checked the {@link withNearestNumbers} ones
 */
export function judgeExact(
  issues: readonly ValidationIssue[],
  args: JsonValue,
  root: JsonSchema,
): readonly ValidationIssue[] {
  const places = exactNumbers(args).map((place) => ({ ...place, pointer: pointerOf(place.keys) }));
  const judged = new Set(places.map(({ pointer }) => pointer));
  const kept = issues.filter(({ keyword, instancePath }) =>
    keyword === "uniqueItems"
      ? !areApart(placeAt(root, args, instancePath).value)
      : !(JUDGED.has(keyword) && judged.has(instancePath)),
  );
  const told = new Set(kept.map(({ instancePath }) => instancePath));
  return [
    ...kept,
    ...places.filter(({ pointer }) => !told.has(pointer)).flatMap((place) => faultOf(place, args, root)),
  ];
}

/** Whether all items of a list differ although the nearest numbers of two are equal. */
const areApart = (value: unknown): boolean => Array.isArray(value) && equalItems(value)[0] === 0;

const pointerOf = (keys: readonly (string | number)[]): string => keys.map((key) => `/${escapePointer(key)}`).join("");

/** The first rule that a number violates. */
function faultOf(
  { number, pointer }: Place & { readonly pointer: string },
  args: JsonValue,
  root: JsonSchema,
): readonly ValidationIssue[] {
  const { schema } = placeAt(root, args, pointer);
  if (!schema) return [];
  const rule = matchingBranch(schema, number, root);
  const issue = (keyword: string, params: Record<string, unknown>): readonly ValidationIssue[] => [
    { instancePath: pointer, schemaPath: "", keyword, params },
  ];
  const types = typesOf(rule, root);
  if (types.includes("integer") && !types.includes("number") && !isWhole(number))
    return issue("type", { type: "integer" });
  for (const [keyword, breaks] of LIMITS) {
    const limit = rule[keyword];
    if (typeof limit === "number" && isTrusted(limit) && breaks(number, limit)) return issue(keyword, { limit });
  }
  const { multipleOf } = rule;
  if (typeof multipleOf === "number" && isMultiple(number, multipleOf) === false)
    return issue("multipleOf", { multipleOf });
  return [];
}

/** Whether a limit is exact: beyond 2^53 it may have been rounded when the schema was parsed. */
const isTrusted = (limit: number): boolean => Math.abs(limit) <= Number.MAX_SAFE_INTEGER;

const LIMITS: readonly (readonly [keyword: string, breaks: (number: ExactNumber, limit: number) => boolean])[] = [
  ["minimum", (number, limit) => compareNumbers(number, limit) === -1],
  ["maximum", (number, limit) => compareNumbers(number, limit) === 1],
  ["exclusiveMinimum", (number, limit) => (compareNumbers(number, limit) ?? 1) <= 0],
  ["exclusiveMaximum", (number, limit) => (compareNumbers(number, limit) ?? -1) >= 0],
];
