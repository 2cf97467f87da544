/**
 * Memory bombs, kills and shutdown of a server with many runs in progress (24 at full size), as a client sees them.
 *
 * @module-tag full
 */

import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { generatedRoot, serverCommand, temporaryFolder } from "../../../support/project.js";
import { randomOf, SCALE } from "../../../support/random.js";
import { RUN_DEMO, SLOW } from "../../../support/run/run-demo.js";
import { isAlive } from "../../../support/run/run-engine.js";

const ROUNDS = Math.max(2, Math.round(20 * SCALE));
const AT_ONCE = Math.max(8, Math.round(24 * SCALE));
const cleaning: (() => void)[] = [];
const clean = (one: () => void) => void cleaning.push(one);

/** A project with limits of its own. */
async function projectWith(limits: string): Promise<string> {
  const folder = join(temporaryFolder(clean), "definitions");
  cpSync(RUN_DEMO, folder, { recursive: true });
  appendFileSync(join(folder, "toolwright.yaml"), `limits: ${limits}\n`);
  return generatedRoot(folder, clean);
}

/** A server that a test may kill. */
interface Running {
  readonly pid: number;
  run(command: string, signal?: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

async function start(root: string): Promise<Running> {
  const transport = new StdioClientTransport(serverCommand(root));
  const client = new Client({ name: "attacker", version: "1" });
  await client.connect(transport);
  const run = async (command: string, signal?: AbortSignal): Promise<string> => {
    const options = { timeout: SLOW, ...(signal ? { signal } : {}) };
    const { content } = await client.callTool({ name: "run", arguments: { command } }, options);
    return content.map((block) => (block.type === "text" ? block.text : "")).join("");
  };
  return { pid: transport.pid ?? 0, run, close: () => client.close() };
}

/** Children of the engines of a server. */
function below(pid: number): readonly { readonly pid: number }[] {
  const listing = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  const all = listing
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .flatMap((found) => (found ? [{ pid: Number(found[1]), parent: Number(found[2]), args: found[3] ?? "" }] : []));
  return all.filter(({ parent, args }) => parent === pid && /child\.mjs|cpython-child/.test(args));
}

const residentMb = (pid: number) => Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) / 256;

let root = "";
beforeAll(async () => {
  root = await projectWith("{ cpu_ms: 1500, memory_mb: 96, runs: 8, queue: 200 }");
  const server = await start(root);
  // Makes the memory snapshot.
  expect(await server.run("class A: pass\nA.__name__")).toBe("A");
  await server.close();
}, SLOW);
afterAll(() => {
  for (const one of cleaning) one();
});

async function started(where = root, finished: typeof onTestFinished = onTestFinished): Promise<Running> {
  const server = await start(where);
  finished(() => server.close());
  return server;
}

const BOMBS = [
  "while True: pass",
  "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
  "x = [0] * 10**9",
  "x = []\nwhile True: x.append('a' * 10**6)",
  "x = 10 ** (10 ** 9)",
  "',' . join(['a' * 10**6] * 10**5)",
  "while True: print('x' * 1000)",
  "a = []\nfor i in range(40): a = [a, a]\na",
  "def f(n): return f(n + 1)\nf(0)",
  "'x' * 90_000_000",
] as const;

const STOPPED =
  /^Error: EngineError: the interpreter stopped\n(Calls already made: demo\.search \(\d\)\nNext: check their effect first, then |Next: )send the code again; if the interpreter stops once more, the code stops it: change the code$/;

/** Runs during which three children are killed; the answers that are not right. */
async function underKills(server: Running, random: () => number): Promise<readonly string[]> {
  const code = 'for i in range(4): t += demo.search(query="q", count=i)["count"]';
  const runs = Array.from({ length: AT_ONCE }, (_, i) => server.run(`t = 0\n${code}\n[t, ${i}]`));
  for (let kills = 0; kills < 3; kills++) {
    await sleep(20 + random() * 400);
    const children = below(server.pid);
    const victim = children[Math.floor(random() * children.length)];
    if (victim && isAlive(victim.pid)) process.kill(victim.pid, "SIGKILL");
  }
  const texts = await Promise.all(runs);
  return texts.filter((text, i) => text !== `[6,${i}]`);
}

describe("runs beside each other", () => {
  test("bombs end at their limits, and every other run gives its own answer", { timeout: 3 * SLOW }, async () => {
    const server = await started();
    await server.run("1");
    const bombs = BOMBS.map((bomb) => server.run(bomb));
    const others = Array.from({ length: AT_ONCE }, (_, i) =>
      server.run(`t = 0\nfor i in range(3): t += demo.search(query="q", count=i)["count"]\n[t, ${i}]`),
    );
    expect(await Promise.all(others)).toEqual(Array.from({ length: AT_ONCE }, (_, i) => `[3,${i}]`));
    for (const [i, text] of (await Promise.all(bombs)).entries())
      expect([BOMBS[i], text]).toEqual([
        BOMBS[i],
        expect.stringMatching(/(Timeout|Memory|Recursion|Output)Error|EngineError|OverflowError/),
      ]);
    expect(await server.run("1 + 1")).toBe("2");
    await expect.poll(() => residentMb(server.pid)).toBeLessThan(700);
  });

  test(`${ROUNDS} times children are killed under ${AT_ONCE} runs: each says so or answers rightly`, {
    timeout: ROUNDS * SLOW,
  }, async () => {
    const server = await started();
    await server.run("1");
    const random = randomOf(20_261_122);
    let stopped = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const texts = await underKills(server, random);
      stopped += texts.length;
      for (const text of texts) expect(text).toMatch(STOPPED);
      expect(await server.run("40 + 2")).toBe("42");
    }
    // One for each kill.
    expect(stopped).toBeLessThanOrEqual(ROUNDS * 3);
  });
});

