/** Whether a program only passes on an answer. */

import { describe, expect, test } from "vitest";
import { passesOn } from "../../../../../runtime/run/languages/python/assumed-uses.js";

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
    'x = a.make()\na.use("see " + x["id"])',
    'x = a.make()\na.use(x["id"] + " is made")',
    'x = a.make()\na.use(x["id"] + x["url"] + " are made")',
    'x = a.make()\nt = "a" + (x["id"] + x["url"])\na.use(text=t + "b")',
    'x = a.make()\na.use(f"{other}" + x["id"])',
    'x = a.make()\na.use("%s" % x["id"])',
    'x = a.make()\na.use("%s of %d, 100%%" % (x["id"], x["n"]) + "!")',
    'x = a.make()\na.use("%(id)s" % {"id": x["id"]})',
    'x = a.make()\na.use(("more: " "%s" % other) + x["id"])',
  ])("in %s", (code) => {
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
    'x = a.make()\na.use(x["n"] + x["m"])',
    'x = a.make()\na.use([1] + x["items"])',
    'x = a.make()\na.use(b"a" + x["id"])',
    'x = a.make()\na.use("a" + x["id"] * 2)',
    'x = a.make()\nif "a" + x["id"] == "ab": pass',
    'x = a.make()\na.use(("a" + x["id"])[0])',
    'x = a.make()\nt = "a" + x["id"]\na.use(t[0])',
    "x = a.make()\na.use(f\"{x['id']}\"[0])",
    'x = a.make()\na.use("%s" % x["id"][1:])',
    'x = a.make()\na.use("%5s" % x["id"])',
    'x = a.make()\na.use("\\x255s" % x["id"])',
    'x = a.make()\na.use("%.3s" % x["id"])',
    'x = a.make()\na.use("%*d" % (x["n"], 5))',
    'x = a.make()\na.use("%x" % x["n"])',
    'x = a.make()\na.use(7 % x["n"])',
    'x = a.make()\na.use(x["id"] % 3)',
    'x = a.make()\na.use(pattern % x["id"])',
    'x = a.make()\nt = "a"\nt += x["id"]',
    'x = a.make()\na.use("a" + x["id"].lower())',
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
  ])("in %s", (code) => {
    expect(passes(code)).toBe(false);
  });
});
