/**
 * Values that JSON can express and JavaScript cannot: numbers that change when they are parsed (`9007199254740993`,
 * `10.0`, `1e400`), and the order of keys that look like array indices (`"2024"`).
 */

import { wellFormedJson } from "./well-formed.js";

/**
 * A number as spelled in JSON. Code that does not know this class sees an object whose value is the nearest JavaScript
 * number.
 */
export class ExactNumber {
  readonly text: string;

  /** @param text a number by the grammar of JSON */
  constructor(text: string) {
    this.text = text;
  }

  /** Whether it is spelled as an integer. Python reads `10` as an `int`, and `10.0` and `1e1` as a `float`. */
  get isInt(): boolean {
    return /^-?\d+$/.test(this.text);
  }

  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  /** The nearest number; ends the first attempt of {@link writeJson}, which then writes each exact number itself. */
  toJSON(): number {
    if (isWriting) throw HOLDS_EXACT;
    return Number(this.text);
  }
}

/** The digits of a number without zeros at either end, and the power of ten of the last digit. */
interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly power: number;
}

const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Splits a number into its parts; undefined if its exponent is too large to handle. */
function decimalOf(text: string): Decimal | undefined {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = PARTS.exec(text) ?? [];
  const all = `${whole}${fraction}`;
  let start = 0;
  while (all[start] === "0") start++;
  let end = all.length;
  while (end > start && all[end - 1] === "0") end--;
  if (start === end) return { isNegative: false, digits: "", power: 0 };
  const power = Number(exponent) - fraction.length + (all.length - end);
  return Number.isSafeInteger(power) ? { isNegative: sign === "-", digits: all.slice(start, end), power } : undefined;
}

/**
 * A text that is the same for equal numbers only: for numbers that JavaScript can hold, the one that `JSON.stringify`
 * writes.
 */
export function canonicalNumber(number: ExactNumber): string {
  const nearest = Number(number.text);
  const own = decimalText(number.text);
  if (own === undefined) return number.text;
  return Number.isFinite(nearest) && own === decimalText(String(nearest)) ? JSON.stringify(nearest) : own;
}

function decimalText(text: string): string | undefined {
  const parts = decimalOf(text);
  return parts && `${parts.isNegative ? "-" : ""}${parts.digits || "0"}e${parts.power}`;
}

/**
 * Whether the nearest JavaScript number differs from the number. For an integer the exact value counts: `10**40` and
 * the number that prints as `1e+40` differ by 3 * 10**23. For a fraction the shortest text counts, as in Python.
 */
export function isRounded(number: ExactNumber): boolean {
  const nearest = Number(number.text);
  if (decimalText(number.text) !== decimalText(String(nearest))) return true;
  return number.isInt && BigInt(nearest) !== BigInt(number.text);
}

/** Whether a number is an integer, however it is spelled: `10.0` and `1e1` are integers. */
export function isWhole(number: ExactNumber): boolean {
  const parts = decimalOf(number.text);
  return parts ? parts.power >= 0 : /[eE]\+?\d/.test(number.text);
}

/** Digits up to which two numbers are compared digit by digit. */
const MAX_DIGITS = 1000;

/**
 * Whether the first number is less than (-1), equal to (0) or greater than (1) the second; undefined if the comparison
 * would take too long.
 */
export function compareNumbers(a: ExactNumber, b: number): number | undefined {
  const [left, right] = [decimalOf(a.text), decimalOf(String(b))];
  if (!left || !right) return undefined;
  const low = Math.min(left.power, right.power);
  const span = (one: Decimal): number => one.digits.length + one.power - low;
  if (span(left) > MAX_DIGITS || span(right) > MAX_DIGITS) return undefined;
  const [x, y] = [scaled(left, low), scaled(right, low)];
  return x < y ? -1 : x > y ? 1 : 0;
}

const scaled = ({ isNegative, digits, power }: Decimal, low: number): bigint =>
  BigInt(`${isNegative ? "-" : ""}${digits || "0"}${"0".repeat(power - low)}`);

/** Whether a number is a multiple of another; undefined if the check would take too long. */
export function isMultiple(a: ExactNumber, b: number): boolean | undefined {
  const [left, right] = [decimalOf(a.text), decimalOf(String(b))];
  if (!left || !right || right.digits === "") return undefined;
  const low = Math.min(left.power, right.power);
  if (left.digits.length + left.power - low > MAX_DIGITS || right.power - low > MAX_DIGITS) return undefined;
  return scaled(left, low) % scaled(right, low) === 0n;
}

/** Whether a value is an {@link ExactNumber}. */
export const isExact = (value: unknown): value is ExactNumber => value instanceof ExactNumber;

/** Prefix of a number in a text that is being written. It is random, so that no text of a user contains it. */
const MARK = `@${Array.from(globalThis.crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("")}:`;
const MARKED_NUMBERS = new RegExp(`"${MARK}([^"]*)"`, "g");

/** True while {@link written} tries `JSON.stringify`, which is synchronous. */
let isWriting = false;
/** What an exact number throws then. */
const HOLDS_EXACT = Symbol("an exact number");

/** JSON of a value, as `JSON.stringify` writes it, with every {@link ExactNumber} as it is spelled, and well formed. */
export const writeJson = (value: unknown, indent?: number): string => written(value, indent).text;

