/**
 * The Monty engine with its real children: values in both directions, calls, errors, and the code around the guest's.
 */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HostError, type Namespace, type Value } from "../../../../runtime/run/engine/engine.js";
import { createMonty, type MontyEngine } from "../../../../runtime/run/engine/monty.js";
import { runs } from "../../../support/random.js";
import { namespaceOf, requestOf } from "../../../support/run-engine.js";

let engine: MontyEngine;
beforeAll(async () => {
  engine = createMonty();
  await engine.warm();
});
afterAll(() => engine.dispose());

const run = (code: string, namespace?: Namespace) => engine.run(requestOf(code, namespace));
/** The result of an expression, as the guest's JSON. */
const json = async (expression: string, before = ""): Promise<string | undefined> => {
  const outcome = await run(`${before}\nreturn __ret(${expression})`);
  if (!outcome.ok) throw new Error(`${outcome.pyType}: ${outcome.message}`);
  return outcome.json;
};

describe("results", () => {
  test.each([
    ["1+1", "2"],
    ["1.0", "1.0"],
    ["True", "true"],
    ["'é\\n'", '"é\\n"'],
    ["2**70", "1180591620717411303424"],
    ["{'a': (1, 1.0, None), 1: 2, None: 4}", '{"a":[1,1.0,null],"1":2,"null":4}'],
    ["{3: {3}, None: 4, 2: 5}", '{"3":[3],"null":4,"2":5}'],
    ["[None, True, float('nan'), float('inf')]", "[null,true,null,null]"],
    ["{3, 1, 2}", "[1,2,3]"],
    ["frozenset([2, 1])", "[1,2]"],
    ["{'a': {1}}", '{"a":[1]}'],
    ["b'bytes'", '"Ynl0ZXM="'],
    ["[b'', b'a', b'ab', b'abc']", '["","YQ==","YWI=","YWJj"]'],
    ["range(3)", "[0,1,2]"],
    ["{1: 2}.items()", "[[1,2]]"],
    ["[{1: 2}.keys(), {1: 2}.values()]", "[[1],[2]]"],
    ["map(str, [1])", '["1"]'],
    ["iter([1, 2])", "[1,2]"],
    ["(x for x in [1])", "[1]"],
    ["{(1, 2): 3}", '{"(1, 2)":3}'],
    ["[ValueError('q')]", '["q"]'],
    ["__import_path('/a') / 'b'", '"/a/b"', "from pathlib import Path as __import_path"],
    ["datetime.datetime(2020, 1, 2, 3, 4, 5, 6)", '"2020-01-02T03:04:05.000006"', "import datetime"],
    ["[datetime.date(2020, 1, 2)]", '["2020-01-02"]', "import datetime"],
    ["[datetime.timedelta(days=1, seconds=2)]", "[86402.0]", "import datetime"],
    ["[1, a]", '[1,["[...]"]]', "a = []\na.append(a)"],
  ])("%s", async (expression, text, before = "") => {
    expect(await json(expression, before)).toBe(text);
  });

  test.each(["{True: {3}, None: 4}", "{'b', 1}", "len", "{1.0: 2}", "print"])(
    "%s is left to CPython",
    async (expression) => {
      expect(await run(`return __ret(${expression})`)).toMatchObject({ ok: false, kind: "unsupported" });
    },
  );

  test("below the depth stands ...", async () => {
    const deep = await json("a", "a = 1\nfor i in range(100):\n  a = [a]");
    expect(deep).toBe(`${"[".repeat(64)}"..."${"]".repeat(64)}`);
    const high = await json("a", "a = 1\nfor i in range(64):\n  a = [a]");
    expect(high).toBe(`${"[".repeat(64)}1${"]".repeat(64)}`);
  });

  test("100,000 nested lists and wide cycles are results too", async () => {
    const outcome = await run("a=[]\nfor i in range(100000):\n  a=[a]\nreturn __ret(a)");
    expect(outcome).toMatchObject({ ok: true, outcome: "value" });
    expect(await json("a", "a=[]\nfor i in range(40):\n  a.append(a)")).toBe(
      `[${Array(40).fill('"[...]"').join(",")}]`,
    );
    expect(await json("len(a)", "a=[1]\nfor i in range(60):\n  a=[a, a]")).toBe("2");
  });

  test("value, none, novalue, and the magic variables", async () => {
    expect(await run("return __ret(None)")).toMatchObject({ ok: true, outcome: "none", value: null });
    expect(await run("x = 1")).toMatchObject({ ok: true, outcome: "novalue" });
    expect(await run("")).toMatchObject({ ok: true, outcome: "novalue" });
    expect(await run("if True:\n  5 # x")).toMatchObject({ ok: true, outcome: "novalue" });
    expect(await run("for i in range(3):\n  if i==1: return __ret(i)")).toMatchObject({ outcome: "value", value: 1 });
    expect(await run('__format__ = "yml"; __sanitize__ = True\nreturn __ret([1])')).toMatchObject({
      format: "yml",
      sanitize: true,
      json: "[1]",
    });
    expect(await run('__sanitize__ = True\nprint("x")')).toMatchObject({ outcome: "novalue", sanitize: true });
    expect(await run('__format__ = "raw"\nreturn __ret({"a": (1, 1.0)})')).toMatchObject({ str: "{'a': (1, 1.0)}" });
    expect(await run("return __ret(1)")).not.toHaveProperty("format");
  });

  test("names of builtins are the guest's to use", async () => {
    const before = "list = type = str = len = sorted = id = dict = range = json = Exception = 1";
    expect(await json("{'a': {2, 1}}", before)).toBe('{"a":[1,2]}');
  });

  test("functions know those below them", async () => {
    expect(await json("a(4)", "def a(n): return n if n == 0 else b(n - 1)\ndef b(n): return a(n)")).toBe("0");
    expect(await json("__name__")).toBe('"__main__"');
  });

  test("print comes before, once", async () => {
    const request = requestOf('print("a", 1, sep="-"); print("日")\nreturn __ret(5)');
    expect(await engine.run(request)).toMatchObject({ value: 5, stats: { printedBytes: 8, hostCalls: 0 } });
    expect(request.printed()).toBe("a-1\n日\n");
  });
});

