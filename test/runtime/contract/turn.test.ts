/** Work in parts: others have their turn in between. */

import { expect, test } from "vitest";
import { inTurns } from "../../../runtime/contract/turn.js";

/** The turn of the event loop in which each item was worked on. */
async function turnsOf(count: number, most?: number): Promise<readonly number[]> {
  let turn = 0;
  const next = (): void => {
    turn += 1;
    timer = setImmediate(next);
  };
  let timer = setImmediate(next);
  const seen: number[] = [];
  await inTurns(Array(count).keys(), () => void seen.push(turn), most);
  clearImmediate(timer);
  return seen;
}

test("after some items others have their turn, however quick the work is", async () => {
  const turns = await turnsOf(10, 4);
  expect(turns).toHaveLength(10);
  expect(turns[4]).toBeGreaterThan(turns[0] ?? Number.NaN);
  expect(turns[8]).toBeGreaterThan(turns[4] ?? Number.NaN);
});

test("the items keep their order, and work that waits is waited for", async () => {
  const seen: string[] = [];
  await inTurns([1, 2, 3], async (item) => {
    seen.push(`begin ${item}`);
    await Promise.resolve();
    seen.push(`end ${item}`);
  });
  expect(seen).toEqual([1, 2, 3].flatMap((item) => [`begin ${item}`, `end ${item}`]));
});
