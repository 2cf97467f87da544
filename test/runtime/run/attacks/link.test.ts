/** What a program says to the host by the shim's own link: its run ends, and the next program of its caller is not touched. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Data } from "../../../../runtime/run/languages/language.js";
import { eachCase } from "../../../support/each-case.js";
import { type Ops, pythonEngine, runWith } from "../../../support/run/python.js";
import { LINK } from "./leftovers.js";

const engine = pythonEngine(1);
const MB = 1024 * 1024;

/** Ops: one answers its argument, one after a time that its program does not wait. */
const OPS: Ops = {
  "demo.echo": ({ positional }) => positional[0] ?? null,
  "demo.late": (): Promise<Data> => sleep(150, "an answer of the program before"),
};

/** A program whose answers are known; it takes longer than the late answers of the one before. */
const HONEST = `import asyncio
got = [demo.echo(i) for i in range(3)]
await asyncio.sleep(0.3)
got += await asyncio.gather(*[demo.echo(i) for i in range(3, 6)])
print("honest")
__ret(got)`;

const crashed = { ok: false, kind: "crashed" };
const said = (json: string): string => `link.send('${json}')`;
const call = (fields: string): string => said(`{"t":"call","path":["demo","echo"],"args":[1],"kwargs":[],${fields}}`);
const later = (fields: string): string => said(`{"t":"call","path":["demo","late"],"args":[],"kwargs":[],${fields}}`);
const DONE = '{"t":"done","outcome":"value","json":"7"}';
/** The text of the last message is made by a function that the program replaces. */
const ends = (text: string): string => `shim["json"].dumps = lambda *a, **k: ${text}\n__ret(1)`;

/** The native module that counts references, past the import system. */
const NATIVE =
  "import importlib.machinery as m, _imp\nC = _imp.create_builtin(m.ModuleSpec('_ctypes', m.BuiltinImporter))\n";
/** Python gives the number of the link free, and has it for another object: as many references as before. */
const SWAPPED =
  "s = link.send\nkept = link.recv.__proto__\nfor i in range(sys.getrefcount(s) - 2): C.Py_DECREF(s)\ndel s\n__ret(1)";

const FORGED: readonly (readonly [what: string, code: string, outcome: object])[] = [
  ["a ready of its own", said('{"t":"ready","isReused":true,"grown":0,"touched":0,"rss":1}'), crashed],
  ["a reset of its own", said('{"t":"reset"}'), crashed],
  ["the byte of another sender in the text", said("d0.001\\\\n").replace("')", `' + '${DONE}')`), crashed],
  ["the head of a frame in the text", `link.send('\\x00\\x00\\x00\\x02r{}')`, crashed],
  ["a frame of no bytes", "link.send('')", crashed],
  ["bytes in place of text", "link.send(b'{}')", { ok: false }],
  ["a list in place of an object", said("[1]"), crashed],
  ["half of a text", said('{"t":"pri'), crashed],
  ["half of a surrogate pair", "link.send('\\ud800')", crashed],
  ["an end, and a wait for the next program", `${said(DONE)}\nwhile True: link.recv()`, { ok: true, value: 7 }],
  ["two ends", `${said(DONE)}\n${said(DONE)}\n__ret(8)`, { ok: true, value: 7 }],
  ["an end with a number beyond all", said('{"t":"done","outcome":"value","json":"1e999"}'), { ok: true }],
  ["a time limit that did not pass", `${said('{"t":"late"}')}\n__ret(1)`, { kind: "timeout" }],
  ["memory that is not used up", `${said('{"t":"spent"}')}\n__ret(1)`, { kind: "memory" }],
  ["a death of an unknown reason", said('{"t":"dead","why":"hasOwnProperty"}'), crashed],
  ["a print of a number", said('{"t":"print","s":5}'), { ok: false }],
  ["a timer before now", `${said('{"t":"timer","id":1,"ms":-5}')}\nlink.recv()\n__ret(1)`, {}],
  ["a timer that is no number", said('{"t":"timer","id":1,"ms":"x"}'), {}],
  ["a timer of all time, left", `${said('{"t":"timer","id":1,"ms":1e308}')}\n__ret(1)`, {}],
  ["timers that are left", `for i in range(50): ${said('{"t":"timer","id":1,"ms":100}')}\n__ret(1)`, { ok: true }],
  ["an id beyond 64 bits", `${call(`"id":${10n ** 30n}`)}\nlink.recv()\n__ret(1)`, {}],
  ["an id that is no number", `${call('"id":{"a":1}')}\nlink.recv()\n__ret(1)`, {}],
  ["no path", said('{"t":"call","id":1,"path":[],"args":[],"kwargs":[]}'), {}],
  [
    "a path of 100,000 names",
    `link.send('{"t":"call","id":1,"path":[' + '"a",' * 100_000 + '"b"],"args":[],"kwargs":[]}')\nlink.recv()\n__ret(1)`,
    {},
  ],
  ["a name of JavaScript", said('{"t":"call","id":1,"path":["__proto__","constructor"],"args":[],"kwargs":[]}'), {}],
  ["answers that are not read", `for i in range(50):\n  ${call('"id":9')}\n__ret(1)`, { ok: true, value: 1 }],
  ["answers that come after the end", `for i in range(20):\n  ${later('"id":1')}\n__ret(1)`, { ok: true, value: 1 }],
  [
    "answers with the ids of the next",
    `for i in range(1, 20):\n  ${later("\"id\":' + str(i) + '")}\n__ret(1)`,
    { ok: true },
  ],
  [
    "calls by coroutines that are left",
    "import asyncio\nt = [asyncio.ensure_future(demo.late()) for i in range(9)]\n__ret(1)",
    {},
  ],
  ["an answer to whether it waits", `${said('{"t":"waiting"}')}\n__ret(1)`, { ok: true, value: 1 }],
  [
    "a last message that is a call",
    ends(`'{"t":"call","id":1,"path":["demo","echo"],"args":[1],"kwargs":[]}'`),
    { ok: false },
  ],
  ["a last message of two lines", ends(`'9.5\\\\n{"t":"done","outcome":"value","json":"1"}'`), { ok: false }],
  ["a last message that is no text", ends("5"), { ok: false }],
  ["a last message without end", ends("(_ for _ in ()).throw(SystemExit)"), { ok: false }],
  ["a frame beyond the memory", "link.send('x' * 150_000_000)", { ok: false }],
  [
    "frames from the end of the stack",
    `sys.setrecursionlimit(10**6)\ndef f():\n  try: f()\n  finally: link.send('{"t":"print","s":"x"}')\nf()`,
    { ok: false },
  ],
  [
    "the link in a finalizer",
    "class A:\n  def __del__(self): link.send('{}')\nsys.a = A()\nsys.a.b = sys.a\n__ret(1)",
    { ok: true },
  ],
  ["the link in an exit function", "import atexit\natexit.register(link.recv)\n__ret(1)", { ok: true }],
  ["another object in place of the link", `${NATIVE}${SWAPPED}`, { ok: true, value: 1 }],
  ["the interpreter's end", "import os\nos._exit(0)", { ok: false }],
];

