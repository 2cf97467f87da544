/** The router: its table of syntax features, and the run on CPython if Monty gives up. */

import { afterAll, describe, expect, test } from "vitest";
import type { Engine, RunRequest } from "../../../../runtime/run/engine/engine.js";
import { createMonty } from "../../../../runtime/run/engine/monty.js";
import { createRouter, type RouterParts } from "../../../../runtime/run/engine/router.js";
import type { SyntaxFacts } from "../../../../runtime/run/syntax-facts.js";
import { namespaceOf, requestOf } from "../../../support/run-engine.js";

const monty = createMonty({ children: 1 });
afterAll(() => monty.dispose());

const stats = { engine: "cpython", wallMs: 1, cpuMs: 1, hostCalls: 0, printedBytes: 0 };
/** Stands for CPython: says that it ran. */
const cpython: Engine = {
  id: "cpython",
  supports: () => true,
  run: async (request: RunRequest) => {
    request.onPrint("cpython\n");
    return { ok: true, outcome: "value", value: "cpython", stats };
  },
  dispose: async () => undefined,
};

const facts = (more: Partial<SyntaxFacts> = {}): SyntaxFacts => ({
  parsed: true,
  features: [],
  imports: [],
  bound: new Set(),
  ...more,
});
const routerOf = (more: Partial<RouterParts> = {}) => createRouter({ monty, cpython, setting: "auto", ...more });

describe("the table", () => {
  test.each([
    "class",
    "decorator",
    "yield",
    "match",
    "del",
    "with",
    "except*",
    "slice assignment",
    "async for",
    "async with",
    "% on a string",
    ".format(",
    "import numpy",
    "import collections",
    "datetime.now",
    "TypedDict",
    "eval",
    "tool as a value",
    "tool in a lambda",
    "gather over tools",
    "raise SystemExit",
    "__cause__",
    "something new",
  ])("%s goes to CPython", (name) => {
    expect(routerOf().choose(facts({ features: [{ name, line: 2 }] }))).toBe("cpython");
    expect(
      monty.supports(
        facts({
          features: [
            { name: "import json", line: 1 },
            { name, line: 2 },
          ],
        }),
      ),
    ).toEqual({
      feature: name,
      line: 2,
    });
  });

  test("the rest stays on Monty", () => {
    const imports = ["json", "math", "typing", "asyncio"];
    const features = imports.map((name) => ({ name: `import ${name}`, line: 1 }));
    expect(routerOf().choose(facts())).toBe("monty");
    expect(routerOf().choose(facts({ imports, features }))).toBe("monty");
    expect(routerOf().choose(facts({ parsed: false }))).toBe("monty");
    expect(routerOf().choose(facts({ imports: ["json", "csv"] }))).toBe("cpython");
  });

  test("a setting wins", () => {
    const lacking = facts({ features: [{ name: "class", line: 1 }] });
    expect(routerOf({ setting: "monty" }).choose(lacking)).toBe("monty");
    expect(routerOf({ setting: "cpython" }).choose(facts())).toBe("cpython");
  });
});

