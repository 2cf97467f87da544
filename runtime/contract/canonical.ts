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

/**
 * JSON with keys sorted by code unit and without white space; `undefined` members are left out. Numbers of one value have one form,
 * however they are spelled, and numbers of different values have different ones.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (isExact(value)) return canonicalNumber(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(",")}}`;
}

/**
 * sha256 of a text, in lower-case hexadecimal. Loads Node's module only when called, because an emitted client is
 * bundled for browsers, too.
 */
export function digestText(text: string): Digest {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest("hex");
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
