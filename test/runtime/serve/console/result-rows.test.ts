/** How results are shown: as rows with columns, and as stored ones. */

import { describe, expect, test } from "vitest";
import { columnsOf, isLeaf, isRows, storedAnswer } from "../../../../runtime/serve/console/app/result-rows.js";

describe("rows", () => {
  test.each<[unknown, boolean]>([
    [[{ a: 1 }, {}], true],
    [[], false],
    [[{ a: 1 }, 1], false],
    [[[1]], false],
    [{ items: [{ a: 1 }] }, false],
    [null, false],
  ])("%j", (value, expected) => {
    expect(isRows(value)).toBe(expected);
  });

  test("few columns are all shown, in their order", () => {
    expect(columnsOf([{ b: 1 }, { a: 2, b: { c: 1 } }])).toEqual({ shown: ["b", "a"], rest: [] });
  });

  test("of many columns those with short values are shown", () => {
    const row = Object.fromEntries([
      ["long", "x".repeat(100)],
      ["url", "https://api.example/x"],
      ["nested", { a: 1 }],
      ["none", null],
      ...Array.from({ length: 9 }, (_, at) => [`n${at}`, at]),
    ]);
    expect(columnsOf([row])).toEqual({
      shown: Array.from({ length: 8 }, (_, at) => `n${at}`),
      rest: ["long", "url", "nested", "none", "n8"],
    });
  });

  test("a value without members is a leaf", () => {
    expect([null, "", 0, false, {}, []].map(isLeaf)).toEqual([true, true, true, true, false, false]);
  });
});

describe("a stored result", () => {
  const stored = "0123456789ab";

  test.each<[object, readonly string[]]>([
    [{ first: [{ a: 1 }] }, [""]],
    [{ first: { total: 1, items: [{ a: 1 }], more: [] } }, ["items"]],
    [{ first: "text" }, []],
    [{}, []],
  ])("tells its tables: %j", (more, places) => {
    expect(storedAnswer({ stored, size_bytes: 70_000, ...more })).toMatchObject({
      handle: stored,
      bytes: 70_000,
      places,
    });
  });

  test.each([[{ stored: "../../x", size_bytes: 1 }], [{ stored }], [[stored]], ["text"], [null]])(
    "is no other result: %j",
    (result) => {
      expect(storedAnswer(result as never)).toBeUndefined();
    },
  );
});
