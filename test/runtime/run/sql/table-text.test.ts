/** What a reply says of the tables in a result. */

import { expect, test } from "vitest";
import { tablesText } from "../../../../runtime/run/sql/table-text.js";

test.each([
  [
    "a list of objects",
    [{ id: 1, name: "a", open: true, price: 1.5 }],
    "r(id integer, name text, open boolean, price real), 1 row; join on id",
  ],
  [
    "several lists",
    { a: [{ x: 1 }], b: { c: [{ y_id: "2" }, {}] } },
    'rows="a": r(x integer), 1 row | rows="b.c": r(y_id text), 2 rows; join on y_id',
  ],
  [
    "columns of late rows",
    Array.from({ length: 1105 }, (_, n) => (n < 1100 ? { zip: n } : { zip: `0${n}`, late: true })),
    "r(zip mixed, late boolean), 1105 rows",
  ],
  [
    "more rows than are looked at",
    Array.from({ length: 20_001 }, () => ({ n: 1 })),
    "r(n integer), 20001 rows; columns of the first 20000 rows",
  ],
  ["a list of other values", [1, 2, 3], undefined],
  ["one object", { a: 1 }, undefined],
  ["text", "a", undefined],
  ["no list", undefined, undefined],
])("only lists of objects are described as tables: %s", (_, value, text) => {
  expect(tablesText(value)).toBe(text);
});

test("is short for what has many tables, columns and long names", () => {
  const wide = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${"n".repeat(100)}${n}_id`, n]));
  const text = tablesText(Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`list${n}`, [wide]]))) ?? "";
  expect(text.length).toBeLessThan(9000);
  expect(text).toContain("260 more");
  expect(tablesText([Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`n${n}`, n]))])).toBeUndefined();
});
