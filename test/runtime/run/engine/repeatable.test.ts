/** A program that runs again with the same seed, start time and deliveries computes the same, whatever the machine does. */

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Delivery, deliveryLog } from "../../../../runtime/run/engine/delivery-log.js";
import { randomOf, SCALE } from "../../../support/random.js";
import { pythonEngine, runWith } from "../../../support/run/python.js";

const engine = pythonEngine(2);
const STARTED_AT = Date.UTC(2026, 0, 2, 3, 4, 5);
const origin = { seed: "ab".repeat(32), startedAt: STARTED_AT };

const READINGS = `
import asyncio, datetime, os, random, secrets, tempfile, time, uuid
class Thing: pass
readings = {
    "time": time.time(), "time_ns": time.time_ns(), "monotonic": time.monotonic(), "perf_counter": time.perf_counter(),
    "process_time": time.process_time(), "now": str(datetime.datetime.now()), "today": str(datetime.date.today()),
    "utc": str(datetime.datetime.now(datetime.timezone.utc)), "local": time.strftime("%H:%M %z"), "zone": list(time.tzname),
    "random": random.random(), "other generator": random.Random().random(), "system": random.SystemRandom().random(),
    "shuffled": random.sample(range(100), 5), "uuid1": str(uuid.uuid1()), "uuid4": str(uuid.uuid4()),
    "urandom": os.urandom(8).hex(), "secrets": secrets.token_hex(8), "hash": hash("text"), "set": list({"a", "bc", "def", "g"}),
    "objects": repr([Thing(), Thing()]), "by id": [id(one) for one in {Thing(), Thing(), Thing()}], "node": uuid.getnode(),
}
__ret(readings)`;

async function readings(given = origin) {
  const outcome = await runWith(engine(), READINGS, { repeat: { origin: given } });
  return outcome.ok ? JSON.parse(outcome.json ?? "null") : outcome;
}

describe("what a program reads of its surroundings", () => {
  test("is the same for the same seed and start time", { tags: "full" }, async () => {
    const first = await readings();
    expect(first).toMatchObject({ now: expect.stringMatching(/^2026-01-02 03:04:05\.\d+$/), local: "03:04 +0000" });
    expect(await readings()).toEqual(first);
  });

  test("random values differ by seed, times by start", { tags: "full" }, async () => {
    const [first, seeded, later] = [
      await readings(),
      await readings({ ...origin, seed: "cd".repeat(32) }),
      await readings({ ...origin, startedAt: STARTED_AT + 60_000 }),
    ];
    for (const name of ["random", "other generator", "system", "shuffled", "uuid4", "urandom", "secrets"]) {
      expect([name, seeded[name]]).not.toEqual([name, first[name]]);
      expect([name, later[name]]).toEqual([name, first[name]]);
    }
    expect([seeded.time, later.time - first.time]).toEqual([first.time, 60]);
    expect(later.monotonic).toBe(first.monotonic);
  });

  test("without an origin, every run has its own seed and the time of the machine", { tags: "full" }, async () => {
    const before = Date.now();
    const code = "import random, time\n__ret([random.random(), time.time()])";
    const made = [await runWith(engine(), code), await runWith(engine(), code)].map((one) =>
      one.ok ? (JSON.parse(one.json ?? "") as number[]) : [],
    );
    expect(made[0]?.[0]).not.toBe(made[1]?.[0]);
    for (const [, at = 0] of made) expect(at * 1000).toBeGreaterThanOrEqual(before);
    for (const [, at = 0] of made) expect(at * 1000).toBeLessThanOrEqual(Date.now());
  });

  test("time passes while a program sleeps and while a tool works", async () => {
    const code = `import time
start = [time.time(), time.monotonic()]
time.sleep(0.05)
slept = [time.time() - start[0], time.monotonic() - start[1]]
demo.wait()
__ret([*slept, time.time() - start[0]])`;
    const outcome = await runWith(engine(), code, { ops: { "demo.wait": () => sleep(60).then(() => null) } });
    const [wall = 0, monotonic = 0, all = 0] = outcome.ok ? (JSON.parse(outcome.json ?? "") as number[]) : [];
    expect(wall).toBeGreaterThan(0.045);
    expect(monotonic).toBeCloseTo(wall, 3);
    expect(all).toBeGreaterThan(wall + 0.055);
  });
});

/** Calls in parallel whose answers arrive in any order; what is printed depends on that order. */
const PARALLEL = `
import asyncio, random, time
seen = []

async def chain(number):
    value = await demo.work(n=number)
    seen.append(("first", number, time.time()))
    if random.random() < 0.5:
        await asyncio.sleep(random.random() / 50)
        seen.append(("slept", number, time.monotonic()))
    again = await demo.work(n=value * 100)
    seen.append(("second", again))
    return again

async def hurried(number):
    try:
        return await asyncio.wait_for(demo.work(n=number), timeout=0.02)
    except asyncio.TimeoutError:
        seen.append(("late", number))
        return None

async def main():
    tasks = [asyncio.ensure_future(chain(number)) for number in range(12)]
    hurry = [asyncio.ensure_future(hurried(1000 + number)) for number in range(4)]
    for task in asyncio.as_completed(tasks):
        seen.append(("done", await task))
    results = await asyncio.gather(*hurry, demo.work(n=5000))
    return [results, sorted({str(one) for one in seen}) == sorted(str(one) for one in seen), seen]

result = await main()
__ret(result)`;

interface Schedule {
  /** Latency of a call, in milliseconds. */
  readonly latency: () => number;
  readonly earlier?: readonly Delivery[];
}

async function scheduled({ latency, earlier = [] }: Schedule) {
  const log = deliveryLog(earlier);
  const work = async (call: { readonly named: readonly (readonly [string, unknown])[] }) => {
    await sleep(latency());
    return Number(call.named[0]?.[1]) + 1;
  };
  const outcome = await runWith(engine(), PARALLEL, { ops: { "demo.work": work }, repeat: { origin, log } });
  expect(outcome).toMatchObject({ ok: true });
  return { json: outcome.ok ? outcome.json : "", calls: outcome.calls.map(({ named }) => named), log };
}

describe("parallel calls", () => {
  const schedules = Math.max(4, Math.round(1000 * SCALE));
  test(`${schedules} schedules repeat what the first did`, {
    tags: "full",
    timeout: 30_000 + schedules * 5_000,
  }, async () => {
    const repeats = async (seed: number): Promise<void> => {
      const random = randomOf(seed);
      const first = await scheduled({ latency: () => random() * 30 });
      const again = await scheduled({ latency: () => random() * 3, earlier: first.log.deliveries });
      expect([seed, again.json]).toEqual([seed, first.json]);
      expect(again.calls).toEqual(first.calls);
      expect(again.log.deliveries).toEqual(first.log.deliveries);
    };
    for (let seed = 1; seed <= schedules; seed += 2) await Promise.all([repeats(seed), repeats(seed + 1)]);
  });

  test("a part of the deliveries is repeated, then the program goes on", { tags: "full" }, async () => {
    const random = randomOf(7);
    const first = await scheduled({ latency: () => random() * 30 });
    const half = first.log.deliveries.slice(0, 9);
    const again = await scheduled({ latency: () => random() * 30, earlier: half });
    expect(again.log.deliveries.slice(0, 9)).toEqual(half);
    expect(again.log.deliveries.length).toBeGreaterThan(9);
  });
});
