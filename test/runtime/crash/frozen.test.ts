/** A PostgreSQL that does not answer: each call ends within its time limit, and all works again once the database answers. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  adminKey,
  CALL_MS,
  create,
  exec,
  GRACE_MS,
  LIST,
  names,
  probe,
  serveWithState,
  statefulRoot,
} from "../../support/databases/outage.js";
import { type Cluster, NO_CLUSTER, startCluster } from "../../support/databases/postgres-cluster.js";
import { type HttpServed, serveHttp } from "../../support/http.js";
import { CHECKOUT } from "../../support/project.js";
import { SCALE } from "../../support/random.js";

const SLOW = 120_000;
/** As long as the outage at full size; else as long as a call may take. */
const FROZEN_MS = SCALE < 1 ? CALL_MS + GRACE_MS : 40_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

describe.skipIf(NO_CLUSTER !== "")(`a PostgreSQL that is stopped by SIGSTOP${NO_CLUSTER}`, () => {
  let cluster: Cluster;
  let open: HttpServed;
  let guarded: HttpServed;
  let key: string;
  beforeAll(async () => {
    cluster = await startCluster(later);
    const root = await statefulRoot({ later });
    const openRoot = await statefulRoot({ later, config: ["# access for all users of this machine"] });
    key = await adminKey(root, cluster.url);
    cluster.sql("create database other");
    guarded = await serveWithState(root, cluster.url, later);
    open = await serveWithState(openRoot, cluster.url.replace(/postgres$/, "other"), later);
    for (let i = 0; i < 6; i++) {
      await Promise.all([exec(guarded, create(`before ${i}`, `key ${i}`), key), exec(open, create(`before ${i}`))]);
      await Promise.all([exec(guarded, LIST, key), exec(open, LIST)]);
    }
    expect((await names(open)).length).toBe(6);
    expect((await names(guarded, key)).length).toBe(6);
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.reverse()) await clean();
  });

  test("every call answers UNAVAILABLE within its time and a second, then all works again", {
    timeout: SLOW,
  }, async () => {
    cluster.freeze();
    const frozen = performance.now();
    try {
      const calls = ["a", "b", "c"].flatMap((name) => [
        exec(open, LIST),
        exec(open, create(`frozen ${name}`)),
        exec(open, create(`frozen keyed ${name}`, `frozen ${name}`)),
        exec(open, { op: "ot.stats", args: { period: "day" } }),
      ]);
      const asked = ["a", "b", "c"].map(() => exec(guarded, LIST, key));
      const probes = [probe(open, "/readyz"), probe(guarded, "/readyz")];
      for (const { answer, ms } of await Promise.all([...calls, ...asked])) {
        expect(answer.error, JSON.stringify(answer)).toMatchObject({ code: "UNAVAILABLE" });
        expect(ms, JSON.stringify(answer)).toBeLessThan(CALL_MS + GRACE_MS);
      }
      expect(await Promise.all(probes)).toEqual([503, 503]);
      expect(await probe(open, "/healthz")).toBe(200);
      // Later calls find no connection at all, and are no slower.
      const more = await Promise.all([exec(open, LIST), exec(open, create("frozen later")), exec(guarded, LIST, key)]);
      for (const { answer, ms } of more) {
        expect(answer.error, JSON.stringify(answer)).toMatchObject({ code: "UNAVAILABLE" });
        expect(ms).toBeLessThan(CALL_MS + GRACE_MS);
      }
      await sleep(Math.max(0, FROZEN_MS - (performance.now() - frozen)));
    } finally {
      cluster.thaw();
    }
    await expect.poll(async () => (await exec(open, LIST)).answer.ok).toBe(true);
    await expect.poll(async () => (await exec(guarded, LIST, key)).answer.ok).toBe(true);
    await expect.poll(() => probe(open, "/readyz")).toBe(200);
    // Nothing that was refused comes to be afterwards, and a keyed call is carried out once.
    expect((await exec(open, create("frozen keyed a", "frozen a"))).answer.ok).toBe(true);
    expect((await exec(open, create("frozen keyed a", "frozen a"))).answer).toMatchObject({
      ok: true,
      meta: { replayed: true },
    });
    expect((await names(open)).filter((name) => name.startsWith("frozen"))).toEqual(["frozen keyed a"]);
    expect([open.child.exitCode, guarded.child.exitCode]).toEqual([null, null]);
  });

  test("requests whose key is being looked at count among those that are open", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    cluster.freeze();
    try {
      // Until then a key counts that was looked at before.
      await sleep(4000);
      const many = await Promise.all(Array.from({ length: 24 }, () => exec(guarded, LIST, key)));
      const busy = many.filter(({ answer }) => answer.error.message === "Too many requests at once.");
      expect(busy.length).toBe(24 - 16);
      for (const { ms } of busy) expect(ms).toBeLessThan(1000);
      for (const { answer, ms } of many) {
        expect(answer.error.code).toBe("UNAVAILABLE");
        expect(ms).toBeLessThan(CALL_MS + GRACE_MS);
      }
    } finally {
      cluster.thaw();
    }
    await expect.poll(async () => (await exec(guarded, LIST, key)).answer.ok).toBe(true);
  });

  test("a server ends in time while its database is frozen", { timeout: SLOW, tags: "full" }, async () => {
    const root = await statefulRoot();
    const server = await serveWithState(root, cluster.url.replace(/postgres$/, "other"));
    expect((await exec(server, LIST)).answer.ok).toBe(true);
    cluster.freeze();
    try {
      const began = performance.now();
      server.signal("SIGTERM");
      expect(await server.exit).toBe(0);
      expect(performance.now() - began).toBeLessThan(20_000);
    } finally {
      cluster.thaw();
    }
  });
});

test("SQLite: a process that is stopped while it writes keeps writers out, each for its own time, and readers not at all", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const root = await statefulRoot();
  const server = await serveHttp(root, ["--allow-write"]);
  expect((await exec(server, create("before"))).answer.ok).toBe(true);
  const holder = spawn(process.execPath, ["-e", HOLDER, join(root, ".onetool", "state.db")], { cwd: CHECKOUT });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await new Promise((resolve) => holder.stdout.once("data", resolve));
  holder.kill("SIGSTOP");
  const calls = [exec(server, create("a")), exec(server, create("b", "b"))];
  expect((await exec(server, LIST)).answer.ok).toBe(true);
  for (const { answer, ms } of await Promise.all(calls)) {
    expect(answer.error).toMatchObject({ code: "UNAVAILABLE", details: { reason: "locked" } });
    expect(ms).toBeLessThan(CALL_MS + GRACE_MS);
  }
  expect(await probe(server, "/readyz")).toBe(503);
  holder.kill("SIGKILL");
  await expect.poll(() => probe(server, "/readyz")).toBe(200);
  expect((await exec(server, create("b", "b"))).answer).toMatchObject({ ok: true });
  expect([...(await names(server))].sort()).toEqual(["b", "before"]);
});

const HOLDER = `
const Database = require("libsql");
const database = new Database(process.argv[1]);
database.exec("begin immediate");
console.log("held");
setInterval(() => database.inTransaction, 1000);
`;
