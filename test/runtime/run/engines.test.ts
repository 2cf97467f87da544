/** When the engines of a gateway start their processes. */

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type LazyEngines, lazyEngines } from "../../../runtime/run/lazy-engines.js";
import { processes } from "../../bench/run-sides.js";
import { generatedRoot, serve, temporaryFolder } from "../../support/project.js";
import { RUN_DEMO, SLOW } from "../../support/run-demo.js";
import { requestOf } from "../../support/run-engine.js";

const FACTS = { parsed: true, features: [], imports: [], bound: new Set<string>() };
/** Longer than a process takes to show up. */
const A_WHILE = 1500;
const aWhile = () => new Promise((resolve) => setTimeout(resolve, A_WHILE));

function engines(setting: "auto" | "monty"): { readonly lazy: LazyEngines; snapshots(): readonly string[] } {
  const root = temporaryFolder();
  const lazy = lazyEngines(root, setting);
  onTestFinished(() => lazy.close());
  const cache = join(root, ".onetool", "cache");
  return { lazy, snapshots: () => (existsSync(cache) ? readdirSync(cache) : []) };
}

const runOn = async (lazy: LazyEngines) => (await lazy.get()).router.run(requestOf("1"), FACTS);

test("warming starts one Monty, and no CPython before code was run", { tags: "full", timeout: SLOW }, async () => {
  const { lazy, snapshots } = engines("auto");
  lazy.warm();
  lazy.warm();
  const { monty } = await lazy.get();
  await vi.waitFor(() => expect(monty.pids()).toHaveLength(1), SLOW);
  await aWhile();
  expect(snapshots()).toEqual([]);
  expect((await runOn(lazy)).ok).toBe(true);
  await vi.waitFor(() => expect(snapshots()).not.toEqual([]), SLOW);
});

test("without warming a run starts what it needs and no more", { timeout: SLOW, tags: "full" }, async () => {
  const { lazy, snapshots } = engines("auto");
  const { monty } = await lazy.get();
  await aWhile();
  expect(monty.pids()).toEqual([]);
  expect((await runOn(lazy)).ok).toBe(true);
  await aWhile();
  expect(snapshots()).toEqual([]);
});

test("in a project that cannot be written both engines run", { timeout: SLOW, tags: "full" }, async () => {
  for (const setting of ["monty", "cpython"] as const) {
    const root = temporaryFolder();
    writeFileSync(join(root, ".onetool"), "");
    const lazy = lazyEngines(root, setting);
    onTestFinished(() => lazy.close());
    expect((await runOn(lazy)).ok).toBe(true);
  }
});

test("where Monty alone is to be used, CPython is never started", { timeout: SLOW }, async () => {
  const { lazy, snapshots } = engines("monty");
  lazy.warm();
  expect((await runOn(lazy)).ok).toBe(true);
  await aWhile();
  expect(snapshots()).toEqual([]);
});

test("a warming that comes with the end, or after it, starts nothing", { timeout: SLOW, tags: "full" }, async () => {
  const { lazy } = engines("auto");
  const { monty } = await lazy.get();
  lazy.warm();
  await lazy.close();
  await aWhile();
  expect(monty.pids()).toEqual([]);

  const other = engines("auto").lazy;
  await other.close();
  other.warm();
  await expect(other.get()).rejects.toThrow("closed");
});

test("a server starts Monty once a client has read the list of tools", { tags: "full", timeout: SLOW }, async () => {
  const root = await generatedRoot(RUN_DEMO);
  const server = await serve(root);
  onTestFinished(() => server.close());
  const { pid } = server.client.transport as { pid?: number };
  const commands = () => processes(pid ?? 0).map(({ command }) => command);
  await aWhile();
  expect(commands()).toHaveLength(1);
  await server.client.listTools();
  await vi.waitFor(() => expect(commands().filter((one) => one.includes("monty-child"))).toHaveLength(1), SLOW);
  await aWhile();
  expect(commands()).toHaveLength(2);
});
