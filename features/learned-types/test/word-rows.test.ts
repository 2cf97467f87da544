/** Words of callers in the database: what is kept of them, for how long, and whose ranking they change. */

import { afterEach, describe, expect, test } from "vitest";
import type { Transaction } from "../../../runtime/contract/handler.js";
import { wordWeight } from "../../../runtime/contract/learned-words.js";
import type { State } from "../../../runtime/state/open.js";
import { expire } from "../../../runtime/state/retention.js";
import { DATABASES } from "../../../test/runtime/state/databases.js";
import { LEARNED } from "../tables.js";
import { type CallerWords, createCallerWords } from "../words/own-words.js";
import { addWords, deleteCallerWords, readWords } from "../words/word-rows.js";

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 22, 12);
const OP = { op: "shop.pulls.list" };

describe.each([...DATABASES])("on $name", ({ skip, place }) => {
  const cleaning: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const one of cleaning.splice(0).reverse()) await one();
  });

  /** A server over one database. */
  async function opened() {
    const made = await place();
    cleaning.push(made.remove);
    const state = await made.open();
    cleaning.push(state.close);
    const clock = { now: START };
    const log = { debug: () => {}, info: () => {}, warn: (text: string) => void said.push(text), error: () => {} };
    const said: string[] = [];
    const given = { state: async () => state, log, clock: () => clock.now };
    const waiting: ((tx: Transaction) => Promise<void>)[] = [];
    const recorder = {
      alongside: (write: (tx: Transaction) => Promise<void>) => void waiting.push(write),
      async flush() {
        const all = waiting.splice(0);
        await state.transaction("write", async (tx) => {
          for (const write of all) await write(tx);
        });
      },
    };
    const retained: State[] = [];
    const retention = { on: (open: State) => void retained.push(open) };
    const server = (): CallerWords => createCallerWords({ ...given, recorder, retention });
    const rows = async () => {
      await recorder.flush();
      return state.transaction("read", readWords);
    };
    return { state, clock, said, server, rows, retained };
  }

  /** Waits until a word of a caller has these weights: its rows are read in the background. */
  const expectWeights = (words: CallerWords, caller: string, stem: string, weights: Readonly<Record<string, number>>) =>
    expect.poll(() => Object.fromEntries(words.of(caller)(stem))).toEqual(weights);

  const add = (state: State, words: readonly string[], day: string, { op, caller } = { ...OP, caller: "c" }) =>
    state.transaction("write", (tx) =>
      addWords(tx, { op, caller, day, words: new Map(words.map((word) => [`k ${word}`, word])) }),
    );

  test.skipIf(skip)(
    "three queries of a caller count, the latest ones, and a word is text from the third on",
    async () => {
      const { clock, server, rows, said } = await opened();
      const words = server();
      words.add("anna", OP, ["pr"]);
      words.add("anna", OP, ["pr"]);
      expect((await rows()).map(({ stem, count }) => [stem, count])).toEqual([[null, 2]]);
      words.add("anna", OP, ["pr", "inbox"]);
      words.add("anna", OP, ["pr"]);
      expect((await rows()).map(({ stem, count }) => [stem, count]).sort()).toEqual([
        [null, 1],
        ["pr", 3],
      ]);
      clock.now += 2 * DAY;
      words.add("anna", OP, ["pr"]);
      words.add("ben", OP, ["pr"]);
      const pr = (await rows()).filter(({ stem }) => stem === "pr");
      expect(pr.map(({ day, count }) => [day, count]).sort()).toEqual([
        ["2026-11-22", 2],
        ["2026-11-24", 1],
        ["2026-11-24", 1],
      ]);
      expect(new Set(pr.map(({ caller_key }) => caller_key)).size).toBe(2);
      expect(JSON.stringify(await rows())).not.toMatch(/anna|ben|inbox/);
      expect(said).toEqual([]);
    },
  );

  test.skipIf(skip)("the rarest and oldest words go first, of a caller and of an op", async () => {
    const { state, rows } = await opened();
    const many = Array.from({ length: 198 }, (_, i) => `word${i}`);
    await add(state, ["old"], "2026-11-20");
    await add(state, many, "2026-11-22");
    await add(state, ["often"], "2026-11-20");
    await add(state, ["often", "new"], "2026-11-22");
    const kept = async () => new Set((await rows()).map(({ stem_key }) => stem_key.slice(2)));
    expect((await kept()).size).toBe(200);
    expect([...(await kept())]).toEqual(expect.arrayContaining(["often", "new"]));
    expect(await kept()).not.toContain("old");
    for (const caller of ["d", "e"])
      await add(
        state,
        Array.from({ length: 200 }, (_, i) => `${caller}${i}`),
        "2026-11-23",
        { ...OP, caller },
      );
    expect((await kept()).size).toBe(400);
    expect(await kept()).toContain("often");
    expect(await state.transaction("write", (tx) => deleteCallerWords(tx, "d"))).toBeGreaterThan(100);
    expect((await rows()).some(({ caller_key }) => caller_key === "d")).toBe(false);
  });

  test.skipIf(skip)("rows count half after 90 days, and are deleted after stats.retention_days", async () => {
    const { state, clock, server, rows, retained } = await opened();
    const words = server();
    words.add("anna", OP, ["pr"]);
    words.add("anna", OP, ["pr"]);
    await rows();
    expect(retained).toEqual([]);
    await expectWeights(server(), "anna", "pr", { [OP.op]: wordWeight(2, 1) });
    // Their deletion begins with a database from which they are read.
    expect(retained).toContain(state);
    clock.now += 89 * DAY;
    await expectWeights(server(), "anna", "pr", { [OP.op]: wordWeight(2, 1) });
    clock.now += 2 * DAY;
    await expectWeights(server(), "anna", "pr", { [OP.op]: wordWeight(1, 1) });
    await expire(state, clock.now - 100 * DAY, LEARNED);
    expect(await rows()).toHaveLength(1);
    await expire(state, clock.now - 90 * DAY, LEARNED);
    expect(await rows()).toEqual([]);
  });

  test.skipIf(skip)(
    "words change what their own caller is shown, on every server, and nothing for 1,500 others",
    async () => {
      const { server, rows } = await opened();
      const [first, second] = [server(), server()];
      const words = Array.from(
        { length: 200 },
        (_, i) => `word${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`,
      );
      for (let i = 0; i < 3; i++) first.add("mallory", OP, words);
      await rows();
      await expectWeights(first, "mallory", "wordaa", { [OP.op]: wordWeight(3, 200) });
      await expectWeights(second, "mallory", "wordaa", { [OP.op]: wordWeight(3, 200) });
      first.add("mallory", { op: "shop.book.get" }, ["wordaa"]);
      await rows();
      // At once where it was added.
      expect(first.of("mallory")("wordaa").get("shop.book.get")).toBe(wordWeight(1, 1));
      for (const caller of ["anna", "ben"]) {
        first.add(caller, { op: "shop.book.get" }, ["own"]);
        await rows();
        await expectWeights(first, caller, "own", { "shop.book.get": wordWeight(1, 1) });
      }
      const shown = Array.from(
        { length: 1500 },
        (_, i) => first.of(i % 2 ? "anna" : "ben")(words[i % words.length] ?? "").size,
      );
      expect(shown.filter((size) => size > 0)).toEqual([]);
    },
  );
});
