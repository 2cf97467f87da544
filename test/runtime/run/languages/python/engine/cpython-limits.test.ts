/** The CPython engine ends runs at each limit and at a signal. */

import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Limits } from "../../../../../../runtime/config/run-settings.js";
import type { Data } from "../../../../../../runtime/run/languages/language.js";
import { createCPython } from "../../../../../../runtime/run/languages/python/engine/cpython.js";
import { eachCase, slowRows } from "../../../../../support/each-case.js";
import { type Asked, pythonEngine, runWith } from "../../../../../support/run/python.js";
import { pythonPids } from "./python-process.js";

const engine = pythonEngine(2);
const run = (code: string, asked?: Asked) => runWith(engine(), code, asked);
const MB = 1024 * 1024;
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe("limits", () => {
  const table: readonly (readonly [string, Partial<Limits>, string, object])[] = [
    [
      "a loop",
      { cpuMs: 300 },
      "x = 1\nwhile True: pass",
      { kind: "timeout", message: "the code used its 300 ms of CPU time", line: 2 },
    ],
    [
      ...(["a loop that catches everything", { cpuMs: 300 }] as const),
      ...([
        "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
        { kind: "timeout", name: "TimeoutError" },
      ] as const),
    ],
    ["a regular expression", { cpuMs: 300 }, "import re\nre.match('(a+)+$', 'a' * 40 + 'b')", { kind: "timeout" }],
    ["a power", { cpuMs: 300 }, "x = 10 ** (10 ** 9)", { ok: false }],
    [
      "a wait",
      { wallMs: 1500 },
      "import time\ntime.sleep(60)",
      { kind: "timeout", message: "the run took longer than 1.5 s" },
    ],
    [
      "memory at once",
      {},
      "x = 1\ny = bytearray(10 ** 9)",
      { kind: "memory", name: "MemoryError", message: "the code needs more than 256 MB", line: 2 },
    ],
    [
      "memory by and by",
      { memoryBytes: 64 * MB },
      "x = []\nwhile True: x.append('a' * 10 ** 6)",
      { kind: "memory", message: "the code needs more than 64 MB" },
    ],
    ["padding", {}, "f'{1:>{10**9}}'", { ok: false, kind: "memory" }],
    ["joining", {}, "','.join(['a' * 10**6] * 10**3)", { ok: false, kind: "memory" }],
    ["a shift", { cpuMs: 500 }, "x = 1 << (10 ** 11)", { ok: false }],
    ["sorting without end", { cpuMs: 1000 }, "import itertools\nsorted(itertools.count())", { ok: false }],
    ["a result without end", { memoryBytes: 64 * MB }, "import itertools\n__ret(itertools.count())", { ok: false }],
    [
      "prints",
      { printBytes: 1000 },
      "while True: print('x' * 99)",
      { kind: "output", name: "OutputError", message: "printed more than 1000 bytes" },
    ],
    ["one long print", { printBytes: MB }, "print('x' * 10**7)", { kind: "output", message: "printed more than 1 MB" }],
    [
      "a long result",
      { resultBytes: MB },
      "__ret('x' * (2**20 + 1))",
      { kind: "output", message: "result larger than 1 MB" },
    ],
    ["a 100 MB result", {}, "__ret('x' * 10**8)", { kind: "output", message: "result larger than 20 MB" }],
    [
      "calls",
      { hostCalls: 3 },
      "for i in range(9): demo.t(i)",
      { kind: "output", message: "more than 3 tool calls in one run", stats: { hostCalls: 3 } },
    ],
    [
      "recursion",
      {},
      "def f(): return f()\nf()",
      { kind: "runtime", name: "RecursionError", message: "maximum recursion depth exceeded", line: 1 },
    ],
    [
      "recursion with the limit raised",
      {},
      "import sys\nsys.setrecursionlimit(10**8)\ndef f(n): return [f(n + 1)]\nf(0)",
      { ok: false },
    ],
    [
      "recursion in a key",
      {},
      "class A:\n  def __repr__(self): return repr(self)\nrepr(A())",
      { name: "RecursionError" },
    ],
    [
      "5,000 parentheses",
      {},
      `x = ${"(".repeat(5000)}1${")".repeat(5000)}`,
      { ok: false, name: expect.stringMatching(/SyntaxError|RecursionError/) },
    ],
    [
      "20,000 operators",
      {},
      `x = ${"-".repeat(20_000)}1`,
      { ok: false, name: expect.stringMatching(/SyntaxError|RecursionError/) },
    ],
  ];
  eachCase(
    table,
    "a loop",
    "memory at once",
    ...slowRows("prints", "calls"),
  )("%s ends", {}, async (_name, limits, code, expected) => {
    const outcome = await run(code, { limits, ops: { "demo.t": () => 1 } });
    expect(outcome).toMatchObject(expected);
    expect(Buffer.byteLength(outcome.printed)).toBeLessThanOrEqual(limits.printBytes ?? MB);
    expect(outcome.stats.cpuMs).toBeLessThan((limits.cpuMs ?? 10_000) + 750);
  });

  it("lets 500 levels of recursion pass, and not many more", { tags: "full" }, async () => {
    const code = "def f(n): return n if n == 0 else f(n - 1)\n__ret(f(480))";
    expect(await run(code)).toMatchObject({ ok: true, value: 0 });
    expect(await run(code.replace("480", "540"))).toMatchObject({ ok: false, name: "RecursionError" });
  });

  it("does not count the wait for a tool as CPU time", { tags: "full" }, async () => {
    const slow = async (): Promise<Data> => {
      await sleep(1500);
      return 7;
    };
    const outcome = await run("__ret(demo.slow())", { ops: { "demo.slow": slow }, limits: { cpuMs: 1000 } });
    expect(outcome).toMatchObject({ ok: true, value: 7 });
    expect(outcome.stats.wallMs).toBeGreaterThan(1450);
  });

  it("keeps what was printed before, and lets a loop's neighbour finish", { tags: "full" }, async () => {
    const [stuck, fine] = await Promise.all([
      run("print('before')\nimport re\nre.match('(a+)+$', 'a' * 40 + 'b')", { limits: { cpuMs: 500 } }),
      run("import time\ntime.sleep(0.8)\n__ret('fine')"),
    ]);
    expect(stuck).toMatchObject({ kind: "timeout", printed: "before\n" });
    expect(fine).toMatchObject({ value: "fine" });
  });
});

