/** The tools of one snapshot as the real build makes them: for `snapshot --check`, and for the lock on live servers. */

import { posix } from "node:path";
import { byCodeUnit, type Tool } from "toolwright/codegen";
import { type Config, packOf, type SourceEntry } from "./config.js";
import { formatDiagnostic } from "./diagnostic.js";
import { matchesPattern } from "./files.js";
import { safeName } from "./names.js";
import type { Build, Host } from "./pipeline.js";

const FOLDER = "servers";

/** The entry of `sources` that reads a snapshot. */
export const sourceOf = (name: string, { sources }: Pick<Config, "sources">): SourceEntry | undefined =>
  sources.find((entry) => entry.mcp !== undefined && matchesPattern(entry.mcp, posix.join(FOLDER, `${name}.json`)));

/**
 * Builds one snapshot in memory, with what the configuration says about its tools and nothing about others.
 *
 * @param name the server's name in the configuration, which is the name of the snapshot's file
 * @param text the snapshot
 * @throws Error with the diagnostics, where they stop the build
 */
export async function toolsFromSnapshot(name: string, text: string, config: Config): Promise<readonly Tool[]> {
  const { buildRegistry } = await import("./pipeline.js");
  const file = posix.join(FOLDER, `${name}.json`);
  const pack = safeName(sourceOf(name, config)?.pack ?? packOf(file));
  const entry: SourceEntry = { ...sourceOf(name, config), mcp: file, pack };
  const host = hostOf(`definitions/${file}`, text);
  // Overrides, pins and aliases are checked against all tools: here are those of one server, and one may be gone.
  const names = new Set(namesIn(text).flatMap((one) => [one, `${pack}/${one}`]));
  const ops = only(config.ops, (key) => names.has(key));
  const own: Config = { ...config, use: [], sources: [entry], ops, policies: {}, aliases: {}, reserved: [] };
  const plain = await buildRegistry(own, host);
  const paths = new Set(plain.drafts.map((one) => one.op));
  const policies = only(config.policies, (op) => paths.has(op));
  const built = Object.keys(policies).length === 0 ? plain : await buildRegistry({ ...own, policies }, host);
  return toolsOf(built);
}

/** Names of the tools in a snapshot; what is wrong with it is for the build to say. */
function namesIn(text: string): readonly string[] {
  try {
    const { tools } = JSON.parse(text);
    return Array.isArray(tools) ? tools.flatMap((one) => (typeof one?.name === "string" ? [one.name] : [])) : [];
  } catch {
    return [];
  }
}

function toolsOf({ registry, diagnostics }: Build): readonly Tool[] {
  if (registry) return [...registry.tools].sort((a, b) => byCodeUnit(a.op, b.op));
  const errors = diagnostics.filter((one) => one.severity === "error");
  throw new Error(errors.map(formatDiagnostic).join("\n"));
}

const only = <T>(
  entries: Readonly<Record<string, T>> = {},
  keep: (key: string) => boolean,
): Readonly<Record<string, T>> => Object.fromEntries(Object.entries(entries).filter(([key]) => keep(key)));

/** One file is all there is; tokens are not counted, as nobody compares them. */
const hostOf = (file: string, text: string): Host => ({
  read: (path) => (path === file ? text : undefined),
  list: (pattern) => (posix.join("definitions", pattern) === file ? [file] : []),
  countTokens: () => 0,
  gatewayTools: [],
  version: "",
});