describe("values both ways", () => {
  const values: readonly (readonly [string, Value])[] = [
    ["None", null],
    ["True", true],
    ["5", 5],
    ["2**70", 2n ** 70n],
    ["1.5", 1.5],
    ["float('inf')", { $: "float", text: "inf" }],
    ["float('nan')", { $: "float", text: "nan" }],
    ["'日'", "日"],
    ["b'ab'", new Uint8Array([97, 98])],
    ["[1, [2]]", [1, [2]]],
    ["(1, ())", { $: "tuple", items: [1, { $: "tuple", items: [] }] }],
    ["{1, 'a'}", { $: "set", items: [1, "a"] }],
    [
      "{'__proto__': {'x': 1}, 1: 2}",
      {
        $: "dict",
        entries: [
          ["__proto__", { $: "dict", entries: [["x", 1]] }],
          [1, 2],
        ],
      },
    ],
    ["datetime.datetime(2020, 1, 2, 3, 4, 5, 60)", { $: "datetime", text: "2020-01-02T03:04:05.000060" }],
    [
      "datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=-3)))",
      { $: "datetime", text: "2020-01-02T00:00:00-03:00" },
    ],
    ["datetime.date(2020, 1, 2)", { $: "date", text: "2020-01-02" }],
    ["datetime.timedelta(days=-1, microseconds=5)", { $: "timedelta", text: "-86399.999995" }],
  ];

  test.each(values)("%s", async (text, value) => {
    const namespace = namespaceOf({ "demo.echo": ({ args }) => args[0] ?? null });
    const same = text.includes("nan") ? "x != x" : `x == ${text} and type(x) is type(${text})`;
    const outcome = await run(`import datetime\nx = demo.echo(${text})\nreturn __ret(${same})`, namespace);
    expect(namespace.calls[0]?.args).toEqual([value]);
    expect(outcome).toMatchObject({ ok: true, value: true });
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  test("any plain value comes back as it went", async () => {
    const { value } = fc.letrec<{ value: Value }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constant(null),
        fc.boolean(),
        fc.integer(),
        fc.bigInt({ min: 2n ** 64n, max: 2n ** 90n }),
        fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }),
        fc.string({ unit: "binary" }),
        fc.uint8Array(),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.array(tie("value"), { maxLength: 4 }).map((items): Value => ({ $: "tuple", items })),
        fc
          .uniqueArray(fc.tuple(fc.string(), tie("value")), { maxLength: 4, selector: ([key]) => key })
          .map((entries): Value => ({ $: "dict", entries })),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(value, async (sent) => {
        const namespace = namespaceOf({ "demo.give": () => sent, "demo.take": () => null });
        expect(await run("demo.take(demo.give())", namespace)).toMatchObject({ ok: true });
        expect(namespace.calls[1]?.args).toEqual([sent]);
      }),
      runs(1000),
    );
  });

  test("what cannot cross is refused", async () => {
    const namespace = namespaceOf({
      "demo.echo": () => (() => 1) as never,
      "demo.date": () => ({ $: "date", text: "soon" }),
    });
    expect(await run("demo.echo()", namespace)).toMatchObject({ pyType: "RuntimeError" });
    expect(await run("return __ret(demo.date())", namespace)).toMatchObject({ value: "soon" });
    const deep =
      "a=[]\nfor i in range(1000):\n  a=[a]\ntry:\n  demo.date(a)\nexcept ValueError as e:\n  return __ret(str(e))";
    expect(await run(deep, namespace)).toMatchObject({ value: "the arguments of demo.date are too large" });
  });
});

