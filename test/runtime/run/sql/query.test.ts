/** SQL over results: what it answers, what it refuses, and where it ends. */

import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { answerSql } from "../../../../runtime/run/sql/query.js";
import { rowsOf, tableOf } from "../../../../runtime/run/sql/table.js";
import { eachCase } from "../../../support/each-case.js";

const ISSUES = [
  { id: 1, title: "Broken", state: "open", points: 3, team: { name: "web" }, labels: ["bug"], done: false },
  { id: 2, title: "Slow", state: "open", points: 5.5, team: { name: "api" }, labels: [], done: false },
  { id: 9007199254740993n, title: 'It\'s "old"', state: "closed", points: null, done: true },
];
const TEAMS = [
  { name: "web", lead: "Anna" },
  { name: "api", lead: "Ben" },
];

const ask = (sql: string, rows = 100) =>
  answerSql({
    tables: new Map([
      ["r", tableOf(ISSUES)],
      ["teams", tableOf(TEAMS)],
    ]),
    sql,
    rows,
  });

const ANSWERS: readonly (readonly [sql: string, rows: readonly (readonly unknown[])[]])[] = [
  [
    "select id, title, done from r order by id",
    [
      [1n, "Broken", 0n],
      [2n, "Slow", 0n],
      [9007199254740993n, 'It\'s "old"', 1n],
    ],
  ],
  [
    "select state, count(*) n, sum(points) from r group by 1 order by 2 desc;",
    [
      ["open", 2n, 8.5],
      ["closed", 1n, null],
    ],
  ],
  ["select teams.lead from r join teams on teams.name = r.team->>'name' where r.id = 2", [["Ben"]]],
  ["select r.id, l.value from r, json_each(r.labels) l", [[1n, "bug"]]],
  ["/* first */ -- second\nwith o as (select * from r where state = 'open') select max(points) from o", [[5.5]]],
  ["select id + 1 from r where id > 5", [[9007199254740994n]]],
  ["values (1, 'a')", [[1n, "a"]]],
  ["select id from r where id in ('1', '02', 2)", [[2n]]],
  ["select x'00ff'", [["00ff"]]],
  ["select ';', 'select' -- ;", [[";", "select"]]],
  ["select id from r where id in ('1', '02', 2)", [[2n]]],
];

const REFUSALS: readonly (readonly [sql: string, message: RegExp])[] = [
  ["select titel from r", /^no such column: titel\. Columns: .*title/],
  ["select * from issues", /^no such table: issues\. Tables: r, teams$/],
  ["selec 1", /only one statement is allowed, a SELECT/],
  ["select from", /syntax error/],
  ["", /only one statement/],
  ["select 1; select 2", /only one statement/],
  ["select 1; drop table r", /only one statement/],
  ["insert into r (id) values (1)", /only one statement/],
  ["delete from r returning *", /only one statement/],
  ["with a as (select 1) delete from r returning *", /readonly|read-only/],
  ["attach 'x.db' as x", /only one statement/],
  ["pragma table_info(r)", /only one statement/],
  ["explain select 1", /only one statement/],
  ["vacuum into 'toolwright-vacuum.db'", /only one statement/],
  ["select readfile('package.json')", /no such function/],
  ["select writefile('toolwright-written', 'x')", /no such function/],
  ["select * from fsdir('.')", /no such table/],
  ["select load_extension('x')", /no such function|not authorized/],
  ["select randomblob(900000000)", /more memory than it may have/],
  [`select 1${" ".repeat(20_000)}`, /longer than 20000 characters/],
];

