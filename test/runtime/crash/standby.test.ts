/** A PostgreSQL that is away, or takes no writes because it is a standby: routes and calls say that it passes. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminKey, create, exec, probe, serveWithState, statefulRoot } from "../../support/databases/outage.js";
import { type Cluster, NO_CLUSTER, startCluster } from "../../support/databases/postgres-cluster.js";
import type { HttpServed } from "../../support/http.js";

const SLOW = 300_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

const GETS = ["registry", "stats", "calls", "servers", "config", "connections", "approvals"];
const POSTS: readonly (readonly [path: string, body: object])[] = [
  ["approvals/decide", { run: "run_a", call: "1", decision: "approved" }],
  ["approvals/stop", { run: "run_a" }],
  ["exec", create("while it is away")],
];

describe.skipIf(NO_CLUSTER !== "")(`a PostgreSQL of one server${NO_CLUSTER}`, () => {
  let cluster: Cluster;
  let server: HttpServed;
  let key: string;
  let root: string;
  beforeAll(async () => {
    cluster = await startCluster(later);
    root = await statefulRoot({ later });
    key = await adminKey(root, cluster.url);
    server = await serveWithState(root, cluster.url, later);
    expect((await exec(server, create("before"), key)).answer.ok).toBe(true);
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.reverse()) await clean();
  });

  async function asked(path: string, body?: object) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const how = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
    const response = await fetch(new URL(`/api/${path}`, server.url), how);
    return { path, status: response.status, answer: JSON.parse(await response.text()) };
  }

  test("while it is away, no route answers 500, and those that need it say when to ask again", {
    tags: "slow",
    timeout: SLOW,
  }, async () => {
    const away = cluster.outage("fast", 15_000);
    await expect.poll(() => probe(server, "/readyz")).toBe(503);
    const answers = await Promise.all([
      ...GETS.map((path) => asked(path)),
      ...POSTS.map(([path, body]) => asked(path, body)),
    ]);
    expect(answers.filter(({ status }) => status >= 500 && status !== 503)).toEqual([]);
    const needed = answers.filter(({ path }) => path.startsWith("approvals"));
    for (const { path, status, answer } of needed)
      expect({ path, status, details: answer.error?.details }).toMatchObject({
        status: 503,
        details: { retry_after_ms: expect.any(Number) },
      });
    expect(answers.at(-1)?.answer.error).toMatchObject({ code: "UNAVAILABLE", details: { reason: "unreachable" } });
    await away;
    await expect.poll(() => probe(server, "/readyz")).toBe(200);
  });

  test("a standby in recovery is a failure that passes, at the start of a server too", {
    tags: "slow",
    timeout: SLOW,
  }, async () => {
    cluster.demote();
    const standby = { code: "UNAVAILABLE", details: { reason: "standby", retry_after_ms: expect.any(Number) } };
    expect((await exec(server, create("on a standby"), key)).answer.error).toMatchObject(standby);
    const second = await serveWithState(root, cluster.url, later);
    expect(await probe(second, "/readyz")).toBe(503);
    cluster.promote();
    for (const one of [server, second]) {
      await expect.poll(() => probe(one, "/readyz")).toBe(200);
      expect((await exec(one, create(`after ${one.url}`), key)).answer.ok).toBe(true);
    }
  });
});
