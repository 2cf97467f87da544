/** Sets of texts: what patterns tell apart, against every short text. */

import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../../runtime/contract/registry.js";
import { randomOf, runs } from "../../../test/support/random.js";
import { isContained } from "../proof.js";
import { lengthPatterns, separatingText } from "../text-sets.js";

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

  const PATTERNS = [
    ...[
      "a",
      "^a",
      "a$",
      "^a$",
      "^$",
      "",
      "^",
      "$",
      "b",
      "^b*$",
      "^a*$",
      "^a+$",
      "^[ab]*$",
      "^[^a]*$",
      "^.$",
      "^\\s$",
      "aa",
      "a.b",
    ],
    ...["^a{2}$", "^a{0,2}$", "^(?:ab)*$", "^(?:a|bb)$", "^a?b?$", "^[\\s\\S]{0,2}$", "^[\\s\\S]{2,}$"],
    ...[
      "^(?=a)",
      "^(?!a)",
      "^(?!a$)a",
      "^(?=.*b)a",
      "(?!a)b",
      "(?=ab)a",
      "^(?!.*b)",
      "^(?=a)(?!ab)",
      "a(?=$)",
      "a(?!$)",
      "^(?:(?=a)a)*$",
    ],
  ];

  test.each(PATTERNS)("%j: against every other one, a shortest text, or none", (refused) => {
    const now = new RegExp(refused, "u");
    const wrong = PATTERNS.filter((matched) => {
      const old = new RegExp(matched, "u");
      const apart = TEXTS.filter((one) => old.test(one) && !now.test(one));
      const found = separated([matched], refused);
      if (found === undefined) return true;
      if (found === "none") return apart.length > 0;
      const shortest = Math.min(...apart.map((one) => one.length));
      return !old.test(found.text) || now.test(found.text) || found.text.length > shortest;
    });
    expect(wrong).toEqual([]);
  });

  test("are followed together, and one that cannot be followed is left out", () => {
    expect(separated(["^a", "b$", "^.{3}$"])).toEqual({ text: expect.stringMatching(/^a.b$/) });
    expect(separated(["^a", "^b"])).toBe("none");
    expect(separated(["^a", "(a)\\1"], "^a")).toBe("none");
    expect(separated([])).toEqual({ text: "" });
    expect(separated([], "^$")).toMatchObject({ text: expect.stringMatching(/^[\s\S]$/u) });
    expect(separatingText(["^q$"], { left: 1000 }, "^r$")).toBeUndefined();
    expect(separatingText(["^q$"], { left: 1001 }, "^r$")).toEqual({ text: "q" });
    expect(separated([`^${"a".repeat(997)}$`])).toEqual({ text: "a".repeat(997) });
    expect(separated(["^a$"], "a".repeat(1001))).toBeUndefined();
    expect(separated(["^[\\uD800-\\uDBFF]$"])).toBeUndefined();
  });

  test("are texts that people write where there are some", () => {
    expect(
      ["^[^b]$", "^\\d$", "^[A-Z]$", "^\\W$", "^[m-p]$", "^[^\\x00-\\x7f]$"].map((one) => separated([one])),
    ).toEqual(["a", "0", "A", "-", "m", "é"].map((text) => ({ text })));
  });

  test.each([
    [0, 0, ["^[\\s\\S]{0,0}$"]],
    [0, 64, ["^[\\s\\S]{0,64}$"]],
    [0, 65, []],
    [1, 65, ["^[\\s\\S]{1,}$"]],
    [64, Infinity, ["^[\\s\\S]{64,}$"]],
    [65, Infinity, []],
    [0, Infinity, []],
    [-1, 3, ["^[\\s\\S]{0,3}$"]],
    [5, 3, ["^[\\s\\S]{5,5}$"]],
  ])("lengths from %d to %d are %j", (fewest, most, patterns) =>
    expect(lengthPatterns(fewest, most)).toEqual(patterns),
  );

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

  test.each([["\\bx\\b"], ["\\Bx"], ["(a)\\1"], ["(?<=a)b"], ["(?<!a)b"], ["(?=a(?=b))"], ["(?!(?:a|(?!b)))"], ["("]])(
    "%s is not decided",
    (pattern) => {
      expect(separated(["^[a-z]$"], pattern)).toBeUndefined();
    },
  );

  test("that would take too long are not decided", () => {
    expect(separated(["^(?:a|b)*a(?:a|b){40}$", "^(?:a|b)*b(?:a|b){37}$"], "^c")).toBeUndefined();
  });
});

test("several patterns are one set: a length and a pattern leave nothing", () => {
  const both = { type: "string", allOf: [{ pattern: "^[a-z]{3}$" }, { maxLength: 2 }] } as unknown as JsonSchema;
  expect(isContained(both, { type: "integer" })).toBe(true);
});
