/** The CPython engine: values, calls, prints, errors, and its differences from a 64-bit Python. */

import { describe, expect, it } from "vitest";
import { HostError } from "../../../../../../runtime/run/engine/engine.js";
import type { Data } from "../../../../../../runtime/run/languages/language.js";
import { eachCase } from "../../../../../support/each-case.js";
import { overlapOf } from "../../../../../support/overlap.js";
import { type Asked, dict, keyword, pythonEngine, runWith } from "../../../../../support/run/python.js";

const engine = pythonEngine(2);
const run = (code: string, asked?: Asked) => runWith(engine(), code, asked);

/** What a run's last expression is, as JSON text. */
async function json(code: string, asked?: Asked): Promise<string | undefined> {
  const outcome = await run(code, asked);
  return outcome.ok ? outcome.json : `${outcome.name}: ${outcome.message}`;
}

const ret = (lines: string, expression: string) => `${lines}\n__ret(${expression})`;
/** Code that puts other things in the place of what calls and results are made with. */
const PATCHES = [
  ["json", "import json\njson.dumps = lambda *given, **named: 'patched'\njson.loads = None"],
  ["dates", "import datetime\nclass Fake(datetime.datetime): pass\ndatetime.datetime = datetime.date = Fake"],
  [
    "modules",
    "import math, base64, dataclasses, enum, inspect\nmath.ceil = math.isfinite = base64.b64encode = None\n" +
      "dataclasses.is_dataclass = enum.Enum = inspect.isawaitable = None",
  ],
  [
    "builtins",
    "import builtins\nfor name in ['dict', 'getattr', 'min', 'max', 'print', 'repr', 'sorted']:\n" +
      "  setattr(builtins, name, None)",
  ],
] as const;

describe("a program that replaces what calls and results are made with goes on", () => {
  it.each(PATCHES)("after it has replaced %s", async (_, patch) => {
    const code = `import datetime as d\nday = d.date(2026, 1, 2)\n${patch}\na = tools.get(day=day, n=1.5)\n__ret([a, day, {1: b"x"}])`;
    const { calls, ...outcome } = await run(code, { ops: { "tools.get": () => 7 } });
    expect(outcome).toMatchObject({ ok: true, json: '[7,"2026-01-02",{"1":"eA=="}]' });
    expect(calls).toMatchObject([
      {
        named: [
          ["day", { $: "date", text: "2026-01-02" }],
          ["n", 1.5],
        ],
      },
    ]);
  });
});

describe("what a 32-bit program and its C library have otherwise", () => {
  it("has the largest size of a 64-bit Python", async () => {
    expect(await json("import sys\n__ret(min(sys.maxsize, 1700000000000))")).toBe("1700000000000");
  });

  eachCase(
    [
      ["%d %P|%k|%-k|%l|%0l", "02 pm|15|15| 3|03"],
      ["%^a %^b %#a %#p %^B%%", "SAT MAR SAT pm MARCH%"],
      ["%J %i %N %d", "%J %i %N 02"],
      ["100%", "100%"],
      ["%%P %Y", "%P 2024"],
      ["%5d|%-d|%_d|%f", "00002|2| 2|000000"],
    ],
    "%d %P|%k|%-k|%l|%0l",
  )("formats dates as glibc: %j", { tags: "full" }, async (format, text) => {
    const at = "import datetime, time\nat = datetime.datetime(2024, 3, 2, 15, 4)\n";
    expect(await json(`${at}__ret(at.strftime(${JSON.stringify(format)}))`)).toBe(JSON.stringify(text));
    if (!format.includes("%f"))
      expect(await json(`${at}__ret(time.strftime(${JSON.stringify(format)}, at.timetuple()))`)).toBe(
        JSON.stringify(text),
      );
  });
});

const expectFailure = async (code: string, type: string, message: string | RegExp, line?: number) => {
  const outcome = await run(code);
  expect(outcome).toMatchObject({ ok: false, name: type, ...(line === undefined ? {} : { line }) });
  if (!outcome.ok) expect(outcome.message).toMatch(message);
};