/** As {@link writeJson}, and whether the value contains an exact number. */
export function written(value: unknown, indent = 0): { readonly text: string; readonly isExact: boolean } {
  const outer = isWriting;
  isWriting = true;
  try {
    const text = JSON.stringify(value, undefined, indent);
    // A value that JSON leaves out has no text.
    return { text: text && wellFormedJson(text), isExact: false };
  } catch (error) {
    if (error !== HOLDS_EXACT) throw error;
  } finally {
    isWriting = outer;
  }
  const text = writeExact(value, indent > 0 ? "\n" : "", " ".repeat(indent)) ?? "null";
  return { text: wellFormedJson(text), isExact: true };
}

/**
 * Writes a value that contains exact numbers by the rules of `JSON.stringify`; undefined for a value that JSON leaves out.
 *
 * @param line the line break before the end of the value with its indentation; empty for JSON on one line
 * @param step what one level adds to the indentation
 */
function writeExact(value: unknown, line: string, step: string): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isExact(value)) return value.text;
  if ("toJSON" in value && typeof value.toJSON === "function") return writeExact(value.toJSON(), line, step);
  const inner = line + step;
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(writeExact(item, inner, step) ?? "null");
    return parts.length === 0 ? "[]" : `[${inner}${parts.join(`,${inner}`)}${line}]`;
  }
  const colon = line === "" ? ":" : ": ";
  for (const [key, member] of Object.entries(value)) {
    const text = writeExact(member, inner, step);
    if (text !== undefined) parts.push(`${JSON.stringify(key)}${colon}${text}`);
  }
  return parts.length === 0 ? "{}" : `{${inner}${parts.join(`,${inner}`)}${line}}`;
}

/**
 * A copy of the value with a text in place of every exact number, for another serialiser: {@link unmarked} puts the
 * numbers back into its output.
 */
export function marked<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  return holdsExact(value) ? (markedMember(value) as T) : value;
}

const markedMember = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  return isExact(value) ? MARK + value.text : mapMembers(value, markedMember);
};

/** Whether a value contains an exact number. It allocates nothing, because every call checks. */
export function holdsExact(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && holdsExact(item)) return true;
    return false;
  }
  if (isExact(value)) return true;
  for (const key in value) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof member === "object" && holdsExact(member)) return true;
  }
  return false;
}

/** Whether a text may contain marks of {@link marked}. */
export const hasMarks = (text: { includes(part: string): boolean }): boolean => text.includes(MARK);

/** Puts the numbers back into JSON that another serialiser made of a {@link marked} value. */
export const unmarked = (json: string): string => (hasMarks(json) ? json.replace(MARKED_NUMBERS, "$1") : json);

/** Puts back a marked number that was written by itself, as in a header. */
export const unmarkedText = (text: string): string => text.replaceAll(MARK, "");

/**
 * A copy of a list or an object with its members mapped; the original if no member changes. Instances of classes count
 * as having no members.
 */
export function mapMembers<T extends object>(value: T, change: (member: unknown) => unknown): T {
  let isSame = true;
  const mapped = (member: unknown): unknown => {
    const made = change(member);
    isSame &&= made === member;
    return made;
  };
  if (Array.isArray(value)) {
    const items = value.map(mapped);
    return isSame ? value : (items as T);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, mapped(member)] as const);
  return isSame ? value : (objectOf(entries) as T);
}

/** An object with these members in this order, as `Object.fromEntries`; keys that look like array indices keep their place too. */
export function objectOf<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  const made = Object.fromEntries(entries) as Record<string, T>;
  return isReordered(entries) ? inOrder(made, [...new Set(entries.map(([key]) => key))]) : made;
}

/** Whether an object would list these keys in another order: those that look like array indices come first, ascending. */
function isReordered(entries: readonly (readonly [string, unknown])[]): boolean {
  let last = -1;
  let isAfterText = false;
  for (const [key] of entries) {
    const index = arrayIndex(key);
    if (index < 0) isAfterText = true;
    else if (isAfterText || index < last) return true;
    else last = index;
  }
  return false;
}

const [ZERO, NINE] = [0x30, 0x39];
const LARGEST_INDEX = 2 ** 32 - 2;

/** The array index that a key looks like; -1 for any other key. */
export function arrayIndex(key: string): number {
  const code = key.charCodeAt(0);
  if (!(code >= ZERO && code <= NINE) || key.length > 10 || !/^(?:0|[1-9]\d*)$/.test(key)) return -1;
  const index = Number(key);
  return index <= LARGEST_INDEX ? index : -1;
}

/**
 * A view of the object that lists its keys in a given order. It is a proxy, because an object itself cannot have
 * another order; `Object.entries`, `JSON.stringify` and a spread see the order.
 *
 * @param order the keys of the object, each once
 */
export function inOrder<T>(object: Record<string, T>, order: readonly string[]): Record<string, T> {
  let isChanged = false;
  return new Proxy(object, {
    ownKeys(target) {
      const own = Reflect.ownKeys(target);
      if (!isChanged) return order as string[];
      const [present, known] = [new Set(own), new Set<string | symbol>(order)];
      return [...order.filter((key) => present.has(key)), ...own.filter((key) => !known.has(key))];
    },
    defineProperty(target, key, descriptor) {
      isChanged ||= !Object.hasOwn(target, key);
      return Reflect.defineProperty(target, key, descriptor);
    },
    deleteProperty(target, key) {
      isChanged = true;
      return Reflect.deleteProperty(target, key);
    },
  });
}
