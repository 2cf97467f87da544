/** The first start of a server whose command installs its package: from npm, as npx does, or from PyPI, as uvx does. */

import { basename } from "node:path";
import type { ServerEntry } from "../contract/settings/entries.js";
import type { UpstreamServer } from "./servers.js";

/** How long such a server may take, in ms: a download is part of it. */
export const FIRST_START_MS = 120_000;

/** Beginnings of commands that install what they run, unless it is there. */
const INSTALLING: ReadonlySet<string> = new Set([
  "npx",
  "npm exec",
  "npm x",
  "pnpx",
  "pnpm dlx",
  "yarn dlx",
  "bunx",
  "bun x",
  "uvx",
  "uv tool run",
  "pipx run",
]);

/** Longest beginning in words. */
const MAX_WORDS = 3;

/** The beginning of a command that installs a package first; undefined for others. */
export function installerOf({ command = "", args = [] }: Pick<ServerEntry, "command" | "args">): string | undefined {
  const program = basename(command.replaceAll("\\", "/")).replace(/\.(?:cmd|exe|ps1)$/i, "");
  const words = [program, ...args];
  return Array.from({ length: MAX_WORDS }, (_, i) => words.slice(0, i + 1).join(" ")).find((one) =>
    INSTALLING.has(one),
  );
}

/** A server with the time that its first start may take, unless its `timeout` is configured. */
export const atFirstStart = (server: UpstreamServer, entry: ServerEntry): UpstreamServer =>
  entry.timeout === undefined && installerOf(entry) !== undefined ? { ...server, timeoutMs: FIRST_START_MS } : server;
