/** Code as it is rewritten for Monty: which code runs there, and which is left to CPython before a tool is called. */

import { afterAll, describe, expect, test } from "vitest";
import { type Engine, HostError } from "../../../../runtime/run/engine/engine.js";
import { createMonty } from "../../../../runtime/run/engine/monty.js";
import { MISSING_BUILTINS } from "../../../../runtime/run/engine/monty-faults.js";
import { createRouter } from "../../../../runtime/run/engine/router.js";
import { BUILTINS, bareNames } from "../../../../runtime/run/names.js";
import { rewrite } from "../../../../runtime/run/rewrite.js";
import { namespaceOf, requestOf } from "../../../support/run-engine.js";

const monty = createMonty({ children: 1 });
afterAll(() => monty.dispose());

const NAMES = { aliases: new Map(), packs: new Set(["demo"]), bare: bareNames([{ path: "demo.echo" }]) };
const ops = () =>
  namespaceOf({
    "demo.echo": ({ args, kwargs }) => args[0] ?? kwargs[0]?.[1] ?? null,
    "demo.boom": () => {
      throw new HostError("KeyError", "1");
    },
  });

/** Stands for CPython: says that it was chosen. */
const elsewhere: Engine = {
  id: "cpython",
  supports: () => true,
  run: async () => ({
    ok: true,
    outcome: "value",
    value: "elsewhere",
    stats: { engine: "cpython", wallMs: 0, cpuMs: 0, hostCalls: 0, printedBytes: 0 },
  }),
  dispose: async () => undefined,
};

async function answered(code: string, setting: "auto" | "monty" = "auto") {
  const { code: rewritten, facts } = rewrite(code, NAMES);
  const namespace = ops();
  const outcome = await createRouter({ monty, cpython: elsewhere, setting }).run(
    requestOf(rewritten, namespace),
    facts,
  );
  return { outcome, calls: namespace.calls.length };
}

test("with Monty only, code that our parser does not know is refused before it starts", async () => {
  const refused = await answered("demo.echo(1)\nf'{-3:=+5d}'", "monty");
  expect(refused).toMatchObject({ outcome: { ok: false, kind: "unsupported" }, calls: 0 });
  expect(await answered("demo.echo(1)\nx = (5 +", "monty")).toMatchObject({ outcome: { kind: "syntax" }, calls: 0 });
});

describe("await", () => {
  test.each([
    ["x = await demo.echo(1)\nx", 1],
    ["await demo.echo(1)", 1],
    ["(await\n  echo(1)) + 1", 2],
    ["[await (demo.echo(1))][0]", 1],
    ["import asyncio\nasync def main():\n  return await demo.echo(1)\nasyncio.run(main())", 1],
    ["async def f():\n  x = await demo.echo(2)\n  return x\nawait f()", 2],
    ["'await demo.echo(1)'", "await demo.echo(1)"],
  ])("%s stays on Monty", async (code, value) => {
    expect(await answered(code)).toMatchObject({ outcome: { ok: true, value, stats: { engine: "monty" } } });
  });

  test.each([
    "c = demo.echo(1)\nawait c",
    "import asyncio\nasyncio.run(demo.echo(1))",
    "import asyncio\ndemo.echo(1)\nawait asyncio.sleep(0.01)",
    "import asyncio\nasync def f(): pass\ndemo.echo(1)\nt = asyncio.create_task(f())",
    "def f():\n  await demo.echo(1)\nf()",
  ])("%s does not", async (code) => {
    expect(await answered(code)).toMatchObject({ outcome: { value: "elsewhere" }, calls: 0 });
  });
});

