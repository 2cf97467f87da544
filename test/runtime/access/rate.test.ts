/**
 * The rate limit of keys: bursts, refill, and batches. Wrong keys over HTTP: the first answers come at once, further ones are delayed, and
 * other callers are not.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { callsIn, createBadKeyDelay, createRates } from "../../../runtime/access/rate.js";

/** Rates over a clock that is set by hand. */
function timed(burst: number, perSecond: number) {
  let now = 0;
  const { take } = createRates({ burst, perSecond }, () => now);
  const pass = (ms: number): void => {
    now += ms;
  };
  return { take, pass };
}

test("a key may make its burst at once, then as many as are refilled", () => {
  const { take, pass } = timed(20, 10);
  for (let call = 0; call < 20; call++) expect(take("a")).toBe(0);
  expect(take("a")).toBe(100);
  pass(99);
  expect(take("a")).toBe(1);
  pass(1);
  expect(take("a")).toBe(0);
  expect(take("a")).toBe(100);
});

test("each key has a bucket of its own, and a refused call takes nothing from it", () => {
  const { take, pass } = timed(2, 1);
  expect([take("a"), take("a"), take("b")]).toEqual([0, 0, 0]);
  for (let call = 0; call < 100; call++) expect(take("a")).toBe(1000);
  pass(1000);
  expect([take("a"), take("a"), take("b"), take("b")]).toEqual([0, 1000, 0, 0]);
});

test("a batch takes as many as it has entries, all or none", () => {
  const { take, pass } = timed(20, 10);
  expect(take("a", 15)).toBe(0);
  expect(take("a", 6)).toBe(100);
  expect(take("a", 5)).toBe(0);
  pass(60_000);
  expect(take("a", 20)).toBe(0);
});

test("more than the burst at once are taken from a full bucket, which is in debt then", () => {
  const { take, pass } = timed(5, 10);
  expect(take("a", 20)).toBe(0);
  expect(take("a")).toBe(1600);
  // What counts as no call costs nothing, so that it is not refused.
  expect(take("a", 0)).toBe(0);
  pass(1600);
  expect(take("a")).toBe(0);
});

test("where nothing is refilled, the wait is as long as a client can wait; a burst of 0 refuses every call", () => {
  const { take, pass } = timed(1, 0);
  expect(take("a")).toBe(0);
  pass(1e9);
  expect(take("a")).toBe(2 ** 31 - 1);
  const none = timed(0, 10);
  none.pass(1e9);
  expect(none.take("a")).toBeGreaterThan(0);
});

test("over any time no key makes more calls than the burst and what was refilled", () => {
  const steps = fc.array(
    fc.record({ wait: fc.integer({ min: 0, max: 500 }), calls: fc.integer({ min: 1, max: 20 }) }),
    {
      maxLength: 60,
    },
  );
  const property = fc.property(steps, (given) => {
    const { take, pass } = timed(20, 10);
    let [time, taken] = [0, 0];
    for (const { wait, calls } of given) {
      pass(wait);
      time += wait;
      const patience = take("a", calls);
      if (patience === 0) taken += calls;
      else {
        expect(patience).toBeLessThanOrEqual(2000);
        pass(patience);
        time += patience;
        expect(take("a", calls)).toBe(0);
        taken += calls;
      }
      expect(taken).toBeLessThanOrEqual(20 + (time * 10) / 1000 + 1e-6);
    }
  });
  fc.assert(property, { seed: 8, numRuns: 200 });
});

test("the keys that are remembered are bounded: many keys do not make it slow", () => {
  const { take } = timed(1, 1);
  for (let key = 0; key < 10_000; key++) take(`k${key}`);
  expect(take("k0")).toBeGreaterThan(0);
  for (let key = 10_000; key < 20_000; key++) take(`k${key}`);
  expect(take("k0")).toBe(0);
});

test("each entry of a batch is a call; any other message is one", () => {
  expect(callsIn("tool_exec", { ops: [1, 2, 3] })).toBe(1);
  expect(callsIn("tool_batch", { ops: [1, 2, 3] })).toBe(3);
  expect(callsIn("tool.batch", { ops: [1, 2, 3] })).toBe(3);
  expect(callsIn("tool_batch", { ops: Array(1000).fill(0) })).toBe(20);
  for (const odd of [undefined, null, [], "x", {}, { ops: [] }, { ops: "many" }])
    expect(callsIn("tool_batch", odd)).toBe(1);
});

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
