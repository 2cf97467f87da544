/**
 * The sides of the bench of the Python engine: this checkout, and the version before, each as a server of its own process
 * and as an engine in this one.
 */

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { RunOutcome, RunRequest } from "../../runtime/run/languages/language.js";
import type { Served } from "../support/project.js";
import { requestOf } from "../support/run/run-engine.js";
import { FOLDER, ROOT } from "./report.js";

/** The last commit whose default engine is not CPython alone. */
const BEFORE = "181de51a";

/**
 * A checkout of the version before, in the cache of the benches, with the packages of this one.
 *
 * @returns its folder; undefined where git or the commit is absent, as in a shallow clone
 */
export function checkoutBefore(): string | undefined {
  const folder = join(FOLDER, `before-${BEFORE}`);
  if (existsSync(join(folder, "node_modules"))) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = join(FOLDER, "before.tar");
  try {
    execFileSync("git", ["archive", "--output", archive, BEFORE], { cwd: ROOT, stdio: "ignore" });
    execFileSync("tar", ["-xf", archive, "-C", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  } finally {
    rmSync(archive, { force: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
  return folder;
}

/** A server of a checkout. */
export interface ServerSide extends Pick<Served, "call"> {
  readonly pid: number;
  /** The text of a reply, whether it is a failure or not. */
  reply(command: string): Promise<string>;
  close(): Promise<void>;
}

/** What a project of a checkout has kept in its cache: the snapshot of Python, as on every start but the first. */
const caches = new Map<string, string>();

/** A project of a checkout's own tools, which takes 50 runs at once. */
function rootOf(checkout: string): string {
  const root = mkdtempSync(join(tmpdir(), "toolwright-bench-"));
  for (const name of ["docs", "generated"]) symlinkSync(join(checkout, name), join(root, name));
  mkdirSync(join(root, "definitions"));
  for (const name of readdirSync(join(checkout, "definitions")).filter((one) => one !== "toolwright.yaml"))
    symlinkSync(join(checkout, "definitions", name), join(root, "definitions", name));
  const configuration = readFileSync(join(checkout, "definitions", "toolwright.yaml"), "utf8");
  writeFileSync(join(root, "definitions", "toolwright.yaml"), `${configuration}\nlimits: { runs: 64, queue: 1000 }\n`);
  const kept = caches.get(checkout);
  if (kept !== undefined) cpSync(kept, join(root, CACHE), { recursive: true });
  return root;
}

const CACHE = join(".onetool", "cache");

/** Deletes a project; its cache is there for the next of the checkout. */
function leave(checkout: string, root: string): void {
  const kept = join(FOLDER, `cache-${checkout === ROOT ? "ours" : "before"}`);
  if (!caches.has(checkout) && existsSync(join(root, CACHE))) {
    rmSync(kept, { recursive: true, force: true });
    cpSync(join(root, CACHE), kept, { recursive: true });
    caches.set(checkout, kept);
  }
  rmSync(root, { recursive: true, force: true });
}

/** Starts the server of a checkout on a project of its own tools, with no state. */
export async function serverOf(checkout: string): Promise<ServerSide> {
  const root = rootOf(checkout);
  const client = new Client({ name: "bench", version: "1" });
  const launcher = join(checkout, "generator", "launch.mjs");
  const args = [launcher, "serve", "--stdio", "--root", root, "--log-level", "error", "--allow-write"];
  const transport = new StdioClientTransport({ command: process.execPath, args, cwd: checkout, stderr: "ignore" });
  await client.connect(transport);
  const textOf = async (name: string, given: Readonly<Record<string, unknown>>): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: { ...given } }, { timeout: 300_000 });
    const [block] = content;
    return block?.type === "text" ? block.text : "";
  };
  return {
    pid: transport.pid ?? 0,
    call: async (name, given = {}) => ({ value: JSON.parse(await textOf(name, given)), isError: false }),
    reply: (command) => textOf("run", { command }),
    close: async () => {
      await client.close();
      leave(checkout, root);
    },
  };
}

/** The CPython engine of a checkout, in this process. */
export interface EngineSide {
  /** Runs code for a caller. */
  run(code: string, owner?: string): Promise<unknown>;
  close(): Promise<void>;
}

interface Opened {
  run(request: RunRequest): Promise<RunOutcome>;
  warm(): Promise<unknown>;
  dispose(): Promise<void>;
}

/** Opens the CPython engine of a checkout. */
export async function engineOf(checkout: string): Promise<EngineSide> {
  const module = pathToFileURL(join(checkout, "runtime", "run", "engine", "cpython.ts")).href;
  const { createCPython }: { createCPython(options: { readonly cacheDir: string }): Opened } = await import(module);
  const cacheDir = mkdtempSync(join(tmpdir(), "toolwright-bench-"));
  const engine = createCPython({ cacheDir });
  await engine.warm();
  return {
    async run(code, owner = "bench") {
      const outcome = await engine.run(Object.assign(requestOf(code), { owner }));
      if (!outcome.ok) throw new Error(`${outcome.name}: ${outcome.message}`);
      return outcome.value;
    },
    async close() {
      await engine.dispose();
      rmSync(cacheDir, { recursive: true, force: true });
    },
  };
}

const STAT = { parent: 1, user: 11, childrenUser: 13, end: 15, rss: 21 } as const;

/** CPU and memory of a process and all below it, those that have ended too. */
export interface Used {
  /** Milliseconds, in hundredths of a second. */
  readonly cpuMs: number;
  /** MB that are held. */
  readonly rss: number;
}

/** What a process and its children have used so far. Linux only. */
export function usedBy(pid: number): Used {
  const all = new Map<number, readonly number[]>();
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one)))
    try {
      const [, fields = ""] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      all.set(Number(name), fields.split(" ").map(Number));
    } catch {
      // It has ended meanwhile.
    }
  const below = (parent: number): readonly number[] => [
    parent,
    ...[...all].filter(([, fields]) => fields[STAT.parent] === parent).flatMap(([id]) => below(id)),
  ];
  const rows = below(pid).map((id) => all.get(id) ?? []);
  const ticks = rows.flatMap((row) => row.slice(STAT.user, STAT.end)).reduce((sum, n) => sum + n, 0);
  const pages = rows.reduce((sum, row) => sum + (row[STAT.rss] ?? 0), 0);
  return { cpuMs: 10 * ticks, rss: (pages * 4096) / 2 ** 20 };
}