describe("values", () => {
  it("gives every kind of value as JSON (the value table)", async () => {
    const imports =
      "import datetime, decimal, uuid, pathlib, collections, enum, dataclasses, types\n" +
      "class E(enum.Enum):\n  A = 5\n" +
      "@dataclasses.dataclass\nclass D:\n  x: int = 1\n" +
      "N = collections.namedtuple('N', 'a b')\n" +
      "class Sub(dict): pass\n" +
      "loop = []\nloop.append(loop)";
    const table: readonly (readonly [string, string])[] = [
      ["True", "true"],
      ["5", "5"],
      ["1.0", "1.0"],
      ["1e300 * 1e10", "null"],
      ["[float('nan'), None]", "[null,null]"],
      ["(1, 2)", "[1,2]"],
      ["collections.deque([1])", "[1]"],
      ["range(3)", "[0,1,2]"],
      ["(x * 2 for x in [1, 2])", "[2,4]"],
      ["{'a': 1}.keys()", '["a"]'],
      ["{'a': 1}.items()", '[["a",1]]'],
      ["map(str, [1])", '["1"]'],
      ["zip([1], [2])", "[[1,2]]"],
      ["{3, 1, 2}", "[1,2,3]"],
      ["frozenset([2, 'a', 1])", '[1,2,"a"]'],
      ["datetime.datetime(2024, 1, 2, 3, 4)", '"2024-01-02T03:04:00"'],
      ["datetime.date(2024, 1, 2)", '"2024-01-02"'],
      ["datetime.time(3, 4)", '"03:04:00"'],
      ["datetime.timedelta(minutes=1)", "60.0"],
      ["b'bytes'", '"Ynl0ZXM="'],
      ["pathlib.PurePosixPath('/a/b')", '"/a/b"'],
      ["uuid.UUID(int=1)", '"00000000-0000-0000-0000-000000000001"'],
      ["decimal.Decimal('1.10')", '"1.10"'],
      ["Sub(a=1)", '{"a":1}'],
      ["D()", '{"x":1}'],
      ["N(1, 2)", "[1,2]"],
      ["E.A", "5"],
      ["{1: 1, True: 2, None: 3, 2.5: 4, (1, 2): 5}", '{"1":2,"null":3,"2.5":4,"(1, 2)":5}'],
      ["{True: 1}", '{"true":1}'],
      ["loop", '["[...]"]'],
      ["1+2j", '"(1+2j)"'],
      ["'日' + chr(0xD800)", '"日\\ud800"'],
      ["2**70", "1180591620717411303424"],
      ["types.MappingProxyType({'a': 1})", '{"a":1}'],
    ];
    const outcome = await json(ret(imports, `[${table.map(([code]) => code).join(", ")}]`));
    expect(outcome).toBe(`[${table.map(([, text]) => text).join(",")}]`);
  });

  it("keeps the value beside the JSON text", { tags: "full" }, async () => {
    const outcome = await run("__ret({'b': 1.0, '1': 2**60, 'a': [1.5, 'x', None, True]})");
    expect(outcome).toMatchObject({
      value: {
        $: "dict",
        entries: [
          ["b", { $: "float", text: "1.0" }],
          ["1", 2n ** 60n],
          ["a", [1.5, "x", null, true]],
        ],
      },
    });
    expect(await run("__ret({'__proto__': {'x': 1}})")).toMatchObject({
      value: { $: "dict", entries: [["__proto__", dict({ x: 1 })]] },
      json: '{"__proto__":{"x":1}}',
    });
  });

  it("takes every kind of value from a tool and hands it back the same", async () => {
    const values: readonly Data[] = [
      ...[null, true, 5, -7, 1.5, 2n ** 80n, -(2n ** 80n), "日\u2028\ud800", new Uint8Array([0, 255])],
      ...[[1, [2]], dict({ a: 1, __proto__x: [] }), { $: "dict" as const, entries: [[1, "one"] as const] }],
      { $: "tuple", items: [1, 2] },
      { $: "set", items: [1] },
      { $: "float", text: "1.0" },
      { $: "float", text: "nan" },
      { $: "float", text: "-0.0" },
      { $: "datetime", text: "2024-01-02T03:04:05" },
      { $: "date", text: "2024-01-02" },
      { $: "timedelta", text: "60.0" },
      { $: "path", text: "/a/b" },
    ];
    const ops = { "demo.give": () => values, "demo.take": () => null };
    const { calls } = await run("for v in demo.give(): demo.take(v, named=v)", { ops });
    expect(calls.slice(1).map(({ positional }) => positional[0])).toEqual(values);
    expect(calls.slice(1).map((call) => keyword(call, "named"))).toEqual(values);
  });

  it("tells a value, None and no value apart, and where results are captured", { tags: "full" }, async () => {
    expect(await run("__ret(None)")).toMatchObject({ outcome: "none", value: null });
    expect(await run("x = 1")).toMatchObject({ outcome: "novalue" });
    expect(await run("return __ret(2)")).toMatchObject({ outcome: "value", value: 2 });
    expect(await run("for i in range(3):\n  if i == 1:\n    return __ret(i)")).toMatchObject({ value: 1 });
    expect(await run("n: int = 0\ndef f():\n  global n\n  n += 1\nf()\nif n:\n  return __ret(n)\nn = 9")).toMatchObject(
      {
        value: 1,
      },
    );
    expect(await run("try:\n  return __ret(1)\nfinally:\n  print('f')")).toMatchObject({ value: 1, printed: "f\n" });
    expect(await run("if True: return")).toMatchObject({ outcome: "none" });
    expect(await run("")).toMatchObject({ outcome: "novalue" });
  });

  it("hands over the magic variables, and str() where the format is raw", { tags: "full" }, async () => {
    expect(await run("__format__ = 'raw'\n__sanitize__ = True\n__ret({'a': (1,)})")).toMatchObject({
      ...{ str: "{'a': (1,)}", format: "raw", sanitize: true },
    });
    const plain = await run("__ret(1)");
    expect("format" in plain || "sanitize" in plain || "str" in plain).toBe(false);
  });

  it("cuts what is nested too deeply", { tags: "full" }, async () => {
    const code = "x = []\nfor i in range(100000): x = [x]\n__ret(x)";
    expect(await json(code, { limits: { resultDepth: 3 } })).toBe('[[["..."]]]');
    expect((await json(code))?.length).toBe(64 * 2 + 5);
  });
});

