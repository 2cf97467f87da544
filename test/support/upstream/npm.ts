/**
 * The reference servers of the protocol from npm: entries, one of them over HTTP, and the processes that they start.
 */

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { ServerEntry } from "../../../runtime/contract/settings/entries.js";
import { freePort } from "../ports.js";

const require = createRequire(import.meta.url);

/** Written in full, so that tools that look for unused packages find them. */
const MANIFESTS = {
  everything: require.resolve("@modelcontextprotocol/server-everything/package.json"),
  filesystem: require.resolve("@modelcontextprotocol/server-filesystem/package.json"),
  memory: require.resolve("@modelcontextprotocol/server-memory/package.json"),
  "sequential-thinking": require.resolve("@modelcontextprotocol/server-sequential-thinking/package.json"),
} as const;

/** A reference server. */
type Reference = keyof typeof MANIFESTS;

/** The program of a server: what its package names as its one command. */
function programOf(server: Reference): string {
  const manifest = MANIFESTS[server];
  const { bin }: { readonly bin: Readonly<Record<string, string>> } = JSON.parse(readFileSync(manifest, "utf8"));
  const [program] = Object.values(bin);
  if (program === undefined) throw new Error(`${server} has no command`);
  return join(dirname(manifest), program);
}

/** An entry that starts a reference server, such as `memory`. */
export const npmServer = (server: Reference, args: readonly string[] = [], rest: ServerEntry = {}): ServerEntry => ({
  command: process.execPath,
  args: [programOf(server), ...args],
  timeout: 60,
  ...rest,
});

/** Starts server-everything over HTTP on the loopback address; its endpoint, and how to end it. */
export async function everythingOverHttp(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const child = spawn(process.execPath, [programOf("everything"), "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes("listening on port")) resolve();
    });
    void ended.then(() => reject(new Error("server-everything ended before it listened")));
  });
  const stop = (): Promise<void> => {
    child.kill("SIGKILL");
    return ended;
  };
  return { url: `http://127.0.0.1:${port}/mcp`, stop };
}

/** The process ids of the children of a process. */
export const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
