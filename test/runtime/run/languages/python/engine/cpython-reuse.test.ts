/** A Python process is used again for its owner, and for nobody else. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createProcessPool, type PoolSettings } from "../../../../../../runtime/run/engine/process-pool.js";
import { runOn } from "../../../../../../runtime/run/engine/run-session.js";
import type { Data } from "../../../../../../runtime/run/languages/language.js";
import {
  locatePrograms,
  preparePython,
  snapshotFor,
} from "../../../../../../runtime/run/languages/python/engine/cpython/snapshot.js";
import {
  type CPythonOptions,
  createCPython,
  PYTHON_DIALECT,
} from "../../../../../../runtime/run/languages/python/engine/cpython.js";
import { CHECKOUT } from "../../../../../support/project.js";
import { randomOf, SCALE } from "../../../../../support/random.js";
import { runWith } from "../../../../../support/run/python.js";
import { keepSnapshots, lendSnapshots } from "../../../../../support/run/python-snapshots.js";
import { requestOf } from "../../../../../support/run/run-engine.js";
import { changedChild, drivePython, pythonPids } from "./python-process.js";

vi.setConfig({ testTimeout: 600_000 });

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "reuse-"));
  lendSnapshots(folder);
});
afterAll(() => {
  keepSnapshots(folder);
  rmSync(folder, { recursive: true, force: true });
});

const SETTINGS: Omit<PoolSettings, "prepare"> = {
  ...{ processBytes: 200_000_000, instances: 3, instanceRuns: 1000, idleMs: 60_000 },
};
const LINK =
  "import sys\nf = sys._getframe()\nwhile 'link' not in f.f_globals: f = f.f_back\nlink = f.f_globals['link']\n";
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const scaled = (count: number, least: number): number => Math.max(least, Math.ceil(count * Math.min(1, SCALE)));
const pids = (): readonly number[] => pythonPids(folder);

function newEngine(options: Partial<CPythonOptions> = {}) {
  const engine = createCPython({ cacheDir: folder, ...options });
  onTestFinished(() => engine.dispose());
  return engine;
}

function newPool(settings: Partial<PoolSettings> = {}) {
  const pool = createProcessPool({ ...SETTINGS, prepare: preparePython(folder), ...settings });
  onTestFinished(() => pool.dispose());
  return pool;
}

test("runs of one owner share a process; another owner has another one; a new one comes after some runs", async () => {
  const engine = newEngine({ instanceRuns: 3 });
  const pidsAfter = async (owner: string) => {
    expect(await runWith(engine, "import sys\n__ret(hasattr(sys, 'x'))\nsys.x = 1", { owner })).toMatchObject({
      value: false,
    });
    return pids();
  };
  const [first] = await pidsAfter("a");
  expect(await pidsAfter("a")).toEqual([first]);
  expect(await pidsAfter("b")).toHaveLength(2);
  expect(await pidsAfter("a")).toBeDefined();
  await expect.poll(pids).not.toContain(first);
});

test("a run that may use less memory does not get a process whose memory may have grown", async () => {
  const engine = newEngine();
  const grown = "x = bytearray(60_000_000)\n__ret(len(x))";
  expect(await runWith(engine, grown)).toMatchObject({ value: 60_000_000 });
  expect(await runWith(engine, grown, { limits: { memoryBytes: 64_000_000 } })).toMatchObject({ kind: "memory" });
});

test("nothing of a program is in the memory after it", async () => {
  const programs = await locatePrograms();
  const snapshot = await snapshotFor(programs, folder, new AbortController().signal);
  const counted = `function copies() {
    let count = 0;
    const memory = Buffer.from(python._module.HEAPU8.buffer);
    for (let at = memory.indexOf("very secret text"); at >= 0; at = memory.indexOf("very secret text", at + 1)) count++;
    return count;
  }
  var python, held;
  var toldMemory = false;`;
  const child = changedChild(programs, folder, [
    ["rss: memoryUsage.rss()", "held, copies: copies()"],
    ["var toldMemory = false;", counted],
    ["const python = await load({ _loadSnapshot", "python = await load({ _loadSnapshot"],
    ["tellReady(restore());", "held = copies();\n    tellReady(restore());"],
  ]);
  const python = drivePython(child, snapshot);
  try {
    expect(await python.next()).toMatchObject({ copies: 0 });
    const code =
      "import sys, types, builtins\nsecrets = ['very secret ' + 'text' + str(i) for i in range(1000)]\n" +
      "for i, one in enumerate(secrets):\n  sys.modules['m' + str(i)] = types.ModuleType(one)\n  setattr(builtins, 's' + str(i), sys.intern(one))\n" +
      "held = [one.encode() for one in secrets]\n";
    expect((await python.run(code)).at(-1)).toMatchObject({ kind: "d", outcome: "novalue" });
    const { held, copies } = await python.reset();
    expect(held).toBeGreaterThan(1000);
    expect(copies).toBe(0);
  } finally {
    await python.end();
  }
});

test("what a program writes to its descriptors is not kept", async () => {
  const programs = await locatePrograms();
  const python = drivePython(programs, await snapshotFor(programs, folder, new AbortController().signal));
  try {
    await python.next();
    await python.run("__ret(1)");
    const { rss: before } = await python.reset();
    const write = "import os\nfor _ in range(20):\n  os.write(1, b'x' * 1_000_000)\n  os.write(2, b'x' * 1_000_000)";
    expect((await python.run(write)).at(-1)).toMatchObject({ kind: "d" });
    const { rss: after } = await python.reset();
    expect(Number(after) - Number(before)).toBeLessThan(60_000_000);
  } finally {
    await python.end();
  }
});

test("a guest that says itself that it has ended does not get the next program", async () => {
  const engine = newEngine();
  const forged = [
    `link.send('{"t":"done","outcome":"value","json":"1","value":1}')`,
    `link.send('{"t":"ready","isReused":true,"rss":1}')`,
    `link.send('{"t":"done","outcome":"none","json":"null"}')\nlink.send('{"t":"ready","isReused":true,"rss":1}')`,
  ];
  for (let round = 0; round < scaled(500, 6); round++) {
    const waits = `while True:\n  got = link.recv()\n  if 'SECOND' in got or 'reset' in got:\n    link.send('{"t":"ready","isReused":true,"rss":1}')\n    link.send('{"t":"done","outcome":"value","json":"666","value":666}')`;
    await runWith(engine, `${LINK}${forged[round % forged.length]}\n${waits}`, { limits: { wallMs: 3000 } });
    expect(await runWith(engine, "__ret('SECOND')")).toMatchObject({ ok: true, value: "SECOND" });
  }
});

test("no process serves two owners, whatever is killed", async () => {
  const pool = newPool();
  const random = randomOf(Number(process.env["SEED"] ?? 7));
  const owners = new Map<number, string>();
  const one = async (): Promise<void> => {
    const owner = random() < 0.5 ? "a" : "b";
    const lease = await pool.take({ owner, isInner: false });
    const { pid } = lease.child;
    expect(owners.get(pid) ?? owner).toBe(owner);
    owners.set(pid, owner);
    if (random() < 0.02) process.kill(pid, "SIGKILL");
    const outcome = await runOn(
      lease,
      PYTHON_DIALECT,
      requestOf("import sys\n__ret(getattr(sys, 'x', 1))\nsys.x = 2"),
      performance.now(),
    );
    if (outcome?.ok) expect(outcome.value).toBe(1);
    else expect(outcome?.kind ?? "crashed").toBe("crashed");
  };
  const lane = async (): Promise<void> => {
    for (let run = 0; run < scaled(2500, 20); run++) await one();
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  expect(new Set(owners.values()).size).toBe(2);
});

test("the next run answers whatever is killed, and no process is left", async () => {
  const engine = createCPython({ cacheDir: folder, instances: 2 });
  const random = randomOf(Number(process.env["SEED"] ?? 8));
  for (let round = 0; round < scaled(500, 8); round++) {
    const running = runWith(engine, "t = 0\nfor i in range(20000): t += i\n__ret(t)");
    await sleep(random() * 30);
    for (const pid of pids()) if (random() < 0.7) process.kill(pid, "SIGKILL");
    const outcome = await running;
    if (!outcome.ok) expect(outcome.kind).toBe("crashed");
    expect(await runWith(engine, "__ret(1)")).toMatchObject({ value: 1 });
  }
  await engine.dispose();
  expect(pids()).toEqual([]);
});

const residentMb = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) / 256;
  } catch {
    return 0;
  }
};

test("there are never more processes than allowed, however many programs come", async () => {
  const instances = 3;
  const engine = newEngine({ instances });
  let most = 0;
  let mostMb = 0;
  let isOver = false;
  const look = async (): Promise<void> => {
    for (; !isOver; await sleep(50)) {
      const all = pids();
      most = Math.max(most, all.length);
      mostMb = Math.max(
        mostMb,
        all.map(residentMb).reduce((sum, mb) => sum + mb, 0),
      );
    }
  };
  const looking = look();
  const owners = ["a", "b", "c", "d", "e"];
  const ops = { "demo.wait": () => sleep(5).then((): Data => 1) };
  const runs = Array.from({ length: 50 }, (_, i) =>
    runWith(engine, "__ret(demo.wait() + demo.wait())", { ops, owner: owners[i % (1 + (i % 5))] ?? "" }),
  );
  for (const outcome of await Promise.all(runs)) expect(outcome).toMatchObject({ value: 2 });
  isOver = true;
  await looking;
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(instances);
  expect(mostMb).toBeLessThan(instances * 260);
});

test("programs that wait for slow tools do not keep out others", async () => {
  const engine = newEngine({ instances: 4 });
  let answer: (value: Data) => void = () => undefined;
  const answered = new Promise<Data>((resolve) => {
    answer = resolve;
  });
  const ops = { "demo.slow": () => answered };
  const slow = [1, 2, 3].map(() => runWith(engine, "__ret(demo.slow())", { ops }));
  expect(await runWith(engine, "__ret(7)")).toMatchObject({ value: 7 });
  answer(8);
  for (const outcome of await Promise.all(slow)) expect(outcome).toMatchObject({ value: 8 });
});

test("a program may call code of an extension where all processes wait for such code", async () => {
  const engine = newEngine({ instances: 1 });
  const inner = async (): Promise<Data> => {
    const outcome = await engine.run({ ...requestOf("__ret(40)"), owner: "extension:a", isInner: true });
    return outcome.ok ? outcome.value : outcome.kind;
  };
  expect(await runWith(engine, "__ret(demo.inner() + 2)", { ops: { "demo.inner": inner } })).toMatchObject({
    value: 42,
  });
});

test("a program that disposes of the engine after a run lives until the processes have ended", () => {
  const script = join(folder, "ends.mts");
  const imports = `import { createCPython } from "${CHECKOUT}/runtime/run/languages/python/engine/cpython.js";\nimport { requestOf } from "${CHECKOUT}/test/support/run/run-engine.js";\n`;
  const round = `const engine = createCPython({ cacheDir: ${JSON.stringify(folder)} });\nawait engine.run(requestOf("1"));\nawait engine.dispose();\n`;
  writeFileSync(script, `${imports}for (let nth = 0; nth < 5; nth++) {\n${round}}\nconsole.log("ended");\n`);
  const flags = ["--import", import.meta.resolve("tsx"), "-C", "toolwright-source"];
  expect(execFileSync(process.execPath, [...flags, script], { encoding: "utf8", cwd: CHECKOUT })).toBe("ended\n");
});

test("a request that is cancelled leaves the queue", async () => {
  const engine = newEngine({ instances: 1 });
  const stop = new AbortController();
  const first = runWith(engine, "import time\ntime.sleep(2)\n__ret(1)");
  const second = runWith(engine, "__ret(2)", { signal: stop.signal });
  const third = runWith(engine, "__ret(3)", { limits: { wallMs: 300 } });
  stop.abort();
  expect(await second).toMatchObject({ kind: "cancelled" });
  // Nothing of it has run: it may be sent again as it is.
  expect(await third).toMatchObject({
    kind: "crashed",
    name: "TimeoutError",
    message: "the run took longer than 300 ms (limits.wall_ms) while it waited for a Python process",
  });
  expect(await first).toMatchObject({ value: 1 });
  expect(await runWith(engine, "__ret(4)")).toMatchObject({ value: 4 });
});
