/** Whose calls the statistics show to whom, through the programmatic API and the console. */

import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createGateway } from "../../../generator/entry/index.js";
import type { WrittenConfig } from "../../../runtime/contract/settings/project-settings.js";
import { loadFeatures } from "../../../runtime/gateway/features.js";
import { fixture, okOf, principal } from "../../../test/runtime/gateway/fixture.js";
import { raw } from "../../../test/support/http.js";
import { CHECKOUT, generatedRoot, type Json } from "../../../test/support/project.js";
import { serveKeys } from "../../../test/support/servers/served-keys.js";
import { STATISTICS_OF_CALLS } from "../feature.js";
import type { StatisticsConfig } from "../settings.js";

const DEMO = join(CHECKOUT, "test/support/demos/access-demo/definitions");
const SLOW = 120_000;

test("a named caller is not the owner of the machine: it sees its own statistics only", { timeout: SLOW }, async () => {
  const root = await generatedRoot(DEMO, (clean) => onTestFinished(async () => clean()));
  const gateway = await createGateway({ root, allowWrite: true, logLevel: "silent" });
  onTestFinished(() => gateway.close());
  const calls = async (options = {}): Promise<number> =>
    ((await gateway.exec("ot.stats", { period: "all", tool: "vault.list_notes" }, options)) as Json).result.total_calls;
  const caller = { id: "carl", grant: { level: "read", projects: "*" } } as const;
  await gateway.exec("vault.list_notes");
  await gateway.exec("vault.list_notes", {}, { caller });
  expect(await calls({ caller })).toBe(1);
  expect(await calls()).toBe(2);
});

test("the console: the caller's own, all of them for an admin; an unknown period is 400, no login 401", {
  timeout: SLOW,
}, async () => {
  const { known, server } = await serveKeys((clean) => onTestFinished(async () => void (await clean())));
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const get = (path: string, headers = {}) => raw(server.url, { method: "GET", path, headers });
  const json = async (path: string, key: string): Promise<Json> => JSON.parse((await get(path, bearer(key))).text);
  const exec = (key: string) =>
    raw(server.url, { path: "/api/exec", body: { op: "vault.list_notes", args: {} }, headers: bearer(key) });
  await exec(known.project.key);
  await exec(known.read.key);
  const total = async (key: string) => (await json("/api/stats?period=day", key)).total_calls;
  expect(await total(known.project.key)).toBe(1);
  expect(await total(known.admin.key)).toBeGreaterThan(1);
  const one = await json("/api/stats?period=all&tool=vault.list_notes", known.project.key);
  expect(one.tools.map(({ tool }: Json) => tool)).toEqual(["vault.list_notes"]);
  expect((await get("/api/stats?period=century", bearer(known.read.key))).status).toBe(400);
  expect((await get("/api/stats")).status).toBe(401);
});

test("with stats.enabled: false nothing is recorded, and the console says how to switch it on", async () => {
  const config: WrittenConfig & StatisticsConfig = { sources: [], stats: { enabled: false } };
  const features = await loadFeatures({ features: [STATISTICS_OF_CALLS], config });
  const { gateway, exec } = fixture({ options: { features } });
  okOf(await exec("onto.task.list"));
  expect(gateway.recorder).toBeUndefined();
  expect(await gateway.consoleData.added["stats"]?.({}, principal(), new URL("http://localhost/api/stats"))).toEqual({
    status: 404,
    refused: "Statistics are switched off. Set stats.enabled: true in toolwright.yaml.",
  });
  await gateway.close();
});
