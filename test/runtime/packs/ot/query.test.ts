/** `ot.query`: SQL over results that were too large for their reply. */

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHECKOUT, type Json } from "../../../support/project.js";
import { runDemo } from "../../../support/run-demo.js";

const { ok, bad } = runDemo(join(CHECKOUT, "test/support/ot-demo/definitions"));

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
      "Error at line 1: LookupError: ot.load failed: Result 'abcdefabcdef' not found. Results are kept 3600 s; run the code again.",
    );
  });
});

describe("ot.query", () => {
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

  test("gives at most 200 rows, and says how to get others", async () => {
    const answer = await query(`"${await handleOf(ISSUES)}", "select id from r order by id"`);
    expect(answer.rows).toHaveLength(200);
    expect(answer.note).toBe("The first 200 rows: use limit and offset for others, or group them.");
    const wide = await query(`"${await handleOf(TEAMS)}", "select lead, name from r"`);
    expect(wide.rows.length).toBeLessThan(5);
    expect(wide.note).toMatch(/^The first \d rows, which fit into a reply: select fewer columns/);
  });

  test("wrong SQL is answered with the tables and their columns", async () => {
    expect(await bad(`ot.query("${await handleOf(ISSUES)}", "select titel from r")`)).toContain(
      "Error: no such column: titel. Columns: id, state, team, note. Tables: r(id integer, state text, team json, note text)",
    );
  });

  test.each([
    [
      "an unknown handle",
      '"abcdefabcdef", "select 1"',
      "Error: Result 'abcdefabcdef' is not there. Run the code again.",
    ],
    ["no handle", '{}, "select 1"', "handle names 1 to 8 results"],
    ["a table with a bad name", '{"a b": "abcdefabcdef"}, "select 1"', "'a b' cannot be the name of a table"],
  ])("%s", async (_, args, message) => {
    expect(await bad(`ot.query(${args})`)).toContain(message);
  });

  test("a result that is no JSON, and one without the list that is asked for", async () => {
    const text = await handleOf("demo.big(n=9000)");
    expect(await bad(`ot.query("${text}", "select 1")`)).toContain(
      `Result '${text}' is text and no JSON: read it with ot.result.`,
    );
    const teams = await handleOf(TEAMS);
    expect(await bad(`ot.query("${teams}", "select 1", rows="data.team")`)).toContain(
      `Result '${teams}' is no table: there is no list at rows="data.team": lists are at data.teams.`,
    );
  });
});
