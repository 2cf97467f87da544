/** `ot.query`, `ot.result`, `ot.load` and `ot.keep` over each store of results, as several servers and callers use it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HostContext } from "../../../../runtime/packs/host.js";
import { queryResults } from "../../../../runtime/packs/ot/query.js";
import { keepResult, loadResult, resultPage } from "../../../../runtime/packs/ot/result.js";
import { rowResults } from "../../../../runtime/run/result-rows.js";
import { fileResults, type ResultStore } from "../../../../runtime/run/results.js";
import type { State } from "../../../../runtime/state/open.js";
import { DATABASES, type Place } from "../../state/databases.js";

const ROWS = 100_000;

describe.each(DATABASES)("with state in $name", ({ skip, place: placeOf }) => {
  let place: Place;
  const states: State[] = [];
  const root = mkdtempSync(join(tmpdir(), "query-stores-"));
  beforeAll(async () => {
    if (skip) return;
    place = await placeOf();
    if (place.url !== "") states.push(await place.open(), await place.open());
  });
  afterAll(async () => {
    for (const state of states) await state.close();
    await place?.remove();
    rmSync(root, { recursive: true });
  });

  /** The store of one of two servers. */
  const storeOf = (server: number): ResultStore => {
    const files = fileResults(root, 3600, () => new Date());
    return states.length === 0
      ? files
      : rowResults({ state: async () => states[server] as State, resultTtl: 3600, files });
  };
  const at = (server: number, caller: string): HostContext =>
    ({
      host: {
        results: storeOf(server),
        idsOf: async () => [caller],
        view: () => ({ exact: () => undefined }),
        project: {
          settings: {
            run: {
              ...{ languages: ["python"], runs: 1, queue: 1 },
              ...{ output: { maxInlineSize: 50_000, resultTtl: 3600 }, sanitizes: () => false },
            },
          },
        },
      },
      principal: { id: caller, kind: "key" },
      signal: new AbortController().signal,
      record: { counts: new Map(), underWay: new Map(), called: new Set(), foreign: new Set() },
    }) as unknown as HostContext;
  const rows = Array.from({ length: ROWS }, (_, id) => ({ id, team: { id: id % 7 }, state: id % 3 ? "open" : "done" }));
  const teams = Array.from({ length: 7 }, (_, id) => ({ id, name: `t${id}` }));
  const JOIN =
    "select t.name, count(*) n from i join t on t.id = i.team->>'id' where state = 'done' group by 1 order by 1";

  test.skipIf(skip)("100,000 rows that one server kept are asked and joined on another", { tags: "slow" }, async () => {
    const issues = await keepResult(rows, at(0, "abcdefghij"));
    const people = await keepResult(teams, at(1, "abcdefghij"));
    const handle = { i: issues.handle, t: people.handle };
    const answer = await queryResults({ handle, sql: JOIN, rows: "" }, at(1, "abcdefghij"));
    expect(answer.rows).toHaveLength(7);
    expect(answer.rows.reduce((sum, [, n]) => sum + Number(n), 0)).toBe(Math.ceil(ROWS / 3));
    expect(await loadResult(issues.handle, at(1, "abcdefghij"))).toHaveLength(ROWS);
    const page = { handle: issues.handle, offset: 2, limit: 1, search: "", fuzzy: false };
    expect(await resultPage(page, at(1, "abcdefghij"))).toMatchObject({
      total_lines: ROWS,
      lines: ['{"id":1,"team":{"id":1},"state":"open"},'],
    });
  });

  test.skipIf(skip)("handles of another caller are unknown to all of them, in a join too", async () => {
    const own = await keepResult(teams, at(0, "own"));
    const other = await keepResult(teams, at(0, "other"));
    for (const handle of [other.handle, { a: own.handle, b: other.handle }]) {
      await expect(queryResults({ handle, sql: "select 1", rows: "" }, at(1, "own"))).rejects.toMatchObject({
        code: "NOT_FOUND",
        message: `Result '${other.handle}' not found. Results are kept 3600 s. Run the code again if it only reads.`,
      });
    }
    await expect(loadResult(other.handle, at(1, "own"))).rejects.toMatchObject({ code: "NOT_FOUND" });
    const page = { handle: other.handle, offset: 1, limit: 1, search: "", fuzzy: false };
    expect(await resultPage(page, at(1, "own"))).toContain("not found");
    expect(await loadResult(own.handle, at(1, "own"))).toEqual(teams);
  });
});
