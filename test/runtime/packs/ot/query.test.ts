/** `ot.query`: SQL over results that were too large for their reply. */

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHECKOUT, type Json } from "../../../support/project.js";
import { runDemo } from "../../../support/run/run-demo.js";

const { ok, bad } = runDemo(join(CHECKOUT, "test/support/demos/ot-demo/definitions"));

const ISSUES =
  '[{"id": n, "state": "open" if n % 3 else "done", "team": {"name": f"t{n % 5}"}, "note": "x" * 20} for n in range(1500)]';
const TEAMS = '{"page": 1, "data": {"teams": [{"name": f"t{n}", "lead": "Anna" * 3000} for n in range(5)]}}';
const handles = new Map<string, string>();

/** The handle of a stored result; each is made once. */
async function handleOf(code: string): Promise<string> {
  const known = handles.get(code);
  if (known !== undefined) return known;
  const { handle } = JSON.parse(await ok(code));
  handles.set(code, handle);
  return handle;
}

const query = async (args: string): Promise<Json> =>
  JSON.parse(await ok(`__format__ = "json"\not_query = ot.query(${args})\not_query`));

describe("ot.result", () => {
  test("shows what was found in a long line", async () => {
    // An item has a line of its own; a text is never broken.
    const handle = await handleOf('{"a": " ".join(f"\\"Who{n}\\"" + "y" * 50 for n in range(1500))}');
    const page = JSON.parse(await ok(`__format__ = "json"\not.result("${handle}", search="who1234")`));
    expect(page).toMatchObject({
      matched_lines: 1,
      lines: [expect.stringMatching(/^\(\+\d+ characters\) \.\.\..*"Who1234\\"/)],
    });
  });
});

describe("ot.load", () => {
  test("gives a program the value, with numbers as they are", async () => {
    const handle = await handleOf(ISSUES);
    expect(await ok(`rows = ot.load("${handle}")\nsum(1 for row in rows if row["team"]["name"] == "t3")`)).toBe("300");
    const big = await handleOf('[{"id": 9007199254740993, "note": "x" * 100} for n in range(1000)]');
    expect(await ok(`ot.load("${big}")[999]["id"] + 1`)).toBe("9007199254740994");
  });

  test("gives the text of a result that is no JSON", async () => {
    const text = await handleOf("demo.big(n=9000)");
    expect(await ok(`len(ot.load("${text}").splitlines())`)).toBe("9000");
  });

  test("keeps a result sanitised", async () => {
    const handle = await handleOf('__sanitize__ = True\n["x" * 60000, "__ot y"]');
    expect(await ok(`ot.load("${handle}")[1]`)).toMatch(/^<external-content-[0-9a-f]{12} source="run">\n(?!__ot)/);
  });

  test("fails for a handle that is unknown, and does not answer with a text", async () => {
    expect(await bad('rows = ot.load("abcdefabcdef")\nlen(rows)')).toContain(
      "Error at line 1: LookupError: ot.load failed: Result 'abcdefabcdef' not found. Results are kept 3600 s. Run the code again if it only reads.",
    );
  });
});

