/**
 * Three servers behind a balancer that asks for `/readyz`, on one PostgreSQL, under load: restarted one after the other,
 * and killed again and again. `SCALE=1` kills for ten minutes.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SCALE } from "../../support/random.js";
import { type Balanced, NO_BALANCER, startBalanced } from "../../support/servers/balanced.js";
import { checkStored, type Load, load, readsAndWrites } from "../../support/servers/load.js";
import { NO_DATABASE, startSharedDatabase } from "../../support/shared-database.js";

const SLOW = 900_000;
const CALLERS = 8;
const KILL_EVERY_MS = 5000;
const SOAK_MS = Math.max(10_000, 600_000 * SCALE);
const KEPT = { lost: 0, doubled: 0, wrong: 0 };
const missing = NO_DATABASE + NO_BALANCER;

describe.skipIf(missing !== "")(`three servers behind a balancer${missing}`, () => {
  const cleaning: (() => unknown)[] = [];
  let database: string;
  let servers: Balanced;
  beforeAll(async () => {
    database = (await startSharedDatabase((clean) => void cleaning.push(clean))).href;
    servers = await startBalanced(database, 3, (clean) => void cleaning.push(clean));
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.splice(0).reverse()) await clean();
  });

  /** Calls until a step has ended. */
  async function during(step: () => Promise<void>): Promise<Load> {
    const ended = new AbortController();
    const calls = load({ ...servers, callers: CALLERS, until: ended.signal, next: readsAndWrites() });
    await sleep(500);
    await step();
    ended.abort();
    return calls;
  }

  test("a restart of each, one after the other, fails no request", { timeout: SLOW, tags: "full" }, async () => {
    const { done, failures, stored } = await during(async () => {
      for (let i = 0; i < servers.count; i++) await servers.restart(i, "SIGTERM");
    });
    expect(failures).toEqual([]);
    expect(done).toBeGreaterThan(20);
    expect(stored.size).toBeGreaterThan(0);
    expect(await checkStored(database, stored)).toEqual(KEPT);
  });

  test("nothing is lost or done twice while one is killed again and again", {
    timeout: SLOW,
    tags: "full",
  }, async () => {
    let kills = 0;
    const { done, stored, failures } = await during(async () => {
      const end = performance.now() + SOAK_MS;
      while (performance.now() < end) {
        const began = performance.now();
        await servers.restart(kills++ % servers.count, "SIGKILL");
        await sleep(Math.max(0, KILL_EVERY_MS - (performance.now() - began)));
      }
    });
    console.info(`${kills} kills, ${done} calls, ${stored.size} stored, ${failures.length} requests failed`);
    expect(stored.size).toBeGreaterThan(0);
    expect(await checkStored(database, stored)).toEqual(KEPT);
  });
});
