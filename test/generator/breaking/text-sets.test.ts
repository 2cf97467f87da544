/** Sets of texts: what patterns tell apart, against every short text. */

import { describe, expect, test } from "vitest";
import { isContained } from "../../../generator/breaking/proof.js";
import { separatingText } from "../../../generator/breaking/text-sets.js";
import type { JsonSchema } from "../../../runtime/contract/registry.js";
import { randomOf, runs } from "../../support/random.js";

const LETTERS = ["a", "b", "\n"];
const MAX_TEXT = 5;
const TEXTS: readonly string[] = Array.from({ length: MAX_TEXT }).reduce<readonly string[]>(
  (all) => [...new Set(["", ...all.flatMap((one) => LETTERS.map((letter) => one + letter)), ...all])],
  [""],
);
const separated = (matched: readonly string[], refused?: string) => separatingText(matched, { left: 1e9 }, refused);

/** A pattern of a few parts. */
function patternOf(random: () => number, depth = 2): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const part = (): string => {
    const inner =
      depth > 0 && random() < 0.3
        ? `(?:${patternOf(random, depth - 1)})`
        : pick(["a", "b", "[ab]", "[^a]", ".", "\\s"]);
    return inner + pick(["", "", "*", "+", "?", "{2}", "{0,2}"]);
  };
  const sequence = (): string => Array.from({ length: 1 + Math.floor(random() * 3) }, part).join("");
  const look = depth === 2 && random() < 0.2 ? pick(["(?!a$)", "(?=.*b)", "(?!.*a)", "(?=a)"]) : "";
  const body = random() < 0.3 ? `(?:${sequence()}|${sequence()})` : sequence();
  if (depth < 2) return body;
  return pick(["^", "^", ""]) + look + body + pick(["$", "$", ""]);
}

describe("two patterns", () => {
  test("are told apart by a text, or no short text tells them apart", { tags: "full" }, () => {
    const { seed, numRuns } = runs(3000);
    const random = randomOf(seed);
    let none = 0;
    for (let i = 0; i < numRuns; i++) {
      const [matched, refused] = [patternOf(random), patternOf(random)];
      const [old, now] = [matched, refused].map((one) => new RegExp(one, "u")) as [RegExp, RegExp];
      const found = separated([matched], refused);
      const about = `${matched} without ${refused}`;
      if (found === undefined) continue;
      if (found === "none") none++;
      const texts = found === "none" ? TEXTS : [found.text];
      const apart = texts.filter((one) => old.test(one) && !now.test(one));
      expect([about, found === "none" ? apart : apart.length]).toEqual([about, found === "none" ? [] : 1]);
    }
    expect(none).toBeGreaterThan(numRuns / 50);
  });

  test.each([
    ["^[0-9]+$", "^\\d+$"],
    ["^(?:a|b)$", "^[ab]$"],
    ["^a{2,4}$", "^a+$"],
    ["^(?!x)[a-z]+$", "^[a-wyz][a-z]*$"],
    ["^https://", "^https?:"],
  ])("%s is inside %s", (matched, refused) => {
    expect(separated([matched], refused)).toBe("none");
    const of = (pattern: string): JsonSchema => ({ type: "string", pattern });
    expect(isContained(of(matched), of(refused))).toBe(true);
  });

  test.each([["\\bx\\b"], ["(a)\\1"], ["(?<=a)b"]])("%s is not decided", (pattern) => {
    expect(separated(["^[a-z]$"], pattern)).toBeUndefined();
  });

  test("that would take too long are not decided", () => {
    expect(separated(["^(?:a|b)*a(?:a|b){40}$", "^(?:a|b)*b(?:a|b){37}$"], "^c")).toBeUndefined();
  });
});

test("several patterns are one set: a length and a pattern leave nothing", () => {
  const both = { type: "string", allOf: [{ pattern: "^[a-z]{3}$" }, { maxLength: 2 }] } as unknown as JsonSchema;
  expect(isContained(both, { type: "integer" })).toBe(true);
});
