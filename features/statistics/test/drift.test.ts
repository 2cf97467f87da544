/** What a feature counts of an op, in the figures of the op. */

import { describe, expect, test } from "vitest";
import { silentLog } from "../../../runtime/config/log.js";
import { DATABASES } from "../../../test/runtime/state/databases.js";
import { readStats } from "../figures.js";
import { createRecorder } from "../recorder.js";

const NOW = Date.parse("2026-11-26T12:00:00Z");

describe.each(DATABASES)("in $name", ({ skip, place: placeOf }) => {
  test.skipIf(skip)("are counted for the op, for those who see all calls", async () => {
    const place = await placeOf();
    const state = await place.open();
    try {
      const parts = { state: async () => state, log: silentLog, clock: () => NOW };
      const recorder = createRecorder({ ...parts, retention: { on: () => undefined } as never });
      for (const op of ["demo.list", "demo.get"])
        recorder.call({
          at: NOW,
          op,
          ms: 1,
          chars_in: 1,
          chars_out: 1,
          trace_id: "tr_0",
          caller: "abc",
          client: "test",
        });
      recorder.add("drift demo.list", 1);
      recorder.add("drift demo.list", 1);
      await recorder.close();
      const read = (more: object) =>
        state.transaction(
          "read",
          async (tx) => (await readStats(tx, { period: "day", op: "", now: NOW, ...more }, { drifted: "drift" })).tools,
        );
      expect((await read({})).map(({ tool, drifted }) => [tool, drifted])).toEqual([
        ["demo.get", undefined],
        ["demo.list", 2],
      ]);
      expect((await read({ op: "demo.list" }))[0]?.drifted).toBe(2);
      expect((await read({ caller: "abc" })).map(({ drifted }) => drifted)).toEqual([undefined, undefined]);
    } finally {
      await state.close();
      await place.remove();
    }
  });
});
