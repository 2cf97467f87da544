/** Statistics that several servers over one database write at the same time. */

import { afterEach, describe, expect, test } from "vitest";
import type { CallEntry } from "../../../runtime/contract/recorder.js";
import { BACKGROUND_MS, withinStateMs } from "../../../runtime/state/deadline.js";
import { DATABASES } from "../../../test/runtime/state/databases.js";
import { writeBatch } from "../store.js";
import { statisticsQueries } from "../tables.js";

/** Batches at once. */
const BATCHES = 8;

describe.each(DATABASES)("on $name", ({ skip, place: newPlace }) => {
  const cleaning: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const one of cleaning.splice(0).reverse()) await one();
  });

  test.skipIf(skip)("sums of all servers are added up, in whichever order they write", async () => {
    const place = await newPlace();
    const [state, other] = await Promise.all([place.open(), place.open()]);
    cleaning.push(place.remove, state.close, other.close);
    const entry = (op: string, ms: number): CallEntry => ({
      ...{ at: Date.parse("2026-01-01T10:30:00Z"), op, ms, chars_in: 1, chars_out: 2 },
      ...{ trace_id: "tr", caller: "local", client: "c" },
    });
    const ops = ["a.b.get", "c.d.get", "e.f.get"];
    const batch = (turned: boolean) => ({
      calls: (turned ? [...ops].reverse() : ops).map((op) => entry(op, 1)),
      runs: [],
      sums: [{ at: Date.parse("2026-01-01T10:30:00Z"), name: "handed_bytes" as const, value: 3 }],
      others: [],
    });
    // Each server writes its batches in turn, as its recorder does.
    const all = [state, other].map(async (one, i) => {
      for (let done = 0; done < BATCHES / 2; done++)
        await withinStateMs(BACKGROUND_MS, () => one.transaction("write", (tx) => writeBatch(tx, batch(i === 1))));
    });
    await Promise.all(all);
    const [hours, clients, counters] = await state.transaction("read", async (tx) => [
      await statisticsQueries(tx).selectFrom("stat_hours").select(["op", "calls", "buckets"]).orderBy("op").execute(),
      await statisticsQueries(tx).selectFrom("stat_clients").select("calls").execute(),
      await statisticsQueries(tx).selectFrom("stat_counters").select("value").execute(),
    ]);
    expect(hours.map(({ op, calls }) => [op, calls])).toEqual(ops.map((op) => [op, BATCHES]));
    for (const { buckets } of hours) expect((JSON.parse(buckets) as number[]).reduce((a, b) => a + b)).toBe(BATCHES);
    expect(clients.map(({ calls }) => calls)).toEqual([BATCHES, BATCHES, BATCHES]);
    expect(counters).toEqual([{ value: 3 * BATCHES }]);
  });
});
