/** The order of deliveries alone decides what a program does: not when they come, and not how many come together. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Delivery, deliveryLog } from "../../../runtime/run/engine/delivery-log.js";
import { randomOf, SCALE } from "../../../test/support/random.js";
import { keyword } from "../../../test/support/run/python.js";
import { givenBy, typescriptRuns } from "./typescript-runs.js";

const run = typescriptRuns(2);
const ORIGIN = { seed: "ab".repeat(32), startedAt: Date.UTC(2026, 0, 2, 3, 4, 5) };
const PROGRAMS = Math.max(4, Math.round(500 * SCALE * SCALE));
/** Time between deliveries that come one by one, in milliseconds. */
const APART_MS = 2;

const STEPS: readonly string[] = [
  "await pause();",
  "await call();",
  "await Promise.all([call(), pause(), call()]);",
  "await Promise.race([call(), call(), pause()]);",
  "await Promise.allSettled([call(), demo.fail(), Promise.any([pause(), call()])]);",
  "for await (const _ of slow()) await call();",
];

/** A program of up to 20 parts at once, in which each call has arguments that depend on all that was before it. */
function programOf(random: () => number): string {
  const parts = Array.from({ length: 1 + Math.floor(random() * 20) }, (_, part) => {
    const steps = Array.from(
      { length: 1 + Math.floor(random() * 3) },
      () => STEPS[Math.floor(random() * STEPS.length)],
    );
    return `(async (name: number) => { ${steps.join(" ").replaceAll("call()", "call(name)")} })(${part})`;
  });
  return `
const seen: unknown[] = [];
const pause = () => new Promise<void>((go) => setTimeout(() => { seen.push("timer"); go(); }, Math.random() * 8));
const call = async (name: number) => seen.push(await demo.echo({ value: [name, seen.length, Math.random(), Date.now()] }));
async function* slow() { for (let n = 0; n < 2; n++) { await pause(); yield n; } }
await Promise.all([${parts.join(", ")}]);
seen`;
}

/** Runs a program whose calls answer after some time; gives what it was told, did, and was delivered. */
async function told(code: string, earlier: readonly Delivery[], waitOf: (nth: number) => number) {
  const log = deliveryLog(earlier);
  let nth = 0;
  const answer = async <T>(value: T): Promise<T> => {
    const ms = waitOf(++nth);
    if (ms > 0) await sleep(ms);
    return value;
  };
  const outcome = await run(code, {
    repeat: { origin: ORIGIN, log },
    ops: {
      "demo.echo": (call) => answer(keyword(call, "value") ?? null),
      "demo.fail": () => answer(null).then(() => Promise.reject(new Error("it has failed"))),
    },
  });
  const calls = outcome.calls.map(({ path, named, line }) => ({ path, named, line }));
  return { told: { given: givenBy(outcome), calls }, deliveries: log.deliveries };
}

test(`${PROGRAMS} programs do the same with the same deliveries, together, one by one, in another order of readiness`, {
  timeout: 60_000 + PROGRAMS * 2000,
}, async () => {
  const random = randomOf(Number(process.env["SEED"] ?? "20261201"));
  for (let n = 0; n < PROGRAMS; n++) {
    const code = programOf(random);
    const first = await told(code, [], () => random() * 6);
    expect(first.told.given, code).toMatch(/^\[/);
    const places = new Map(first.deliveries.map((one, place) => ["call" in one ? one.call : 0, place]));
    const waits: readonly ((nth: number) => number)[] = [
      () => 0,
      (nth) => (places.get(nth) ?? 0) * APART_MS,
      () => random() * 10,
    ];
    for (const waitOf of waits) {
      const again = await told(code, first.deliveries, waitOf);
      expect(again.told, code).toEqual(first.told);
      expect(again.deliveries).toEqual(first.deliveries);
    }
  }
});
