/** The figures of a report, on every database. */

import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { MIGRATIONS } from "../../../../runtime/state/migrations.js";
import { expire } from "../../../../runtime/state/retention.js";
import { queries } from "../../../../runtime/state/schema.js";
import { DATABASES } from "../../../../test/runtime/state/databases.js";
import { readCharts, readReport } from "../../report/figures.js";
import { writeBatch } from "../../store.js";
import { STATISTICS, statisticsQueries } from "../../tables.js";
import { call, figuresOf, NOON } from "./fixture.js";

const HOUR = 3_600_000;

describe.each([...DATABASES])("on $name", (database) => {
  test.skipIf(database.skip)("hours, durations and clients, without runs among the calls", async () => {
    const figures = await figuresOf(
      [
        call(),
        call({ op: "demo.big", ms: 700, client: "cursor", code: "TIMEOUT" }),
        call({ at: NOON - 2 * HOUR, client: "" }),
        call({ ms: 90_000 }),
      ],
      {},
      database,
    );
    expect(figures.hours).toEqual([
      { hour: "2026-11-22T10", calls: 1, errors: 0 },
      { hour: "2026-11-22T12", calls: 3, errors: 1 },
    ]);
    expect(figures.durations).toEqual(
      new Map([
        ["demo.big", [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]],
        ["demo.search", [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
      ]),
    );
    expect([...figures.longest].sort()).toEqual([
      ["demo.big", 700],
      ["demo.search", 90_000],
    ]);
    expect(figures.runDurations.reduce((sum, one) => sum + one, 0)).toBe(2);
    expect(figures.clients).toEqual([
      { client: "test", calls: 2, errors: 0, runs: 2, last: "2026-11-22T12" },
      { client: "", calls: 1, errors: 0, runs: 0, last: "2026-11-22T10" },
      { client: "cursor", calls: 1, errors: 1, runs: 0, last: "2026-11-22T12" },
    ]);
  });

  test.skipIf(database.skip)("charts of everybody and of one caller: hours, and durations by op", async () => {
    const place = await database.place();
    const state = await place.open();
    const mine = { caller: "abcdefghij" };
    const calls = [
      call(mine),
      call({ ...mine, ms: 90_000, code: "TIMEOUT" }),
      call({ ...mine, op: "demo.big", at: NOON - 2 * HOUR }),
      call({ op: "demo.other" }),
    ];
    await state.transaction("write", (tx) =>
      writeBatch(tx, { calls, runs: [{ ...call(mine), calls: 1 }], sums: [], others: [] }),
    );
    const read = (query: object) =>
      state.transaction("read", (tx) => readCharts(tx, { period: "day", op: "", now: NOON, ...query }));
    const [all, own, one] = [await read({}), await read(mine), await read({ ...mine, op: "demo.big" })];
    expect([...all.durations.keys()].sort()).toEqual(["demo.big", "demo.other", "demo.search"]);
    expect(all.hours.map(({ calls }) => calls)).toEqual([1, 3]);
    expect(own.stats.total_calls).toBe(3);
    expect(own.hours).toEqual([
      { hour: "2026-11-22T10", calls: 1, errors: 0 },
      { hour: "2026-11-22T12", calls: 2, errors: 1 },
    ]);
    expect(own.durations.get("demo.search")).toEqual(all.durations.get("demo.search"));
    expect([...own.durations.keys()].sort()).toEqual(["demo.big", "demo.search"]);
    expect([...one.durations.keys()]).toEqual(["demo.big"]);
    expect([own.longest.get("demo.search"), all.longest.get("demo.search")]).toEqual([90_000, 90_000]);
    await state.close();
    await place.remove();
  });

  test.skipIf(database.skip)("an op and a period leave out everything else", async () => {
    const calls = [call(), call({ op: "demo.big" }), call({ at: NOON - 50 * HOUR, client: "old" })];
    const figures = await figuresOf(calls, { op: "demo.search", period: "day" }, database);
    expect(figures).toMatchObject({
      stats: { total_calls: 1 },
      hours: [{ hour: "2026-11-22T12", calls: 1 }],
      clients: [{ client: "test", calls: 1, runs: 0 }],
      runDurations: [],
    });
    expect([...figures.durations.keys()]).toEqual(["demo.search"]);
  });

  test.skipIf(database.skip)("clients are summed over writes, counted from earlier rows, and expire", async () => {
    const place = await database.place();
    const state = await place.open();
    const clients = () =>
      state.transaction("read", async (tx) => {
        const { clients } = await readReport(tx, { period: "all", op: "", now: NOON });
        return clients.map(({ client, calls, errors, runs }) => [client, calls, errors, runs]);
      });
    const runs = [{ ...call(), calls: 4 }];
    for (const code of ["TIMEOUT", ""])
      await state.transaction("write", (tx) =>
        writeBatch(tx, {
          calls: [call(code === "" ? {} : { code }), call({ client: "b'\"" })],
          runs,
          sums: [],
          others: [],
        }),
      );
    const expected = [
      ["b'\"", 2, 0, 0],
      ["test", 2, 1, 2],
    ];
    expect((await clients()).toSorted()).toEqual(expected);
    const dialect = database.name === "SQLite" ? "sqlite" : "postgres";
    const [, fill = ""] = MIGRATIONS.find(({ version }) => version === 3)?.statements(dialect) ?? [];
    await state.transaction("write", async (tx) => {
      await statisticsQueries(tx).deleteFrom("stat_clients").execute();
      await sql.raw(fill).execute(queries(tx));
    });
    expect((await clients()).toSorted()).toEqual(expected);
    await expire(state, NOON + 2 * HOUR, STATISTICS);
    expect(await clients()).toEqual([]);
    await state.close();
    await place.remove();
  });
});