describe("calls", () => {
  const search = ({
    positional,
    named,
  }: {
    positional: readonly Data[];
    named: readonly (readonly [string, Data])[];
  }) => [...positional, ...named.map(([key]) => key)];

  it("reaches nested packs, by value too, with the line of the call", async () => {
    const ops = { "onto.task.list": search, "onto.ping": () => "pong", "demo.search": search };
    const code =
      "a = onto.task.list(1, limit=3)\nf = demo.search\nb = list(map(f, [1, 2]))\n__ret([a, b, onto.ping(), f.__name__, f is demo.search])";
    const { calls, ...outcome } = await run(code, { ops });
    expect(outcome).toMatchObject({ json: '[[1,"limit"],[[1],[2]],"pong","search",true]' });
    expect(calls.map(({ path, line }) => `${path.join(".")}:${line}`)).toEqual([
      ...["onto.task.list:1", "demo.search:3", "demo.search:3", "onto.ping:4"],
    ]);
  });

  it("raises a tool's error at the call, with its type, where code can catch it", { tags: "full" }, async () => {
    const ops = {
      "demo.boom": () => Promise.reject(new HostError("KeyError", "kaput")),
      "demo.odd": () => Promise.reject(new Error("/secret/path")),
    };
    const caught = "try:\n  demo.boom()\nexcept KeyError as e:\n  r = [str(e), e.args[0]]\n__ret(r)";
    expect(await json(caught, { ops })).toBe(`["'kaput'","kaput"]`);
    expect(await run("x = 1\ndemo.boom()", { ops })).toMatchObject({ name: "KeyError", message: "'kaput'", line: 2 });
    expect(await run("demo.odd()", { ops })).toMatchObject({ name: "RuntimeError", message: "demo.odd failed" });
    const denied = { "demo.x": () => Promise.reject(new HostError("PermissionError", "demo.x changes data")) };
    expect(await run("demo.x()", { ops: denied })).toMatchObject({
      name: "PermissionError",
      message: "demo.x changes data",
    });
  });

  it("lists what a pack has, when asked for what it has not", { tags: "full" }, async () => {
    const ops = { "demo.a": () => 1, "demo.b": () => 1 };
    for (const name of ["nope", "_x", "constructor", "toString", "hasOwnProperty", "__proto__"])
      expect(await run(`demo.${name}()`, { ops })).toMatchObject({
        ...{ name: "AttributeError", message: `pack 'demo' has no function '${name}'. Available: a, b`, line: 1 },
      });
    expect(await json("__ret([hasattr(demo, 'a'), hasattr(demo, 'z'), dir(demo)])", { ops })).toBe(
      '[true,false,["a","b"]]',
    );
  });

  it("asks the host for a bare name that is called, and leaves others to Python", { tags: "full" }, async () => {
    const outcome = await run("serch(q=1)");
    expect(outcome).toMatchObject({ name: "NameError", message: "name 'serch' is not defined", line: 1 });
    expect(outcome.calls.map(({ path }) => path)).toEqual([["serch"]]);
    expect(await run("unknown.f()")).toMatchObject({
      name: "NameError",
      message: "name 'unknown' is not defined",
      calls: [],
    });
    expect(await run("__ret(top(1))", { ops: { top: ({ positional }) => positional } })).toMatchObject({ json: "[1]" });
  });

  it("gives projects as pure paths", { tags: "full" }, async () => {
    const asked: Asked = {
      ops: { "proj.path": () => "p", "proj.list": () => [] },
      projects: { onetool: "/p/onetool", list: "/x" },
    };
    const code =
      "p = proj.onetool / 'src' / 'a.ts'\n__ret([p, p.name, p.suffix, str(p.parent), type(p).__name__, getattr(proj, 'onetool'), proj.path(), proj.list()])";
    expect(await json(code, asked)).toBe(
      '["/p/onetool/src/a.ts","a.ts",".ts","/p/onetool/src","ProjectPath","/p/onetool","p",[]]',
    );
    expect(await json("proj.unknown", asked)).toBe(
      "AttributeError: proj has no function or project 'unknown'. Functions: path, list. Projects: list, onetool",
    );
    expect(await json("proj.onetool.read_text()", asked)).toMatch(/^AttributeError/);
  });

  it("runs calls side by side that are gathered, in every form", { tags: "full" }, async () => {
    const forms = [
      "__ret(await asyncio.gather(demo.slow(1), demo.slow(2), demo.slow(3)))",
      "__ret(await asyncio.gather(*[demo.slow(i) for i in (1, 2, 3)]))",
      "__ret(await asyncio.gather(*map(demo.slow, [1, 2, 3])))",
      "ts = [demo.slow(i) for i in (1, 2, 3)]\n__ret(await asyncio.gather(*ts))",
      "ts = []\nfor i in (1, 2, 3):\n  ts.append(demo.slow(i))\n__ret(await asyncio.gather(*ts))",
      "async def f(i): return await demo.slow(i)\n__ret(asyncio.run(asyncio.wait_for(asyncio.gather(f(1), f(2), f(3)), 20)) if False else await asyncio.gather(f(1), f(2), f(3)))",
      "async def main():\n  return await asyncio.gather(demo.slow(1), demo.slow(2), demo.slow(3))\n__ret(asyncio.run(main()))",
      "async def main():\n  async with asyncio.TaskGroup() as g:\n    ts = [g.create_task(demo.slow(i)) for i in (1, 2, 3)]\n  return [t.result() for t in ts]\n__ret(await main())",
      "__ret(await asyncio.gather(*[asyncio.to_thread(demo.slow, i) for i in (1, 2, 3)]))",
      "a = demo.slow(1)\nb = demo.slow(2)\n__ret([await a, await b, await demo.slow(3)])",
    ];
    for (const form of forms) {
      const width = form.startsWith("a =") ? 2 : 3;
      const overlap = overlapOf(width);
      const slow = async (call: { positional: readonly Data[] }) => {
        (await overlap.enter())();
        return call.positional[0] as Data;
      };
      expect([form, await json(`import asyncio\n${form}`, { ops: { "demo.slow": slow } })]).toEqual([form, "[1,2,3]"]);
      expect([form, overlap.most()]).toEqual([form, width]);
    }
  });

  it("awaits plain values, keeps errors of awaited calls, sleeps and times out", { tags: "full" }, async () => {
    const ops = {
      "demo.now": () => 5,
      "demo.boom": () => Promise.reject(new HostError("ValueError", "bad")),
      "demo.never": () => new Promise<Data>(() => {}),
    };
    const inside = "import asyncio\n";
    expect(await json(`${inside}x = demo.now()\ny = x + 1\n__ret([await asyncio.sleep(0.05, 'z'), y])`, { ops })).toBe(
      '["z",6]',
    );
    expect(
      await json(
        `${inside}r = await asyncio.gather(demo.boom(), demo.now(), return_exceptions=True)\n__ret([str(r[0]), r[1]])`,
        { ops },
      ),
    ).toBe('["bad",5]');
    expect(await json(`${inside}await asyncio.wait_for(demo.never(), 0.1)`, { ops })).toMatch(/^TimeoutError/);
    expect(await json(`${inside}await asyncio.get_running_loop().create_future()`, { ops })).toMatch(/never happen/);
    const spin = "t = asyncio.create_task(demo.now())\nwhile not t.done(): await asyncio.sleep(0)\n__ret(t.result())";
    expect(await json(inside + spin, { ops })).toBe("5");
  });
});