eachCase(
  FORGED,
  "a ready of its own",
  "an end, and a wait for the next program",
  "answers that come after the end",
)(
  "the next programs are answered as if nothing had been forged: %s",
  { timeout: 240_000 },
  async (_what, code, expected) => {
    const limits = { cpuMs: 5000, wallMs: 40_000, memoryBytes: 256 * MB };
    const outcome = await runWith(engine(), `${LINK}${code}`, { ops: OPS, limits });
    expect(outcome).toMatchObject(expected);
    for (let i = 0; i < 2; i++) {
      const next = await runWith(engine(), HONEST, { ops: OPS });
      expect(next).toMatchObject({ ok: true, value: [0, 1, 2, 3, 4, 5], printed: "honest\n" });
      expect(next.calls.map(({ positional }) => positional[0])).toEqual([0, 1, 2, 3, 4, 5]);
    }
  },
);

/** All objects that the collector leads to, of which some are of JavaScript. */
const FOUND = `import gc
todo, known, found = gc.get_objects(), set(), []
while todo:
  one = todo.pop()
  if id(one) in known: continue
  known.add(id(one))
  if type(one).__name__ == "JsProxy": found.append(str(one))
  todo += gc.get_referents(one)
__ret(sorted(found))`;

test("a program finds no object of JavaScript but the two functions of the link", { tags: "slow" }, async () => {
  const outcome = await runWith(engine(), `${LINK}${FOUND}`, { ops: OPS });
  expect(outcome).toMatchObject({ ok: true, value: ["() => host.receive()", "(text) => host.send(text)"] });
});

/** Adds a property to the class of the object by which the child program calls the next program. */
const CLASS_CHANGED = `import importlib.machinery as m, _imp
C = _imp.create_builtin(m.ModuleSpec('_pyodide_core', m.BuiltinImporter))
O = C.to_js([]).__proto__.__proto__.constructor
classes = C.to_js([lambda: 1]).map(O.getPrototypeOf)
classes.secret = 1
try:
  classes.forEach(O.assign)
  __ret("changed")
except Exception as e: __ret(str(e)[:9])`;

test("a program does not change the class of the object that calls the next one", { tags: "slow" }, async () => {
  expect(await runWith(engine(), CLASS_CHANGED)).toMatchObject({ ok: true, value: "TypeError" });
});

test("a program that was cancelled leaves nothing on the link", { tags: "slow" }, async () => {
  for (const ms of [0, 20, 80]) {
    const stop = new AbortController();
    const begun = runWith(engine(), "while True: demo.late()", { ops: OPS, signal: stop.signal });
    await sleep(ms);
    stop.abort();
    expect(await begun).toMatchObject({ ok: false, kind: "cancelled" });
    expect(await runWith(engine(), HONEST, { ops: OPS })).toMatchObject({ ok: true, value: [0, 1, 2, 3, 4, 5] });
  }
});
