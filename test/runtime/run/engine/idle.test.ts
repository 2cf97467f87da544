/** Processes of engines that nothing uses end after a minute, and start again when they are needed. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createCPython } from "../../../../runtime/run/engine/cpython.js";
import type { Value } from "../../../../runtime/run/engine/engine.js";
import { createMonty } from "../../../../runtime/run/engine/monty.js";
import { processes } from "../../../bench/run-sides.js";
import { runWith } from "../../../support/python.js";
import { keepSnapshots, lendSnapshots } from "../../../support/python-snapshots.js";
import { isAlive, namespaceOf, requestOf } from "../../../support/run-engine.js";

const MINUTE = 60_000;
const SLOW = 240_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function newMonty() {
  const monty = createMonty({ children: 1 });
  onTestFinished(() => monty.dispose());
  return monty;
}

test("a child of Monty ends a minute after its last run, and the next run starts another", {
  timeout: SLOW,
}, async () => {
  const monty = newMonty();
  const one = requestOf("return __ret(1)");
  expect(await monty.run(one)).toMatchObject({ value: 1 });
  const [first = 0] = monty.pids();
  vi.advanceTimersByTime(MINUTE - 1);
  expect(await monty.run(one)).toMatchObject({ value: 1 });
  vi.advanceTimersByTime(MINUTE - 1);
  expect(monty.pids()).toEqual([first]);
  vi.advanceTimersByTime(1);
  expect(monty.pids()).toEqual([]);
  expect(await monty.run(one)).toMatchObject({ value: 1 });
  expect(monty.pids()).not.toContain(first);
  await expect.poll(() => isAlive(first)).toBe(false);
});

test("a child that was warmed and never used ends too, and can be warmed again", { timeout: SLOW }, async () => {
  const monty = newMonty();
  await monty.warm();
  vi.advanceTimersByTime(MINUTE);
  expect(monty.pids()).toEqual([]);
  await monty.warm();
  expect(monty.pids()).toHaveLength(1);
});

test("a child is not idle while a program waits for a call", { timeout: SLOW }, async () => {
  const monty = newMonty();
  let answer: (value: Value) => void = () => undefined;
  const answered = new Promise<Value>((resolve) => {
    answer = resolve;
  });
  const namespace = namespaceOf({ "demo.wait": () => answered });
  const outcome = monty.run(requestOf("return __ret(demo.wait())", namespace, { wallMs: 10 * MINUTE }));
  await expect.poll(() => namespace.calls.length).toBe(1);
  const before = monty.pids();
  vi.advanceTimersByTime(2 * MINUTE);
  expect(monty.pids()).toEqual(before);
  answer(7);
  expect(await outcome).toMatchObject({ value: 7 });
});

test("the checker's child ends, and the next check starts another", { timeout: SLOW }, async () => {
  const monty = newMonty();
  expect(await monty.check("x: int = 'a'", "")).toHaveLength(1);
  expect(monty.pids()).toHaveLength(1);
  vi.advanceTimersByTime(MINUTE);
  expect(monty.pids()).toEqual([]);
  expect(await monty.check("x: int = 'a'", "")).toHaveLength(1);
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

test("the CPython process that parses ends, and the next check starts another", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const cacheDir = mkdtempSync(join(tmpdir(), "cpython-"));
  onTestFinished(() => rmSync(cacheDir, { recursive: true, force: true }));
  const engine = createCPython({ cacheDir });
  onTestFinished(() => engine.dispose());
  const running = () => processes(process.pid).filter(({ command }) => command.includes(cacheDir)).length;
  expect(await engine.confirmSyntax(requestOf("x = ("))).toMatchObject({ line: 1 });
  expect(running()).toBe(1);
  vi.advanceTimersByTime(MINUTE);
  await expect.poll(running).toBe(0);
  expect(await engine.confirmSyntax(requestOf("x = 1"))).toBeUndefined();
});
