/** Whether a program only passes on an answer. */

import { describe, expect, test } from "vitest";
import { passesOn } from "../../../../runtime/run/preview/assumed-uses.js";

const isOp = (path: string): boolean => ["a.make", "a.use"].includes(path);
const passes = (code: string): boolean => passesOn(code, ["a.make"], isOp);

describe("an answer is passed on", () => {
  test.each([
    "a.make()",
    "await a.make()",
    "__ret(a.make())",
    'x = a.make()\na.use(id=x["id"])',
    "x = a.make()\ny = x[0]\na.use(y)\n__ret(y)",
    "x = await a.make()\nprint(f\"made {x['id']}\")",
    'x = a.make()\na.use(all={"id": x, "more": [x["a"]["b"], (x)]})',
    'a.use(id=a.make()["id"])',
    "for n in range(3):\n  a.make(n=n)",
    "x = a.make()\nif other: a.use(x)",
  ])("%s", (code) => {
    expect(passes(code)).toBe(true);
  });
});

describe("a program looks at an answer", () => {
  test.each([
    "if a.make(): pass",
    "x = a.make()\nif x: pass",
    'x = a.make()\nwhile x["more"]: pass',
    'x = a.make()\ny = x["n"] + 1',
    'x = a.make()\nfor one in x["items"]: pass',
    "x = a.make()\nlen(x)",
    "x = a.make()\na.use(*x)",
    "x = a.make()\na.use(**x)",
    'x = a.make()\nx["id"].lower()',
    "x = y = a.make()",
    "x, y = a.make()",
    "x = a.make()\nx += 1",
    "x = [a.make() for n in range(3)]",
    "x = a.make() or 1",
    "x = a.make() if y else 1",
    'x = a.make()\nother[x["id"]]',
    'x = a.make()\nprint(f"{x:>10}")',
    'x = a.make()\n{x["id"]: 1}',
    "def f():\n  return a.make()",
    "f = a.make\nf()",
    "f = a.make\na.make()\nif f(): pass",
    "p = a\na.make()\nif p.make(): pass",
    "x = a.make()\nif eval('x'): pass",
    "x = a.make()\ndef f():\n  global x\n  if x: pass",
    "assert a.make()",
    "match a.make():\n  case 1: pass",
    "x = a.make()\nwith x: pass",
    "x = a.make()\nlambda: not x",
    "this is no Python",
  ])("%s", (code) => {
    expect(passes(code)).toBe(false);
  });
});
