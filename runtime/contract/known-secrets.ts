/** Values of secrets that this process has read. They are masked in everything that is logged or answered. */

import { isExact, objectOf } from "./exact-number.js";
import type { JsonValue } from "./registry.js";

/** Shown in place of a value. */
const MASK = "***";
/** Shorter values are masked only in what the call that uses them answers: they occur in other text by chance. */
const MIN_LENGTH = 8;
/** Secrets, and tokens, that are masked; the ones that were read first are forgotten. */
const MAX_KNOWN = 1000;
/** Levels of a result that are searched; the JSON of a result is bounded above this. */
const MAX_DEPTH = 1000;

/** A word such as `password` or a number: results hold these by chance, too. */
const isCommon = (value: string): boolean => /^(?:[a-z]{1,15}|\d{1,11})$/i.test(value);

/** The signature of a JSON Web Token: without it the rest is of no use, and many tokens begin alike. */
const SIGNATURE = /^[\w-]+\.[\w-]+\.([\w-]{20,})$/;

/** Forms of values, in the order in which they became known. */
type Known = Map<string, readonly string[]>;
/** Secrets of the configuration, and tokens, which come and go and must not push those out. */
const secrets: Known = new Map();
const tokens: Known = new Map();
/** Whether JSON writes one of the values in another form. */
let hasEscapes = false;
/** Forms by their first characters, longest first. */
let byStart: ReadonlyMap<string, readonly string[]> = new Map();
/** Finds the starts; its size does not depend on the length of the values. */
let starts: RegExp | undefined;

/** Masks a value from now on, also where JSON or a URL quotes it. Short values and plain words are not masked. */
export const rememberSecret = (value: string): void => remember(secrets, value);

/** Masks an access token from now on; of a JSON Web Token its signature. */
export const rememberToken = (token: string): void => remember(tokens, SIGNATURE.exec(token)?.[1] ?? token);

function remember(known: Known, value: string): void {
  if (value.length < MIN_LENGTH || isCommon(value) || known.has(value)) return;
  const asJson = JSON.stringify(value).slice(1, -1);
  known.set(value, [...new Set([value, asJson, encoded(value)])]);
  hasEscapes ||= asJson !== value;
  const [oldest] = known.keys();
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  starts = undefined;
}

const isEmpty = (): boolean => secrets.size + tokens.size === 0;

/** Makes the pattern anew, once for all values that have become known. */
function patternOf(): RegExp {
  if (starts) return starts;
  const grouped = new Map<string, string[]>();
  for (const form of [...secrets.values(), ...tokens.values()].flat().sort((a, b) => b.length - a.length)) {
    const same = grouped.get(startOf(form));
    if (same) same.push(form);
    else grouped.set(startOf(form), [form]);
  }
  byStart = grouped;
  starts = new RegExp([...byStart.keys()].map(quoted).join("|"), "g");
  return starts;
}

const startOf = (form: string): string => form.slice(0, MIN_LENGTH);
const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** The form in a URL. A lone surrogate has none. */
function encoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value;
  }
}

/** A text in which the values of known secrets are masked. */
export function withoutKnownSecrets(text: string): string {
  if (isEmpty() || text.length < MIN_LENGTH) return text;
  const pattern = patternOf();
  let clean = "";
  let from = 0;
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const { index } = found;
    const form = byStart.get(found[0])?.find((one) => text.startsWith(one, index));
    if (form === undefined) pattern.lastIndex = index + 1;
    else {
      clean += text.slice(from, index) + MASK;
      from = index + form.length;
      pattern.lastIndex = from;
    }
  }
  return from === 0 ? text : clean + text.slice(from);
}

/** A result in which the values of known secrets are masked; the same object if it holds none. */
export const resultWithoutSecrets = (value: JsonValue): JsonValue => (mayHoldSecret(value) ? cleaned(value, 0) : value);

/** Whether a result may hold a secret: one look at its JSON is faster than a walk over its parts. */
function mayHoldSecret(value: JsonValue): boolean {
  if (isEmpty()) return false;
  // JSON inside of JSON escapes a value twice, which is no form.
  if (hasEscapes) return true;
  const text = JSON.stringify(value);
  return withoutKnownSecrets(text) !== text;
}

function cleaned(value: JsonValue, depth: number): JsonValue {
  if (depth === MAX_DEPTH) return value;
  if (typeof value === "string") return withoutKnownSecrets(value);
  if (typeof value !== "object" || value === null || isExact(value)) return value;
  if (Array.isArray(value)) {
    const items = value.map((one) => cleaned(one, depth + 1));
    return items.some((one, at) => one !== value[at]) ? items : value;
  }
  const members = Object.entries(value).map(
    ([key, one]) => [withoutKnownSecrets(key), cleaned(one, depth + 1), key, one] as const,
  );
  const isClean = members.every(([key, one, key0, one0]) => key === key0 && one === one0);
  return isClean ? value : (objectOf(members.map(([key, one]) => [key, one] as const)) as JsonValue);
}
