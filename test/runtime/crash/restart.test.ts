/** A PostgreSQL that restarts under load: no server ends, and calls fail only with temporary errors. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Answered,
  adminKey,
  create,
  exec,
  LIST,
  names,
  probe,
  serveWithState,
  statefulRoot,
} from "../../support/databases/outage.js";
import { type Cluster, NO_CLUSTER, startCluster } from "../../support/databases/postgres-cluster.js";
import type { HttpServed } from "../../support/http.js";
import { SCALE } from "../../support/random.js";

const SLOW = 300_000;
/** Restarts of each kind, and callers of each server. */
const TIMES = Math.max(1, Math.round(5 * SCALE));
const CALLERS = 4;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

describe.skipIf(NO_CLUSTER !== "")(`a PostgreSQL that is restarted under load${NO_CLUSTER}`, () => {
  let cluster: Cluster;
  let servers: readonly HttpServed[];
  let key: string;
  beforeAll(async () => {
    cluster = await startCluster(later);
    const roots = [await statefulRoot({ later }), await statefulRoot({ later }), await statefulRoot({ later })];
    key = await adminKey(roots[0] ?? "", cluster.url);
    servers = await Promise.all(roots.map((root) => serveWithState(root, cluster.url, later)));
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.reverse()) await clean();
  });

  /** Calls until stopped: reads, writes and keyed writes, which are retried until they are answered. */
  async function load(server: HttpServed, name: string, isOver: () => boolean) {
    const failed: Answered[] = [];
    const keyed: string[] = [];
    for (let i = 0; !isOver(); i++) {
      const calls = [LIST, create(`${name} ${i}`), create(`${name} keyed ${i}`, `${name} ${i}`)];
      const [, , last] = await Promise.all(
        calls.map(async (call) => {
          const answered = await exec(server, call, key);
          if (!answered.answer.ok) failed.push(answered);
          return answered;
        }),
      );
      keyed.push(`${name} keyed ${i}`);
      while (!last?.answer.ok) {
        const again = await exec(server, create(`${name} keyed ${i}`, `${name} ${i}`), key);
        if (again.answer.ok) break;
        failed.push(again);
        await sleep(50);
      }
    }
    return { failed, keyed };
  }

  test.each(["fast", "immediate"] as const)(
    "%s: three servers go on, and what has a key is done once",
    { timeout: SLOW },
    async (mode) => {
      let isOver = false;
      const callers = servers.flatMap((server, at) =>
        Array.from({ length: CALLERS }, (_, i) => load(server, `${mode} ${at}.${i}`, () => isOver)),
      );
      for (let time = 0; time < TIMES; time++) {
        await sleep(700);
        const before = cluster.sql("select pg_postmaster_start_time()");
        cluster.restart(mode);
        expect(cluster.sql("select pg_postmaster_start_time()")).not.toBe(before);
        const back = performance.now();
        await expect
          .poll(async () => Promise.all(servers.map((server) => probe(server, "/readyz"))))
          .toEqual([200, 200, 200]);
        expect(performance.now() - back).toBeLessThan(5000);
      }
      await sleep(300);
      isOver = true;
      const done = await Promise.all(callers);
      for (const { answer, status } of done.flatMap(({ failed }) => failed)) {
        // A repeated call may find the first one still under way.
        const isUnderWay = answer.error.code === "CONFLICT" && answer.error.details.reason === "in_flight";
        expect(isUnderWay || answer.error.code === "UNAVAILABLE", `${status} ${JSON.stringify(answer)}`).toBe(true);
      }
      expect(servers.map(({ child }) => [child.exitCode, child.signalCode])).toEqual(servers.map(() => [null, null]));
      const stored = cluster.sql("select name from oubliette_projects where name like '% keyed %'").trim().split("\n");
      const wanted = new Set(done.flatMap(({ keyed }) => keyed));
      expect(stored.filter((name) => wanted.has(name)).sort()).toEqual([...wanted].sort());
      expect((await names(servers[0] as HttpServed, key)).length).toBeGreaterThan(0);
    },
  );
});