describe("the language", () => {
  it("runs all of the language", { tags: "slow" }, async () => {
    const code = [
      "import dataclasses, contextlib",
      "@dataclasses.dataclass\nclass P:\n  x: int\n  y: int = 2",
      "def deco(f):\n  def w(*a, **k): return f(*a, **k) + 1\n  return w",
      "@deco\ndef h(x): return x",
      "@contextlib.contextmanager\ndef c(): yield 5",
      "with c() as v: r = v",
      "def g():\n  yield 1\n  yield from [2, 3]",
      "def m(x):\n  match x:\n    case {'a': v}: return v\n    case [1, *rest]: return rest\n    case _: return None",
      "try:\n  raise ExceptionGroup('g', [ValueError('a')])\nexcept* ValueError as e:\n  n = len(e.exceptions)",
      "l = [1, 2, 3, 4]\nl[1:3] = [9]\ndel l[0]",
      "class A:\n  async def __aenter__(self): return 1\n  async def __aexit__(self, *a): pass",
      "async with A() as a: pass",
      "__ret([P(1), h(1), r, list(g()), m({'a': 1}), m([1, 2]), n, l, a, '%05.1f|{:>3}'.format(1) % 2.5, f'{1234567:,}', eval('1+1'), sorted(locals())[-1] != ''])",
    ].join("\n");
    expect(await json(code)).toBe('[{"x":1,"y":2},2,5,[1,2,3],1,[2],1,[9,4],1,"002.5|  1","1,234,567",2,true]');
  });

  it("knows the line of an error in the innermost frame of the code", { tags: "full" }, async () => {
    await expectFailure("a=1\nb=2\nc = a/0", "ZeroDivisionError", /^division by zero$/, 3);
    await expectFailure("def f():\n  return [].pop()\n\nf()", "IndexError", /pop from empty list/, 2);
    await expectFailure("import json\nx = 1\njson.loads('{')", "JSONDecodeError", /Expecting/, 3);
    await expectFailure("async def f():\n  raise ValueError('v')\nawait f()", "ValueError", /^v$/, 2);
    await expectFailure("class Mine(Exception): pass\nraise Mine('m')", "Mine", /^m$/, 2);
    await expectFailure("raise SystemExit(1)", "SystemExit", /^1$/, 1);
    await expectFailure("x = {}\nx['k']", "KeyError", /^'k'$/, 2);
  });

  it("tells syntax errors with their line", { tags: "full" }, async () => {
    for (const [code, line] of [
      ["del", 1],
      ["x = 1\n(5 + 10", 2],
      ["if x:\nreturn", 2],
      ["\n\nyield 1 if", 3],
      ["if 1:\n  return 1\nyield 2", 3],
      ["def f():\n  nonlocal q", 2],
    ] as const) {
      const message = expect.stringMatching(/./);
      const failed = { ok: false, kind: "syntax", name: "SyntaxError", line, message };
      expect([code, await run(code)]).toMatchObject([code, failed]);
    }
  });

  it("prints in order with calls, in whole lines, and to stderr too", async () => {
    const seen: string[] = [];
    const ops = { "demo.t": () => seen.push("call") };
    const code =
      "import sys\nprint('a', 'b', sep='-')\nprint('c', end='')\ndemo.t()\nprint('d', file=sys.stderr)\nsys.stdout.write('日')";
    const outcome = await run(code, { ops, onPrint: (text) => seen.push(text) });
    expect(seen).toEqual(["a-b\n", "c", "call", "d\n", "日"]);
    expect(outcome.stats).toMatchObject({ engine: "cpython", hostCalls: 1, printedBytes: 10 });
  });

  it("gives other random numbers in every run", { tags: "full" }, async () => {
    const code = "import random, uuid\n__ret([random.random(), str(uuid.uuid4())])";
    const seen = new Set([await json(code), await json(code), await json(code)]);
    expect(seen.size).toBe(3);
  });
});
