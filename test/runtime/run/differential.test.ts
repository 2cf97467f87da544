/** Drawn expressions, and each kind of value in each kind of use: `run` answers as the machine's Python does. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { randomOf, runs, shuffled } from "../../support/random.js";
import { pythonEngine } from "../../support/run/python.js";
import { expressions } from "./python-expressions.js";
import { MISUSES, usesOfValues } from "./python-matrix.js";
import { differences } from "./python-replies.js";

/** Both tests at full size take ten minutes on an idle machine. */
const SLOW = 3_600_000;
const engine = pythonEngine();

/** Names that are read before they are bound: Python raises NameError. */
const UNBOUND: readonly string[] = [
  ...["1 if b else 2", "b != 7", "b is None", "len([b, b])"].map(
    (read) => `def f(n):\n  global b\n  if n: b = 1\n  return ${read}\nprint(f(0))`,
  ),
  "def f():\n  global b\n  b = 1\nprint(b == 5)",
  "def f():\n  b = 2\n  def g():\n    global b\n    b = 1\n  return g\nprint(b == 5)",
  "b = 1\ndef f():\n  global b\n  try: 1/0\n  except ZeroDivisionError as b: pass\nf()\nprint(b == 1)",
  "def f(n):\n  if n: b = 1\n  def g(): return b == 1\n  return g()\nprint(f(0))",
  "for b in []: pass\nprint(b == 1)",
  "def f():\n  global b\n  return b != 7\nx = f()\nb = 1\nprint(x)",
  ...["x = 1 if f else 2", "x = f is None", "x = len([f])", "x = sorted([2, 1], key=f)"].flatMap((read) => [
    `${read}\ndef f(): pass\nprint(x)`,
    `def g():\n  ${read}\n  return x\nx = g()\ndef f(): pass\nprint(x)`,
    `def g():\n  ${read}\n  def f(): pass\n  return x\nprint(g())`,
    `n = 0\nif n:\n  def f(): pass\n${read}\nprint(x)`,
  ]),
  "try:\n  x = f()\nexcept TypeError:\n  x = 1\nexcept NameError:\n  x = 2\ndef f(): pass\nprint(x)",
];

/** What an interpreter easily answers wrongly without an error. */
const SILENT: readonly string[] = [
  ...["'a' < 1", "None < 1", "[3, 1] < [3, 2]", "{1} <= {1, 2}", "(1, 'a') < (1, 2)", "1 < 'a' < 3", "10**20 >= 2.5"],
  ...[
    "-7.5 % 2",
    "7.5 % -2",
    "(-8) ** (1/3)",
    "2.5 ** 100",
    "True & False",
    "round(2.675, 2)",
    "round(1e300, 2)",
    "round(1e20)",
  ],
  ...["1e16", "[1e-5]", "float('nan')", "1e100", "sum([0.1] * 10)", "int(float('inf'))", "int(float('nan'))"],
  ...["f'{1e-7}'", "f'{1234567.0:>10}'", "f'{1.0:+}'", "f'{True:>5}'", "f'{None:>5}'", "f'{99.995:.3}'"],
  ...[
    "'\\x00\\x7f'",
    "'\\u200b'",
    "{3, 1, 2}",
    "'ß'.title()",
    "'ß'.casefold()",
    "'a\\x0bb'.splitlines()",
    "'abc'.center(6)",
  ],
  ...[
    "zip([1], [2])",
    "hasattr('a', 'upper')",
    "list({3, 1, 2})",
    "list(reversed({1}))",
    "range(3)[::2]",
    "[y for y in {9, 1}]",
  ],
];

test(
  "expressions, and names that are read before they are bound",
  async () => {
    const { seed, numRuns } = runs(20_000);
    const codes = [...SILENT, ...fc.sample(expressions, { seed, numRuns })].map((one) => `print(repr(${one}))`);
    expect(await differences(engine(), [...codes, ...UNBOUND, ...MISUSES])).toEqual([]);
  },
  SLOW,
);

test(
  "each value used in each way",
  async () => {
    const { seed, numRuns } = runs(75_000);
    const codes = shuffled(usesOfValues(), randomOf(seed)).slice(0, numRuns);
    expect(await differences(engine(), codes)).toEqual([]);
  },
  SLOW,
);
