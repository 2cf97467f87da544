/** The state database behind a real PgBouncer in transaction mode, which accepts LISTEN and delivers nothing. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openState, type State } from "../../../runtime/state/open.js";
import { adminKey, create, exec, names, statefulRoot } from "../../support/databases/outage.js";
import { startCluster } from "../../support/databases/postgres-cluster.js";
import { serveHttp } from "../../support/http.js";
import { temporaryFolder, toolwright } from "../../support/project.js";
import { NO_DATABASE } from "../../support/shared-database.js";
import { NO_POOLER, type Pooled, startPooler } from "./pooler.js";

const SLOW = 120_000;
const missing = NO_DATABASE + NO_POOLER;
const SERVER = process.env["TOOLWRIGHT_TEST_POSTGRES"] ?? "";

describe.skipIf(missing !== "")(`behind PgBouncer${missing}`, () => {
  const cleaning: (() => unknown)[] = [];
  const later = (clean: () => unknown): void => void cleaning.push(clean);
  let urls: Pooled;
  beforeAll(async () => {
    urls = await startPooler(SERVER === "" ? (await startCluster(later)).url : SERVER, later);
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.splice(0).reverse()) await clean();
  });

  async function opened(listenUrl?: string): Promise<{ readonly state: State; readonly warned: readonly string[] }> {
    const warned: string[] = [];
    const warn = (message: string): void => void warned.push(message);
    const state = await openState({ url: urls.pooled, root: temporaryFolder(later), listenUrl, warn });
    later(() => state.close());
    return { state, warned };
  }

  /** How long a message takes from one server to another. */
  async function passing(from: State, to: State): Promise<number> {
    const arrived = new Promise<void>((resolve) => later(to.notifier.on("keys", () => resolve())));
    const began = performance.now();
    await from.transaction("write", (tx) => from.send(tx, { topic: "keys", payload: "k" }));
    await arrived;
    return performance.now() - began;
  }

  test("messages are polled, with one warning; around it they are pushed", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const [one, other] = [await opened(), await opened()];
    later(other.state.notifier.on("jobs", () => undefined));
    await expect.poll(() => other.warned.length).toBe(1);
    expect(other.warned[0]).toContain("listen_url");
    expect(other.state.notifier.isPushed()).toBe(false);
    expect(await passing(one.state, other.state)).toBeLessThan(2500);
    const around = await opened(urls.direct);
    later(around.state.notifier.on("jobs", () => undefined));
    await expect.poll(() => around.state.notifier.isPushed()).toBe(true);
    expect(around.warned).toEqual([]);
  });

  test("servers write, refuse a revoked key, and doctor says what is wrong", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const root = await statefulRoot({ config: [`state: ${JSON.stringify(urls.pooled)}`], later });
    const key = await adminKey(root, urls.pooled);
    const [one, other] = await Promise.all([1, 2].map(() => serveHttp(root, ["--allow-write"], later)));
    if (!one || !other) throw new Error("no servers");
    const wanted = Array.from({ length: 24 }, (_, i) => `p${i}`);
    const answers = await Promise.all(
      wanted.map((name, i) => exec(i % 2 === 0 ? one : other, create(name, `key ${name}`), key)),
    );
    expect(answers.map(({ answer }) => answer.ok)).toEqual(wanted.map(() => true));
    expect([...(await names(other, key))].sort()).toEqual([...wanted].sort());
    const made = await toolwright([
      "keys",
      "create",
      "--name",
      "second",
      "--scope",
      "read",
      "--root",
      root,
      "--state",
      urls.pooled,
    ]);
    const [second = ""] = /oub_\S+/.exec(made.stdout + made.stderr) ?? [];
    expect((await exec(other, { op: "ot.version" }, second)).status).toBe(200);
    const [, id = ""] = /^oub_([^_]+)_/.exec(second) ?? [];
    const revoked = await toolwright(["keys", "revoke", id, "--root", root, "--state", urls.pooled]);
    expect(revoked.code).toBe(0);
    const began = performance.now();
    await expect.poll(async () => (await exec(other, { op: "ot.version" }, second)).status, { interval: 20 }).toBe(401);
    expect(performance.now() - began).toBeLessThan(1500);
    const { stdout } = await toolwright(["doctor", "--root", root]);
    expect(stdout).toContain("notifications of PostgreSQL do not arrive");
    expect(stdout).toContain("state.listen_url");
  });
});
