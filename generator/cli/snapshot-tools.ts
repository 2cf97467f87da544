/** Builds the tools of one snapshot with the normal build, for `snapshot --check` and for the lock on live servers. */

import { posix } from "node:path";
import { byCodeUnit } from "../../runtime/contract/canonical.js";
import type { Tool } from "../../runtime/contract/registry.js";
import type { SourceEntry } from "../../runtime/contract/settings/entries.js";
import { type Config, packOf } from "../config/config.js";
import { formatDiagnostic } from "../core/diagnostic.js";
import { safeName } from "../core/names.js";
import type { Build, BuildHost } from "../pipeline.js";
import { matchesGlob } from "./files.js";

const FOLDER = "servers";

/** The entry of `sources` that reads a snapshot. */
export const snapshotSource = (name: string, { sources }: Pick<Config, "sources">): SourceEntry | undefined =>
  sources.find((entry) => entry.mcp !== undefined && matchesGlob(entry.mcp, posix.join(FOLDER, `${name}.json`)));

/**
 * Builds one snapshot in memory, with the part of the configuration that is about its tools.
 *
 * @param name the name of the server in the configuration, which is also the name of the snapshot file
 * @param text the snapshot
 * @throws Error with the diagnostics, if one is an error
 */
export async function toolsFromSnapshot(name: string, text: string, config: Config): Promise<readonly Tool[]> {
  const { buildRegistry } = await import("../pipeline.js");
  const file = posix.join(FOLDER, `${name}.json`);
  const pack = safeName(snapshotSource(name, config)?.pack ?? packOf(file));
  const entry: SourceEntry = { ...snapshotSource(name, config), mcp: file, pack };
  const host = hostOf(`definitions/${file}`, text);
  // Overrides, pins and aliases are normally checked against all tools. This build has the tools of one server only, and one may
  // have been removed.
  const names = new Set(namesIn(text).flatMap((one) => [one, `${pack}/${one}`]));
  const ops = only(config.ops, (key) => names.has(key));
  const own: Config = { ...config, use: [], sources: [entry], ops, policies: {}, aliases: {}, reserved: [] };
  const plain = await buildRegistry(own, host);
  const paths = new Set(plain.drafts.map((one) => one.op));
  const policies = only(config.policies, (op) => paths.has(op));
  const built = Object.keys(policies).length === 0 ? plain : await buildRegistry({ ...own, policies }, host);
  return toolsOf(built);
}

/** Names of the tools in a snapshot. The build reports its faults. */
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

/** A host with one file. Tokens are not counted, as they are not used. */
const hostOf = (file: string, text: string): BuildHost => ({
  read: (path) => (path === file ? text : undefined),
  list: (pattern) => (posix.join("definitions", pattern) === file ? [file] : []),
  countTokens: () => 0,
  gatewayTools: [],
  version: "",
});
