import { describe, expect, it } from "vitest";
import { bareNames, type Names } from "../../../runtime/run/names.js";
import { rewrite } from "../../../runtime/run/rewrite.js";

const NAMES: Names = {
  aliases: new Map([["ws", "demo.search"]]),
  packs: new Set(["demo", "onto", "ot", "proj"]),
  projects: new Set(["site"]),
  bare: bareNames([{ path: "demo.search" }, { path: "onto.task.list" }]),
};

const featuresOf = (code: string): readonly string[] => rewrite(code, NAMES).facts.features.map(({ name }) => name);

/** One row for each construct of the router's table, and its neighbours that are none. */
const CASES: readonly (readonly [string, readonly string[]])[] = [
  ["class A: pass", ["class"]],
  ["@f\ndef g(): pass", ["decorator"]],
  ["def f(): yield 1", ["yield"]],
  ["def f():\n  x = yield from y", ["yield"]],
  ["match x:\n  case 1: pass", ["match"]],
  ["match = 1", []],
  ["del x", ["del"]],
  ["with a: pass", ["with"]],
  ["async def f():\n  async with a: pass\n  async for b in c: pass", ["async with", "async for"]],
  ["async def f(): return [x async for x in y]", ["async for"]],
  ["async def f(): return g(x async for x in y)", ["async for"]],
  ["try: pass\nexcept* E: pass", ["except*"]],
  ["try: pass\nexcept E: x = 1 * 2", []],
  ["x[1:2] = y", ["slice assignment"]],
  ["a, (x[:], b) = y", ["slice assignment"]],
  ["x[1:2] += y", ["slice assignment"]],
  ["x[1] = y[1:2]", []],
  ["x[f(y[1:2])] = 1", []],
  ['"%s" % x', ["% formatting"]],
  ['("a" "%s") % x', ["% formatting"]],
  ['("a" + "%s") % x', ["% formatting"]],
  ["x % (1, 2)", ["% formatting"]],
  ["x % {'a': 1}", ["% formatting"]],
  ["f = '%s'\nf % x", ["% formatting"]],
  ["f = '%s'\nf %= x", ["% formatting"]],
  ["x % 2", []],
  ["x % (2)", []],
  ['"{}".format(1)', ["str.format"]],
  ["x.format(1)", ["str.format"]],
  ["format(1)", []],
  ["demo.format(1)", []],
  ['f"{x:,}"', ["f-string format ','"]],
  ['f"{x:#x}"', ["f-string format '#'"]],
  ['f"{x:>{w:,}}"', ["f-string format ','", "f-string format ','"]],
  ['f"{x:.2f}, # {y}"', []],
  ["import numpy", ["import numpy"]],
  ["import numpy.linalg as n, json, os.path", ["import numpy", "import os"]],
  ["from os import path", ["import os"]],
  ["from . import x", ["import ."]],
  ["import json, re, math, datetime, typing, asyncio, pathlib, sys", []],
  ["from __future__ import annotations", []],
  ["from datetime import datetime as d\nd.now()", ["datetime.now"]],
  ["import datetime\ndatetime.datetime.utcnow()\ndatetime.date.today()", ["datetime.utcnow", "datetime.today"]],
  ["from typing import TypedDict", ["TypedDict"]],
  ["x | {'a': 1}", ["dict with |"]],
  ["dict(a=1) | x", ["dict with |"]],
  ["{} | a | b", ["dict with |", "dict with |"]],
  ["d = {}\nd | x", ["dict with |"]],
  ["d = {}\nd |= x", ["dict with |"]],
  ["{1} | {2}", []],
  ["1 | 2", []],
  ["eval('1'); exec('1'); locals(); callable(x)", ["eval", "exec", "locals", "callable"]],
  ["eval = f\neval(1)", []],
  ["x.eval()", []],
  ["f = demo.search", ["tool as a value"]],
  ["map(ws, x)", ["tool as a value"]],
  ["p = demo", ["tool as a value"]],
  ["onto.task", ["tool as a value"]],
  ["demo.search.x(1)", []],
  ["demo = 1\ndemo.search", []],
  ["proj.site / 'src'", []],
  ["str(proj.site)", []],
  ["proj.path", ["tool as a value"]],
  ["proj.unknown", ["tool as a value"]],
  ["getattr(proj, 'x')", ["tool as a value"]],
  ["demo.search(1)['x'].y", []],
  ["lambda x: demo.search(x)", ["tool in a lambda"]],
  ["lambda x: x", []],
  ["def f(x): return ws(x)\nmap(f, y)", ["tool in a function given to map"]],
  ["def g(x): return ws(x)\ndef f(x): return g(x)\nsorted(y, key=f)", ["tool in a function given to sorted"]],
  ["def f(x): return x\nmap(f, y); min(y, key=f)", []],
  ["import asyncio\nasyncio.gather(demo.search(1), ws(2))", ["gather over tools"]],
  ["import asyncio\nasyncio.gather(*[ws(x) for x in y])", ["gather over tools"]],
  ["import asyncio\nasync def f(): ws(1)\nawait asyncio.gather(f(), f())", ["gather over tools"]],
  ["import asyncio\nasyncio.gather(f(1))", []],
  ["raise SystemExit(1)", ["raise SystemExit"]],
  ["raise KeyboardInterrupt", ["raise KeyboardInterrupt"]],
  ["import sys\nsys.exit(1)", ["sys.exit"]],
  ["exit()", ["exit"]],
  ["raise ValueError('SystemExit')", []],
  ["e.__cause__; e.__context__", ["__cause__", "__context__"]],
  ["'class A: yield'  # del x", []],
];

describe("the constructs of the router's table", () => {
  it.each(CASES)("%j holds %j", (code, features) => {
    expect(featuresOf(code)).toEqual(features);
  });

  it("tells their lines, the imports and the names bound", () => {
    const { facts } = rewrite("import json, os.path as p\n\nif x:\n  del y\nfor (a, b) in c: d = lambda e: e", NAMES);
    expect(facts.features).toEqual([
      { name: "import os", line: 1 },
      { name: "del", line: 4 },
    ]);
    expect(facts.imports).toEqual(["json", "os"]);
    expect([...facts.bound].sort()).toEqual(["a", "b", "d", "e", "json", "p", "y"]);
  });
});
