/** The gate of runs: how many are under way at once, and that no key has all of it to itself. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { gateOf } from "../../../runtime/run/gate.js";

/** Works that end when they are told to, and the order in which they began. */
function works(gate: ReturnType<typeof gateOf>) {
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

test("as many as it is wide are let through at once, the others in line", async () => {
  const { begun, start, end } = works(gateOf(2));
  const all = ["a", "b", "c", "d"].map((name) => start(name));
  await nextTurn();
  expect(begun).toEqual(["a", "b"]);
  await end("b");
  expect(begun).toEqual(["a", "b", "c"]);
  for (const name of ["a", "c", "d"]) await end(name);
  await Promise.all(all);
  expect(begun).toEqual(["a", "b", "c", "d"]);
});

test("a caller leaves one place to the others, who pass those of it that wait", async () => {
  const gate = gateOf(3);
  const { begun, start, end } = works(gate);
  const own = ["a1", "a2", "a3", "a4"].map((name) => start(name, "a"));
  await nextTurn();
  expect(begun).toEqual(["a1", "a2"]);
  expect([gate.isFull("a"), gate.isFull("b"), gate.isFull()]).toEqual([true, false, false]);
  expect([gate.waiting("a"), gate.waiting("b"), gate.waiting()]).toEqual([2, 0, 2]);
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
  expect([gate.waiting(), gate.isFull()]).toEqual([0, false]);
});

test("a gate of one place lets every caller through, and who leaves the line is not let through", async () => {
  const gate = gateOf(1);
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