let ending: Promise<string> | undefined;

// At once: while a server that ends gives its runs their 5 s, these take all that the processors have.
for (const how of ["SIGTERM", "SIGINT", "end of stdin", "SIGKILL"] as const)
  test.concurrent(`no child outlives a server that ends by ${how} while code runs`, {
    timeout: 4 * SLOW,
    tags: how === "SIGKILL" ? [] : ["full"],
  }, async ({ expect, onTestFinished }) => {
    // Long enough that no limit ends the code first.
    ending ??= projectWith("{ cpu_ms: 250000, wall_ms: 250000 }");
    const server = await started(await ending, onTestFinished);
    await server.run("1");
    // What nothing can interrupt, and a call that waits.
    const codes = ["x = 10 ** (10 ** 9)", "while True: pass", "other.hang()", "while True: pass"];
    const runs = codes.map((code) => server.run(code).catch(() => "gone"));
    await expect.poll(() => below(server.pid).length).toBeGreaterThan(2);
    const children = below(server.pid).map(({ pid }) => pid);
    if (how === "end of stdin") await server.close();
    else process.kill(server.pid, how);
    await expect.poll(() => [server.pid, ...children].filter(isAlive), { timeout: 60_000 }).toEqual([]);
    await Promise.all(runs);
  });

describe("the line of runs", () => {
  test("BusyError beyond what runs and waits; a run that is cancelled while it waits leaves its place", {
    tags: "full",
    timeout: 2 * SLOW,
  }, async () => {
    const server = await started(await projectWith("{ runs: 1, queue: 2, cpu_ms: 2000 }"));
    const first = server.run("while True: pass");
    await sleep(300);
    const cancel = new AbortController();
    const second = server.run("2", cancel.signal).catch(() => "cancelled");
    const third = server.run("3");
    await sleep(100);
    const busy =
      "Error: BusyError: 1 run is under way and 2 wait: limits.runs (1) and limits.queue (2) allow no more\nNext: send the code again later";
    expect(await server.run("4")).toBe(busy);
    cancel.abort();
    expect(await second).toBe("cancelled");
    await sleep(100);
    const fifth = server.run("5");
    await sleep(50);
    expect(await server.run("6")).toBe(busy);
    expect(await first).toContain("TimeoutError: the code used its 2 s of CPU time");
    expect(await Promise.all([third, fifth])).toEqual(["3", "5"]);
  });
});
