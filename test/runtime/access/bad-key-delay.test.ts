/** Wrong keys over HTTP: the first answers come at once, further ones are delayed, and other callers are not. */

import { expect, test } from "vitest";
import { createBadKeyDelay } from "../../../runtime/access/bad-key-delay.js";

/** A delay on a clock that the test sets. */
function delayed() {
  let now = 0;
  const delay = createBadKeyDelay(() => now);
  return {
    waits: (count: number, address = "a") => Array.from({ length: count }, () => delay.waitOf(address)),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test("ten a minute are answered at once, the others one after the other", () => {
  const { waits, pass } = delayed();
  expect(waits(10)).toEqual(Array(10).fill(0));
  expect(waits(4)).toEqual([50, 55, 60, 65]);
  expect(waits(1, "b")).toEqual([0]);
  pass(1000);
  expect(waits(1)).toEqual([50]);
  pass(60_000);
  expect(waits(10)).toEqual(Array(10).fill(0));
});

test("where the queue is long, further ones do not wait, and the queue does not grow", () => {
  const { waits, pass } = delayed();
  const all = waits(2000);
  expect(all.filter((one) => one === "full")).toHaveLength(2000 - 10 - 391);
  pass(2000);
  expect(waits(1)).toEqual([50]);
});

test("of many addresses those that were quiet for longest are forgotten, and never one that goes on", () => {
  const { waits } = delayed();
  waits(11, "busy");
  waits(11, "quiet");
  for (let i = 0; i < 9_999; i++) {
    waits(1, `10.0.${i >> 8}.${i & 255}`);
    if (i % 100 === 0) expect(waits(1, "busy")[0]).toBeGreaterThan(0);
  }
  expect(waits(1, "busy")[0]).toBeGreaterThan(0);
  expect(waits(1, "quiet")).toEqual([0]);
});
