/** Removes secrets from text that leaves the process: messages, `received`, log lines. */

import { isExact, objectOf } from "./exact-number.js";
import { withoutKnownSecrets } from "./known-secrets.js";

/** A pattern and its replacement. */
interface Scrub {
  readonly pattern: RegExp;
  readonly by: string;
  /** A text that each match contains: most texts lack it, and to search for it takes a tenth of the time. */
  readonly part?: string;
}

/** A toolwright API key. */
const KEY: Scrub = { pattern: /oub_([a-z2-7]{10})_[A-Za-z0-9_-]{8,}/g, by: "oub_$1_***", part: "oub_" };

/**
 * Secrets by shape: API keys keep their key id, all others lose the secret part completely.
 *
 * External texts may be long, so no pattern scans the same stretch again from each of its positions. A secret may also
 * follow a JSON escape, whose letter is not part of it.
 */
const SHAPES: readonly Scrub[] = [
  KEY,
  { pattern: /(?:\b|(?<=\\[bfnrt]))(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, by: "$1 ***" },
  {
    pattern: /(?:\b|(?<=\\[bfnrt]))(?:sk|pk|ghp|gho|ghs|github_pat|xox[abprs]|glpat)[-_][A-Za-z0-9_-]{12,}/g,
    by: "***",
  },
  // A JSON Web Token; the lookahead checks for its three parts once, at the start of the first.
  {
    pattern: /(?<![\w-])(?=[\w-]+\.[\w-]{10,}\.)((?:[\w-]*?-)??)eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g,
    by: "$1***",
    part: "eyJ",
  },
  { pattern: /(:\/\/)[^\s/@:]*:[^\s/@]+@/g, by: "$1***@", part: "://" },
  {
    pattern:
      /((?:password|passwd|secret|api[_-]?key|access[_-]?token|authorization)\\?["']?\s*[:=]\s*\\?["']?)[^\s"'\\,;&}]{3,}/gi,
    by: "$1***",
  },
];

/** Text in which every toolwright API key is reduced to its key id, for stored answers. */
export const withoutKeys = (text: string): string => text.replace(KEY.pattern, KEY.by);

const SECRET_NAME = /pass(word|wd|phrase)|secret|api_?key|authorization|credential|private_?key|access_?token/i;

/** Text without anything that has the shape of a secret, without known secrets, and without the `known` values. */
export function scrub(text: string, known: Iterable<string> = []): string {
  let clean = withoutKnownSecrets(text);
  for (const secret of known) if (secret.length >= 4) clean = clean.replaceAll(secret, "***");
  for (const { pattern, by, part } of SHAPES)
    if (part === undefined || clean.includes(part)) clean = clean.replace(pattern, by);
  return clean;
}

/** Levels of a value that are scrubbed; deeper ones are not shown. */
const MAX_SCRUB_DEPTH = 64;

/** A copy of a value with all texts scrubbed, including those of errors. */
export function scrubTexts(value: unknown, known: ReadonlySet<string>, depth = 0): unknown {
  if (typeof value === "string") return scrub(value, known);
  if (typeof value !== "object" || value === null || isExact(value)) return value;
  if (depth === MAX_SCRUB_DEPTH) return "…";
  if (value instanceof Error) return scrub(value.stack ?? String(value), known);
  const within = (one: unknown): unknown => scrubTexts(one, known, depth + 1);
  if (Array.isArray(value)) return value.map(within);
  return objectOf(Object.entries(value).map(([key, member]) => [scrub(key, known), within(member)] as const));
}

/** Whether an argument of this name is secret, whatever its value. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** Clips a text to `limit` characters; an ellipsis marks the cut. */
export const clip = (text: string, limit: number): string =>
  text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
