/** Classes of faults of other interpreters: names that are bound anew or late, and lines of errors that leave a `try`. */

import { describe, expect, test } from "vitest";
import { HostError } from "../../../runtime/run/engine/engine.js";
import { rewrite } from "../../../runtime/run/languages/python/rewrite.js";
import { pythonEngine, runWith } from "../../support/run/python.js";
import { differences } from "./python-replies.js";

const LIMIT = { timeout: 240_000 };
const engine = pythonEngine();

describe("values", () => {
  const VALUES = "(0.5, 1.5, 2.5, -1.5)";

  test("a module's function has a builtin's name", LIMIT, async () => {
    const codes = [
      `def round(x): return int(x + 0.5)\n[round(v) for v in ${VALUES}]`,
      `def round(x): return 99\n[round(v) for v in ${VALUES}] + list(map(round, ${VALUES}))`,
      `round(2.5)\ndef round(x): return 99\nround(2.5)`,
      "def len(x): return 7\ndef f(x): return len(x)\n[f('ab'), len([])]",
      "def sorted(x, key=None): return ['mine', key is None]\nsorted([2, 1], key=str)",
      "def print(*all): return all\n[print(1, 2), 3]",
      "def max(*all, **more): return 'mine'\nx = max(1, 2)\nmax({1, 2}, key=str), x",
      "def str(x): return 'mine'\n[str(1.0), f'{1.0}', '%s' % 1.0]",
      "def f():\n  def int(x): return x * 2\n  return [int(2.5), [int(v) for v in (1.5,)]]\nf() + [int(2.5)]",
      "sum = lambda x: 'mine'\n[sum([1]), (lambda: sum([2]))()]",
      "for range in (1, 2): pass\nrange",
      "import math\ndef isinstance(*all): return 'mine'\nisinstance(1, int), math.floor(2.5)",
    ];
    expect(await differences(engine(), codes)).toEqual([]);
  });

  test("a name is bound later than the function that reads it", LIMIT, async () => {
    const codes = [
      "f = lambda n: 1 if n < 2 else n * f(n - 1)\nf(5)",
      "def g(): return sqrt(4)\nfrom math import sqrt\ng()",
      "def g():\n  try: return sqrt(4)\n  except NameError: return 'none'\na = g()\nfrom math import sqrt\n[a, g()]",
      "try: later()\nexcept NameError as e: x = str(e)\ndef later(): return 1\n[x, later()]",
      "def f(): return g() + 1\ndef g(): return 1\nf()",
      "def even(n): return n == 0 or odd(n - 1)\ndef odd(n): return n > 0 and even(n - 1)\n[even(10), odd(7)]",
      "fs = [lambda: i for i in range(3)]\n[f() for f in fs]",
      "def f():\n  try: return x\n  except NameError: return 'no'\n[f(), [f() for x in (1,)], f()]",
      "def f(): return total\nseen = []\nfor total in (1, 2): seen.append(f())\nseen",
      "def f():\n  global made\n  made = 1\ndef g(): return made\nf()\ng()",
      "def f():\n  if False: y = 1\n  try: return y\n  except UnboundLocalError: return 'unbound'\nf()",
      "class A:\n  def b(self): return B().c()\nclass B:\n  def c(self): return 3\nA().b()",
      "def f(): return os_name\nimport math as os_name\nf() is os_name",
    ];
    expect(await differences(engine(), codes)).toEqual([]);
  });
});

describe("the line of an error that leaves a try", () => {
  const fail = (type: "KeyError" | "TypeError") => () => {
    throw new HostError(type, "kaput");
  };
  const ops = { "demo.boom": fail("KeyError"), "demo.search": fail("TypeError") };

  test.each([
    ["its own", "x = 1\ntry:\n  y = 2\n  1/0\nfinally:\n  z = 3", 4],
    ["raised again", "try:\n  a = 1\n  1/0\nexcept ZeroDivisionError:\n  b = 2\n  raise", 3],
    ["raised from it", "try:\n  1/0\nexcept ZeroDivisionError as e:\n  b = 2\n  raise ValueError('v') from e", 5],
    ["of the handler", "try:\n  1/0\nexcept ZeroDivisionError:\n  c = 1\n  [][5]", 5],
    ["that no handler takes", "try:\n  a = 1\n  {}['k']\nexcept ValueError:\n  pass", 3],
    ["of the finally", "try:\n  a = 1\nfinally:\n  b = 2\n  int('x')", 5],
    ["of the else", "try:\n  a = 1\nexcept ValueError:\n  pass\nelse:\n  int('x')", 6],
    ["in a function", "def f(n):\n  try:\n    return 1 / n\n  finally:\n    x = 1\nf(1)\nf(0)", 3],
    ["of a nested one", "try:\n  try:\n    1/0\n  finally:\n    a = 1\nexcept ValueError:\n  pass", 3],
    ["of a tool", "x = 1\ntry:\n  y = 2\n  demo.boom()\nfinally:\n  z = 3", 4],
    ["of a tool, raised again", "try:\n  a = 1\n  demo.boom()\nexcept Exception as e:\n  b = 2\n  raise e", 3],
    ["of a tool that is refused", "try:\n  a = 1\n  demo.search(count='x')\nexcept KeyError:\n  pass", 3],
    ["of a tool in a function", "def f():\n  try:\n    return demo.boom()\n  finally:\n    x = 1\na = 1\nf()", 3],
    ["of a tool in a loop", "for i in range(3):\n  try:\n    if i == 1:\n      demo.boom()\n  finally:\n    x = i", 4],
  ])("the reported line has the fault: %s", LIMIT, async (_, code, line) => {
    const names = { aliases: new Map(), packs: new Set(["demo"]), bare: new Map() };
    const outcome = await runWith(engine(), rewrite(code, names).code, { ops });
    expect(outcome).toMatchObject({ ok: false, kind: "runtime", line });
  });
});
