/** Recording of calls, and the figures of `ot.stats`, on every database. */

import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { silentLog } from "../../../runtime/config/log.js";
import { jsonSize } from "../../../runtime/contract/json-size.js";
import type { Stats } from "../../../runtime/contract/statistics.js";
import { listJobs, retryJob } from "../../../runtime/state/job-table.js";
import { createJobs } from "../../../runtime/state/jobs.js";
import type { State } from "../../../runtime/state/open.js";
import { expire, NO_RETENTION, retain } from "../../../runtime/state/retention.js";
import { queries } from "../../../runtime/state/schema.js";
import { DATABASES } from "../../../test/runtime/state/databases.js";
import { BUCKETS, bucketOf } from "../buckets.js";
import { readStats } from "../figures.js";
import { createRecorder } from "../recorder.js";
import { writeBatch } from "../store.js";
import { STATISTICS, statisticsQueries } from "../tables.js";
import { call as entry, NOON } from "./report/fixture.js";

const HOUR = 3_600_000;

/** Changes when a database was made. */
const made = (state: State, at: number): Promise<unknown> =>
  state.transaction("write", (tx) =>
    queries(tx)
      .updateTable("newest_row")
      .set({ at: new Date(at).toISOString() })
      .execute(),
  );

describe.each([...DATABASES])("on $name", ({ skip, place }) => {
  const cleaning: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const one of cleaning.splice(0).reverse()) await one();
  });

  async function opened(now = NOON, retentionDays = 90) {
    const made = await place();
    cleaning.push(made.remove);
    const state = await made.open();
    cleaning.push(state.close);
    const clock = { now };
    const jobs = createJobs({ log: silentLog });
    cleaning.push(jobs.stop);
    const warned: string[] = [];
    const log = { ...silentLog, warn: (text: string) => void warned.push(text) };
    const given = { jobs, clock: () => clock.now, log, keptMs: retentionDays * 24 * HOUR };
    const retention = retain({ ...given, of: "statistics", tables: STATISTICS });
    const recorder = createRecorder({ state: async () => state, log: silentLog, clock: given.clock, retention });
    const read = async (query: { readonly period?: Stats["period"]; readonly op?: string } = {}): Promise<Stats> => {
      await recorder.flush();
      return state.transaction("read", (tx) => readStats(tx, { period: "all", op: "", now: clock.now, ...query }));
    };
    return { state, clock, recorder, read, warned };
  }

  test.skipIf(skip)("nothing recorded", async () => {
    const { read } = await opened();
    expect(await read()).toMatchObject({
      ...{ period: "all", start_time: null, end_time: null, total_calls: 0, success_rate: 0, tools: [] },
      ...{ runs: { total: 0, failed: 0 }, context_saved: 0, definitions: null, stored: 0, time_saved_ms: null },
    });
  });

  test.skipIf(skip)("calls are summed by op, over flushes and hours", async () => {
    const { recorder, read } = await opened();
    recorder.call(entry());
    recorder.call(entry({ ms: 6, code: "NOT_FOUND" }));
    await recorder.flush();
    recorder.call(entry({ at: NOON - HOUR }));
    recorder.call(entry({ op: "demo.big", at: NOON + 1000, chars_out: 5000 }));
    expect(await read()).toMatchObject({
      start_time: new Date(NOON - HOUR).toISOString(),
      end_time: new Date(NOON + 1000).toISOString(),
      ...{ total_calls: 4, success_count: 3, error_count: 1, success_rate: 75 },
      tools: [
        { tool: "demo.big", total_calls: 1, success_rate: 100, chars_in: 10, chars_out: 5000, total_duration_ms: 3 },
        { tool: "demo.search", total_calls: 3, error_count: 1, success_rate: 66.7, chars_in: 30, avg_duration_ms: 4 },
      ],
    });
  });

  test.skipIf(skip)("many rows of a flush, each with its own values", async () => {
    const { recorder, state, read } = await opened();
    const count = 350;
    for (let flush = 0; flush < 2; flush++) {
      for (let i = 0; i < count; i++)
        recorder.call(entry({ ms: i, trace_id: `tr_${flush}_${i}`, ...(i % 7 === 0 ? { code: "CONFLICT" } : {}) }));
      await recorder.flush();
    }
    const rows = await state.transaction("read", (tx) =>
      statisticsQueries(tx).selectFrom("stat_calls").selectAll().orderBy("seq").execute(),
    );
    expect(rows.map(({ trace_id, duration_ms, code, client }) => [trace_id, duration_ms, code, client])).toEqual(
      Array.from({ length: 2 * count }, (_, at) => {
        const [flush, i] = [Math.floor(at / count), at % count];
        return [`tr_${flush}_${i}`, i, i % 7 === 0 ? "CONFLICT" : "", "test"];
      }),
    );
    expect(await read()).toMatchObject({ total_calls: 2 * count });
  });

  test.skipIf(skip)("a period leaves out what is older, an op everything else", async () => {
    const { recorder, read } = await opened();
    for (const days of [0, 2, 10, 60]) recorder.call(entry({ at: NOON - days * 24 * HOUR }));
    recorder.call(entry({ op: "demo.big" }));
    const counts = await Promise.all(
      (["day", "week", "month", "all"] as const).map(async (period) => (await read({ period })).total_calls),
    );
    expect(counts).toEqual([2, 3, 4, 5]);
    expect(await read({ op: "demo.big" })).toMatchObject({ total_calls: 1, runs: null, context_saved: null });
    expect(await read({ op: "no.such" })).toMatchObject({ total_calls: 0, tools: [] });
  });

  test.skipIf(skip)("runs, what they saved, and what was kept out of the context", async () => {
    const { recorder, read } = await opened();
    const { op: _, ...run } = entry({ ms: 100 });
    for (let i = 0; i < 5; i++) recorder.run({ ...run, calls: 3, ...(i === 0 ? { code: "FAILED" } : {}) });
    recorder.add("extra_calls", 10);
    recorder.add("stored_bytes", 4000);
    recorder.add("handed_bytes", 1000);
    recorder.add("definition_tokens", 500);
    recorder.add("definition_tokens", 500);
    expect(await read()).toMatchObject({
      runs: { total: 5, failed: 1, duration_ms: 500, chars_in: 50, chars_out: 500 },
      ...{ total_calls: 0, definitions: 1000, stored: 750, context_saved: 1750, time_saved_ms: 1000 },
    });
  });

  test.skipIf(skip)("a job deletes each hour what is older than its retention, by the newest row", async () => {
    const { state, clock, recorder, read, warned } = await opened(NOON, 7);
    const DAYS = 24 * HOUR;
    /** Makes a call, and has the job run; resolves to the days after noon of the calls that are left. */
    const left = async (days: number): Promise<readonly number[]> => {
      clock.now = NOON + days * DAYS;
      recorder.call(entry({ at: clock.now }));
      await read();
      const [job] = await vi.waitUntil(async () => {
        const { jobs } = await listJobs(state);
        return jobs[0]?.state === "waiting" && jobs;
      }, 30_000);
      expect(job).toMatchObject({ kind: "retention statistics", every_ms: HOUR });
      expect(await retryJob(state, job?.id ?? "")).toBe("done");
      await vi.waitUntil(async () => (await listJobs(state)).jobs[0]?.state === "waiting", 30_000);
      const rows = await state.transaction("read", (tx) =>
        statisticsQueries(tx).selectFrom("stat_calls").select("at").orderBy("at").execute(),
      );
      return rows.map(({ at }) => (Date.parse(at) - NOON) / DAYS);
    };
    recorder.call(entry({ at: NOON - 8 * DAYS }));
    await made(state, NOON);
    expect(await left(0)).toEqual([0]);
    expect(await left(1)).toEqual([0, 1]);
    expect(warned).toEqual([]);
    // It has jumped: nothing is deleted until a day has followed.
    expect(await left(9)).toEqual([0, 1, 9]);
    expect(warned).toEqual([expect.stringContaining("old rows of the state database are kept")]);
    expect(await left(9.9)).toEqual([0, 1, 9, 9.9]);
    expect(await left(10)).toEqual([9, 9.9, 10]);
    // A clock that is behind deletes nothing, whatever it calls old.
    expect(await left(2)).toEqual([2, 9, 9.9, 10]);
    expect(warned).toHaveLength(2);
  });

  test.skipIf(skip)(
    "much that is old is deleted in steps: others have their turn, and an end ends it early",
    { tags: "full" },
    async () => {
      const { state, recorder, read } = await opened(NOON, 7);
      const old = Array.from({ length: 12_000 }, (_, i) => entry({ at: NOON - 8 * 24 * HOUR + i }));
      const calls = [...old, entry()];
      await state.transaction("write", (tx) => writeBatch(tx, { calls, runs: [], sums: [], others: [] }));
      const left = () =>
        state.transaction(
          "read",
          async (tx) => (await statisticsQueries(tx).selectFrom("stat_calls").select("at").execute()).length,
        );
      await expire(state, NOON - HOUR, STATISTICS, AbortSignal.abort());
      expect(await left()).toBeLessThan(12_001);
      expect(await left()).toBeGreaterThan(2000);
      let steps = 0;
      const transaction: typeof state.transaction = async (...asked) => {
        steps += 1;
        if (steps === 2) {
          recorder.call(entry());
          await recorder.flush();
        }
        return state.transaction(...asked);
      };
      await expire({ transaction }, NOON - HOUR, STATISTICS);
      expect(steps).toBeGreaterThan(3);
      expect(await left()).toBe(2);
      expect(await read()).toMatchObject({ total_calls: 2 });
    },
  );

  test.skipIf(skip)("thousands of entries at once, from two recorders", async () => {
    const { state, recorder, read } = await opened();
    const other = createRecorder({
      state: async () => state,
      log: silentLog,
      clock: () => NOON,
      retention: NO_RETENTION,
    });
    for (let i = 0; i < 3000; i++) (i % 2 ? recorder : other).call(entry({ op: `demo.op${i % 7}` }));
    await Promise.all([recorder.close(), other.close()]);
    const { total_calls, tools } = await read();
    expect([total_calls, tools.length]).toEqual([3000, 7]);
  });
});

test("a database that cannot be opened loses the entries, and is reported", async () => {
  const said: string[] = [];
  const log = { ...silentLog, warn: (text: string) => void said.push(text) };
  const recorder = createRecorder({
    state: () => Promise.reject(new Error("out of reach")),
    ...{ log, clock: () => NOON, retention: NO_RETENTION },
  });
  recorder.call(entry());
  await recorder.close();
  expect(said).toEqual(["1 entries of the statistics are lost"]);
});

test("a duration has one of sixteen buckets, longer ones later", () => {
  expect([0, 1, 1.5, 60_000, 60_001, 1e12].map(bucketOf)).toEqual([0, 0, 1, 14, 15, 15]);
  expect(BUCKETS).toBe(16);
});

test("the size of a value is that of its JSON, but for escapes", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      if (!json.includes("\\")) expect(jsonSize(JSON.parse(json))).toBe(json.length);
    }),
  );
});
