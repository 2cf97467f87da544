/**
 * Measures TypeScript programs beside a published product with the same idea: `executor mcp` of npm, whose tool `execute` runs
 * TypeScript in QuickJS, without a check of types. It is installed for this bench alone, into the cache; where that cannot be done, the
 * rows are left out. Both are servers over stdio, and CPU is that of the server with all its processes. The ops of the two differ: ours
 * adds one, theirs lists the connections, of which there are none. Raw figures go to `.cache/bench/typescript.json`. Exit 1 if a goal
 * is missed.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createReport, FOLDER, flags, shown } from "../../../test/bench/report.js";
import { benchRoot, processes } from "../../../test/bench/run-sides.js";
import { serverCommand } from "../../../test/support/project.js";

const PEER = "executor@1.5.9";
const ROUNDS = flags.quick ? 3 : 7;
/** Longer than idle processes stay. */
const RESTING = 65_000;
const { add, finish } = createReport("typescript", `wall time and CPU, beside ${PEER}`);
const cleaning: (() => unknown)[] = [];

/** A server, and how it runs code. */
interface TypescriptServer {
  readonly pid: number;
  run(code: string): Promise<string>;
  close(): Promise<void>;
}

async function connected(command: object, tool: string, argument: string): Promise<TypescriptServer> {
  const client = new Client({ name: "bench", version: "1" });
  const transport = new StdioClientTransport(command as ConstructorParameters<typeof StdioClientTransport>[0]);
  await client.connect(transport);
  await client.listTools();
  return {
    pid: transport.pid ?? 0,
    async run(code) {
      const { content, isError } = await client.callTool({ name: tool, arguments: { [argument]: code } });
      const [block] = content;
      if (block?.type !== "text" || isError) throw new Error(JSON.stringify(content));
      return block.text;
    },
    close: () => client.close(),
  };
}

/** The program of the peer, installed on first use; undefined where it cannot be. */
function peerProgram(): string | undefined {
  const folder = join(FOLDER, "executor");
  const program = join(folder, "node_modules/.bin/executor");
  if (existsSync(program)) return program;
  if (flags.quick) return undefined;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", PEER], { cwd: folder });
    return program;
  } catch {
    return undefined;
  }
}

const MS_PER_TICK = 10;

/** CPU of a process and of all that come from it, ended ones that were waited for included, in milliseconds. */
function treeCpu(root: number): number {
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, "latin1");
        const fields = text
          .slice(text.lastIndexOf(")") + 2)
          .split(" ")
          .map(Number);
        const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + (fields[at] ?? 0), 0);
        return [{ pid: Number(name), parent: fields[1] ?? 0, ticks }];
      } catch {
        return [];
      }
    });
  const own = new Set([root]);
  for (let size = 0; size < own.size; ) {
    size = own.size;
    for (const { pid, parent } of stats) if (own.has(parent)) own.add(pid);
  }
  return stats.filter(({ pid }) => own.has(pid)).reduce((sum, { ticks }) => sum + ticks, 0) * MS_PER_TICK;
}

/** Least wall time and CPU of a piece of work on a server, each for one of its parts. */
async function cost(server: TypescriptServer, work: (nth: number) => Promise<unknown>, parts: number) {
  const found: { readonly wall: number; readonly cpu: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [began, used] = [performance.now(), treeCpu(server.pid)];
    await work(round);
    found.push({ wall: (performance.now() - began) / parts, cpu: (treeCpu(server.pid) - used) / parts });
  }
  const least = (of: "wall" | "cpu"): number => Math.min(...found.map((one) => one[of]));
  return { wall: least("wall"), cpu: least("cpu") };
}

/** One row, beside its goals. */
async function row(
  goal: string,
  what: string,
  goals: { readonly wall?: number; readonly cpu?: number },
  sides: readonly [ours: TypescriptServer, peer: TypescriptServer],
  work: (server: TypescriptServer, isPeer: boolean, nth: number) => Promise<unknown>,
  parts = 1,
): Promise<void> {
  const [ours, peer] = [
    await cost(sides[0], (nth) => work(sides[0], false, nth), parts),
    await cost(sides[1], (nth) => work(sides[1], true, nth), parts),
  ];
  for (const of of ["wall", "cpu"] as const) {
    const wanted = goals[of];
    const ratio = ours[of] / peer[of];
    const figures = `${ratio.toFixed(2)}; ${shown(ours[of])} against ${shown(peer[of])}${wanted === undefined ? "" : ` (goal ${wanted.toFixed(1)})`}`;
    const verdict = wanted === undefined ? "shown" : ratio <= wanted ? "met" : "missed";
    add(
      {
        goal: `${goal}${of === "wall" ? "w" : "c"}`,
        what: `${what}, ${of === "wall" ? "wall time" : "CPU"}`,
        figures,
        verdict,
      },
      { ours, peer },
    );
  }
}

const SHORT = 40;
const TOGETHER = 50;
const CALLS = 1000;
const callOf = (isPeer: boolean): string =>
  isPeer ? "await tools.executor.coreTools.connections.list({})" : "await bench.next({ n: 1 })";

try {
  const root = await benchRoot((clean) => void cleaning.push(clean));
  const configuration = join(root, "definitions", "toolwright.yaml");
  writeFileSync(configuration, `${readFileSync(configuration, "utf8")}run: { languages: [typescript] }\n`);
  const ours = await connected(serverCommand(root), "run", "command");
  cleaning.push(() => ours.close());
  const program = peerProgram();
  const home = mkdtempSync(join(tmpdir(), "toolwright-executor-"));
  cleaning.push(() => rmSync(home, { recursive: true, force: true }));
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home } as Record<string, string>;
  if (program === undefined) process.stdout.write(`${PEER} is not installed: its rows are left out\n`);
  else {
    const args = ["mcp", "--elicitation-mode", "model"];
    const peer = await connected({ command: program, args, env, cwd: home, stderr: "ignore" }, "execute", "code");
    cleaning.push(() => peer.close());
    const sides = [ours, peer] as const;
    for (let nth = 0; nth < SHORT; nth++) for (const side of sides) await side.run(`return 1 + ${nth}`);
    let text = 0;
    await row(
      "E1",
      "1+1, warm, each text once",
      { cpu: 1.0 },
      sides,
      async (side) => {
        for (let nth = 0; nth < SHORT; nth++) await side.run(`return 1 + ${1000 + text++}`);
      },
      SHORT,
    );
    await row(
      "E2",
      "one call",
      {},
      sides,
      async (side, isPeer) => {
        for (let nth = 0; nth < SHORT; nth++) await side.run(`const a${text++} = ${callOf(isPeer)}; return 1`);
      },
      SHORT,
    );
    await row("E3", "1,000 calls in sequence", { wall: 0.2, cpu: 0.4 }, sides, (side, isPeer) =>
      side.run(`for (let i = 0; i < ${CALLS}; i++) ${callOf(isPeer)}; return ${text++}`),
    );
    await row("E4", "50 programs at once, one call each", { wall: 1.0 }, sides, (side, isPeer) =>
      Promise.all(Array.from({ length: TOGETHER }, () => side.run(`const a${text++} = ${callOf(isPeer)}; return 1`))),
    );
  }
  if (!flags.quick) {
    await sleep(RESTING);
    const rss = processes(ours.pid).reduce((sum, one) => sum + one.rss, 0);
    add({
      goal: "E5",
      what: "memory a minute after the last program",
      figures: `${rss.toFixed(0)} MB`,
      verdict: "shown",
    });
  }
} finally {
  for (const clean of cleaning.reverse()) await clean();
}
finish();
