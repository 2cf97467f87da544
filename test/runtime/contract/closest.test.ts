/** The nearest name: the distance of the definition, and work that is counted. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { closest, editDistance } from "../../../runtime/contract/closest.js";
import { mistyped } from "../../../runtime/contract/typo.js";
import { MAX_WORK, newBudget, TooMuchWork, withBudget } from "../../../runtime/contract/work-budget.js";
import { runs } from "../../support/random.js";

const { seed, numRuns } = runs(2000);

/** Optimal string alignment by its recursive definition. */
function defined(a: string, b: string, known = new Map<string, number>()): number {
  if (a === "" || b === "") return a.length + b.length;
  const key = `${a.length} ${b.length}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const [x, y] = [a.at(-1), b.at(-1)];
  const options = [
    defined(a.slice(0, -1), b, known) + 1,
    defined(a, b.slice(0, -1), known) + 1,
    defined(a.slice(0, -1), b.slice(0, -1), known) + (x === y ? 0 : 1),
  ];
  if (a.length > 1 && b.length > 1 && x === b.at(-2) && a.at(-2) === y)
    options.push(defined(a.slice(0, -2), b.slice(0, -2), known) + 1);
  const least = Math.min(...options);
  known.set(key, least);
  return least;
}

test("the distance is that of the definition, from both sides, whatever was compared before", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 9 });
  fc.assert(
    fc.property(text, text, text, text, (start, a, b, end) => {
      const [left, right] = [start + a + end, start + b + end];
      expect(editDistance(left, right)).toBe(defined(left, right));
      expect(editDistance(right, left)).toBe(defined(left, right));
    }),
    { seed, numRuns },
  );
});

test("texts of 128 letters are compared, longer ones are as far apart as can be", () => {
  expect(editDistance("a".repeat(128), "b".repeat(128))).toBe(128);
  expect(editDistance("a".repeat(128), `${"a".repeat(127)}b`)).toBe(1);
  expect(editDistance("a".repeat(129), "a".repeat(128))).toBe(129);
});

/** The most letters that two texts have in the same order. */
function lettersInOrder(a: string, b: string): number {
  const [x, y] = [a.slice(0, -1), b.slice(0, -1)];
  if (a === "" || b === "") return 0;
  return a.at(-1) === b.at(-1) ? lettersInOrder(x, y) + 1 : Math.max(lettersInOrder(x, b), lettersInOrder(a, y));
}

test("a suggestion has at least half of its letters in the order of the name", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 12 }), (name, candidates) => {
      const near = closest(name, candidates);
      if (near !== undefined) expect(2 * lettersInOrder(name, near)).toBeGreaterThanOrEqual(near.length);
    }),
    { seed, numRuns },
  );
});

test.each([
  ["nope", ["tags", "name", "pope"], "pope"],
  ["name", ["page", "date", "same"], "same"],
  ["name", ["page", "date", "size"], undefined],
  ["pag", ["tag", "page"], "page"],
  ["abc", ["axy", "xbz"], undefined],
  ["titel", ["title", "tags"], "title"],
  ["hlep", ["help", "list"], "help"],
])("of %s, %j is near: %s", (name, candidates, near) => expect(closest(name, candidates)).toBe(near));

const NAMES = Array.from({ length: 2000 }, (_, i) => `value${i}`);

function costOf(work: () => unknown): number {
  const budget = newBudget();
  withBudget(work, budget);
  return MAX_WORK - budget.left;
}

test.each([
  ["closest", (names: readonly string[]) => closest("valve4999", names)],
  ["mistyped", (names: readonly string[]) => mistyped("valve4999", names)],
])("%s costs more with more candidates, and ends where too little is left", (_name, find) => {
  const [few, all] = [costOf(() => find(NAMES.slice(1000, 1100))), costOf(() => find(NAMES.slice(1000)))];
  expect(few).toBeGreaterThan(100);
  expect(all / few).toBeGreaterThan(9);
  expect(() => withBudget(() => find(NAMES), { left: all / 2 })).toThrow(TooMuchWork);
});

test("of more than 2,000 candidates a name is a mistyped form of none", () => {
  expect(mistyped("valeu77", NAMES)).toBe("value77");
  expect(mistyped("valeu77", [...NAMES, "other"])).toBeUndefined();
});
