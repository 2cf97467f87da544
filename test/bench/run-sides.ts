/**
 * The sides of the bench of `run`: a server as clients start it, the runner in this process, and a bare pyodide in a
 * child.
 */

import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openKeys } from "../../runtime/access/keys.js";
import { silentLog } from "../../runtime/config/log.js";
import type { Principal } from "../../runtime/contract/handler.js";
import { createDispatch } from "../../runtime/dispatch.js";
import { localPrincipal } from "../../runtime/gateway/gateway.js";
import { concurrencyLimit } from "../../runtime/run/concurrency-limit.js";
import { type OpenLanguages, openLanguages } from "../../runtime/run/languages/table.js";
import { fileResults } from "../../runtime/run/results.js";
import { createRunner, type Runner } from "../../runtime/run/runner.js";
import { lazyState } from "../../runtime/state/open.js";
import { openRoot } from "../support/open-root.js";
import { generatedRoot, serverCommand } from "../support/project.js";

const PACK = `export const pack = { summary: "What the bench calls." };

/**
 * Adds one.
 * @kind read
 */
export async function next(args: { n: number }): Promise<number> {
  return args.n + 1;
}

/**
 * Adds one after 5 ms.
 * @kind read
 */
export async function wait(args: { n: number }): Promise<number> {
  return new Promise((resolve) => setTimeout(() => resolve(args.n + 1), 5));
}
`;

const CONFIGURATION = "sources:\n  - functions: bench.ts\nlimits: { runs: 64, queue: 1000 }\nlog: { level: warn }\n";

/** A generated project with one pack of two ops. */
export async function benchRoot(remove: (clean: () => void) => void): Promise<string> {
  const definitions = mkdtempSync(join(tmpdir(), "toolwright-bench-"));
  remove(() => rmSync(definitions, { recursive: true, force: true }));
  mkdirSync(definitions, { recursive: true });
  writeFileSync(join(definitions, "bench.ts"), PACK);
  writeFileSync(join(definitions, "toolwright.yaml"), CONFIGURATION);
  return generatedRoot(definitions, remove);
}

/** Runs code and gives the text of the result. */
export type Running = (code: string) => Promise<string>;

/** Something that runs code, until it is closed. */
export interface Side {
  readonly pid: number;
  readonly run: Running;
  close(): Promise<void>;
}

/** A server of its own process, and its client. */
export interface ServedSide extends Side {
  list(): Promise<void>;
}

/** Starts the server and connects. */
export async function served(root: string): Promise<ServedSide> {
  const client = new Client({ name: "bench", version: "1" });
  const transport = new StdioClientTransport(serverCommand(root));
  await client.connect(transport);
  return {
    pid: transport.pid ?? 0,
    run: async (command) => {
      const { content, isError } = await client.callTool({ name: "run", arguments: { command } });
      const [block] = content;
      if (block?.type !== "text" || isError) throw new Error(JSON.stringify(content));
      return block.text;
    },
    list: async () => void (await client.listTools()),
    close: () => client.close(),
  };
}

/** The runner of a project, in this process: every step of `run` but the protocol. */
export interface RunnerSide {
  readonly runner: Runner;
  readonly languages: OpenLanguages;
  readonly principal: Principal;
  readonly run: Running;
  /** Runs code of another caller. */
  readonly runAs: (id: string, code: string) => Promise<string>;
}

/** Opens runners over one project. */
export async function runners(root: string, finished: (close: () => Promise<void>) => void): Promise<() => RunnerSide> {
  const { project } = await openRoot(root, "", finished);
  const principal = localPrincipal(project.settings);
  return () => {
    const state = lazyState(() => Promise.reject(new Error("not here")));
    const projectExists = async () => false;
    const keys = openKeys({ root, url: "", state: state.get, projectExists, log: silentLog });
    const dispatch = createDispatch(project, { state, inFlight: new Map(), keys, log: silentLog });
    const { runs, output } = project.settings.run;
    const languages = openLanguages(project.root);
    const results = fileResults(project.root, output.resultTtl, () => new Date());
    const runner = createRunner({
      project,
      dispatch,
      keys,
      clock: Date.now,
      state,
      log: silentLog,
      languages,
      results,
      gate: concurrencyLimit(runs),
    });
    const runAs = async (id: string, command: string): Promise<string> => {
      const { text, isError } = await runner.run({ command }, { ...principal, id });
      if (isError) throw new Error(text);
      return text;
    };
    return { runner, languages, principal, runAs, run: (command) => runAs(principal.id, command) };
  };
}

interface Told {
  readonly ready?: true;
  readonly id: number;
  readonly output?: unknown;
}

/** Starts a bare engine: a program of `children/`. */
export async function bare(program: string, ...args: readonly string[]): Promise<Side> {
  const child = forked(program, args);
  const waiting = new Map<number, (text: string) => void>();
  let last = 0;
  const ready = new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`${program} ended`)));
    child.on("message", (message: Told) => {
      if (message.ready) resolve();
      else waiting.get(message.id)?.(String(message.output));
    });
  });
  await ready;
  return {
    pid: child.pid ?? 0,
    run: (code) =>
      new Promise((resolve) => {
        const id = ++last;
        waiting.set(id, (text) => {
          waiting.delete(id);
          resolve(text);
        });
        child.send({ id, code });
      }),
    close: () => ended(child),
  };
}

/** Has the bare pyodide make its snapshot; the folder is fresh. */
export async function bareSnapshot(file: string): Promise<void> {
  const child = forked("pyodide.mjs", [file]);
  await new Promise((resolve) => child.once("exit", resolve));
}

function forked(program: string, args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(`children/${program}`, import.meta.url));
  return fork(path, [...args], { env: {}, execArgv: [], serialization: "advanced", stdio: ["ignore", 2, 2, "ipc"] });
}

function ended(child: ChildProcess): Promise<void> {
  const gone = new Promise<void>((resolve) => void child.once("exit", () => resolve()));
  child.kill("SIGKILL");
  return gone;
}

/** A process as the operating system counts it. */
export interface Process {
  readonly pid: number;
  readonly command: string;
  /** Memory held, in MB. */
  readonly rss: number;
}

/** A process and its children; empty without `ps`. */
export function processes(pid: number): readonly Process[] {
  const text = execFileSync("ps", ["-A", "-o", "pid=,ppid=,rss=,args="], { encoding: "utf8" });
  return text.split("\n").flatMap((line) => {
    const [own, parent, rss, ...command] = line.trim().split(/\s+/);
    const isOne = Number(own) === pid || Number(parent) === pid;
    return isOne ? [{ pid: Number(own), command: command.join(" "), rss: Number(rss) / 1024 }] : [];
  });
}