describe("calls", () => {
  test("positions, keywords, nested packs, bare names", async () => {
    const echo = () => 1;
    const namespace = namespaceOf({ "demo.search": echo, "onto.task.list": echo, "onto.list": echo, list_tasks: echo });
    const code = `demo.search(1, "x", query=[2], **{"b": None})\nonto.task.list(limit=3)\nonto.list()\nlist_tasks(demo, a=1)`;
    expect(await run(code, namespace)).toMatchObject({ ok: true, stats: { hostCalls: 4 } });
    expect(namespace.calls.map(({ path, args, kwargs }) => ({ path: path.join("."), args, kwargs }))).toEqual([
      {
        path: "demo.search",
        args: [1, "x"],
        kwargs: [
          ["query", [2]],
          ["b", null],
        ],
      },
      { path: "onto.task.list", args: [], kwargs: [["limit", 3]] },
      { path: "onto.list", args: [], kwargs: [] },
      { path: "list_tasks", args: [{ $: "opaque", text: "<pack demo>" }], kwargs: [["a", 1]] },
    ]);
  });

  test("errors are raised at the call, with their type, and can be caught", async () => {
    for (const pyType of [
      "ValueError",
      "KeyError",
      "PermissionError",
      "TimeoutError",
      "LookupError",
      "RuntimeError",
    ] as const) {
      const namespace = namespaceOf({
        "demo.boom": () => {
          throw new HostError(pyType, "kaput");
        },
      });
      const code = `try:\n  demo.boom()\nexcept ${pyType} as e:\n  r = [type(e).__name__, "kaput" in e.args]\nreturn __ret(r)`;
      expect(await run(code, namespace)).toMatchObject({ json: `["${pyType}",true]` });
      expect(await run("x = 1\ndemo.boom()", namespace)).toMatchObject({
        pyType,
        message: pyType === "KeyError" ? "'kaput'" : "kaput",
        line: 2,
      });
    }
  });

  test("a connection error keeps its name, an internal error is not revealed, an unknown type is a RuntimeError", async () => {
    const namespace = namespaceOf({
      "demo.down": () => {
        throw new HostError("ConnectionError", "server down");
      },
      "demo.bug": () => {
        throw new Error("/home/secret.ts:3 token=abc");
      },
      "demo.odd": () => {
        throw new HostError("SystemExit" as never, "odd");
      },
    });
    expect(await run("demo.down()", namespace)).toMatchObject({ kind: "runtime", pyType: "ConnectionError" });
    expect(await run("try:\n  demo.down()\nexcept OSError:\n  return __ret(1)", namespace)).toMatchObject({ value: 1 });
    expect(await run("demo.bug()", namespace)).toMatchObject({ pyType: "RuntimeError", message: "demo.bug failed" });
    expect(await run("demo.odd()", namespace)).toMatchObject({ pyType: "RuntimeError", message: "odd" });
  });

  test("1,000 calls", async () => {
    const namespace = namespaceOf({ "demo.next": ({ args }) => Number(args[0]) + 1 });
    const outcome = await run("x = 0\nwhile x < 1000:\n  x = demo.next(x)\nreturn __ret(x)", namespace);
    expect(outcome).toMatchObject({ ok: true, value: 1000, stats: { hostCalls: 1000 } });
  });

  test("projects are paths", async () => {
    const namespace = namespaceOf(
      { "proj.list": () => ["onetool"] },
      new Map([
        ["onetool", "/home/u/'ö"],
        ["list", "/x"],
        ["a-b", "/y"],
      ]),
    );
    const code =
      "return __ret([proj.onetool / 'src', __proj_onetool.name, getattr(proj, 'onetool').parent, proj.list()])";
    expect(await run(code, namespace)).toMatchObject({ json: `["/home/u/'ö/src","'ö","/home/u",["onetool"]]` });
  });
});