describe("ot.keep", () => {
  test("stores rows that later calls can ask, with numbers as they are", async () => {
    const kept = JSON.parse(
      await ok('__format__ = "json"\not.keep([{"id": 9007199254740993 + n, "team": {"id": n}} for n in range(3)])'),
    );
    expect(kept).toEqual({
      handle: expect.stringMatching(/^[0-9a-f]{12}$/),
      size_bytes: expect.any(Number),
      table: "r(id integer, team json), 3 rows; join on id, team->>'id'",
    });
    expect(await ok(`ot.query("${kept.handle}", "select max(id) from r")`)).toContain("9007199254740995");
    expect(await ok(`ot.load("${kept.handle}")[2]["id"]`)).toBe("9007199254740995");
    expect(await ok('ot.load(ot.keep("plain\\nwords")["handle"])')).toBe("plain\nwords");
  });

  test.each([
    ["the answer itself", "kept"],
    ["its handle", 'kept["handle"]'],
    ["the answer as JSON", "json.dumps(kept)"],
    ["the answer of a table", '{"r": kept}'],
  ])("in the same program, ot.query takes %s", async (_, handle) => {
    const rows = `import json\nkept = ot.keep([{"id": n, "state": "open"} for n in range(3)])\n`;
    expect(await ok(`${rows}ot.query(${handle}, "select count(*) from r")["rows"][0][0]`)).toBe("3");
  });

  test("in a later program, its answer reads the value back", async () => {
    const kept = await ok('__format__ = "json"\not.keep([{"id": 7}, {"id": 8}])');
    expect(await ok(`ot.query(${kept}, "select max(id) from r")["rows"]`)).toBe("[[8]]");
    expect(await ok(`ot.load(${kept})[0]["id"]`)).toBe("7");
    expect(await ok(`ot.result(${kept}, limit=1)["lines"][0]`)).toBe('[{"id":7},');
  });

  test.each([
    [
      "a key that it has not",
      'ot.query(kept["id"], "select 1")',
      "ot.keep() answered the keys handle, size_bytes, table",
    ],
    ["another table", 'ot.query(kept, "select * from rows")', "no such table: rows. Tables: r(id integer)\n"],
    [
      "a value of another key",
      'ot.query(kept["table"], "select 1")',
      "Result 'r(id integer), 1 row; join on id' not found",
    ],
    [
      "an object without a handle",
      'ot.load({"id": 1})',
      "handle must be a text, or the answer of ot.keep, which has one",
    ],
    ["its text in Python", 'ot.query(str(kept), "select 1")', "pass the answer of ot.keep as it is"],
    ["a name for the value", 'ot.keep(1, name="tasks")', "Next: leave it out"],
  ])("%s fails with the remedy", async (_, call, told) => {
    expect(`${await bad(`kept = ot.keep([{"id": 1}])\n${call}`)}\n`).toContain(told);
  });

  test("keeps what a sanitised result holds sanitised, also in a later run", async () => {
    const handle = await handleOf('__sanitize__ = True\n[{"word": "x" * 60000}, {"word": "__ot y"}]');
    const again = await ok(`__format__ = "json"\nkept = ot.keep(ot.load("${handle}")[1:])\nprint(kept["handle"])`);
    const [copy] = /[0-9a-f]{12}(?=\n)/.exec(again.replace(/external-content-[0-9a-f]{12}/g, "")) ?? [];
    expect(await ok(`ot.load("${copy}")[0]["word"]`)).toMatch(
      /^<external-content-[0-9a-f]{12} source="run">\n(?!__ot)/,
    );
  });
});

