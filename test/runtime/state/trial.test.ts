/** Work that is tried on the state database: it reads and writes as ever, others do not wait for it, and nothing stays. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transaction } from "../../../runtime/contract/handler.js";
import { defineTables } from "../../../runtime/contract/tables.js";
import { openState, type State } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";
import { DATABASES, type Place } from "./databases.js";

const SLOW = 60_000;
const NOTES = defineTables({
  name: "notes",
  versions: [{ version: 1, statements: ({ text }) => [`create table notes_entries (id ${text} primary key)`] }],
});

const put = (name: string, value: string) => (tx: Transaction) =>
  queries(tx)
    .insertInto("server_secrets")
    .values({ name, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
const get = (name: string) => async (tx: Transaction) =>
  (await queries(tx).selectFrom("server_secrets").select("value").where("name", "=", name).executeTakeFirst())?.value;

describe.each(DATABASES)("on $name", ({ skip, place: newPlace, name: database }) => {
  describe.skipIf(skip)("a trial", () => {
    let place: Place;
    let state: State;
    beforeAll(async () => {
      place = await newPlace();
      state = await place.open();
      await state.transaction("write", put("shared", "before"));
    }, SLOW);
    afterAll(async () => {
      await state.close();
      await place.remove();
    });

    test("sees what it writes, and nothing of it stays", { timeout: SLOW }, async () => {
      const trial = await state.trial();
      await trial.transaction("write", put("tried", "1"));
      expect(await trial.transaction("read", get("tried"))).toBe("1");
      expect(await trial.transaction("read", get("shared"))).toBe("before");
      expect(await state.transaction("read", get("tried"))).toBeUndefined();
      await trial.close();
      expect(await state.transaction("read", get("tried"))).toBeUndefined();
      await expect(trial.transaction("read", get("tried"))).rejects.toThrow();
      if (database === "SQLite")
        expect((await readdir(join(place.root, ".onetool"))).filter((one) => one.startsWith("preview-"))).toEqual([]);
    });

    test("work that fails is undone alone", { timeout: SLOW }, async () => {
      const trial = await state.trial();
      await trial.transaction("write", put("kept", "1"));
      const failing = trial.transaction("write", async (tx) => {
        await put("kept", "2")(tx);
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
      const wrong = trial.transaction("write", (tx) =>
        queries(tx)
          .selectFrom("nowhere" as "runs")
          .selectAll()
          .execute(),
      );
      await expect(wrong).rejects.toThrow();
      expect(await trial.transaction("read", get("kept"))).toBe("1");
      await trial.close();
    });

    test("makes the tables of a pack for itself", { timeout: SLOW }, async () => {
      const trial = await state.trial();
      const count = (tx: Transaction) =>
        queries(tx)
          .selectFrom("notes_entries" as "runs")
          .select("id")
          .execute();
      await trial.ensure(NOTES);
      expect(await trial.transaction("read", count)).toEqual([]);
      await trial.close();
      await expect(state.transaction("read", count)).rejects.toThrow();
    });

    test("pieces of work at once take turns; one inside another is refused", { timeout: SLOW }, async () => {
      const trial = await state.trial();
      const names = ["a", "b", "c", "d"];
      await Promise.all(names.map((name) => trial.transaction("write", put(name, name))));
      expect(await Promise.all(names.map((name) => trial.transaction("read", get(name))))).toEqual(names);
      const inside = trial.transaction("write", () => trial.transaction("read", get("a")));
      await expect(inside).rejects.toThrow("inside another");
      await trial.close();
    });

    test("another writer writes the same row while it is open", { timeout: SLOW }, async () => {
      // The transaction is open until the other writer comes.
      const patient = await openState({ ...place, trialMs: SLOW });
      const trial = await patient.trial();
      await trial.transaction("write", put("shared", "tried"));
      await state.transaction("write", put("other row", "written"));
      expect(trial.signal.aborted).toBe(false);
      await state.transaction("write", put("shared", "after"));
      expect(await state.transaction("read", get("shared"))).toBe("after");
      // The transaction of PostgreSQL gives way to the other writer, a copy need not.
      if (database === "SQLite") expect(await trial.transaction("read", get("shared"))).toBe("tried");
      else await expect(trial.transaction("read", get("shared"))).rejects.toThrow("gave way");
      await trial.close();
      expect(await state.transaction("read", get("shared"))).toBe("after");
      await patient.close();
    });

    test.skipIf(database === "SQLite")("its transaction is open for a while at most", { timeout: SLOW }, async () => {
      const hasty = await openState({ ...place, trialMs: 300 });
      const trial = await hasty.trial();
      const ended = new Promise((resolve) => trial.signal.addEventListener("abort", resolve));
      await trial.transaction("write", put("hasty", "1"));
      await ended;
      await expect(trial.transaction("read", get("hasty"))).rejects.toThrow("longer than 300 ms");
      await trial.close();
      expect(await hasty.transaction("read", get("hasty"))).toBeUndefined();
      await hasty.close();
    });

    test("statements that come after its end do nothing", { timeout: SLOW }, async () => {
      const trial = await state.trial();
      let late: Promise<unknown> = Promise.resolve();
      const working = trial.transaction("write", async (tx) => {
        const first = put("late", "1")(tx);
        const closing = trial.close();
        late = Promise.allSettled([first, ...[2, 3, 4].map((n) => put("late", String(n))(tx))]);
        await late;
        if (database !== "SQLite") await closing;
      });
      await working.catch(() => undefined);
      await trial.close();
      expect(await state.transaction("read", get("late"))).toBeUndefined();
    });
  });
});
