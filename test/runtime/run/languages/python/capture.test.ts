/**
 * The value of a program is never lost: for syntax that our parser does not know, CPython's own tree gives the last
 * expression.
 */

import { describe, expect, test } from "vitest";
import { eachCase } from "../../../../support/each-case.js";
import { runDemo, SLOW } from "../../../../support/run/run-demo.js";

const { ok, bad } = runDemo();

describe("syntax that our parser does not know", () => {
  eachCase(
    [
      ["f'{-3:=+5d}'", "-   3"],
      ["(lambda a,/,b,*,c: [a, b, c])(1, 2, c=3)", "[1,2,3]"],
      ["class D:\n  def __getitem__(self, key): return list(key)\nd = D()\na = (0, 1)\nd[*a,2]", "[0,1,2]"],
      ["t'{1}'.values[0]", "1"],
      ["f'{f\"{1+1}\"}'", "2"],
      ["x = 'a'\nf'{x!r:{'>'}{6}}'", "   'a'"],
      [
        "try:\n  raise ExceptionGroup('g', [ValueError('v')])\nexcept* ValueError as e:\n  x = len(e.exceptions)\nx",
        "1",
      ],
      ["try:\n  1/0\nexcept ZeroDivisionError, KeyError:\n  x = 'both'\nx", "both"],
      ["def first[T](items: list[T]) -> T: return items[0]\nfirst([3])", "3"],
      ["class Box[T]:\n  def __init__(self, x: T): self.x = x\nBox(4).x", "4"],
      ["type Pair[T] = tuple[T, T]\nPair.__name__", "Pair"],
      ["def f(*args: *tuple[int, ...]): return len(args)\nf(1, 2)", "2"],
      ["match (1, [2, 3]):\n  case (x, [y, *rest]) if x < y: r = [x, y, rest]\nr", "[1,2,[3]]"],
      ["match {'k': 1, 'z': 2}:\n  case {'k': int(v), **more}: r = [v, more]\nr", '[1,{"z":2}]'],
      ["[last := x for x in range(3)][-1], last", "[2,2]"],
      [
        "import contextlib\nwith (\n  contextlib.nullcontext(1) as a,\n  contextlib.nullcontext(2) as b,\n):\n  x = a + b\nx",
        "3",
      ],
      ["async def g():\n  for i in range(3): yield i\n[x async for x in g()]", "[0,1,2]"],
      ["x = 1,\n*x, 2", "[1,2]"],
      ["lambda_ = lambda *, k=1, **kw: k\nlambda_()", "1"],
      ["print('out')\nf'{-3:=+5d}'", "out\n-   3"],
      ["def f():\n  return 5\nx = f'{-3:=+5d}'\nf()", "5"],
      ["if f'{-3:=+5d}':\n  return 7\n8", "7"],
    ],
    ...["f'{-3:=+5d}'", "t'{1}'.values[0]"],
    "if f'{-3:=+5d}':\n  return 7\n8",
  )("is run as Python runs it: %s", { tags: "full", timeout: SLOW }, async (code, text) => {
    expect(await ok(code)).toBe(text);
  });
});

test("a call of print at the end has no value, and neither has a statement", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  expect(await ok("print(f'{-3:=+5d}')")).toBe("-   3");
  expect(await ok("x = f'{-3:=+5d}'")).toBe("OK: no return value");
});

test("what CPython does not know either is a syntax error", { timeout: SLOW }, async () => {
  expect(await bad("f'{-3:=+5d}' f'{'")).toContain("SyntaxError");
});