describe("ot.query", () => {
  test("what it reads of a sanitised result is sanitised", async () => {
    const handle = await handleOf('__sanitize__ = True\n[{"word": "x" * 60000}, {"word": "y"}]');
    const answer = await ok(`ot.query("${handle}", "select word, '__' || 'ot' as said from r where word = 'y'")`);
    expect(answer).toMatch(/^<external-content-[0-9a-f]{12} source="run">\n/);
    expect(answer).toContain("[REDACTED:trigger]");
    expect(answer).not.toMatch(/\b__ot\b/);
  });

  test("numbers beyond 64 bits compare as numbers, and are said to be rounded", async () => {
    const rows = '[{"id": n, "wei": wei} for n, wei in enumerate([9 * 10**17, 12 * 10**18, 5 * 10**18, 10**18 + 1])]';
    const kept = JSON.parse(await ok(`__format__ = "json"\not.keep(${rows})`));
    expect(kept.table).toBe("r(id integer, wei real (rounded)), 4 rows; join on id");
    expect(
      await query(`"${kept.handle}", "select max(wei), count(*) filter (where wei > 1000000000000000000) from r"`),
    ).toEqual({
      columns: ["max(wei)", "count(*) filter (where wei > 1000000000000000000)"],
      rows: [[12e18, 2]],
      note: "Rounded to 15 digits, since they have numbers beyond 64 bits: r.wei. ot.load gives the exact ones.",
    });
    const beside = JSON.parse(
      await ok('__format__ = "json"\not.keep([{"v": 9007199254740993}, {"v": "a"}, {"v": 1.5}])'),
    );
    const mixed = await query(`"${beside.handle}", "select v from r where v > 9007199254740992 order by v"`);
    expect(mixed.rows).toEqual([[expect.anything()], ["a"]]);
    expect(mixed.note).toBe("With values of several types, where numbers are less than all texts: r.v.");
  });

  test("items of other types than the rest are kept in the column value", async () => {
    const kept = await ok('ot.keep([1, {"a": 1}, None, "x", [1, 2], 2.5])["handle"]');
    expect(await query(`"${kept}", "select * from r"`)).toMatchObject({
      columns: ["a", "value"],
      rows: [
        [null, 1],
        [1, null],
        [null, null],
        [null, "x"],
        [null, "[1,2]"],
        [null, 2.5],
      ],
    });
    const empty = await ok('ot.keep([{}, {}])["handle"]');
    expect((await query(`"${empty}", "select count(*), min(value) from r"`)).rows).toEqual([[2, "{}"]]);
  });

  test("a list below a key with a dot has a JSON Pointer", { tags: "slow" }, async () => {
    const kept = JSON.parse(
      await ok('__format__ = "json"\not.keep({"a.b": [{"x": 1}], "a": {"b": [{"x": 2}]}, "c/d": {"": [{"x": 3}]}})'),
    );
    expect(kept.table).toBe(
      'rows="/a.b": r(x integer), 1 row | rows="a.b": r(x integer), 1 row | rows="/c~1d/": r(x integer), 1 row',
    );
    for (const [path, x] of Object.entries({ "/a.b": 1, "a.b": 2, "/c~1d/": 3 }))
      expect((await query(`"${kept.handle}", "select x from r", rows="${path}"`)).rows).toEqual([[x]]);
  });

  test("an infinity is null, and a failure fails the program", async () => {
    const handle = await handleOf(ISSUES);
    expect((await query(`"${handle}", "select 1e400, -1e400, 1"`)).rows).toEqual([[null, null, 1]]);
    expect(await bad(`len(ot.query("${handle}", "select titel from r"))`)).toContain("ValueError: no such column");
  });

  test("the query that a reply offers works, of one of several lists too", async () => {
    const reply = JSON.parse(
      await ok('{"data": {"issues": [{"id": n, "x": "y" * 99} for n in range(999)]}, "people": [{"id": 1}]}'),
    );
    expect(reply.sql).toBe(`ot.query(handle='${reply.handle}', sql='select count(*) from r', rows='data.issues')`);
    expect(await ok(reply.sql)).toContain("999");
  });

  test("groups a result of 1,500 rows that no reply could hold", async () => {
    const handle = await handleOf(ISSUES);
    const sql = "select state, count(*) n, min(id) first from r group by 1 order by 2 desc";
    expect(await query(`"${handle}", "${sql}"`)).toEqual({
      columns: ["state", "n", "first"],
      rows: [
        ["open", 1000, 1],
        ["done", 500, 0],
      ],
    });
  });

  test("joins two results; the rows of one are at a path", async () => {
    const [issues, teams] = [await handleOf(ISSUES), await handleOf(TEAMS)];
    const sql =
      "select t.name, count(*) n from i join t on t.name = i.team->>'name' where i.state = 'done' group by 1 order by 1";
    expect((await query(`{"i": "${issues}", "t": "${teams}"}, "${sql}"`)).rows).toEqual(
      [0, 1, 2, 3, 4].map((team) => [`t${team}`, 100]),
    );
  });

  test("joins lists at different paths", async () => {
    const two = await handleOf('{"a": [{"id": 1, "x": "y" * 60000}], "b": [{"ref": 1}]}');
    const sql = "select a.id, b.ref from a join b on b.ref = a.id";
    expect((await query(`{"a": "${two}", "b": "${two}"}, "${sql}", rows={"a": "a", "b": "b"}`)).rows).toEqual([[1, 1]]);
  });

  test("gives at most 200 rows, and says how to get others", async () => {
    const answer = await query(`"${await handleOf(ISSUES)}", "select id from r order by id"`);
    expect(answer.rows).toHaveLength(200);
    expect(answer.note).toBe("The first 200 rows: use limit and offset for others, or group them.");
    const wide = await query(`"${await handleOf(TEAMS)}", "select lead, name from r"`);
    expect(wide.rows.length).toBeLessThan(5);
    expect(wide.note).toMatch(/^The first \d rows, which fit into a reply: select fewer columns/);
  });

  test("a row that does not fit into a reply is cut, and handles may come as JSON", async () => {
    const handle = await handleOf(ISSUES);
    const long = await query(`'{"i": "${handle}"}', "select hex(zeroblob(3000000)) z, count(*) n from i"`);
    expect(long.rows).toEqual([[expect.stringMatching(/^0{1000,50000}…$/), 1500]]);
    expect(long.note).toBe("Long texts are cut: select parts of them with substr().");
  });

  test("wrong SQL is answered with the tables and their columns", async () => {
    expect(await bad(`ot.query("${await handleOf(ISSUES)}", "select titel from r")`)).toContain(
      "ValueError: no such column: titel. Columns: id, state, team, note. Tables: r(id integer, state text, team json, note text)",
    );
  });

  test.each([
    [
      "an unknown handle",
      '"abcdefabcdef", "select 1"',
      "LookupError: ot.query failed: Result 'abcdefabcdef' not found. Results are kept 3600 s. Run the code again if it only reads.",
    ],
    ["no handle", '{}, "select 1"', "handle names 1 to 8 results"],
    ["a table with a bad name", '{"a b": "abcdefabcdef"}, "select 1"', "'a b' cannot be the name of a table"],
  ])("refuses %s", async (_, args, message) => {
    expect(await bad(`ot.query(${args})`)).toContain(message);
  });

  test("a result that is no JSON, and one without the list that is asked for", async () => {
    const text = await handleOf("demo.big(n=9000)");
    expect(await bad(`ot.query("${text}", "select 1")`)).toContain(
      `Result '${text}' is text and no JSON: read it with ot.result.`,
    );
    const teams = await handleOf(TEAMS);
    expect(await bad(`ot.query("${teams}", "select 1", rows="data.team")`)).toContain(
      `Result '${teams}' has no rows for the table r: there is no list at rows="data.team": lists are at data.teams.`,
    );
  });
});
