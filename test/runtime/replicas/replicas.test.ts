/** The rate of a key over three servers: all together admit what one would. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exec, LIST } from "../../support/outage.js";
import { type Replicas, startReplicas } from "../../support/replicas.js";
import { NO_DATABASE, startSharedDatabase } from "../../support/shared-database.js";

const SLOW = 300_000;
const RATE = { burst: 60, per_second: 40 };
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

describe.skipIf(NO_DATABASE !== "")(`three servers on one PostgreSQL${NO_DATABASE}`, () => {
  let replicas: Replicas;
  beforeAll(async () => {
    const { href: url } = await startSharedDatabase(later);
    replicas = await startReplicas({ url, config: { access: { rate: RATE } }, later });
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.reverse()) await clean();
  });

  test("admit burst + rate × time, whichever of them is called", { timeout: SLOW }, async () => {
    const began = performance.now();
    let admitted = 0;
    const caller = async (): Promise<void> => {
      while (performance.now() - began < 3000) {
        const { status, answer } = await exec(replicas.next(), LIST, replicas.key);
        if (status === 200) admitted++;
        else expect([status, answer.error.code]).toEqual([429, "RATE_LIMITED"]);
      }
    };
    await Promise.all(Array.from({ length: 12 }, caller));
    const most = RATE.burst + (RATE.per_second * (performance.now() - began)) / 1000;
    expect(admitted).toBeLessThanOrEqual(most);
    expect(admitted).toBeGreaterThan(most / 2);
  });
});
