/** Which ops were called, by the feature that records calls. */

import { expect, test } from "vitest";
import type { Feature } from "../../core/feature.js";
import { loadUsage } from "../../core/usage.js";
import type { Transaction } from "../../runtime/contract/handler.js";

const TX = {} as Transaction;
const counting = (name: string, calls: number): Feature => ({
  name,
  usage: async () => async (_, since) => new Map([[`${name} since ${since}`, { calls, callers: 1 }]]),
});

test("the first feature that reads them counts", async () => {
  const read = await loadUsage([{ name: "none" }, counting("first", 3), counting("second", 4)]);
  expect([...(await read(TX, 5))]).toEqual([["first since 5", { calls: 3, callers: 1 }]]);
});

test("without one, nothing was called", async () => {
  const read = await loadUsage([{ name: "none" }]);
  expect([...(await read(TX, 5))]).toEqual([]);
});
