/** Canonical JSON and its digest: the byte form that digests, caches and the ledger share. */

import { canonicalNumber, isExact } from "./exact-number.js";
import type { Digest } from "./registry.js";

/**
 * Orders two strings by code unit; the only order used for output.
 *
 * @example
 * ["b", "a"].sort(byCodeUnit); // ["a", "b"]
 */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const NONE: ReadonlyMap<object, string> = new Map();

/**
 * JSON with keys sorted by code unit and without white space; `undefined` members are left out. Numbers of one value have one form,
 * however they are spelled, and numbers of different values have different ones.
 *
 * @param known texts of parts that many values hold
 */
export function canonicalJson(value: unknown, known: ReadonlyMap<object, string> = NONE): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (isExact(value)) return canonicalNumber(value);
  const text = known.get(value);
  if (text !== undefined) return text;
  if (Array.isArray(value)) return `[${value.map((one) => canonicalJson(one, known)).join(",")}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member, known)}`);
  }
  return `{${members.join(",")}}`;
}

/**
 * sha256 of a text, which may be given in pieces, in lower-case hexadecimal. Loads Node's module only when called, because an emitted client is
 * bundled for browsers, too.
 */
export function digestText(...pieces: readonly string[]): Digest {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  for (const one of pieces) hash.update(one);
  return hash.digest("hex");
}

/**
 * sha256 of the canonical JSON of a value.
 *
 * @example
 * digest({ b: 1, a: 2 }) === digest({ a: 2, b: 1 }); // true
 */
export function digest(value: unknown): Digest {
  return digestText(canonicalJson(value));
}
