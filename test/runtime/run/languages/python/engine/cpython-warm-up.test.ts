/** Neither the sample that a CPython process runs first nor earlier programs leave anything that a program could see. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { locatePrograms, snapshotFor } from "../../../../../../runtime/run/languages/python/engine/cpython/snapshot.js";
import { randomOf, SCALE, shuffled } from "../../../../../support/random.js";
import { keepSnapshots, lendSnapshots } from "../../../../../support/run/python-snapshots.js";
import { corpus } from "../../../../../support/run/run-corpus.js";
import { changedChild, type DrivenPython, drivePython } from "./python-process.js";

vi.setConfig({ testTimeout: 120_000 });

/** What a program reads of the interpreter, of its memory and of the process. */
const READINGS = `
import asyncio, collections, gc, io, os, random, re, signal, sys, time, traceback, tracemalloc, types, warnings
class Thing: pass
def inner(): raise ValueError("no")
try:
    inner()
except ValueError as error:
    trace = traceback.format_exc()
things = [Thing() for _ in range(50)]
async def one(): return id(asyncio.current_task())
main = sys.modules["__main__"]
link = sys._getframe().f_back.f_globals["link"]
readings = {
    "ids": [id(x) for x in (Thing, things[0], things[49], main, sys, [], {}, "a text", b"b", 1000, 2.5, lambda: 0)],
    "ids of modules": {name: id(module) for name, module in sys.modules.items()},
    "hashes": [hash(x) for x in ("text", b"bytes", 1.5, (1, "a"), Thing, things[0], None, len)],
    "sets": [list({"a", "bc", "def", "g"}), [things.index(x) for x in set(things)]],
    "texts": repr([things[0], inner, main, print, sys.stdout, one]), "traceback": trace,
    "gc": [gc.get_count(), gc.get_threshold(), gc.get_stats(), gc.isenabled(), len(gc.get_objects()), len(gc.garbage)],
    "objects": collections.Counter(type(x).__qualname__ for x in gc.get_objects()),
    "references": [sys.getrefcount(x) for x in (None, True, 1, "", (), dict, object, sys, re.compile)],
    "modules": list(sys.modules), "caches": [len(re._cache), len(warnings.filters), sorted(sys.path_importer_cache)],
    "lines": sorted(__import__("linecache").cache), "frames": [f.filename for f in traceback.extract_stack()],
    "interpreter": [sys.getrecursionlimit(), sys.getswitchinterval(), sys.getallocatedblocks(), len(sys.getobjects(0)) if hasattr(sys, "getobjects") else 0, sys.maxsize,
        sys.flags.hash_randomization, sys.get_int_max_str_digits(), sys.monitoring.get_tool(4), str(sys.gettrace())],
    "interned": [id(sys.intern("Row")), id(sys.intern("never seen before")), id(sys.intern("missing"))],
    "types": [len(object.__subclasses__()), [c.__name__ for c in object.__subclasses__()], [x.__name__ for x in Exception.__subclasses__()]],
    "names": [sorted(vars(__builtins__)), sorted(globals())], "signals": [str(signal.getsignal(n)) for n in (2, 14, 15)],
    "files": [(at.st_mtime, at.st_ctime, at.st_atime, at.st_ino) for at in (os.stat(p) for p in ("/lib", "/", "/tmp"))],
    "environment": dict(os.environ), "descriptors": [x for x in range(20) if os.path.exists(f"/proc/self/fd/{x}")],
    "host": [(id(f), f.js_id, repr(type(f))) for f in (link.send, link.recv)],
    "task": asyncio.run(one()), "random": [random.random(), os.urandom(8).hex()],
    "time": [time.time(), time.monotonic(), time.perf_counter()], "call": demo.one(n=1),
}
print(len(readings))
__ret(readings)`;

/** Adds to the child what it says about itself when it is ready: digest of the memory, entries of its tables. */
const SELF = `function self() {
  const { HEAPU8, wasmTable } = python._module;
  const digest = nodeCrypto.createHash("sha256").update(HEAPU8).digest("hex");
  return { bytes: HEAPU8.length, digest, functions: wasmTable?.length, finalizers, opened };
}
closeModules();`;
/** Counts what a sample must not do: registering finalizers and opening files. */
const COUNTED = `finalizers = 0, opened = 0;
  const { register } = FinalizationRegistry.prototype;
  FinalizationRegistry.prototype.register = function (...args) { finalizers++; return register.apply(this, args); };
  const { open } = python.FS;
  python.FS.open = (...args) => { opened++; return open(...args); };
  const restore = startOf(`;
const TALKING = [
  ["rss: memoryUsage.rss()", "self: self()"],
  ["var toldMemory = false;", "var python, finalizers, opened;\nvar toldMemory = false;"],
  ["const python = await load({ _loadSnapshot", "python = await load({ _loadSnapshot"],
  ["\ncloseModules();", `\n${SELF}`],
  ["const restore = startOf(", COUNTED],
] as const;

let folder = "";
let programs: Awaited<ReturnType<typeof locatePrograms>>;
let snapshot: Awaited<ReturnType<typeof snapshotFor>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "warm-up-"));
  lendSnapshots(folder);
  programs = await locatePrograms();
  snapshot = await snapshotFor(programs, folder, new AbortController().signal);
  keepSnapshots(folder);
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a process tells about itself, and all that a program sends from it. */
async function seen(...changes: readonly (readonly [string, string])[]) {
  const python = drivePython(changedChild(programs, folder, [...TALKING, ...changes]), snapshot);
  try {
    const { self } = await python.next();
    return { self, sent: await python.run(READINGS) };
  } finally {
    await python.end();
  }
}

test("the memory of a process that ran the sample is that of one that did not", { tags: "slow" }, async () => {
  const warm = await seen();
  const cold = await seen(["  warmUp(python, main, restore);", ""]);
  expect(warm.self).toMatchObject({ finalizers: 0, opened: 0, functions: expect.any(Number) });
  expect(warm.self).toEqual(cold.self);
  expect(cold.sent.at(-1)).toMatchObject({ kind: "d", t: "done", outcome: "value" });
  expect(warm.sent).toEqual(cold.sent);
});

async function after(python: DrivenPython, codes: readonly string[]) {
  for (const code of codes) {
    expect((await python.run(code)).at(-1)).toMatchObject({ kind: "d" });
    expect(await python.reset()).toMatchObject({ isReused: true });
  }
  return python.run(READINGS);
}

test("a program computes in a used process what it computes in a new one", async () => {
  const python = drivePython(programs, snapshot);
  try {
    await python.next();
    const first = await python.run(READINGS);
    expect(first.at(-1)).toMatchObject({ kind: "d", t: "done", outcome: "value" });
    const codes = shuffled(corpus(), randomOf(5)).map(({ code }) => code);
    const most = Math.ceil(999 * Math.min(1, SCALE));
    for (const runs of [1, most - 2]) {
      await python.reset();
      expect(
        await after(
          python,
          Array.from({ length: runs }, (_, i) => codes[i % codes.length] ?? ""),
        ),
      ).toEqual(first);
    }
  } finally {
    await python.end();
  }
});