describe("ends", () => {
  it("stops at a signal: while a call waits, while code runs, and before it starts", { tags: "full" }, async () => {
    let aborted = false;
    const never = (call: { signal: AbortSignal }) => {
      call.signal.addEventListener("abort", () => {
        aborted = true;
      });
      return new Promise<Data>(() => {});
    };
    for (const code of ["demo.never()", "print('on')\nwhile True: pass"]) {
      const control = new AbortController();
      const stop = () => control.abort();
      const ops = {
        "demo.never": (call: { signal: AbortSignal }) => {
          setTimeout(stop, 20);
          return never(call);
        },
      };
      const outcome = await run(code, { ops, signal: control.signal, onPrint: stop });
      expect(outcome).toMatchObject({
        kind: "cancelled",
        name: "CancelledError",
        message: "the client cancelled the run",
      });
    }
    expect(aborted).toBe(true);
    const outcome = await run("demo.never()", { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ kind: "cancelled", calls: [] });
  });

  it("tells that the interpreter stopped when it is killed at random under load, and harms no other run", {
    tags: "full",
  }, async () => {
    const rounds = 8;
    const outcomes: string[] = [];
    let running = true;
    const killer = (async () => {
      let killed = 0;
      for (; running; await sleep(120)) {
        const pids = pythonPids(engine.folder());
        const pid = pids[Math.floor(Math.random() * pids.length)];
        if (pid !== undefined && killed < rounds / 2) {
          process.kill(pid, "SIGKILL");
          killed++;
        }
      }
      return killed;
    })();
    const worker = async (lane: number) => {
      for (let round = 0; round < rounds; round++) {
        const code = `t = 0\nfor i in range(3): t += demo.t(i)\n__ret([t, ${lane}, ${round}])`;
        const outcome = await run(code, {
          ops: { "demo.t": ({ positional }) => sleep(20).then(() => positional[0] as Data) },
        });
        outcomes.push(outcome.ok ? "ok" : outcome.kind);
        if (outcome.ok) expect(outcome.json).toBe(`[3,${lane},${round}]`);
        else expect(outcome).toMatchObject({ kind: "crashed", message: "the interpreter stopped" });
      }
    };
    await Promise.all([worker(0), worker(1)]);
    running = false;
    const killed = await killer;
    expect(killed).toBeGreaterThan(0);
    expect(outcomes.filter((outcome) => outcome === "crashed").length).toBeLessThanOrEqual(killed);
    expect(await run("__ret(1)")).toMatchObject({ value: 1 });
  });

  it("is a crash when the guest forges or breaks what it says", { tags: "full" }, async () => {
    // the shim's own link is reached through a frame of the stack: the most that a guest can get hold of
    const link =
      "import sys\nf = sys._getframe()\nwhile 'link' not in f.f_globals: f = f.f_back\nlink = f.f_globals['link']\n";
    const forged = [
      "no json",
      "[]",
      "{}",
      '{"t":"call"}',
      '{"t":"call","id":1,"path":[],"args":[],"kwargs":[]}',
      "null",
    ];
    const deep = `link.send('{"t":"call","id":9,"path":["a"],"kwargs":[],"args":' + '[' * 100000 + ']' * 100000 + '}')`;
    for (const step of [...forged.map((text) => `link.send(${JSON.stringify(text)})`), deep])
      expect(await run(`${link}${step}\nwhile True: pass`)).toMatchObject({ kind: "crashed", calls: [] });
    const call = `{"t":"call","id":77,"path":["demo","t"],"args":[5],"kwargs":[]}`;
    const asked = await run(`${link}link.send(${JSON.stringify(call)})\n__ret(link.answer(77))`, {
      ops: { "demo.t": () => 6 },
    });
    expect(asked).toMatchObject({ value: 6 });
  });

  it("leaves no process, and refuses runs, once it is disposed", { tags: "full" }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "cpython-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const mine = () => pythonPids(folder);
    const own = createCPython({ cacheDir: folder });
    const twin = createCPython({ cacheDir: folder });
    const [one, two] = await Promise.all([runWith(own, "__ret(1)"), runWith(twin, "__ret(2)")]);
    expect([one, two]).toMatchObject([{ value: 1 }, { value: 2 }]);
    expect(mine().length).toBeGreaterThan(0);
    const files = readdirSync(folder);
    expect(files.filter((name) => name.endsWith(".snapshot"))).toHaveLength(1);
    expect(files).toHaveLength(1);
    for (const name of files) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const unfinished = runWith(own, "while True: pass");
    await sleep(300);
    await Promise.all([own.dispose(), twin.dispose()]);
    expect(await unfinished).toMatchObject({ kind: "crashed" });
    expect(mine()).toEqual([]);
    expect(await runWith(own, "1")).toMatchObject({ kind: "crashed" });
  });

  it("keeps its process for the next run, and replaces it where a run has ended it", { tags: "full" }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "cpython-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const own = createCPython({ cacheDir: folder });
    onTestFinished(() => own.dispose());
    expect(await runWith(own, "__ret(1)")).toMatchObject({ value: 1 });
    const first = pythonPids(folder);
    expect(first).toHaveLength(1);
    expect(await runWith(own, "__ret(2)")).toMatchObject({ value: 2 });
    expect(pythonPids(folder)).toEqual(first);
    expect(await runWith(own, "while True: pass", { limits: { cpuMs: 300 } })).toMatchObject({ kind: "timeout" });
    await expect.poll(() => pythonPids(folder)).toEqual([expect.not.toSatisfy((pid) => first.includes(pid))]);
  });

  it("makes a snapshot anew that does not load", { tags: "full" }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "cpython-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const first = createCPython({ cacheDir: folder });
    await first.warm();
    await first.dispose();
    const snapshot = join(folder, readdirSync(folder).find((name) => name.endsWith(".snapshot")) as string);
    writeFileSync(snapshot, "rubbish");
    const second = createCPython({ cacheDir: folder });
    onTestFinished(() => second.dispose());
    expect(await runWith(second, "__ret(1)")).toMatchObject({ value: 1 });
    expect(existsSync(snapshot) && statSync(snapshot).size).toBeGreaterThan(10_000_000);
  });
});
