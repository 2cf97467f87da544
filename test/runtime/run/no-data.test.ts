/** Values that are no data. */

import { describe, expect, test } from "vitest";
import { DESK_DEMO, runDemo, SLOW } from "../../support/run/run-demo.js";

const { bad, ok } = runDemo(DESK_DEMO);

describe("a method, a function or an op as the value is a failure", () => {
  test.each([
    ["desk.list().items", 'TypeError: the value is a method; results are dicts: write ["items"]'],
    ["[1].append", "TypeError: the value is a method: call it, as in .append()"],
    ["desk.list", "TypeError: the value is an op: call it, as in desk.list(...)"],
    ["def f(): return 1\nf", "TypeError: the value is a function: call it, as in f()"],
    ["lambda: 1", "TypeError: the value is a function: call it\n"],
    ["async def f(): yield 1\nf()", "TypeError: the value is an asynchronous generator: write [x async for x in it]"],
  ])("that says what to write: %s", async (code, text) => expect(await bad(code)).toContain(text), SLOW);
});

describe("other values", () => {
  test.each([
    ["async def main(): return (await desk.list(limit=50))['pagination']['total']\nmain()", "34"],
    ["async def main(): return 5\nx = main()\nx", "5"],
    ["async def main(): pass\nmain()", "None"],
    ["def f():\n  yield 1\nf()", "[1]"],
    ["str", "<class 'str'>"],
  ])("are answered: %s", async (code, value) => expect(await ok(code)).toBe(value), SLOW);

  test(
    "a coroutine that fails, fails the run",
    async () => {
      expect(await bad("async def main(): 1/0\nmain()")).toMatch(/^Error at line 1: ZeroDivisionError/);
    },
    SLOW,
  );
});
