/** To what the ops of servers and HTTP APIs are bound: a run that was interrupted does not go on with another one. */

import { digest } from "../contract/canonical.js";
import type { JsonObject, Tool } from "../contract/registry.js";

/** The part of the configuration that says where calls go. Variables are not expanded. */
export interface BindingsConfig {
  readonly servers?: Readonly<Record<string, object>>;
  readonly sources: readonly object[];
}

/** Digest of where the calls of an op go; empty for ops with handlers of the project. */
export type BindingOf = (tool: Pick<Tool, "source" | "group">) => string;

const SERVER_KEYS = ["command", "args", "cwd", "url"] as const;
const SOURCE_KEYS = ["openapi", "graphql", "server", "url"] as const;

/** Makes the function that says where calls go. */
export function bindingsOf({ servers = {}, sources }: BindingsConfig): BindingOf {
  const ofServers = new Map(Object.entries(servers).map(([name, entry]) => [name, digestOf(entry, SERVER_KEYS)]));
  const ofPacks = new Map<string, string>();
  for (const source of sources as readonly {
    readonly pack?: string;
    readonly openapi?: string;
    readonly graphql?: string;
  }[])
    if (source.openapi !== undefined || source.graphql !== undefined)
      ofPacks.set(source.pack ?? "", (ofPacks.get(source.pack ?? "") ?? "") + digestOf(source, SOURCE_KEYS));
  return ({ source, group }) => {
    if (source.server !== undefined) return ofServers.get(source.server) ?? "none";
    return source.kind === "http" ? (ofPacks.get(source.pack ?? group) ?? ofPacks.get("") ?? "none") : "";
  };
}

const digestOf = (entry: object, keys: readonly string[]): string =>
  digest(Object.fromEntries(Object.entries(entry).filter(([key]) => keys.includes(key))) as JsonObject);
