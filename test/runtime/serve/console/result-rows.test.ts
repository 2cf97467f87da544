/** Which results are rows, and their columns. */

import { describe, expect, test } from "vitest";
import { hasNoMembers, isRows, rowColumns } from "../../../../runtime/serve/console/app/result-rows.js";

describe("rows", () => {
  test.each<[unknown, boolean]>([
    [[{ a: 1 }, {}], true],
    [[], false],
    [[{ a: 1 }, 1], false],
    [[[1]], false],
    [{ items: [{ a: 1 }] }, false],
    [null, false],
  ])("are told from other results: %j", (value, expected) => {
    expect(isRows(value)).toBe(expected);
  });

  test("few columns are all shown, in their order", () => {
    expect(rowColumns([{ b: 1 }, { a: 2, b: { c: 1 } }])).toEqual({ shown: ["b", "a"], rest: [] });
  });

  test("of many columns those with short values are shown", () => {
    const row = Object.fromEntries([
      ["long", "x".repeat(100)],
      ["url", "https://api.example/x"],
      ["nested", { a: 1 }],
      ["none", null],
      ...Array.from({ length: 9 }, (_, at) => [`n${at}`, at]),
    ]);
    expect(rowColumns([row])).toEqual({
      shown: Array.from({ length: 8 }, (_, at) => `n${at}`),
      rest: ["long", "url", "nested", "none", "n8"],
    });
  });

  test("a value without members is a leaf", () => {
    expect([null, "", 0, false, {}, []].map(hasNoMembers)).toEqual([true, true, true, true, false, false]);
  });
});
