/** The process that checks types: its findings, its end, and what is without its package. */

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { programPath } from "../../../../../../runtime/run/engine/program.js";
import {
  createTypeChecker,
  type TypeCheckerOptions,
} from "../../../../../../runtime/run/languages/python/engine/type-checker.js";
import { temporaryFolder } from "../../../../../support/project.js";
import { isAlive } from "../../../../../support/run/run-engine.js";

const SLOW = 120_000;
const MINUTE = 60_000;
const STUBS = `from typing import Any
class Brave:
    def search(self, query: str, count: int = 3) -> Any:
        raise NotImplementedError
brave: Brave = Brave()
`;

/** Time for an answer on a busy machine. */
const LONG_MS = 60_000;

function newChecker(options?: TypeCheckerOptions) {
  const checker = createTypeChecker(options);
  onTestFinished(() => checker.close());
  const check = (code: string, stubs = "", limitMs = LONG_MS) => checker.check(code, stubs, limitMs);
  return { ...checker, check };
}

test("findings lie on lines of the code", { timeout: SLOW }, async () => {
  const { check, isMissing } = newChecker();
  expect(await check("x = 1\nbrave.search(query=5)\nreturn 3", STUBS)).toEqual([
    { rule: "invalid-argument-type", line: 2, column: 14, message: expect.stringContaining("Expected `str`") },
  ]);
  expect(await check("brave.search('a')", STUBS)).toEqual([]);
  expect(await check("brave.nope()", STUBS.trimEnd())).toMatchObject([{ line: 1 }]);
  expect(await check("class A: pass\nbrave.nope()", STUBS)).toMatchObject([{ line: 2 }]);
  expect(await check("(5 +", STUBS)).toMatchObject([{ rule: "invalid-syntax", line: 1 }]);
  expect(await check("1", "x: int = 'a'\n")).toEqual([]);
  expect(isMissing()).toBe(false);
});

describe("without an answer there is none, which is not the same as no findings", () => {
  test("once it is closed", async () => {
    const checker = createTypeChecker();
    await checker.close();
    expect(await checker.check("1", STUBS)).toBeUndefined();
  });

  test("once its time is over: the process is killed, and the next check starts another", {
    timeout: SLOW,
  }, async () => {
    const { check, pid } = newChecker();
    expect(await check("1")).toEqual([]);
    const first = pid() ?? 0;
    const long = Array.from({ length: 3000 }, (_, i) => `x${i} = [x${i - 1}] if ${i} else {}`).join("\n");
    expect(await check(long, STUBS, 1)).toBeUndefined();
    await expect.poll(() => isAlive(first)).toBe(false);
    expect(await check("1")).toEqual([]);
    expect(pid()).not.toBe(first);
  });

  test("where its package is not installed: no process starts again", { timeout: SLOW }, async () => {
    const program = join(temporaryFolder(), "type-checker-child.js");
    copyFileSync(await programPath("type-checker-child"), program);
    const { check, isMissing, pid } = newChecker({ program });
    expect(isMissing()).toBe(false);
    expect(await check("x: int = 'a'")).toBeUndefined();
    expect(isMissing()).toBe(true);
    const first = pid();
    expect(await check("x: int = 'a'")).toBeUndefined();
    expect(pid()).toBe(first);
  });
});

describe("its process", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("ends a minute after the last check, and the next check starts another", { timeout: SLOW }, async () => {
    const { check, pid } = newChecker();
    expect(await check("x: int = 'a'")).toHaveLength(1);
    const first = pid() ?? 0;
    vi.advanceTimersByTime(MINUTE - 1);
    expect(pid()).toBe(first);
    vi.advanceTimersByTime(1);
    expect(pid()).toBeUndefined();
    await expect.poll(() => isAlive(first)).toBe(false);
    expect(await check("x: int = 'a'")).toHaveLength(1);
  });
});