describe("errors", () => {
  test.each([
    ["a=1\nb=2\nc = a/0", { kind: "runtime", pyType: "ZeroDivisionError", message: "division by zero", line: 3 }],
    ["def f():\n  return 1/0\n\nf()", { pyType: "ZeroDivisionError", line: 2 }],
    ["(5 + 10", { kind: "syntax", pyType: "SyntaxError", line: 1 }],
    ["x = 1\ny = = 2\n", { kind: "syntax", line: 2, column: 5 }],
    ["x = 1 \\", { kind: "syntax", line: 1 }],
    ["nope", { kind: "runtime", pyType: "NameError", message: "name 'nope' is not defined", line: 1 }],
    ["x=1\nnope(1)", { kind: "runtime", pyType: "NameError", line: 2 }],
    ["demo.nope()", { kind: "runtime", pyType: "AttributeError", message: "pack 'demo' has no function 'nope'" }],
    ["{}['kaput']", { pyType: "KeyError", line: 1 }],
    [
      "x=1\nclass A: pass",
      { kind: "unsupported", feature: "class definitions", pyType: "NotImplementedError", line: 2 },
    ],
    ["import numpy", { kind: "unsupported", feature: "import numpy" }],
    ["x = 1\n'a'.format(1)", { kind: "unsupported", feature: "str.format", line: 2 }],
    ["'a'.nope()", { kind: "runtime", pyType: "AttributeError" }],
    ["'%s' % 1", { kind: "unsupported", feature: "% of such values" }],
    ["f'{1:_}'", { kind: "unsupported" }],
    ["bytes([99])", { kind: "unsupported" }],
    ["bytearray(3)", { kind: "unsupported", feature: "bytearray" }],
    ["callable", { kind: "unsupported", feature: "callable" }],
    ["search", { kind: "unsupported", feature: "a tool used as a value" }],
    ["f = demo.search", { kind: "unsupported", feature: "a tool used as a value" }],
    ["sorted([2, 1], key=lambda x: demo.search(x))", { kind: "unsupported" }],
    ["import datetime\ndatetime.datetime.now()", { kind: "unsupported" }],
    ["raise NotImplementedError('mine')", { kind: "runtime", pyType: "NotImplementedError", message: "mine" }],
  ])("%s", async (code, failure) => {
    const outcome = await run(code, namespaceOf({ "demo.search": () => 1, search: () => 1 }));
    expect(outcome).toMatchObject({ ok: false, ...failure });
    expect(outcome.stats.hostCalls).toBe(0);
  });
});

describe("type check", () => {
  const stubs = `from typing import Any\nclass Brave:\n    def search(self, query: str, count: int = 3) -> Any:\n        raise NotImplementedError\nbrave: Brave = Brave()\n`;

  test("findings lie on lines of the code", async () => {
    expect(await engine.check("x = 1\nbrave.search(query=5)\nreturn 3", stubs)).toEqual([
      { rule: "invalid-argument-type", line: 2, column: 14, message: expect.stringContaining("Expected `str`") },
    ]);
    expect(await engine.check("brave.search('a')", stubs)).toEqual([]);
    expect(await engine.check("brave.nope()", stubs.trimEnd())).toMatchObject([{ line: 1 }]);
    expect(await engine.check("class A: pass\nbrave.nope()", stubs)).toMatchObject([{ line: 2 }]);
    expect(await engine.check("(5 +", stubs)).toMatchObject([{ rule: "invalid-syntax", line: 1 }]);
    expect(await engine.check("1", "x: int = 'a'\n")).toEqual([]);
  });

  test("without an answer there is none, which is not the same as no findings", async () => {
    const closed = createMonty();
    await closed.dispose();
    expect(await closed.check("1", stubs)).toBeUndefined();
  });
});

test("a program that comes again starts anew, with the values of its own run", async () => {
  const code = "a = []\na.append(demo.next())\nreturn __ret(a)";
  const values = [1, 2, 3];
  const next = () => values.shift() as Value;
  for (const value of [1, 2, 3])
    expect(await run(code, namespaceOf({ "demo.next": next }))).toMatchObject({ ok: true, value: [value] });
});