describe("answers", () => {
  eachCase(ANSWERS, "select id, title, done from r order by id", "select x'00ff'")(
    "hold the rows of %s",
    {},
    async (sql, rows) => {
      expect((await ask(sql)).rows).toEqual(rows);
    },
  );

  test("more rows than asked for are cut, and said so", async () => {
    expect(await ask("select id from r", 2)).toEqual({ columns: ["id"], rows: [[1n], [2n]], isCut: true });
    expect((await ask("select id from r", 3)).isCut).toBe(false);
  });

  test("rows end at the bytes that their reader can hold, and a cell that is longer is cut", async () => {
    const wide = `with recursive c(x) as (select 1 union all select x + 1 from c where x < 200)
      select x, printf('%.*c', 1000000, 'y') long from c`;
    const answer = await answerSql({ tables: new Map(), sql: wide, rows: 200, bytes: 50_000 });
    const cells = answer.rows.map(([, cell]) => String(cell).length);
    expect([answer.isCut, answer.rows.length]).toEqual([true, 1]);
    expect(Math.max(...cells)).toBeLessThanOrEqual(50_001);
  });

  test("100,000 rows are grouped", { tags: "full", timeout: 60_000 }, async () => {
    const many = tableOf(Array.from({ length: 100_000 }, (_, at) => ({ id: at, group: `g${at % 7}` })));
    const answer = await answerSql({
      tables: new Map([["r", many]]),
      sql: 'select "group", count(*) from r group by 1 order by 1 limit 2',
      rows: 10,
    });
    expect(answer.rows).toEqual([
      ["g0", 14286n],
      ["g1", 14286n],
    ]);
  });
});

describe("refusals", () => {
  eachCase(
    REFUSALS,
    "select titel from r",
    "select 1; drop table r",
    "with a as (select 1) delete from r returning *",
    "select readfile('package.json')",
  )("write no file: %s", {}, async (sql, message) => {
    await expect(ask(sql)).rejects.toThrow(message);
    expect(["toolwright-vacuum.db", "toolwright-written", "x.db"].filter((file) => existsSync(file))).toEqual([]);
  });

  test("a query without an end is ended", { tags: "full", timeout: 60_000 }, async () => {
    const endless = "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c";
    await expect(ask(endless)).rejects.toThrow(/took more than 5 s/);
  });

  test("a caller that leaves ends the query", { tags: "full" }, async () => {
    const leaving = new AbortController();
    const endless = "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c";
    const asked = answerSql({ tables: new Map(), sql: endless, rows: 1, signal: leaving.signal });
    setTimeout(() => leaving.abort(new Error("left")), 300);
    await expect(asked).rejects.toThrow("left");
  });
});

describe("tables", () => {
  test("columns are what the rows have, with their types", () => {
    expect(tableOf(ISSUES).columns).toEqual([
      { name: "id", type: "integer" },
      { name: "title", type: "text" },
      { name: "state", type: "text" },
      { name: "points", type: "real" },
      { name: "team", type: "json" },
      { name: "labels", type: "json" },
      { name: "done", type: "boolean" },
    ]);
    expect(tableOf([1, "a", null])).toEqual({
      columns: [{ name: "value", type: "mixed" }],
      rows: [[1], ["a"], [null]],
    });
    expect(tableOf([{ a: 1, A: 2, a_2: 3 }]).columns.map(({ name }) => name)).toEqual(["a", "A_2", "a_2_2"]);
    expect(tableOf([{ __proto__: null, constructor: 1, toString: 2 }]).rows).toEqual([[1, 2]]);
  });

  test("the rows of a value: a list, its only list, or the list at a path", () => {
    expect(rowsOf([1, 2], "")).toEqual([1, 2]);
    expect(rowsOf({ total: 2, data: { issues: [{ id: 1 }], tags: ["a"] } }, "")).toEqual([{ id: 1 }]);
    expect(rowsOf({ a: 1 }, "")).toEqual([{ a: 1 }]);
    expect(rowsOf({ a: [1], b: { c: [2] } }, "b.c")).toEqual([2]);
    expect(() => rowsOf({ a: [1], b: { c: [2] } }, "")).toThrow('choose one with rows=, such as rows="a" (a, b.c)');
    expect(() => rowsOf({ a: [1] }, "x.y")).toThrow('there is no list at rows="x.y": lists are at a');
    expect(() => rowsOf(7, "")).toThrow("one value and no list");
  });
});
