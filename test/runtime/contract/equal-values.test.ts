/** Equality of JSON values by keys: the verdicts of a comparison of all pairs, with work that grows with the size. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { equalItems, isOneOf, isSame } from "../../../runtime/contract/equal-values.js";
import { readJson } from "../../../runtime/contract/read-json.js";
import { equal } from "../../../runtime/contract/validation.js";
import { MAX_WORK, newBudget, TooMuchWork, withBudget } from "../../../runtime/contract/work-budget.js";
import { runs } from "../../support/random.js";

const { seed, numRuns } = runs(2000);

/** Equality as JSON Schema defines it, by comparison of each part. */
function naive(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.keys(a), Object.keys(b)];
  const memberOf = (value: object, name: string): unknown => Object.getOwnPropertyDescriptor(value, name)?.value;
  return (
    left.length === right.length &&
    left.every((name) => Object.hasOwn(b, name) && naive(memberOf(a, name), memberOf(b, name)))
  );
}

/** The pair that Ajv reports: the last item that has an equal one before it, and the last of those. */
function naiveItems(items: readonly unknown[]): readonly [number, number] {
  for (let i = items.length - 1; i > 0; i--)
    for (let j = i - 1; j >= 0; j--) if (naive(items[i], items[j])) return [i, j];
  return [0, 0];
}

/** Few scalars and names, so that equal values are frequent; with texts that look like the parts of a key. */
const scalar = fc.constantFrom<unknown>(
  0,
  -0,
  1,
  1.5,
  1e21,
  -1,
  true,
  false,
  null,
  "",
  "1",
  "1.0",
  "null",
  "a",
  '1"a',
  "a,1",
  "[]",
  "{}",
);
const name = fc.constantFrom("a", "b", "2024", "10", "", "__proto__", '1"a', "constructor", "toString", "valueOf");
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4, depthSize: "medium" }, scalar, tie("list"), tie("object")),
  list: fc.array(tie("any"), { maxLength: 3 }),
  object: fc
    .uniqueArray(fc.tuple(name, tie("any")), { maxLength: 3, selector: ([one]) => one })
    .map((members) => Object.fromEntries(members)),
})).any;

/** The same value with the members of each object in the opposite order. */
function reversed(one: unknown): unknown {
  if (Array.isArray(one)) return one.map(reversed);
  if (typeof one !== "object" || one === null) return one;
  return Object.fromEntries(
    Object.entries(one)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe("verdicts", () => {
  test("two values are the same exactly where a comparison of their parts says so", () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect([isSame(a, b), equal(a, b)]).toEqual([naive(a, b), naive(a, b)]);
        expect(isSame(a, reversed(a))).toBe(true);
        expect(isSame([a, b], [b, a])).toBe(naive(a, b));
      }),
      { seed, numRuns },
    );
  });

  test("the same pair of equal items as a comparison of all pairs", () => {
    const list = fc
      .array(value, { maxLength: 6 })
      .chain((items) => fc.shuffledSubarray([...items, ...items.slice(0, 2).map(reversed)]));
    fc.assert(
      fc.property(list, (items) => {
        expect(equalItems(items)).toEqual(naiveItems(items));
      }),
      { seed, numRuns },
    );
  });

  test("a value is one of a list exactly where a comparison with each says so, at every question", () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 8 }), fc.array(value, { maxLength: 8 }), (allowed, asked) => {
        for (const one of [...asked, ...allowed.map(reversed)])
          expect(isOneOf(one, allowed)).toBe(allowed.some((other) => naive(one, other)));
      }),
      { seed, numRuns },
    );
  });

  test.each([
    ["1", "1.0", true],
    ["1", "1e0", true],
    ["0", "-0", true],
    ["0", "-0.0", true],
    ["100", "1e2", true],
    ["[1.0]", "[1]", true],
    ['{"a": 1, "b": 2.0}', '{"b": 2, "a": 1.0}', true],
    ["9007199254740992", "9007199254740993", false],
    ["9007199254740993", "9007199254740993.0", true],
    ["1e400", "10e399", true],
    ["1e400", "1e401", false],
    ["1e400", "null", false],
    ["1.0", '"1.0"', false],
    ['["ab"]', '["a", "b"]', false],
    ['{"a": null}', "{}", false],
    ["[[1], 2]", "[[1, 2]]", false],
  ])("%s and %s: %s", (a, b, same) => {
    const [left, right] = [readJson(a), readJson(b)];
    expect([isSame(left, right), isOneOf(left, [right]), equalItems([left, right])]).toEqual([
      same,
      same,
      same ? [1, 0] : [0, 0],
    ]);
  });
});

/** Units that a piece of work takes. */
function costOf(work: () => unknown): number {
  const budget = newBudget();
  withBudget(work, budget);
  return MAX_WORK - budget.left;
}

describe("work", () => {
  const many = <T>(count: number, make: (i: number) => T): readonly T[] =>
    Array.from({ length: count }, (_, i) => make(i));
  const KINDS: readonly (readonly [what: string, make: (i: number) => unknown])[] = [
    ["numbers", (i) => i],
    ["texts", (i) => `text ${i}`.padEnd(20)],
    ["objects", (i) => ({ a: i, b: { c: [i] } })],
    ["equal objects", () => ({ a: 1 })],
    ["lists", (i) => [i, [i]]],
  ];

  test.each(KINDS)("%s cost as much each in a long list as in a short one", (_what, make) => {
    const short = costOf(() => equalItems(many(500, make)));
    const long = costOf(() => equalItems(many(5000, make)));
    expect(short).toBeGreaterThanOrEqual(500);
    expect(long / short).toBeGreaterThan(9);
    expect(long / short).toBeLessThan(11);
  });

  test("one value costs the same in a list of 5 as in one of 5,000, also where the list is new", () => {
    const asked = { v: -1 };
    const cost = (length: number): number =>
      costOf(() =>
        isOneOf(
          asked,
          many(length, (v) => ({ v })),
        ),
      );
    expect(cost(5)).toBeGreaterThan(0);
    expect(cost(5000)).toBe(cost(5));
  });

  test("a long text and an object with many members cost more than short ones", () => {
    const wide = Object.fromEntries(many(1000, (i) => [`m${i}`, i]));
    expect(costOf(() => isSame(wide, 1))).toBeGreaterThan(1000);
    expect(costOf(() => isSame("a".repeat(100_000), 1))).toBeGreaterThan(1000);
    expect(costOf(() => isSame({ ["a".repeat(100_000)]: 1 }, 1))).toBeGreaterThan(1000);
  });

  test("what costs more than is left ends", { tags: "full" }, () => {
    const items = many(MAX_WORK, (i) => i);
    expect(() => withBudget(() => equalItems(items))).toThrow(TooMuchWork);
    expect(() => withBudget(() => isOneOf(items, [1]))).toThrow(TooMuchWork);
    expect(equalItems(items)).toEqual([0, 0]);
  });
});
