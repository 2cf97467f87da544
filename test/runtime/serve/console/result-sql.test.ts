/** The SQL behind tables of the console, and the tables that a reply names. */

import { describe, expect, test } from "vitest";
import { answerSql } from "../../../../runtime/run/sql/query.js";
import { tableOf } from "../../../../runtime/run/sql/table.js";
import { pageSql, sortedBy, storedIn } from "../../../../runtime/serve/console/app/result-sql.js";

const tables = new Map([["r", tableOf([{ a: 1 }, { a: 3 }, { a: 2 }])]]);
const page = { limit: 2, offset: 1 };

describe("pageSql", () => {
  test.each([
    ["select * from r", [[2], [1]]],
    ["select a from r order by a limit 2 -- a comment ;", [[1]]],
    ["with b as (select a from r) select a from b;  ;", [[2], [1]]],
    ["values (1), (2), (3)", [[2], [1]]],
  ])("pages and sorts %s", async (sql, rows) => {
    const answer = await answerSql({ tables, sql: pageSql(sql, { column: 1, order: "desc" }, page), rows: 200 });
    expect(answer.rows.map((row) => row.map(Number))).toEqual(rows);
  });

  test("leaves what is not one SELECT to be refused", async () => {
    const sql = pageSql("select 1); drop table r; select (1", undefined, page);
    await expect(answerSql({ tables, sql, rows: 200 })).rejects.toMatchObject({ name: "SqlError" });
  });
});

test("a column is sorted upwards, then downwards", () => {
  const up = sortedBy(2, undefined);
  expect(up).toEqual({ column: 2, order: "asc" });
  expect(sortedBy(2, up)).toEqual({ column: 2, order: "desc" });
  expect(sortedBy(1, up)).toEqual({ column: 1, order: "asc" });
});

describe("storedIn", () => {
  const query = "ot.result(handle='0123456789ab', offset=1, limit=50)";
  const of = (table?: string) => storedIn(JSON.stringify({ handle: "0123456789ab", table, query }));
  test("finds the handle, and the paths of tables", () => {
    expect(storedIn("no reply")).toBeUndefined();
    expect(storedIn(`Output: ${query}`)).toEqual({ handle: "0123456789ab", places: [] });
    expect(of()?.places).toEqual([]);
    expect(of("r(id integer), 3 rows")?.places).toEqual([""]);
    expect(of('rows="a.b": r(x integer), 1 row | rows="c": r(y text), 2 rows')?.places).toEqual(["a.b", "c"]);
    const marked = '<external-content-0 source="x">\nrows="a": r(x integer), 1 row\n</external-content-0>';
    expect(of(marked)?.places).toEqual(["a"]);
  });
});
