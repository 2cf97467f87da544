/** What a program leaves in a Python process is put back: all that the next one could see is as before. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  locatePrograms,
  type MemorySnapshot,
  type Programs,
  snapshotFor,
} from "../../../../../../runtime/run/languages/python/engine/cpython/snapshot.js";
import { randomOf, shuffled } from "../../../../../support/random.js";
import { keepSnapshots, lendSnapshots } from "../../../../../support/run/python-snapshots.js";
import { corpus } from "../../../../../support/run/run-corpus.js";
import { changedChild, type DrivenPython, drivePython } from "./python-process.js";

vi.setConfig({ testTimeout: 240_000 });

/**
 * Reads what a program could see or use: all objects of JavaScript that the interpreter leads to, by path, with their
 * values; the memory; the exported globals. It gives what differs from the first time.
 */
const EXAMINE = String.raw`
let firstSeen, resets = 0;
function digestOf(bytes) { return nodeCrypto.createHash("sha256").update(bytes).digest("hex"); }
function entriesOf(one) {
  // A prototype is of neither class.
  for (const { prototype } of [Map, Set]) try { return [...prototype.entries.call(one)].flat(); } catch {}
  return [];
}
function graphOf(roots, memory) {
  const found = new Map(), numbers = new Map(), todo = Object.entries(roots);
  const note = (path, value) => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return found.set(path, String(value));
    if (!numbers.has(value)) { numbers.set(value, numbers.size); todo.push([path, value]); }
    found.set(path, typeof value + numbers.get(value));
  };
  for (let at = 0; at < todo.length; at++) {
    const [path, one] = todo[at];
    // What it shows is in the memory, and looking at it runs Python.
    if (one instanceof python.ffi.PyProxy) continue;
    if (ArrayBuffer.isView(one) || one instanceof ArrayBuffer) {
      const { buffer = one } = one;
      if (buffer !== memory.buffer) note(path + "#", digestOf(new Uint8Array(buffer, one.byteOffset ?? 0, one.byteLength)));
      continue;
    }
    if (one instanceof WebAssembly.Global && one !== WebAssembly.Global.prototype) note(path + "#global", one.value);
    if (one instanceof WebAssembly.Table && one !== WebAssembly.Table.prototype) note(path + "#table", one.length);
    entriesOf(one).forEach((value, i) => note(path + "#" + i, value));
    for (const key of Reflect.ownKeys(one)) {
      const { value, get, set } = Reflect.getOwnPropertyDescriptor(one, key);
      note(path + "." + String(key), value);
      if (get) note(path + ".get " + String(key), get);
      if (set) note(path + ".set " + String(key), set);
    }
    note(path + ".[prototype]", Reflect.getPrototypeOf(one));
  }
  return found;
}
function examined() {
  const memory = python._module.HEAPU8, { hiwire, wasmTable } = python._module;
  const size = firstSeen?.get("size") ?? memory.length;
  // Names that pyodide and its module have for the memory, which change where it grows.
  const found = graphOf({ global: globalThis, python, module: python._module, files: python.FS, link: LINK }, memory);
  found.set("memory", digestOf(memory.subarray(0, size)));
  found.set("above", digestOf(Buffer.alloc(0)));
  if (memory.subarray(size).some((byte) => byte !== 0)) found.set("above", "not zero");
  found.set("references", hiwire.num_keys()).set("functions", wasmTable?.length).set("stack", python._module.stackSave());
  found.set("pins", String([guestTime, guestStart, heap.most, heap.isRefused, toldMemory, raised]));
  found.set("size", size);
  if (firstSeen === undefined) { firstSeen = found; return { objects: found.size }; }
  const differs = [];
  for (const [key, value] of found) if (firstSeen.get(key) !== value) differs.push(key + ": " + firstSeen.get(key) + " -> " + value);
  for (const key of firstSeen.keys()) if (!found.has(key)) differs.push(key + " is gone");
  return { differs: differs.slice(0, 20) };
}`;

let folder = "";
let programs: Programs;
let snapshot: MemorySnapshot;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "reset-"));
  lendSnapshots(folder);
  programs = await locatePrograms();
  snapshot = await snapshotFor(programs, folder, new AbortController().signal);
  keepSnapshots(folder);
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A process that examines itself when it has started, and after each of so many programs. It takes a second. */
function examining(every: number): DrivenPython {
  const changes = [
    ["rss: memoryUsage.rss()", `self: resets++ % ${every} === 0 ? examined() : undefined`],
    ["closeModules();\nmakeRepeatable();", `${EXAMINE}\ncloseModules();\nmakeRepeatable();`],
    ["const python = await load({ _loadSnapshot", "python = await load({ _loadSnapshot"],
    ["var toldMemory = false;", "var python;\nvar toldMemory = false;"],
  ] as const;
  return drivePython(changedChild(programs, folder, changes), snapshot);
}

const LINK = `import sys
f = sys._getframe()
while 'link' not in f.f_globals: f = f.f_back
link, shim = f.f_globals['link'], f.f_globals
`;
const EACH = (...steps: readonly string[]): string =>
  `${LINK}import os\ndone = []\nfor step in ${JSON.stringify(steps)}:\n  try:\n    exec(step)\n    done.append(step)\n  except BaseException as e: pass\n__ret(done)`;

