/**
 * Measures the cost of configured upstream servers at the start of `serve`: from the start of the process to its answer
 * to `initialize`, with 62 replay servers and their snapshots, in turn with the same tools without servers, and with a
 * project that has neither; then that project with the code cache of the command line, and without. These figures are wall time, so the
 * load of the machine is printed beside them. First of all, the CPU time of a start of this repository's project, all threads and children
 * included, beside that of a bare server of the SDK in one file (Linux only). `--quick` takes 3 pairs. Raw pairs go to `.cache/bench/start.json`; `--accept` keeps the run. Exit 1 if the bound is exceeded
 * or the ratio grew by more than 15 per cent against the accepted one.
 */

import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { stringify } from "yaml";
import { CORPORA, hasCorpora, snapshotFiles } from "../support/corpora.js";
import { freshRoot, serverCommand, toolwright } from "../support/project.js";
import { latencies, median, ratios, spreads } from "./measure.js";
import { createReport, FOLDER, flags, ROOT, shown } from "./report.js";

const PAIRS = flags.quick ? 3 : 15;
const SERVERS = 62;
const BOUND = 1.2;
const BARE_BOUND = 1.3;
const MANY_BOUND = 1.6;
const CACHE_BOUND = 0.8;
const UNCACHED = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" };
const CONFIG = join("definitions", "toolwright.yaml");
const REPLAY = join(CORPORA, "..", "tools", "replay-server.mjs");
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
};

const { add, finish } = createReport("start", "wall time");
const cleaning: (() => void)[] = [];

const configOf = (sources: readonly object[], servers: object): string => stringify({ use: ["ot"], sources, servers });

/** A generated project behind some of the corpora's servers. */
async function projectOf(files: readonly string[]): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), "toolwright-bench-"));
  cleaning.push(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "definitions", "servers");
  mkdirSync(folder, { recursive: true });
  const servers = files.map((file) => {
    cpSync(join(CORPORA, "mcp", file), join(folder, file));
    return [
      basename(file, ".json"),
      { command: process.execPath, args: [REPLAY, join(CORPORA, "mcp", file)] },
    ] as const;
  });
  const sources = files.length === 0 ? [] : [{ mcp: "servers/*.json" }];
  writeFileSync(join(root, CONFIG), configOf(sources, Object.fromEntries(servers)));
  const { code, stderr } = await toolwright(["generate", "--root", root]);
  if (code !== 0) throw new Error(stderr.slice(-2000));
  return root;
}

/** The same tools, and no server configured behind them. */
function unserved(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), "toolwright-bench-"));
  cleaning.push(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(root, copy, { recursive: true });
  writeFileSync(join(copy, CONFIG), configOf([{ mcp: "servers/*.json" }], {}));
  return copy;
}

/** How a server is started. */
type ServerCommand = Pick<ReturnType<typeof serverCommand>, "command" | "args" | "cwd">;

/** Milliseconds of CPU of all threads of a process and of its children so far. */
function cpuMsOf(pid: number | string): number {
  const folder = `/proc/${pid}/task`;
  const msOf = (thread: string): number => {
    const [ns] = readFileSync(`${folder}/${thread}/schedstat`, "utf8").split(" ");
    const children = readFileSync(`${folder}/${thread}/children`, "utf8").split(" ").filter(Boolean);
    return children.reduce((sum, child) => sum + cpuMsOf(child), Number(ns) / 1e6);
  };
  return readdirSync(folder).reduce((sum, thread) => sum + msOf(thread), 0);
}

/** What a server takes from its start to its answer to `initialize`: by the clock, or as `measured` says at that moment. */
async function start(
  { command, args, cwd }: ServerCommand,
  env = process.env,
  measured?: (pid: number) => number,
): Promise<number> {
  const begun = performance.now();
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  let text = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  const ms = measured ? measured(Number(child.pid)) : performance.now() - begun;
  child.stdin.end();
  child.kill();
  await ended;
  if (JSON.parse(text.split("\n")[0] ?? "").result?.serverInfo === undefined) throw new Error(`no answer: ${text}`);
  return ms;
}

