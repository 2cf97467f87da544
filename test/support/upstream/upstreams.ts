/** Proxied tools of real servers in this process: snapshot, registry, lock and pool as in the product. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { toolComparison } from "../../../core/changes.js";
import { FEATURES } from "../../../features/list.js";
import { toolsFromSnapshot } from "../../../generator/cli/snapshot-tools.js";
import { type Config, loadConfig } from "../../../generator/config/config.js";
import { Report } from "../../../generator/core/diagnostic.js";
import type { ProxyContext } from "../../../runtime/call/client-access.js";
import { ToolFailure } from "../../../runtime/codegen.js";
import { silentLog } from "../../../runtime/config/log.js";
import type { Tool } from "../../../runtime/contract/registry.js";
import type { ServerEntry } from "../../../runtime/contract/settings/entries.js";
import type { ConnectionOptions } from "../../../runtime/upstream/connection.js";
import { createLock } from "../../../runtime/upstream/lock.js";
import { expandServer } from "../../../runtime/upstream/servers.js";
import { snapshotText } from "../../../runtime/upstream/snapshot.js";
import {
  type ConnectionPool,
  createConnectionPool,
  createUpstreams,
  type Upstreams,
} from "../../../runtime/upstream/upstreams.js";
import { type Json, temporaryFolder } from "../project.js";
import { snapshotOf } from "./servers.js";

const CONFIG = ((): Config => {
  const files: Readonly<Record<string, string>> = { "toolwright.yaml": "sources: [{ mcp: servers/*.json }]\n" };
  const config = loadConfig((file) => files[file], new Report());
  if (!config) throw new Error("the configuration has a fault");
  return config;
})();

/** The settings of a misbehaving server. */
export interface Told {
  /** A file to which it writes its process id, and those of its children. */
  readonly pids?: string;
  readonly delay?: number;
  readonly silent?: boolean;
  readonly stubborn?: boolean;
  /** As long as this file is there it does not start, and says what is in it. */
  readonly refuses?: string;
  readonly list?: unknown;
  readonly echo?: object;
}

/** An entry that starts the server of `calls.mjs`. */
export const calls = (told: Told = {}, rest: ServerEntry = {}): ServerEntry => ({
  command: process.execPath,
  args: [fileURLToPath(new URL("calls.mjs", import.meta.url)), JSON.stringify(told)],
  timeout: 20,
  ...rest,
});

/** Servers that can be called. */
export interface Called {
  readonly root: string;
  readonly upstreams: Upstreams;
  readonly pool: ConnectionPool;
  readonly tools: ReadonlyMap<string, Tool>;
  /** Warnings of the last call. */
  readonly warnings: string[];
  call(tool: string, args?: Json, ctx?: Partial<ProxyContext>): Promise<Json>;
  /** What a call fails with. */
  failure(
    tool: string,
    args?: Json,
    ctx?: Partial<ProxyContext>,
  ): Promise<{ code: string; message: string; details: Json }>;
}

/** What is changed for a test. */
export interface Change extends Partial<Omit<ConnectionOptions, "root" | "version" | "log">> {
  readonly servers: Readonly<Record<string, ServerEntry>>;
  /** Entries to take the snapshots from, where they differ. */
  readonly accepted?: Readonly<Record<string, ServerEntry>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly root?: string;
  readonly pool?: ConnectionPool;
}

const NO_FETCH = (() => Promise.reject(new Error("no fetch"))) as unknown as typeof fetch;

/** Takes snapshots, builds the tools, and opens a pool that is closed when the test ends. */
export async function called({ servers, accepted = servers, secrets = {}, ...change }: Change): Promise<Called> {
  const { root = temporaryFolder(), pool: given, ...options } = change;
  const folder = join(root, "definitions", "servers");
  mkdirSync(folder, { recursive: true });
  const built = await Promise.all(
    Object.entries(accepted).map(async ([name, entry]) => {
      const file = join(folder, `${name}.json`);
      if (!existsSync(file)) {
        const server = expandServer(name, entry, (one) => secrets[one]);
        if ("reason" in server) throw new Error(server.reason);
        writeFileSync(file, snapshotText(await snapshotOf(server, { root })));
      }
      return toolsFromSnapshot(name, readFileSync(file, "utf8"), CONFIG);
    }),
  );
  const tools = built.flat();
  const registry = { ir_version: 1 as const, registry_version: "", tools, packs: [], reserved: [] };
  const lock = createLock({
    root,
    registry,
    toolsFromSnapshot: (name, text) => toolsFromSnapshot(name, text, CONFIG),
    compareTools: toolComparison(FEATURES),
  });
  const pool = given ?? createConnectionPool({ root, version: "0", graceMs: 300, ...options });
  const upstreams = createUpstreams({ servers, secret: (name) => secrets[name], lock, pool });
  onTestFinished(() => upstreams.close());
  const byOp = new Map(tools.map((one) => [one.op, one]));
  const warnings: string[] = [];
  const call = async (op: string, args: Json = {}, ctx: Partial<ProxyContext> = {}): Promise<Json> => {
    const tool = byOp.get(op);
    if (!tool) throw new Error(`no tool ${op}; there are ${[...byOp.keys()].join(", ")}`);
    warnings.length = 0;
    return upstreams.call(tool, args, contextOf(warnings, ctx));
  };
  const failure = async (...given: Parameters<typeof call>) => {
    const outcome = await call(...given).catch((error: unknown) => error);
    if (!(outcome instanceof ToolFailure)) throw new Error(`no ToolFailure: ${JSON.stringify(outcome)} ${outcome}`);
    const { code, message, details } = outcome;
    return { code, message, details: details as Json };
  };
  return { root, upstreams, pool, tools: byOp, warnings, call, failure };
}

/** The context of one call. */
export const contextOf = (warnings: string[], ctx: Partial<ProxyContext> = {}): ProxyContext => ({
  principal: { kind: "local", id: "local", grant: { level: "write", projects: "*" }, allowWrite: true },
  signal: new AbortController().signal,
  deadline: Date.now() + 60_000,
  traceId: "tr_0",
  secret: () => "",
  fetch: NO_FETCH,
  log: silentLog,
  progress: () => undefined,
  warn: (text) => void warnings.push(text),
  ...ctx,
});

/** The process ids in a file. */
export const pidsIn = (file: string): readonly number[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").filter(Boolean).map(Number) : [];

/** Whether a process is there; one that has ended and waits for its parent is not. */
export function lives(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
