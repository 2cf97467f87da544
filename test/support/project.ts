/** Real projects for tests of the public surface: temporary roots, the command line, MCP clients over stdio. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { canHost, type Ran, runHosted } from "./commands.js";
import { generateOnce } from "./generated.js";
import { keepSnapshots, lendSnapshots } from "./run/python-snapshots.js";

/** The checkout. */
export const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
const LAUNCHER = join(CHECKOUT, "generator", "launch.mjs");
/** What a root keeps for later runs. */
const CACHE = join(".onetool", "cache");

/** A temporary folder that is gone after the test or the file. */
export function temporaryFolder(remove: (clean: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-test-"));
  remove(() => {
    keepSnapshots(join(folder, CACHE));
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A root of its own, with this repository's definitions and generated code, and no state. */
export function freshRoot(remove: (clean: () => void) => void = onTestFinished): string {
  const root = temporaryFolder(remove);
  for (const folder of ["definitions", "docs", "generated"]) symlinkSync(join(CHECKOUT, folder), join(root, folder));
  return root;
}

/** A root with this repository's tools and more configuration. */
export function configuredRoot(configuration: string, remove: (clean: () => void) => void = onTestFinished): string {
  const root = temporaryFolder(remove);
  cpSync(join(CHECKOUT, "definitions", "toolwright.yaml"), join(root, "definitions", "toolwright.yaml"));
  for (const pack of ["onto", "packs"])
    symlinkSync(join(CHECKOUT, "definitions", pack), join(root, "definitions", pack));
  symlinkSync(join(CHECKOUT, "generated"), join(root, "generated"));
  appendFileSync(join(root, "definitions", "toolwright.yaml"), `\n${configuration}\n`);
  return root;
}

/** Runs the command line as a person would, without a terminal. */
export function toolwright(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): Promise<Ran> {
  const { cwd = CHECKOUT, input } = options;
  const env = { ...process.env, ...options.env };
  if (input === undefined && canHost({ args, cwd, env })) return runHosted({ args, cwd, env });
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [LAUNCHER, ...args], {
      cwd,
      env,
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    }) as ChildProcessByStdio<Writable | null, Readable, Readable>;
    child.stdin?.end(input);
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** How a client starts the server on a root, which gets the snapshots of CPython that exist. */
export function serverCommand(root: string, flags: readonly string[] = []) {
  if (existsSync(root)) lendSnapshots(join(root, CACHE));
  return {
    command: process.execPath,
    args: [LAUNCHER, "serve", "--stdio", "--root", root, "--log-level", "warn", ...flags],
    cwd: CHECKOUT,
    stderr: "pipe" as const,
  };
}

/** A tool's answer as the gateway tools give it. */
export interface Answer<T> {
  readonly value: T;
  readonly isError: boolean;
}

/** A client of the official SDK on a server of its own process. */
export interface Served {
  readonly client: Client;
  /** Calls a tool; the text block and the structured content must be the same value. */
  call<T = Json>(tool: string, args?: Readonly<Record<string, unknown>>): Promise<Answer<T>>;
  /** What the process wrote to stderr so far. */
  stderr(): string;
  close(): Promise<void>;
}

/** JSON that a test looks into. */
// biome-ignore lint/suspicious/noExplicitAny: tests read answers of many shapes, and vitest checks the values.
export type Json = any;

/** Starts `toolwright serve --stdio` on a root and connects. */
export async function serve(
  root: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StdioClientTransport({ ...serverCommand(root, flags), env: { ...env } });
  let stderr = "";
  transport.stderr?.on("data", (text: Buffer) => (stderr += text.toString()));
  await client.connect(transport);
  return {
    client,
    stderr: () => stderr,
    call: async (name, args = {}) => {
      const result = await client.callTool({ name, arguments: { ...args } });
      const [block] = result.content;
      if (block?.type !== "text" || result.content.length !== 1) throw new Error("not one text block");
      const value = JSON.parse(block.text);
      if (JSON.stringify(value) !== JSON.stringify(result.structuredContent))
        throw new Error("text and structured content differ");
      return { value, isError: result.isError === true };
    },
    close: () => client.close(),
  };
}

/** A root with the given definitions and this package installed, its code generated. */
export async function generatedRoot(
  definitions: string,
  remove: (clean: () => void) => void = onTestFinished,
): Promise<string> {
  const root = temporaryFolder(remove);
  cpSync(definitions, join(root, "definitions"), { recursive: true });
  mkdirSync(join(root, "node_modules"));
  symlinkSync(CHECKOUT, join(root, "node_modules", "toolwright"));
  await generateOnce(root, async () => {
    const { code, stderr } = await toolwright(["generate", "--root", root]);
    if (code !== 0) throw new Error(stderr);
  });
  lendSnapshots(join(root, CACHE));
  return root;
}

/** The generated ops of a root without those of `ot` and `proj`, which every project has. */
export function ownOps(root: string): readonly string[] {
  const { tools }: Json = JSON.parse(readFileSync(join(root, "generated", "registry.json"), "utf8"));
  return tools.map(({ op }: Json) => op).filter((op: string) => !/^(ot|proj)\./.test(op));
}