describe("what is no data is not given to a tool", () => {
  test.each([
    "lambda: 1",
    "{'k': 1}.keys()",
    "range(3)",
    "ValueError",
    "ValueError('x')",
    "[{'a': (range(3),)}]",
    "{1, 2}",
  ])("%s", async (value) => {
    expect(await answered(`x = ${value}\ndemo.echo(text=x)`)).toMatchObject({
      outcome: { value: "elsewhere" },
      calls: 0,
    });
    expect(await answered(`demo.echo(*[${value}])`)).toMatchObject({ calls: 0 });
    expect(await answered(`x = ${value}\ndemo.echo(text=x)`, "monty")).toMatchObject({
      outcome: { kind: "unsupported", line: 2 },
      calls: 0,
    });
  });

  test("a builtin function, which is left to CPython where it stands", async () => {
    expect(await answered("x = len\ndemo.echo(text=x)")).toMatchObject({ outcome: { value: "elsewhere" }, calls: 0 });
    expect(await answered("x = len\ndemo.echo(text=x)", "monty")).toMatchObject({
      outcome: { kind: "unsupported", line: 1 },
      calls: 0,
    });
  });

  test("a keyword that an object of JavaScript cannot hold", async () => {
    for (const list of ["**{'__proto__': 1}", "__proto__=1"])
      expect(await answered(`demo.echo(${list})`)).toMatchObject({ outcome: { value: "elsewhere" }, calls: 0 });
  });

  test.each([
    ["'a'", '"a"'],
    ["[1, 2.5, None, True, 'a', (1,), {'a': {1: b''}}, {1}, set()]", '[1,2.5,null,true,"a",[1],{"a":{"1":""}},[1],[]]'],
    ["demo.echo(1)", "1"],
    ["[x for x in 'ab']", '["a","b"]'],
  ])("%s goes through", async (value, text) => {
    const code = `x = ${value}\na = demo.echo(text=x)\nb = demo.echo(*[x])\nc = demo.echo(**{'text': x})\na == b == c and a`;
    expect(await answered(code)).toMatchObject({
      outcome: { json: text, stats: { engine: "monty" } },
      calls: 3 + (/echo/.test(value) ? 1 : 0),
    });
  });
});

describe("left to CPython before a call", () => {
  test.each([
    "IOError",
    "NotImplemented",
    "__debug__",
    "type('X', (), {})",
    "'\\ud800'",
    "f'\\ud83d\\ude00'",
    "{True: 1, 1.0: 2}",
    "{1: 1, 1.0: 2}",
  ])("%s", async (code) => {
    expect(await answered(`demo.echo(1)\n${code}`)).toMatchObject({ outcome: { value: "elsewhere" }, calls: 0 });
  });

  test("every builtin that Monty lacks, and none that it has", async () => {
    const missing: string[] = [];
    const given = new Set(["__format__", "__sanitize__", "__name__", "__ret"]);
    for (const name of BUILTINS) {
      if (given.has(name)) continue;
      const outcome = await monty.run(requestOf(`return __ret(${name} is 1)`));
      if (!outcome.ok) missing.push(name);
    }
    expect(missing.sort()).toEqual([...MISSING_BUILTINS].sort());
  });
});

describe("failures in Python's words", () => {
  test.each([
    ["{}['1']", "KeyError", "1"],
    ["{}['a']", "KeyError", "'a'"],
    ["raise KeyError", "KeyError", ""],
    ["raise KeyError('')", "KeyError", "''"],
    ["demo.boom()", "KeyError", "'1'"],
    ["import json\njson.loads('{')", "JSONDecodeError", "EOF while parsing an object at line 1 column 1"],
    ["import asyncio\nasyncio.nope", "NotImplementedError", "asyncio.nope is not available here"],
    ["raise ValueError(1)", "NotImplementedError", "an exception with such arguments is not available here"],
    ["a = {}\na | a", "NotImplementedError", "dict with | is not available here"],
    ["from math import nope", "NotImplementedError", "import of math is not available here"],
  ])("%s", async (code, pyType, message) => {
    const { outcome } = await answered(code, "monty");
    expect(outcome).toMatchObject({ ok: false, pyType });
    if (!outcome.ok && pyType !== "JSONDecodeError") expect(outcome.message).toBe(message);
  });

  test("a pack without such a function needs no second engine", async () => {
    expect(await answered("demo.nope.x()")).toMatchObject({ outcome: { ok: false, pyType: "AttributeError" } });
  });
});