/** Programs that leave something behind. */
const LEAVING: Readonly<Record<string, string>> = {
  "modules and globals":
    "import sys, builtins, decimal, json, re, unicodedata, zoneinfo, dataclasses, statistics\nbuiltins.secret = sys.secret = 's' * 99\nsys.modules['secret'] = sys\njson.dumps.__dict__['x'] = 1\nre.compile('secret+')\ndecimal.getcontext().prec = 5",
  "the shim": `${LINK}shim['run'] = shim['main'] = shim['settle'] = None\nshim['Link'].number = None`,
  files: EACH(
    "os.chdir('/lib')",
    "os.chmod('/lib', 0)",
    "os.chmod('/lib/python3.14', 0)",
    "os.utime('/lib', (1, 2))",
    "os.utime('/lib/python314.zip', (1, 2))",
    "os.chown('/lib', 5, 5)",
    "os.umask(0)",
    "shim['fd'] = os.open('/lib/python314.zip', os.O_RDONLY)",
    "os.lseek(shim['fd'], 9, 0)",
    "os.dup2(shim['fd'], 40)",
    "os.set_inheritable(shim['fd'], True)",
    "os.close(0)",
    "os.dup2(shim['fd'], 1)",
    "import fcntl\nfcntl.fcntl(2, fcntl.F_SETFL, os.O_APPEND)",
    "os.write(1, b'secret')",
    "os.write(2, b'secret')",
    "os.setxattr('/lib', 'user.x', b'1')",
  ),
  "signals, locale, environment": EACH(
    "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)",
    "import signal\nsignal.signal(signal.SIGALRM, print)\nsignal.setitimer(signal.ITIMER_REAL, 100)",
    "import signal\nsignal.alarm(100)",
    "import locale\nlocale.setlocale(locale.LC_ALL, 'C')",
    "os.environ['SECRET'] = 's'",
    "import posix\nposix.putenv(b'SECRET', b's')",
    "import time\nos.environ['TZ'] = 'Asia/Tokyo'\ntime.tzset()",
    "sys.setrecursionlimit(99999)",
    "sys.set_int_max_str_digits(0)",
    "import gc\ngc.disable()\ngc.set_threshold(1)\ngc.callbacks.append(print)",
    "sys.setswitchinterval(9)",
    "import atexit\natexit.register(print)",
    "import faulthandler\nfaulthandler.enable()",
    "sys.addaudithook(lambda *a: None)",
  ),
  "random numbers and time":
    "import random, os, time, uuid\n__ret([random.random(), os.urandom(9), time.time(), str(uuid.uuid4())])",
  "properties of the link": EACH(
    "link.send.x = 'secret'",
    "link.recv.name = 'secret'",
    "link.send.constructor.prototype.secret = 's'",
    "link.send.__proto__.secret = 's'",
    "link.send.constructor.secret = 's'",
    "setattr(link.send.constructor, 'length', 3)",
    "link.send.prototype.secret = 's'",
  ),
  "memory that grew": "x = b's' * 20_000_000\ny = ['secret' + str(i) for i in range(100_000)]",
  "an event loop":
    "import asyncio\nasync def f():\n  while True: await asyncio.sleep(1)\nt = asyncio.create_task(f())\nawait asyncio.gather(demo.one(1), demo.one(2), asyncio.sleep(0.01))\n__ret(1)",
  "an error deep inside": "def f(n): return 1 / 0 if n == 0 else [f(n - 1)]\nf(300)",
  "recursion that ends": "def f(): return f()\ntry: f()\nexcept RecursionError as e: __ret(str(e))",
  "generators that are open": "def g():\n  try: yield 1\n  finally: print('end')\nx = g(); next(x)\n__ret(1)",
  "cycles with finalizers":
    "class A:\n  def __del__(self): print('gone')\nfor i in range(99):\n  a = A(); a.a = a\n__ret(1)",
  "answers that nobody read": "import asyncio\nfor i in range(20): __later(demo.one)(i)\n__ret(1)",
  "monitoring and tracing":
    "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)\nsys.monitoring.use_tool_id(3, 'x')\nsys.monitoring.set_events(3, 1)\n__ret(1)",
  "a syntax error": "x = (",
};

/** What the process says of itself after each of the programs. */
async function leftBy(codes: readonly (readonly [what: string, code: string])[], every: number) {
  const python = examining(every);
  const seen: unknown[] = [];
  try {
    expect(await python.next()).toMatchObject({ isReused: true, self: { objects: expect.any(Number) } });
    for (const [what, code] of codes) {
      const last = (await python.run(code)).at(-1);
      if (last?.kind !== "d") throw new Error(`${what}: ${JSON.stringify(last)}`);
      const { self, isReused } = await python.reset();
      seen.push([what, isReused, self]);
    }
    return seen;
  } finally {
    await python.end();
  }
}

test("all objects, the memory and the files are as before, after programs that leave something", async () => {
  const codes = Object.entries(LEAVING);
  const seen = await leftBy(codes, codes.length);
  expect(seen).toEqual(codes.map(([what], i) => [what, true, i < codes.length - 1 ? undefined : { differs: [] }]));
});

test("they are so after each of them", { tags: "slow" }, async () => {
  const codes = Object.entries(LEAVING);
  expect(await leftBy(codes, 1)).toEqual(codes.map(([what]) => [what, true, { differs: [] }]));
});

test("they are so after each program of the corpus", { tags: "full", timeout: 1_200_000 }, async () => {
  const codes = shuffled(corpus(), randomOf(3)).map(({ title, code }) => [title, code] as const);
  expect(await leftBy(codes, 1)).toEqual(codes.map(([what]) => [what, true, { differs: [] }]));
});
