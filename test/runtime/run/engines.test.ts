/** When the engine of a gateway starts its processes. */

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type LazyEngines, lazyEngines } from "../../../runtime/run/languages/python/lazy-engines.js";
import { processes } from "../../bench/run-sides.js";
import { generatedRoot, serve, temporaryFolder } from "../../support/project.js";
import { RUN_DEMO, SLOW } from "../../support/run/run-demo.js";
import { requestOf } from "../../support/run/run-engine.js";

/** Longer than a process takes to show up. */
const A_WHILE = 1500;
const aWhile = () => new Promise((resolve) => setTimeout(resolve, A_WHILE));

function engines(): { readonly lazy: LazyEngines; started(): number } {
  const root = temporaryFolder();
  const lazy = lazyEngines(root);
  onTestFinished(() => lazy.close());
  return { lazy, started: () => processes(process.pid).filter(({ command }) => command.includes(root)).length };
}

const runOn = async (lazy: LazyEngines) => (await lazy.get()).cpython.run(requestOf("1"));

test("warming starts one process, and neither does the type checker start", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const { lazy, started } = engines();
  lazy.warm();
  lazy.warm();
  const { checker } = await lazy.get();
  await vi.waitFor(() => expect(started()).toBe(1), SLOW);
  await aWhile();
  expect([started(), checker.pid()]).toEqual([1, undefined]);
  expect((await runOn(lazy)).ok).toBe(true);
});

test("without warming nothing starts before a run", { timeout: SLOW, tags: "full" }, async () => {
  const { lazy, started } = engines();
  await lazy.get();
  await aWhile();
  expect(started()).toBe(0);
  expect((await runOn(lazy)).ok).toBe(true);
});

test("in a project that cannot be written code runs", { timeout: SLOW, tags: "full" }, async () => {
  const root = temporaryFolder();
  writeFileSync(join(root, ".onetool"), "");
  const lazy = lazyEngines(root);
  onTestFinished(() => lazy.close());
  expect((await runOn(lazy)).ok).toBe(true);
});

test("a warming that comes with the end, or after it, starts nothing", { timeout: SLOW, tags: "full" }, async () => {
  const { lazy, started } = engines();
  await lazy.get();
  lazy.warm();
  await lazy.close();
  await aWhile();
  expect(started()).toBe(0);

  const other = engines().lazy;
  await other.close();
  other.warm();
  await expect(other.get()).rejects.toThrow("closed");
});

test("a server starts Python once a client has read the list of tools", { timeout: SLOW }, async () => {
  const root = await generatedRoot(RUN_DEMO);
  const server = await serve(root);
  onTestFinished(() => server.close());
  const { pid } = server.client.transport as { pid?: number };
  const commands = () => processes(pid ?? 0).map(({ command }) => command);
  await aWhile();
  expect(commands()).toHaveLength(1);
  await server.client.listTools();
  await vi.waitFor(() => expect(commands().filter((one) => one.includes("cpython-child"))).toHaveLength(1), SLOW);
  const cache = join(root, ".onetool", "cache");
  await vi.waitFor(() => expect(existsSync(cache) ? readdirSync(cache) : []).not.toEqual([]), SLOW);
});
