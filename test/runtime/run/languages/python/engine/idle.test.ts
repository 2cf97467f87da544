/** Python processes that nothing uses end after a minute, and start again when they are needed. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createCPython } from "../../../../../../runtime/run/languages/python/engine/cpython.js";
import { processes } from "../../../../../bench/run-sides.js";
import { runWith } from "../../../../../support/run/python.js";
import { keepSnapshots, lendSnapshots } from "../../../../../support/run/python-snapshots.js";

const MINUTE = 60_000;
const SLOW = 240_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("a CPython process that waits ends a minute after the last run, and starts again with the next", {
  timeout: SLOW,
  tags: "slow",
}, async () => {
  const cacheDir = mkdtempSync(join(tmpdir(), "cpython-"));
  onTestFinished(() => {
    keepSnapshots(cacheDir);
    rmSync(cacheDir, { recursive: true, force: true });
  });
  lendSnapshots(cacheDir);
  const engine = createCPython({ cacheDir });
  onTestFinished(() => engine.dispose());
  const waiting = () => processes(process.pid).filter(({ command }) => command.includes(cacheDir)).length;
  await engine.warm();
  expect(waiting()).toBe(1);
  vi.advanceTimersByTime(MINUTE);
  await expect.poll(waiting).toBe(0);
  expect(await runWith(engine, "__ret(1)")).toMatchObject({ value: 1 });
  vi.advanceTimersByTime(1000);
  await expect.poll(waiting).toBe(1);
});