async function measure(): Promise<void> {
  const files = readdirSync(join(CORPORA, "mcp")).sort().slice(0, SERVERS);
  const many = await projectOf(files);
  const servers = `start with ${files.length} upstream servers`;
  const none = await projectOf([]);
  const starting = (root: string, env?: NodeJS.ProcessEnv) => () => start(serverCommand(root), env);
  await compare("U1", `${servers} / with the same tools and no server`, starting(many), starting(unserved(many)));
  await compare("U2", `${servers} and their tools / with none`, starting(many), starting(none));
  await compare("U3", "start with the code cache / without", starting(none), starting(none, UNCACHED), CACHE_BOUND);
}

/** A server of the SDK that does nothing else, in one file. */
async function bareServer(): Promise<ServerCommand> {
  const file = join(FOLDER, "bare-stdio.mjs");
  const require = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
  await build({
    ...{ entryPoints: [join(ROOT, "test/bench/children/bare-stdio.mjs")], outfile: file, absWorkingDir: ROOT },
    ...{ bundle: true, platform: "node", format: "esm", mainFields: ["module", "main"], banner: { js: require } },
  });
  return { command: process.execPath, args: [file], cwd: ROOT };
}

/** The program as the package has it, on a project. */
function packagedServer(): (root: string) => ServerCommand {
  const folder = join(FOLDER, "program");
  const bundle = "import(process.argv[1]).then(({ bundleProgram }) => bundleProgram(...process.argv.slice(2)))";
  execFileSync(process.execPath, ["-e", bundle, join(ROOT, "generator/build/bundle.mjs"), ROOT, folder]);
  const main = join(folder, "main.js");
  return (root) => ({ command: process.execPath, args: [main, "serve", "--root", root], cwd: root });
}

/** A generated project with the tools of all servers of the corpora, and no server. */
async function manyOps(): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), "toolwright-bench-"));
  cleaning.push(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "definitions", "servers");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of snapshotFiles()) writeFileSync(join(folder, name), text);
  writeFileSync(join(root, CONFIG), configOf([{ mcp: "servers/*.json" }], {}));
  const { code, stderr } = await toolwright(["generate", "--root", root]);
  if (code !== 0) throw new Error(stderr.slice(-2000));
  return root;
}

/** The CPU time of a start beside that of a bare server. */
async function measureCpu(): Promise<void> {
  const packaged = packagedServer();
  const own = packaged(freshRoot((clean) => void cleaning.push(clean)));
  const bare = await bareServer();
  const peer = "a bare server of the SDK, bundled";
  const env = { ...process.env, XDG_CACHE_HOME: join(FOLDER, "home") };
  const cpu = (command: ServerCommand) => () => start(command, env, cpuMsOf);
  await compare("U4", `CPU of a start of this repository's project / of ${peer}`, cpu(own), cpu(bare), BARE_BOUND);
  if (!hasCorpora) return;
  const many = packaged(await manyOps());
  await compare("U5", `CPU of a start with the ops of all servers / of ${peer}`, cpu(many), cpu(bare), MANY_BOUND);
}

type Start = () => Promise<number>;

async function compare(goal: string, what: string, ours: Start, peer: Start, bound = BOUND): Promise<void> {
  const raw = await latencies(ours, peer, PAIRS);
  const { minima, paired } = ratios(raw);
  const ratio = Math.min(minima, paired);
  const figures = `${minima.toFixed(2)} (pairs ${paired.toFixed(2)}), bound ${bound}; ${shown(median(raw.ours))} against ${shown(median(raw.peer))}`;
  const missed = spreads(raw) ? "inconclusive" : "missed";
  add({ goal, what, figures, verdict: ratio <= bound ? "met" : missed, ratio }, raw);
}

try {
  if (process.platform === "linux") await measureCpu();
  if (existsSync(REPLAY)) await measure();
  else process.stdout.write("../shared is not there\n");
} finally {
  for (const clean of cleaning) clean();
}
finish();
