/**
 * Parses JSON, and MCP messages, without loss. Most texts contain nothing that `JSON.parse` changes: a scan detects that, at
 * less than the cost of the parse, and `JSON.parse` does the rest. Any other text is parsed here, with loops, so that no nesting
 * exhausts the stack.
 */

import { arrayIndex, ExactNumber, inOrder } from "./exact-number.js";
import { isObject } from "./json.js";

/**
 * Parses a JSON text. A number whose value or spelling a JavaScript number would change is an {@link ExactNumber}, and
 * keys keep the order of the text. Of equal keys the last value counts, at the place of the first, as in `JSON.parse`
 * and in Python.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return isLossy(text) ? readExact(text) : value;
}

const [QUOTE, BACKSLASH, PLUS, MINUS, DOT, ZERO, NINE, COLON, COMMA] = [34, 92, 43, 45, 46, 48, 57, 58, 44];
const [LIST, END_LIST, OBJECT, END_OBJECT, LOWER_E, LOWER_T, LOWER_F] = [91, 93, 123, 125, 101, 116, 102];
/** Smaller codes in valid JSON outside a string are white space. */
const SPACE = 32;

/** Characters of a long string that are checked one by one before the next quote or escape is searched for natively. */
const [FEWEST_STEPS, MOST_STEPS] = [32, 4096];

/** Longest integer and longest fraction that JavaScript prints without an exponent and exactly: 2^53 has 16 digits; `0.00000` stands before 17. */
const [MAX_INTEGER_LENGTH, MAX_FRACTION_LENGTH] = [16, 25];

/** Longest number that always keeps its value. */
const SAFE_LENGTH = 15;

/**
 * Whether `JSON.parse` changes a number of a text, or may change the order of keys. For a text that is not JSON the
 * result means nothing.
 */
export const isLossy = (text: string): boolean => isChanged(text, true);

/** Whether `JSON.parse` changes a number of a text. For a text that is not JSON the result means nothing. */
export const changesNumber = (text: string): boolean => isChanged(text, false);

function isChanged(text: string, countsKeys: boolean): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = stringEnd(text, at + 1);
      if (countsKeys && mayBeIndex(text, at + 1, end) && text.charCodeAt(skipSpace(text, end + 1)) === COLON)
        return true;
      at = end;
    } else if ((code >= ZERO && code <= NINE) || code === MINUS) {
      const end = numberEnd(text, at);
      if (!isKept(text, at, end)) return true;
      at = end - 1;
    }
  }
  return false;
}

/** The index of the quote that ends a string; the end of the text if it is missing. */
function stringEnd(text: string, start: number): number {
  for (let at = start; at < start + 24; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return longStringEnd(text, start);
}

/** As `stringEnd`, for a long string, without checking every character; after many escapes in a row it checks more of them one by one. */
function longStringEnd(text: string, start: number): number {
  let [at, quote] = [start, -1];
  for (let steps = FEWEST_STEPS; at < text.length; ) {
    // Searched again only behind the last match, and not behind the quote, so that all searches together are linear.
    if (quote < at) quote = placeOf('"', text, at, text.length);
    const next = placeOf("\\", text, at, quote);
    steps = next - at > steps ? FEWEST_STEPS : Math.min(2 * steps, MOST_STEPS);
    at = next;
    for (const end = at + steps; at < end; ) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at;
      at += code === BACKSLASH ? 2 : 1;
    }
  }
  return text.length;
}

/** The first index of a character; `end` if there is no such character. */
function placeOf(character: string, text: string, from: number, end: number): number {
  const at = text.slice(from, end).indexOf(character);
  return at < 0 ? end : from + at;
}

function numberEnd(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE) continue;
    if (code !== DOT && code !== MINUS && code !== PLUS && (code | 32) !== LOWER_E) return at;
  }
}

/** Whether a number keeps its value and its spelling as a JavaScript number. */
function isKept(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start) === MINUS ? start + 1 : start;
  let dot = -1;
  for (let at = first; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === DOT) dot = at;
    else if (code < ZERO || code > NINE) return isSpelled(text.slice(start, end));
  }
  if (end - first > (dot < 0 ? MAX_INTEGER_LENGTH : MAX_FRACTION_LENGTH)) return false;
  if (dot < 0 && text.charCodeAt(start) === MINUS && text.charCodeAt(first) === ZERO) return false;
  if (dot >= 0 && text.charCodeAt(end - 1) === ZERO) return false;
  const isTiny = dot === first + 1 && text.charCodeAt(first) === ZERO && text.startsWith("00000", dot + 1);
  return end - start <= SAFE_LENGTH && !isTiny ? true : isSpelled(text.slice(start, end));
}

/**
 * Whether JavaScript prints a number as it is spelled. A whole number beyond 2^53 may be another one after parsing.
 */
function isSpelled(token: string): boolean {
  const value = Number(token);
  return String(value) === token && (Number.isSafeInteger(value) || !Number.isInteger(value));
}

/**
 * Whether a string may be an array index, judged by its first character and its length; an escape may spell a digit.
 */
function mayBeIndex(text: string, start: number, end: number): boolean {
  const code = text.charCodeAt(start);
  if (code === BACKSLASH) return text.startsWith("u003", start + 1);
  if (code < ZERO || code > NINE) return false;
  for (let at = start + 1; at < end; at++) {
    const next = text.charCodeAt(at);
    if (next < ZERO || next > NINE) return next === BACKSLASH;
  }
  return true;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= SPACE) at++;
  return at;
}

/** A list or an object that is being parsed. */
interface Open {
  readonly list: unknown[] | undefined;
  readonly members: Record<string, unknown>;
  key: string;
  /** The last key that is an array index; -1 before the first. */
  index: number;
  hasText: boolean;
  /** The keys, from the first one that an object would list at another place. */
  order: Set<string> | undefined;
}

