/**
 * Bounded patterns give the same answers as the engine's regular expressions, on random small patterns and on corner
 * cases.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matcherOf, patternKind } from "../../../runtime/contract/pattern/bounded-pattern.js";
import { runs } from "../../support/random.js";

const ATOMS = [
  "a",
  "b",
  "c",
  ".",
  "[ab]",
  "[^a]",
  "\\w",
  "\\W",
  "\\s",
  "\\d",
  "\\b",
  "\\B",
  "^",
  "$",
  "(?:)",
  "\\u{1F600}",
  "[\\u{1F600}-\\u{1F64F}]",
  "\\uD83D",
  "é",
];
const COUNTS = ["*", "+", "?", "*?", "+?", "??", "{0}", "{2}", "{1,2}", "{2,}", "{0,3}?"];
const WRAPS: readonly (readonly [string, string])[] = [
  ["(", ")"],
  ["(?:", ")"],
  ["(?=", ")"],
  ["(?!", ")"],
  ["(?<=", ")"],
  ["(?<!", ")"],
];

const { pattern } = fc.letrec<{ pattern: string; branch: string; piece: string; atom: string }>((tie) => ({
  pattern: fc.array(tie("branch"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("|")),
  branch: fc.array(tie("piece"), { maxLength: 4 }).map((parts) => parts.join("")),
  piece: fc.tuple(tie("atom"), fc.option(fc.constantFrom(...COUNTS), { nil: "" })).map(([atom, count]) => atom + count),
  atom: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...ATOMS, "\\1"),
    fc.tuple(tie("pattern"), fc.constantFrom(...WRAPS)).map(([inside, [open, close]]) => open + inside + close),
  ),
}));
const text = fc
  .array(fc.constantFrom("a", "b", "c", " ", "1", "\n", "😀", "\uD83D", "\uDE00", "é", "\u2028"), { maxLength: 8 })
  .map((parts) => parts.join(""));

/** The engine's own expression; undefined for a pattern that is not valid. */
function nativeOf(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

/** What a matcher says of texts, compared with the engine. */
function compare(
  source: string,
  flags: string,
  texts: readonly string[],
  tally: { compared: number; gaveUp: number },
): void {
  const expression = nativeOf(source, flags);
  for (const kind of ["scan", "backtrack"] as const) {
    const matcher = matcherOf(source, flags, kind);
    for (const one of matcher ? texts : []) {
      const answer = matcher?.(one);
      tally[answer === undefined ? "gaveUp" : "compared"]++;
      if (answer !== undefined && answer !== expression?.test(one))
        throw new Error(`${kind}: /${source}/${flags} on ${JSON.stringify(one)} is ${expression?.test(one)}`);
    }
  }
}

describe("answers are those of the engine", () => {
  test.each(["u", "", "i", "iu"])("with the flags %j", { tags: "full", timeout: 120_000 }, (flags) => {
    const tally = { compared: 0, gaveUp: 0 };
    const property = fc.property(pattern, fc.array(text, { minLength: 4, maxLength: 8 }), (source, texts) => {
      fc.pre(nativeOf(source, flags) !== undefined);
      compare(source, flags, texts, tally);
    });
    fc.assert(property, runs(20_000));
    expect(tally.compared).toBeGreaterThan(1000);
    expect(tally.gaveUp).toBeLessThan(tally.compared / 1000);
  });

  test.each([
    ["(?:a|(b))*\\1c", "bac"],
    ["(z)((a+)?(b+)?(c))*\\4x", "zaacbbbcac"],
    ["(?=(a+))a*b\\1", "baaabac"],
    ["(?<=(\\d+)(\\d+))$", "1053"],
    ["(?<=\\1(\\w))d", "abb bbd"],
    ["(?!(a))\\1b", "b"],
    ["(?:(a)|b)*?\\1$", "ab"],
    ["(?<n>a)\\k<n>", "aa"],
    ["\\2(a)(b)", "ab"],
    ["^(?:\\p{Lu}\\p{Ll}+\\s?)+$", "Änne Öz"],
    ["[\\p{L}--[a-z]]", "a"],
    ["^[^]$", "😀"],
    ["^.$", "\uD83D"],
    ["\\cA[\\b]\\x41\\u0042", "\u0001\bAB"],
  ])("/%s/u on %j", (source, one) => {
    const expression = nativeOf(source, "u");
    if (!expression) return expect(patternKind(source, "u")).toBe("unsupported");
    const matchers = (["scan", "backtrack"] as const).flatMap((kind) => matcherOf(source, "u", kind) ?? []);
    expect(matchers.length).toBeGreaterThan(0);
    for (const matcher of matchers) expect(matcher(one)).toBe(expression.test(one));
  });
});
