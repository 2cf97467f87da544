/** Mutated snippets: tokens removed, doubled or swapped, odd characters, cut short, mixed, in fences. */

import fc from "fast-check";
import { corpus } from "../../support/run/run-corpus.js";

const TOKENS = /\s+|\w+|"[^"\n]*"|'[^'\n]*'|[^\w\s]/g;
const ODD = [
  "\u0000",
  "\t",
  "\r",
  "\u2028",
  "é",
  "🎉",
  "`",
  "```",
  '"',
  "'",
  '"""',
  "\\",
  "{",
  "}",
  "(",
  "]",
  ":",
  "#",
  "$x",
  "\ufeff",
  "_ ",
  "__ot ",
  "%",
  "<",
];
const FENCES: readonly (readonly [string, string])[] = [
  ["```python\n", "\n```"],
  ["```\n", "\n```"],
  ["`", "`"],
  ["````py\n", "\n````"],
  ["```python\n", ""],
  ["Here:\n```\n", "\n```\ndone"],
  ["__ot ", ""],
  ["__onetool__run\n```\n", "\n```"],
  ["    ", ""],
];

const codes = corpus().map(({ code }) => code);
const place = fc.nat({ max: 10_000 });
const at = <T>(items: readonly T[], index: number): T => items[index % items.length] as T;

type Change = (tokens: string[], a: number, b: number) => string[];

const CHANGES: readonly Change[] = [
  (tokens, a) => tokens.filter((_, i) => i !== a % tokens.length),
  (tokens, a) => tokens.flatMap((one, i) => (i === a % tokens.length ? [one, one] : [one])),
  (tokens, a, b) =>
    tokens.map((one, i) => (i === a % tokens.length ? at(tokens, b) : i === b % tokens.length ? at(tokens, a) : one)),
  (tokens, a, b) => tokens.flatMap((one, i) => (i === a % tokens.length ? [one, at(ODD, b)] : [one])),
  (tokens, a) => tokens.slice(0, a % tokens.length),
  (tokens, a, b) => [...tokens.slice(0, a % tokens.length), ...(at(codes, b).match(TOKENS) ?? []).slice(b % 20)],
  (tokens, a) => [at(FENCES, a)[0], ...tokens, at(FENCES, a)[1]],
  (tokens) => tokens,
];

/** A snippet after some changes. */
export const mutations: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...codes),
    fc.array(fc.tuple(fc.nat({ max: CHANGES.length - 1 }), place, place), { maxLength: 4 }),
  )
  .map(([code, changes]) => {
    let tokens: string[] = code.trimEnd().match(TOKENS) ?? [];
    for (const [change, a, b] of changes) if (tokens.length > 0) tokens = (CHANGES[change] as Change)(tokens, a, b);
    return tokens.join("");
  });
