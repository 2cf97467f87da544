/** Rates of keys that servers share: together they admit no more than one would, and hardly less. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import type { Rates } from "../../../runtime/access/rate.js";
import { createSharedRates, leaseOf } from "../../../runtime/access/shared-rate.js";
import { silentLog } from "../../../runtime/config/log.js";
import type { Logger } from "../../../runtime/contract/handler.js";
import { openState, type State } from "../../../runtime/state/open.js";
import { temporaryFolder } from "../../support/project.js";
import { NO_DATABASE, startSharedDatabase } from "../../support/shared-database.js";

const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
afterEach(async () => {
  for (const clean of cleaning.splice(0).reverse()) await clean();
});

test.each([
  [20, 1, 5],
  [20, 3, 1],
  [240, 3, 20],
  [1e6, 1, 20],
  [0, 3, 1],
  [100, 0, 20],
])("with a burst of %d, each of %d servers takes %d calls at once", (burst, replicas, lease) => {
  expect(leaseOf(burst, replicas)).toBe(lease);
});

/** A state whose statements are counted. */
function counted(state: State): State & { statements(): number } {
  let statements = 0;
  const { shared } = state;
  const once: NonNullable<State["shared"]>["once"] = (work) => {
    statements++;
    return (shared as NonNullable<typeof shared>).once(work);
  };
  return { ...state, ...(shared ? { shared: { ...shared, once } } : {}), statements: () => statements };
}

describe.skipIf(NO_DATABASE !== "")(`on one PostgreSQL${NO_DATABASE}`, () => {
  async function servers(count: number, rates: { burst: number; perSecond: number }) {
    const { href: url } = await startSharedDatabase(later);
    return Promise.all(
      Array.from({ length: count }, async () => {
        const state = counted(await openState({ url, root: temporaryFolder(later) }));
        later(() => state.close());
        const clock = () => performance.now();
        const parts = { rates, state: async () => state, replicas: () => count, clock, log: silentLog };
        return { state, take: createSharedRates(parts).take };
      }),
    );
  }

  /** Calls for a time, as fast as answers come; returns how many calls were admitted. */
  async function load(take: Rates["take"], ms: number): Promise<number> {
    let admitted = 0;
    for (const until = performance.now() + ms; performance.now() < until; )
      if ((await take("key")) === 0) admitted++;
      else await sleep(1);
    return admitted;
  }

  test("three servers admit the burst and what is refilled, no call more", { tags: "slow" }, async () => {
    for (const [burst, perSecond] of [
      [20, 10],
      [400, 300],
    ] as const) {
      const three = await servers(3, { burst, perSecond });
      const began = performance.now();
      const loads = three.flatMap(({ take }) => Array.from({ length: 4 }, () => load(take, 800)));
      const admitted = (await Promise.all(loads)).reduce((sum, one) => sum + one, 0);
      const most = burst + (perSecond * (performance.now() - began)) / 1000;
      expect(admitted).toBeLessThanOrEqual(most);
      // A busy machine makes fewer calls than may be made.
      expect(admitted).toBeGreaterThan(burst / 4);
    }
  });

  test("answers as the rates of one process do: waits, batches, debt, no calls", async () => {
    const [one, two] = await servers(2, { burst: 5, perSecond: 10 });
    if (!one || !two) throw new Error("two servers");
    expect(await Promise.all([one.take("a", 3), one.take("a", 0)])).toEqual([0, 0]);
    expect(await two.take("a", 2)).toBe(0);
    const wait = await one.take("a");
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(100);
    await sleep(wait);
    expect(await two.take("a")).toBe(0);
    expect(await one.take("b", 20)).toBe(0);
    expect(await two.take("b")).toBeGreaterThan(1400);
    const [none] = await servers(1, { burst: 0, perSecond: 10 });
    expect(await none?.take("a")).toBeGreaterThan(0);
  });

  test("a busy key asks the database once for many calls, an idle one for each", async () => {
    const [server] = await servers(1, { burst: 1000, perSecond: 1000 });
    if (!server) throw new Error("one server");
    for (let call = 0; call < 200; call++) expect(await server.take("busy")).toBe(0);
    expect(server.state.statements()).toBeLessThan(30);
    const before = server.state.statements();
    expect(await Promise.all(Array.from({ length: 50 }, () => server.take("at once")))).toEqual(Array(50).fill(0));
    expect(server.state.statements() - before).toBeLessThanOrEqual(3);
  });
});

test("while the database is away, each server has its share, and says so once", async () => {
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (...said: unknown[]) => void warnings.push(said) } as Logger;
  const state = () => Promise.reject(new Error("away"));
  let now = 0;
  const parts = { rates: { burst: 30, perSecond: 30 }, state, replicas: () => 3, clock: () => now, log };
  const { take } = createSharedRates(parts);
  const admitted = async (): Promise<number> => {
    let count = 0;
    while ((await take("key")) === 0) count++;
    return count;
  };
  expect(await admitted()).toBe(10);
  now += 1000;
  expect(await admitted()).toBe(10);
  expect(warnings).toHaveLength(1);
});