describe("again on CPython", () => {
  const namespace = () => namespaceOf({ "demo.search": () => 1 });
  const run = async (code: string, more: Partial<SyntaxFacts> = {}, parts: Partial<RouterParts> = {}) => {
    const request = requestOf(code, namespace());
    const outcome = await routerOf(parts).run(request, facts(more));
    return { outcome, printed: request.printed() };
  };

  test.each([
    "print('a')\nclass A: pass",
    "print('a')\nimport numpy",
    "print('a')\n'a'.format(1)",
    "print('a')\nf = demo.search",
  ])("%s, with its output dropped", async (code) => {
    const { outcome, printed } = await run(code);
    expect(outcome).toMatchObject({ ok: true, value: "cpython" });
    expect(printed).toBe("cpython\n");
  });

  test("not for what is raised by the code itself, or for an undefined name", async () => {
    expect(await run("print('a')\n1/0")).toMatchObject({ outcome: { pyType: "ZeroDivisionError" }, printed: "a\n" });
    expect(await run("print('a')\nraise ValueError('x')")).toMatchObject({ outcome: { message: "x" }, printed: "a\n" });
    expect(await run("nope")).toMatchObject({ outcome: { pyType: "NameError" } });
    expect((await run("[][1.5]")).outcome).toMatchObject({ value: "cpython" });
  });

  test("after calls their answers are given again", async () => {
    const seen: unknown[] = [];
    let made = 0;
    const counted = namespaceOf({ "demo.search": () => ++made });
    const call = (index: number) => ({
      path: ["demo", "search"],
      args: [index],
      kwargs: [],
      signal: new AbortController().signal,
    });
    const second: Engine = {
      ...cpython,
      run: async (request) => {
        for (const index of [1, 2, 3]) seen.push(await request.namespace.call(call(index)));
        return cpython.run(request);
      },
    };
    const request = requestOf("demo.search(1)\ndemo.search(2)\n'a'.isprintable()", counted);
    const outcome = await routerOf({ cpython: second }).run(request, facts());
    expect(outcome).toMatchObject({ value: "cpython" });
    expect(seen).toEqual([1, 2, 3]);
    expect(made).toBe(3);
  });

  test("names of no op, which CPython refuses by itself, are left out of the calls that are given again", async () => {
    const counted = namespaceOf({ "demo.search": () => 7 });
    const second: Engine = {
      ...cpython,
      run: async (request) => {
        const signal = new AbortController().signal;
        const value = await request.namespace.call({ path: ["demo", "search"], args: [1], kwargs: [], signal });
        return { ok: true, outcome: "value", value, stats };
      },
    };
    const code = "try:\n  demo.nope(1)\nexcept Exception:\n  pass\ndemo.search(1)\n'a'.isprintable()";
    const outcome = await routerOf({ cpython: second }).run(requestOf(code, counted), facts());
    expect(outcome).toMatchObject({ value: 7 });
    expect(counted.calls.map(({ path }) => path.join("."))).toEqual(["demo.search"]);
  });

  test("another call than the one made: the first failure stands, and no tool is called", async () => {
    const counted = namespaceOf({ "demo.search": () => 1 });
    const second: Engine = {
      ...cpython,
      run: async (request) => {
        const signal = new AbortController().signal;
        await request.namespace
          .call({ path: ["demo", "search"], args: [5], kwargs: [], signal })
          .catch(() => undefined);
        return cpython.run(request);
      },
    };
    const request = requestOf("print('a')\ndemo.search(1)\n'a'.isprintable()", counted);
    const outcome = await routerOf({ cpython: second }).run(request, facts());
    expect(outcome).toMatchObject({ kind: "unsupported", line: 3 });
    expect([counted.calls.length, request.printed()]).toEqual([1, "a\n"]);
  });

  test("a name that the code binds later", async () => {
    const { outcome } = await run("def f():\n  return x\nx = 1\nreturn __ret(f())", { bound: new Set(["f", "x"]) });
    expect(outcome).toMatchObject({ value: "cpython" });
  });

  test("a syntax error is final if CPython has it too", async () => {
    expect((await run("x = = 1", { parsed: false })).outcome).toMatchObject({ kind: "syntax" });
    expect((await run("x = = 1")).outcome).toMatchObject({ value: "cpython" });
    const fault = { rule: "syntax", line: 1, column: 5, message: "invalid syntax" };
    expect((await run("x = = 1", { parsed: false }, { fault: async () => fault })).outcome).toMatchObject({
      kind: "syntax",
      message: "invalid syntax",
    });
    expect((await run("x = = 1", { parsed: false }, { fault: async () => undefined })).outcome).toMatchObject({
      value: "cpython",
    });
  });

  test("with one engine only there is no other", async () => {
    const features = [{ name: "decorator", line: 4 }];
    expect((await run("return __ret(1)", { features }, { setting: "monty" })).outcome).toMatchObject({
      kind: "unsupported",
      feature: "decorator",
      line: 4,
    });
    expect((await run("import numpy", {}, { setting: "monty" })).outcome).toMatchObject({ kind: "unsupported" });
    expect((await run("return __ret(1)", {}, { setting: "cpython" })).outcome).toMatchObject({ value: "cpython" });
  });
});