interface Reading {
  readonly text: string;
  at: number;
  /** The value that was parsed last. */
  value: unknown;
  /** The lists and objects that are still open, the innermost last. */
  readonly open: Open[];
}

/** Parses a text that `JSON.parse` has accepted, without loss. */
export function readExact(text: string): unknown {
  const reading = startOf(text);
  do while (!begin(reading));
  while (attach(reading));
  return reading.value;
}

const startOf = (text: string): Reading => ({ text, at: skipSpace(text, 0), value: undefined, open: [] });

/** Values that are parsed in one step. */
const VALUES_OF_STEP = 500;

/** As {@link readExact}, step by step; returns the value. */
export function* exactSteps(text: string): Generator<undefined, unknown> {
  const reading = startOf(text);
  let left = VALUES_OF_STEP;
  do {
    while (!begin(reading));
    if (--left > 0) continue;
    left = VALUES_OF_STEP;
    yield undefined;
  } while (attach(reading));
  return reading.value;
}

/** Parses the start of a value; returns whether it is complete: a list or an object with members is not. */
function begin(reading: Reading): boolean {
  const { text, open } = reading;
  const code = text.charCodeAt(reading.at);
  if (code !== OBJECT && code !== LIST) {
    reading.value = scalar(reading, code);
    return true;
  }
  reading.at = skipSpace(text, reading.at + 1);
  const holder = opened(code);
  if (text.charCodeAt(reading.at) === (code === LIST ? END_LIST : END_OBJECT)) {
    reading.at++;
    reading.value = closed(holder);
    return true;
  }
  open.push(holder);
  if (!holder.list) readKey(reading, holder);
  return false;
}

/**
 * Adds a complete value to its list or object, and closes those that end behind it; returns whether another value
 * follows.
 */
function attach(reading: Reading): boolean {
  const { text, open } = reading;
  for (let holder = open.at(-1); holder; holder = open.at(-1)) {
    add(holder, reading.value);
    reading.at = skipSpace(text, reading.at);
    const mark = text.charCodeAt(reading.at);
    reading.at = skipSpace(text, reading.at + 1);
    if (mark === COMMA) {
      if (!holder.list) readKey(reading, holder);
      return true;
    }
    open.pop();
    reading.value = closed(holder);
  }
  return false;
}

const NONE: Record<string, unknown> = {};
const opened = (code: number): Open =>
  code === LIST
    ? { list: [], members: NONE, key: "", index: -1, hasText: false, order: undefined }
    : { list: undefined, members: {}, key: "", index: -1, hasText: false, order: undefined };

const closed = ({ list, members, order }: Open): unknown => list ?? (order ? inOrder(members, [...order]) : members);

function add(holder: Open, value: unknown): void {
  const { list, members, key } = holder;
  if (list) list.push(value);
  else if (key === "__proto__")
    Object.defineProperty(members, key, { value, writable: true, enumerable: true, configurable: true });
  else members[key] = value;
}

function readKey(reading: Reading, holder: Open): void {
  const key = string(reading);
  holder.key = key;
  // Skips the colon.
  reading.at = skipSpace(reading.text, skipSpace(reading.text, reading.at) + 1);
  if (holder.order) {
    holder.order.add(key);
    return;
  }
  const index = arrayIndex(key);
  if (index < 0) holder.hasText = true;
  else if (!holder.hasText && index >= holder.index) holder.index = index;
  else if (!Object.hasOwn(holder.members, key)) holder.order = new Set(Object.keys(holder.members)).add(key);
}

function string(reading: Reading): string {
  const { text, at } = reading;
  const end = stringEnd(text, at + 1);
  reading.at = end + 1;
  const plain = text.slice(at + 1, end);
  return plain.includes("\\") ? (JSON.parse(text.slice(at, end + 1)) as string) : plain;
}

function scalar(reading: Reading, code: number): unknown {
  if (code === QUOTE) return string(reading);
  const { text, at } = reading;
  if (code === LOWER_T || code === LOWER_F || code > NINE) {
    reading.at = at + (code === LOWER_F ? 5 : 4);
    return code === LOWER_T ? true : code === LOWER_F ? false : null;
  }
  const end = numberEnd(text, at);
  reading.at = end;
  const token = text.slice(at, end);
  return isKept(text, at, end) ? Number(token) : new ExactNumber(token);
}

/**
 * Parses a text to a message or a list of messages.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseMessage(text: string): unknown {
  const plain: unknown = JSON.parse(text);
  return isLossy(text) ? withExact(plain, readExact(text)) : plain;
}

/** Fields passed on as they were sent, by the field of the message that contains them. */
const PASSED_ON = { params: ["arguments"], result: ["content", "structuredContent"] } as const;

/** A parsed message with the exact values of the fields that are passed on. */
export function withExact(plain: unknown, exact: unknown): unknown {
  if (Array.isArray(plain) && Array.isArray(exact)) return plain.map((one, at) => withExact(one, exact[at]));
  if (!isObject(plain) || !isObject(exact)) return plain;
  const parts = Object.entries(PASSED_ON).flatMap(([holder, names]) => {
    const [inner, from] = [plain[holder], exact[holder]];
    if (!isObject(inner) || !isObject(from)) return [];
    const kept = names.flatMap((name) => (Object.hasOwn(from, name) ? [[name, from[name]] as const] : []));
    return kept.length > 0 ? [[holder, { ...inner, ...Object.fromEntries(kept) }] as const] : [];
  });
  return parts.length > 0 ? { ...plain, ...Object.fromEntries(parts) } : plain;
}
