/** `snapshot: { every: … }`: a job compares a server with its snapshot, and the commands `jobs` show it. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { toolComparison } from "../../../core/changes.js";
import { FEATURES } from "../../../features/list.js";
import { toolsFromSnapshot } from "../../../generator/cli/snapshot-tools.js";
import { loadConfig } from "../../../generator/config/config.js";
import { Report } from "../../../generator/core/diagnostic.js";
import { type JobsCommand, jobsCommand } from "../../../runtime/cli/jobs.js";
import { silentLog } from "../../../runtime/config/log.js";
import { snapshotEveryMs } from "../../../runtime/contract/duration.js";
import type { ServerEntry } from "../../../runtime/contract/settings/entries.js";
import { addJob, claimJobs, failJob, listJobs } from "../../../runtime/state/job-table.js";
import { createJobs } from "../../../runtime/state/jobs.js";
import { openState, type State } from "../../../runtime/state/open.js";
import { readDrifts, snapshotJobs } from "../../../runtime/upstream/snapshot-jobs.js";
import { type Json, temporaryFolder } from "../../support/project.js";
import { behaving } from "../../support/upstream/servers.js";

const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
afterEach(async () => {
  for (const clean of cleaning.splice(0).reverse()) await clean();
});

const tool = (name: string, description = `Get ${name}.`): Json => ({
  name,
  description,
  inputSchema: { type: "object", properties: { id: { type: "string" } } },
});

async function opened() {
  const root = temporaryFolder(later);
  const state = await openState({ url: "", root });
  later(() => state.close());
  return { root, state };
}

/** Runs a `jobs` command; returns its exit code and output. */
async function command(root: string, name: JobsCommand, id?: string, flags: { readonly json?: boolean } = {}) {
  const said: string[] = [];
  const say = (text: string): void => void said.push(text);
  const config = { sources: [] };
  const start = { root, config, overrides: {}, out: say, err: say, paint: (_: unknown, text: string) => text };
  return { code: await jobsCommand(start, name, flags, id), said: said.join("") };
}

const due = async (state: State, kind: string): Promise<string> =>
  (await listJobs(state)).jobs.find((job) => job.kind === kind)?.id ?? "none";

test("a server is read when its job is due, differences are logged and stored, and definitions stay", {
  tags: "slow",
}, async () => {
  const { root, state } = await opened();
  const config = loadConfig(
    (file) => (file === "toolwright.yaml" ? "sources: [{ mcp: servers/*.json }]\n" : undefined),
    new Report(),
  );
  if (!config) throw new Error("the configuration has a fault");
  const file = join(root, "definitions", "servers", "shop.json");
  mkdirSync(join(root, "definitions", "servers"), { recursive: true });
  const locked = JSON.stringify({
    serverInfo: {},
    protocolVersion: "",
    instructions: "Use with care.",
    tools: [tool("a")],
  });
  writeFileSync(file, locked);
  const logged: string[] = [];
  const log = { ...silentLog, warn: (text: string) => void logged.push(text) };
  const shop = (tools: readonly Json[]): ServerEntry => ({ ...behaving("tools", tools), snapshot: { every: "6h" } });
  const begin = (servers: Readonly<Record<string, ServerEntry>>) => {
    const jobs = createJobs({ log });
    later(jobs.stop);
    const building = (name: string, text: string) => toolsFromSnapshot(name, text, config);
    const parts = { root, version: "1", servers, secret: () => undefined };
    snapshotJobs({ ...parts, toolsFromSnapshot: building, compareTools: toolComparison(FEATURES) })(jobs, log);
    jobs.use(state);
    return jobs;
  };
  const first = begin({ shop: shop([tool("a", "Get another.")]), off: { ...shop([]), enabled: false } });
  await expect
    .poll(() => command(root, "list"))
    .toMatchObject({
      code: 0,
      said: expect.stringMatching(/^[\w-]{36} {2}snapshot shop {2}waiting {2}due 20.+ {2}attempt 0 of 12\n$/),
    });
  expect(await command(root, "retry", await due(state, "snapshot shop"))).toMatchObject({ code: 0 });
  const drift = async () => (await readDrifts(state)).get("shop")?.findings;
  await expect.poll(drift).toEqual([{ level: "info", text: expect.stringMatching(/^description-changed: shop\.a: /) }]);
  expect(logged).toEqual([
    'the server shop differs from its snapshot: review it with "toolwright snapshot shop --check"',
  ]);
  await first.stop();
  begin({ shop: shop([tool("a")]) });
  await command(root, "retry", await due(state, "snapshot shop"));
  await expect.poll(drift).toEqual([]);
  expect(readFileSync(file, "utf8")).toBe(locked);
  expect(logged).toHaveLength(1);
});

test("jobs list, retry and drop say what is there, and why they refuse", async () => {
  const empty = temporaryFolder(later);
  expect(await command(empty, "list")).toEqual({ code: 0, said: "There are no jobs.\n" });
  expect(await command(empty, "drop", "x")).toMatchObject({
    code: 1,
    said: expect.stringMatching(/^error there is no job x/),
  });
  const { root, state } = await opened();
  await state.transaction("write", (tx) => addJob(state, tx, { kind: "mail", key: "7", maxAttempts: 1 }));
  const claim = { owner: "one", kinds: ["mail"], limit: 1, leaseMs: 60_000 };
  const [job] = await claimJobs(state, claim);
  if (!job) throw new Error("no job");
  expect(await command(root, "drop", job.id)).toMatchObject({ code: 1, said: expect.stringContaining("is running") });
  expect(await failJob(state, job, "no\u001b[31m post", 0)).toBe("dead");
  const { said } = await command(root, "list");
  expect(said).toMatch(/ {2}mail 7 {2}dead {5}due .+ {2}attempt 1 of 1\n {2}last error: no.*post\n$/);
  expect(said).not.toContain("\u001b");
  const { jobs, ok } = JSON.parse((await command(root, "list", undefined, { json: true })).said);
  expect([ok, jobs]).toMatchObject([true, [{ id: job.id, state: "dead", kind: "mail", key: "7", attempts: 1 }]]);
  expect(await command(root, "retry", job.id)).toEqual({ code: 0, said: `${job.id} is due now\n` });
  expect((await listJobs(state)).jobs).toMatchObject([{ state: "due", attempts: 0 }]);
  expect(await command(root, "drop", job.id, { json: true })).toEqual({
    code: 0,
    said: `{"ok":true,"id":"${job.id}"}\n`,
  });
  expect(await command(root, "retry", job.id, { json: true })).toMatchObject({
    code: 1,
    said: expect.stringMatching(/^\{"ok":false/),
  });
});

test.each([
  ["6h", 21_600_000],
  ["1m", 60_000],
  ["365d", 31_536_000_000],
  ["59s", undefined],
  ["366d", undefined],
  ["6 h", undefined],
  ["", undefined],
])("the interval %j is %s ms", (text, ms) => expect(snapshotEveryMs(text)).toBe(ms));
