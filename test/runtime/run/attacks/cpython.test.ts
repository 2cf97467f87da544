/** Attacks on the CPython engine: forged messages, misbehaving objects, floods. */

import { describe, expect, it } from "vitest";
import type { Limits } from "../../../../runtime/config/run-settings.js";
import type { Data } from "../../../../runtime/run/languages/language.js";
import { eachCase, slowRows } from "../../../support/each-case.js";
import { type Asked, pythonEngine, runWith } from "../../../support/run/python.js";
import { threadMb } from "../../../support/used.js";

// What `cpython-isolation` and `cpython-limits` leave out: a guest that holds the shim's own link to the
// host, misbehaving objects, and what it makes of our memory.
const engine = pythonEngine(2);
const run = (code: string, asked?: Asked) => runWith(engine(), code, asked);
const MB = 1024 * 1024;

/** The most that a guest can get hold of: the shim's link, by a frame of the stack. */
const LINK =
  "import sys\nf = sys._getframe()\nwhile 'link' not in f.f_globals: f = f.f_back\nlink = f.f_globals['link']\nshim = f.f_globals\n";
const CALL = (args: string) => `'{"t":"call","id":1,"path":["demo","t"],"kwargs":[],"args":[${args}]}'`;

const crashed = { kind: "crashed", name: "EngineError", message: "the interpreter stopped" };
const tooMuch = { kind: "output", name: "OutputError", message: "the arguments of tool calls are too large" };
const time = { kind: "timeout", name: "TimeoutError" };

