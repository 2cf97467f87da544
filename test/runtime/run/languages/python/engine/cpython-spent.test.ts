/** A run that has used up its CPU time or memory fails, even if its code catches the exception. */

import { expect, test } from "vitest";
import type { Limits } from "../../../../../../runtime/config/run-settings.js";
import { eachCase } from "../../../../../support/each-case.js";
import { pythonEngine, runWith } from "../../../../../support/run/python.js";

const engine = pythonEngine(2);
const MB = 1024 * 1024;

/** What uses a limit up, as one statement. */
const SPENDING: readonly (readonly [what: string, limits: Partial<Limits>, statement: string, kind: string])[] = [
  ["CPU time", { cpuMs: 300 }, "while True: pass", "timeout"],
  ["memory", { memoryBytes: 128 * MB }, "held = ['x' * 1000000 + str(i) for i in range(1000)]", "memory"],
];

/** Code that goes on after the exception; `STATEMENT` is what uses the limit up. */
const CATCHING: readonly (readonly [how: string, code: string])[] = [
  ["except Exception", "def f():\n  try:\n    STATEMENT\n  except Exception:\n    return 'wrong'\nreturn __ret(f())"],
  ["a bare except", "x = 'right'\ntry:\n  STATEMENT\nexcept:\n  x = 'wrong'\nreturn __ret(x)"],
  [
    "except of its type",
    "x = 1\ntry:\n  STATEMENT\nexcept (TimeoutError, MemoryError):\n  x = 'wrong'\nreturn __ret(x)",
  ],
  ["return in finally", "def f():\n  try:\n    STATEMENT\n  finally:\n    return 'wrong'\nreturn __ret(f())"],
  ["break in finally", "while True:\n  try:\n    STATEMENT\n  finally:\n    break\nreturn __ret('wrong')"],
  [
    "a context manager",
    "class C:\n  def __enter__(self): return self\n  def __exit__(self, *a): return True\nwith C():\n  STATEMENT\nreturn __ret('wrong')",
  ],
  ["suppress", "from contextlib import suppress\nwith suppress(BaseException):\n  STATEMENT\nreturn __ret('wrong')"],
  ["another exception", "try:\n  STATEMENT\nexcept BaseException:\n  raise KeyError('wrong')"],
  ["the exit of the program", "try:\n  STATEMENT\nexcept BaseException:\n  raise SystemExit(0)"],
];

const CASES = SPENDING.flatMap(([what, limits, statement, kind]) =>
  CATCHING.map(
    ([how, code]) => [`${what} is used up under ${how}`, code.replace("STATEMENT", statement), limits, kind] as const,
  ),
);

test.each([
  ["one value", "held = 'x' * 300000000"],
  ["more than any machine has", "held = [0] * 10**9"],
])("memory is used up by %s", async (_what, statement) => {
  const code = (CATCHING[0]?.[1] ?? "").replace("STATEMENT", statement);
  expect(await runWith(engine(), code, { limits: { memoryBytes: 128 * MB } })).toMatchObject({
    ok: false,
    kind: "memory",
  });
});

eachCase(
  CASES,
  ...["CPU time is used up under return in finally", "CPU time is used up under the exit of the program"],
  "memory is used up under a bare except",
)("the program ends where %s", { tags: "full" }, async (_what, code, limits, kind) => {
  expect(await runWith(engine(), code, { limits })).toMatchObject({ ok: false, kind });
});

test("a tool is not called once the CPU time is used up", { tags: "full" }, async () => {
  const code = "try:\n  while True: pass\nexcept Exception:\n  demo.write()\n  demo.write()";
  const { calls, ...outcome } = await runWith(engine(), code, {
    limits: { cpuMs: 300 },
    ops: { "demo.write": () => 1 },
  });
  expect(outcome).toMatchObject({ ok: false, kind: "timeout" });
  expect(calls).toEqual([]);
});

test("a caught recursion is Python's own, and a MemoryError that the code raises is its own", {
  tags: "full",
}, async () => {
  const deep = "def f(n): return f(n + 1)\ntry:\n  f(0)\nexcept RecursionError:\n  x = 'deep'\nreturn __ret(x)";
  expect(await runWith(engine(), deep)).toMatchObject({ ok: true, value: "deep" });
  const raised = "try:\n  raise MemoryError('mine')\nexcept MemoryError as e:\n  x = str(e)\nreturn __ret(x)";
  expect(await runWith(engine(), raised)).toMatchObject({ ok: true, value: "mine" });
});
