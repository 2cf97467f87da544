/** What a reply says of the tables in a result. */

import { expect, test } from "vitest";
import { tablesText } from "../../../../runtime/run/sql/table-text.js";

test.each([
  [
    "a list of objects",
    [{ id: 1, name: "a", open: true, price: 1.5 }],
    "1 row: id integer, name text, open boolean, price real; join on id",
  ],
  [
    "several lists",
    { a: [{ x: 1 }], b: { c: [{ y_id: "2" }, {}] } },
    'rows="a": 1 row: x integer | rows="b.c": 2 rows: y_id text; join on y_id',
  ],
  [
    "columns of late rows",
    Array.from({ length: 1105 }, (_, n) => (n < 1100 ? { zip: n } : { zip: `0${n}`, late: true })),
    "1105 rows: zip mixed, late boolean",
  ],
  [
    "more rows than are looked at",
    Array.from({ length: 20_001 }, () => ({ n: 1 })),
    "20001 rows: n integer; columns of the first 20000 rows",
  ],
  ["a list of other values", [1, 2, 3], undefined],
  ["one object", { a: 1 }, undefined],
  ["text", "a", undefined],
  ["no list", undefined, undefined],
])("%s", (_, value, text) => {
  expect(tablesText(value)).toBe(text);
});

test("is short for what has many tables, columns and long names", () => {
  const wide = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${"n".repeat(100)}${n}_id`, n]));
  const text = tablesText(Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`list${n}`, [wide]]))) ?? "";
  expect(text.length).toBeLessThan(9000);
  expect(text).toContain("260 more");
  expect(tablesText([Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`n${n}`, n]))])).toBeUndefined();
});