describe("a guest that speaks to the host itself", () => {
  const table: readonly (readonly [string, string, object])[] = [
    ["an object in place of text", "class A: length = 600_000_000\nlink.send(A())", crashed],
    ["a number in place of text", "try: link.send(5)\nexcept BaseException: pass\n__ret(1)", crashed],
    ["an endless number of timers", `while True: link.send('{"t":"timer","id":1,"ms":2147483647}')`, crashed],
    ["empty prints", `while True: link.send('{"t":"print","s":""}')`, crashed],
    ["a call with 20 million lists", `link.send(${CALL("' + '[],' * 20_000_000 + '0")})\nlink.recv()`, tooMuch],
    [
      "a number of 20 million digits",
      `link.send(${CALL(`{"$":"int","text":"' + '9' * 20_000_000 + '"}`)})\nlink.recv()`,
      crashed,
    ],
    [
      "a class name of several lines and a message of 5 MB",
      `link.send('{"t":"done","error":"X\\\\nNext: obey","kind":"runtime","message":"' + 'm' * 5_000_000 + '"}')\nlink.recv()`,
      { kind: "runtime", name: "Exception", message: "m".repeat(10_000) },
    ],
    [
      "a result larger than allowed",
      `shim['finished'] = lambda *a: {'t': 'done', 'outcome': 'value', 'json': '"' + 'x' * 30_000_000 + '"'}\n__ret(1)`,
      { kind: "output", message: "result larger than 20 MB" },
    ],
    [
      "a call as the last message",
      `def f():\n  shim['json'].dumps = lambda *a, **k: ${CALL("")}\n  return 1\n__ret(f())`,
      crashed,
    ],
    ["an object as the last message", "shim['json'].dumps = lambda *a, **k: object()\n__ret(1)", crashed],
    ["a text with two values as the last message", `shim['json'].dumps = lambda *a, **k: '1\\n{}'\n__ret(1)`, crashed],
    ["names of JavaScript as kinds", `link.send('{"t":"__proto__"}')\nlink.recv()`, crashed],
    ["another kind of end", `link.send('{"t":"dead","why":"constructor"}')\nlink.recv()`, crashed],
    ["a wait that never ends", "link.recv()", { ...time, message: "the run took longer than 3 s" }],
    ["the end of the guest's own limit", "shim['link'].most = 10**12\ndemo.t('x' * 120_000_000)", { ok: false }],
  ];
  eachCase(table, "an object in place of text", ...slowRows("a result larger than allowed"))(
    "gets no call through, and ends its own program only: %s",
    {},
    async (_name, code, expected) => {
      const limits: Partial<Limits> = _name.startsWith("a wait") ? { wallMs: 3000 } : {};
      const outcome = await run(LINK + code, { limits, ops: { "demo.t": () => 1 } });
      expect(outcome).toMatchObject(expected);
      expect(outcome.calls).toEqual([]);
    },
  );

  it("a result that is no JSON stays text, and one nested 5,000 deep does no harm", { tags: "full" }, async () => {
    for (const json of ["nope", `${"[".repeat(5000)}${"]".repeat(5000)}`]) {
      const outcome = await run(`${LINK}link.send('{"t":"done","outcome":"value","json":"${json}"}')\nlink.recv()`);
      expect(outcome).toMatchObject({ ok: true, json, value: json });
    }
  });

  it("answers that it never reads do not pile up in our memory", { tags: "full" }, async () => {
    const before = threadMb();
    const big = (): Data => "x".repeat(MB);
    const flood = `${LINK}while True: link.send(${CALL("")})`;
    const outcome = await run(flood, { ops: { "demo.t": big }, limits: { memoryBytes: 64 * MB, hostCalls: 100_000 } });
    expect(outcome).toMatchObject({ kind: "memory" });
    expect(threadMb() - before).toBeLessThan(600);
  });

  it("arguments of calls under way do not either, nor do those of one call", { tags: "full" }, async () => {
    const slow = () => new Promise<Data>(() => {});
    const ops = { "demo.t": slow };
    const many = "import asyncio\ns = 'x' * 10_000_000\nawait asyncio.gather(*[demo.t(s) for i in range(100)])";
    expect(await run(many, { ops })).toMatchObject(tooMuch);
    const one = "try: demo.t('x' * 30_000_000)\nexcept ValueError as e: __ret(str(e))";
    expect(await run(one, { ops })).toMatchObject({ value: "the arguments of demo.t are too large", calls: [] });
  });

  it("errors of JavaScript show no path of this machine", { tags: "full" }, async () => {
    const code =
      "seen = []\nfor step in (lambda: link.recv.apply(1, 2, 3), lambda: link.send.call.call()):\n" +
      "  try: step()\n  except BaseException as e:\n    for n in dir(e):\n      try: seen.append(str(getattr(e, n)))\n      except BaseException: pass\n__ret(seen)";
    const outcome = await run(LINK + code);
    expect(outcome).toMatchObject({ ok: true });
    expect((outcome.ok && (outcome.value as readonly string[]).length) || 0).toBeGreaterThan(10);
    expect(JSON.stringify(outcome)).not.toMatch(/node_modules|file:\/\/|\.mjs/);
  });
});

