/** The concurrency limit of runs: how many run at once, and that no key takes all of it. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { busyText, concurrencyLimit } from "../../../runtime/run/concurrency-limit.js";

/** Work that ends on request, and the order in which it began. */
function works(gate: ReturnType<typeof concurrencyLimit>) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    start: (name: string, caller?: string, signal?: AbortSignal) =>
      gate.pass(
        () =>
          new Promise<void>((resolve) => {
            begun.push(name);
            ends.set(name, resolve);
          }),
        signal,
        caller,
      ),
    async end(name: string): Promise<void> {
      ends.get(name)?.();
      await nextTurn();
    },
  };
}

test("as many runs as the limit start at once, the others wait in order", async () => {
  const { begun, start, end } = works(concurrencyLimit(2));
  const all = ["a", "b", "c", "d"].map((name) => start(name));
  await nextTurn();
  expect(begun).toEqual(["a", "b"]);
  await end("b");
  expect(begun).toEqual(["a", "b", "c"]);
  for (const name of ["a", "c", "d"]) await end(name);
  await Promise.all(all);
  expect(begun).toEqual(["a", "b", "c", "d"]);
});

test("a caller leaves one place to the others, which overtake its waiting runs", async () => {
  const gate = concurrencyLimit(3);
  const { begun, start, end } = works(gate);
  const own = ["a1", "a2", "a3", "a4"].map((name) => start(name, "a"));
  await nextTurn();
  expect(begun).toEqual(["a1", "a2"]);
  expect([gate.hasRoom(0, "a"), gate.hasRoom(0, "b"), gate.hasRoom(0)]).toEqual([false, true, true]);
  const other = start("b1", "b");
  await nextTurn();
  expect(begun).toEqual(["a1", "a2", "b1"]);
  const later = start("b2", "b");
  await end("b1");
  expect(begun).toEqual(["a1", "a2", "b1", "b2"]);
  await end("a1");
  expect(begun.at(-1)).toBe("a3");
  for (const name of ["a2", "a3", "b2", "a4"]) await end(name);
  await Promise.all([...own, other, later]);
  expect([gate.hasRoom(0, "a"), gate.hasRoom(0)]).toEqual([true, true]);
});

test("the next is of the caller with the least under way: two that have all places do not keep a third out", async () => {
  const { begun, start, end } = works(concurrencyLimit(4));
  const names = ["a1", "a2", "a3", "b1", "a4", "a5", "b2", "b3", "c1", "c2"];
  const all = names.map((name) => start(name, name[0]));
  await nextTurn();
  expect(begun).toEqual(["a1", "a2", "a3", "b1"]);
  for (const name of ["a1", "a2", "a3", "b1", "c1", "b2", "c2", "a4", "a5", "b3"]) await end(name);
  await Promise.all(all);
  expect(begun.slice(4)).toEqual(["c1", "a4", "b2", "c2", "a5", "b3"]);
});

test("callers that wait for one place take turns", async () => {
  const { begun, start, end } = works(concurrencyLimit(1));
  const names = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"];
  const all = names.map((name) => start(name, name[0]));
  for (const name of ["a1", "a2", "b1", "c1", "a3", "b2", "a4"]) {
    await nextTurn();
    await end(name);
  }
  await Promise.all(all);
  expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("a key has no more in the line than are free in it: however many keys fill it, another finds a place", async () => {
  const gate = concurrencyLimit(1);
  const { start, end } = works(gate);
  const all = [start("own")];
  await nextTurn();
  const fill = (caller: string): number => {
    let count = 0;
    for (; gate.hasRoom(32, caller); count++) all.push(start(`${caller}${count}`, caller));
    return count;
  };
  expect(["a", "b", "c"].map(fill)).toEqual([16, 8, 4]);
  expect([gate.hasRoom(32, "d"), gate.hasRoom(28), gate.hasRoom(29)]).toEqual([true, false, true]);
  await end("own");
  // Of the place that came free, those that have the most get none.
  expect(["a", "c", "d"].map((caller) => gate.hasRoom(32, caller))).toEqual([false, true, true]);
  for (let i = 0; i < 16; i++) for (const caller of ["a", "b", "c"]) await end(`${caller}${i}`);
  await Promise.all(all);
});

test("who is refused is told what is under way, and whose share is used up", async () => {
  const gate = concurrencyLimit(4);
  const { start, end } = works(gate);
  const bounds = { runs: 4, queue: 2, noun: ["run", "runs"] } as const;
  const all: Promise<void>[] = [];
  const fill = (caller: string | undefined, name: string): void => {
    for (let i = 0; gate.hasRoom(2, caller); i++) all.push(start(`${name}${i}`, caller));
  };
  fill("a", "a");
  expect(busyText(gate, "a", bounds)).toBe(
    "3 runs of yours are under way and 1 waits: your share of limits.runs (4) and limits.queue (2) is used up",
  );
  fill("b", "b");
  expect(busyText(gate, "b", bounds)).toBe(
    "4 runs are under way and 2 wait: limits.runs (4) and limits.queue (2) allow no more",
  );
  expect(busyText(concurrencyLimit(1), "c", { runs: 1, queue: 1, noun: ["query", "queries"] })).toMatch(
    /^0 queries of yours are under way and 0 wait: /,
  );
  for (let i = 0; i < 4; i++) for (const caller of ["a", "b"]) await end(`${caller}${i}`);
  await Promise.all(all);
});

test("a limit of 1 serves every caller, and a cancelled wait is not served", async () => {
  const gate = concurrencyLimit(1);
  const { begun, start, end } = works(gate);
  const first = start("a1", "a");
  await nextTurn();
  const gone = new AbortController();
  const second = start("a2", "a", gone.signal);
  gone.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  const third = start("b1", "b");
  await end("a1");
  await end("b1");
  await Promise.all([first, third]);
  expect(begun).toEqual(["a1", "b1"]);
});
