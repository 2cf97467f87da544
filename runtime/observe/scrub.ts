/** Removes secrets from text that leaves the process: messages, `received`, log lines. */

import { isExact, objectOf } from "../contract/exact-number.js";

/** A pattern and what stands in its place. */
interface Scrub {
  readonly pattern: RegExp;
  readonly by: string;
}

/** An API key of ours. */
const KEY: Scrub = { pattern: /oub_([a-z2-7]{10})_[A-Za-z0-9_-]{8,}/g, by: "oub_$1_***" };

/**
 * By shape: API keys keep their key id, everything else loses the secret part whole.
 *
 * Texts of foreign make are long, so no pattern looks through the same stretch again from each place in it. What begins a word may
 * also come after an escape of JSON, whose letter is no part of it.
 */
const SHAPES: readonly Scrub[] = [
  KEY,
  { pattern: /(?:\b|(?<=\\[bfnrt]))(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, by: "$1 ***" },
  {
    pattern: /(?:\b|(?<=\\[bfnrt]))(?:sk|pk|ghp|gho|ghs|github_pat|xox[abprs]|glpat)[-_][A-Za-z0-9_-]{12,}/g,
    by: "***",
  },
  // A token in three parts; whether the parts are there is looked at once, where the first begins.
  { pattern: /(?<![\w-])(?=[\w-]+\.[\w-]{10,}\.)((?:[\w-]*?-)??)eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g, by: "$1***" },
  { pattern: /(:\/\/)[^\s/@:]*:[^\s/@]+@/g, by: "$1***@" },
  {
    pattern:
      /((?:password|passwd|secret|api[_-]?key|access[_-]?token|authorization)\\?["']?\s*[:=]\s*\\?["']?)[^\s"'\\,;&}]{3,}/gi,
    by: "$1***",
  },
];

/** Text without API keys of ours, for what is kept: of what a caller was told, only the key ids stay. */
export const withoutKeys = (text: string): string => text.replace(KEY.pattern, KEY.by);

const SECRET_NAME = /pass(word|wd|phrase)|secret|api_?key|authorization|credential|private_?key|access_?token/i;

/** Text without anything that has the shape of a secret, nor any of the `known` values. */
export function scrub(text: string, known: Iterable<string> = []): string {
  let clean = text;
  for (const secret of known) if (secret.length >= 4) clean = clean.replaceAll(secret, "***");
  for (const { pattern, by } of SHAPES) clean = clean.replace(pattern, by);
  return clean;
}

/** Levels of a value that are looked at; below them nothing is shown. */
const DEEPEST = 64;

/** A value with every text in it scrubbed, those of errors too. */
export function scrubTexts(value: unknown, known: ReadonlySet<string>, depth = 0): unknown {
  if (typeof value === "string") return scrub(value, known);
  if (typeof value !== "object" || value === null || isExact(value)) return value;
  if (depth === DEEPEST) return "…";
  if (value instanceof Error) return scrub(value.stack ?? String(value), known);
  const within = (one: unknown): unknown => scrubTexts(one, known, depth + 1);
  if (Array.isArray(value)) return value.map(within);
  return objectOf(Object.entries(value).map(([key, member]) => [scrub(key, known), within(member)] as const));
}

/** Whether an argument of this name holds a secret, whatever its value looks like. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** At most `limit` characters; what is cut off is marked. */
export const clip = (text: string, limit: number): string =>
  text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