describe("objects that misbehave while they are looked at", () => {
  const loop = "    while True: pass\n";
  const table: readonly (readonly [string, string, object])[] = [
    ["str() without end", `class A:\n  def __str__(self):\n${loop}__ret(A())`, time],
    ["items() without end", "class D(dict):\n  def items(self):\n    while True: yield 1, 1\n__ret(D(a=1))", time],
    ["a generator without end", "def g():\n  while True: yield 1\n__ret(g())", { ok: false }],
    ["an exception whose text never comes", `class E(Exception):\n  def __str__(self):\n${loop}raise E()`, time],
    ["a comparison without end", `class A:\n  def __lt__(self, o):\n${loop}sorted([A(), A()])`, time],
    ["an argument whose text never comes", `class A:\n  def __str__(self):\n${loop}demo.t(A())`, time],
    [
      "a format that is compared without end",
      `class S(str):\n  def __eq__(self, o):\n${loop}__format__ = S('raw')\n__ret(1)`,
      time,
    ],
    ["a trace function without end", `import sys\ndef t(*a):\n${loop}sys.settrace(t)\ndef f(): pass\nf()`, time],
    ["signals that are ignored", "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass", time],
    ["an exception with a name of 10 MB", "raise type('E' * 10_000_000, (Exception,), {})('x')", { name: "Exception" }],
    [
      "an exception with a name of two lines",
      "raise type('E\\nNext: obey', (Exception,), {})('x')",
      { name: "Exception" },
    ],
    ["a message of 50 MB", "raise ValueError('x' * 50_000_000)", { message: "x".repeat(10_000) }],
    [
      "a text that raises the end of the process",
      "class E(Exception):\n  def __str__(self): raise SystemExit\nraise E()",
      { name: "E" },
    ],
    ["a million nested lists", "a = []\nfor i in range(10**6): a = [a]\n__ret(a)", { ok: true }],
    [
      "a million nested lists as an argument",
      "a = []\nfor i in range(10**5): a = [a]\ndemo.t(a)",
      { name: "ValueError" },
    ],
    [
      "code objects made by hand",
      "def f(): pass\nf.__code__ = f.__code__.replace(co_code=bytes([255] * 100), co_stacksize=0)\nf()",
      { ok: false },
    ],
    ["data for marshal", "import marshal\nmarshal.loads(b'[' + b'\\xff\\xff\\xff\\x7f')", { ok: false }],
    [
      "a pickle that starts a process",
      "import pickle\npickle.loads(b\"cposix\\nsystem\\n(S'id'\\ntR.\")",
      { ok: false },
    ],
    ["the native modules below os", "import posix\nposix.system('id')", { ok: false }],
    [
      "no builtins left",
      "import builtins\nfor n in dir(builtins):\n  try: delattr(builtins, n)\n  except Exception: pass\n__ret(1)",
      { ok: false },
    ],
    [
      "the shim's own modules patched",
      "import json\njson.dumps = lambda *a, **k: 'no'\n__ret(1)",
      { ok: true, value: 1 },
    ],
    ["a hundred million bits as text", "__ret(1 << 100_000_000)", { ok: false }],
    ["a program of nothing but NUL", "x = 1\0", { kind: "syntax" }],
    ["surrogates in the code", "__ret('\ud800')", { kind: "syntax" }],
    ["an event loop that is asked without end", "import asyncio\nwhile True: await asyncio.sleep(0)", time],
    ["an event that never happens", "import asyncio\nawait asyncio.Future()", { name: "RuntimeError" }],
  ];
  eachCase(table, ...["str() without end", "a pickle that starts a process", "the shim's own modules patched"])(
    "get no call through, and learn no path: %s",
    {},
    async (_name, code, expected) => {
      // What has no end is left soon; the rest has the time to get to its own.
      const cpuMs = expected === time ? 500 : 1500;
      const outcome = await run(code, { limits: { cpuMs, wallMs: 30_000 }, ops: { "demo.t": () => 1 } });
      expect(outcome).toMatchObject(expected);
      expect(outcome.calls).toEqual([]);
      expect(JSON.stringify({ ...outcome, value: 0, json: 0 })).not.toMatch(/node_modules|\/work\/|\/home\/|file:\/\//);
    },
  );

  it("strange values of the magic variables, text with NUL and surrogates, tasks left at the end", {
    tags: "full",
  }, async () => {
    const codes: readonly (readonly [string, string])[] = [
      ["__format__ = ['a'] * 3\n__sanitize__ = globals()\n__ret(1)", "1"],
      ["__format__ = __ret\n__ret(1)", "1"],
      ["__ret('\\ud800a\\0')", '"\\ud800a\\u0000"'],
      [
        "import asyncio\nasync def f():\n  while True: await asyncio.sleep(0.01)\nasync def main():\n  asyncio.create_task(f())\n__ret(await main() or 5)",
        "5",
      ],
      ["import atexit\natexit.register(lambda: 1 / 0)\n__ret(6)", "6"],
      ["class A:\n  def __del__(self):\n    while True: pass\na = A()\n__ret(7)", "7"],
    ];
    for (const [code, json] of codes) expect([code, await run(code)]).toMatchObject([code, { json }]);
  });
});
