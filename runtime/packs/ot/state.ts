/** `ot.config` and `ot.health`: show the configuration and the state of the gateway. */

import { mayAdminister } from "../../access/principal.js";
import type { Tool } from "../../contract/registry.js";
import { serverNameOf } from "../../upstream/upstreams.js";
import type { HostContext } from "../host.js";
import { catalogueOf } from "./catalogue.js";

/** The configuration. */
export interface ServerConfiguration {
  readonly aliases: Readonly<Record<string, string>>;
  readonly snippets: Readonly<Record<string, { readonly description?: string }>>;
  readonly servers: readonly string[];
}

/** The configuration as far as the caller may see it, without secrets. */
export async function configuration(ctx: HostContext): Promise<ServerConfiguration> {
  const { aliases, snippets } = await catalogueOf(ctx);
  return {
    aliases: Object.fromEntries(aliases.map(({ name, target }) => [name, target])),
    snippets: Object.fromEntries(
      snippets.map(({ name, description }) => [name, description === undefined ? {} : { description }]),
    ),
    servers: seenServers(ctx).map(({ name }) => name),
  };
}

/** State of the gateway. */
export interface Health {
  readonly version: string;
  readonly python: string;
  readonly cwd: string;
  readonly registry: {
    /** `stale`: definitions changed since the last `generate`. */
    readonly status: "ok" | "stale";
    readonly tool_count: number;
    readonly remedy?: string;
  };
  readonly proxy: {
    readonly status: "ok" | "degraded";
    readonly server_count: number;
    readonly servers?: Readonly<Record<string, string>>;
  };
}

/** The state of the gateway as far as the caller may see it. */
export async function health(ctx: HostContext): Promise<Health> {
  const { host, principal } = ctx;
  const [{ tools }, python] = await Promise.all([catalogueOf(ctx), host.python()]);
  const servers = seenServers(ctx);
  const isDegraded = servers.some(({ state }) => state === "disconnected");
  return {
    version: host.project.version,
    python,
    // Only owners see where the project is on the machine.
    cwd: mayAdminister(principal) ? host.project.root : ".",
    registry: registryHealth(tools.length, host.stale(), mayAdminister(principal)),
    proxy: {
      status: isDegraded ? "degraded" : "ok",
      server_count: servers.length,
      ...(servers.length > 0 ? { servers: Object.fromEntries(servers.map(({ name, state }) => [name, state])) } : {}),
    },
  };
}

/** Most file names in one line. */
const MAX_STALE_NAMES = 5;

/** The registry, and whether it is older than the definitions; only owners see file names. */
function registryHealth(tool_count: number, stale: readonly string[], tellsFiles: boolean): Health["registry"] {
  if (stale.length === 0) return { status: "ok", tool_count };
  const more = stale.length > MAX_STALE_NAMES ? ` and ${stale.length - MAX_STALE_NAMES} more` : "";
  const changed = tellsFiles ? `${stale.slice(0, MAX_STALE_NAMES).join(", ")}${more}` : "definitions/";
  return { status: "stale", tool_count, remedy: `generated/ is older than ${changed}: run "toolwright generate"` };
}

/** A server that a caller may know of. */
export interface KnownServer {
  readonly name: string;
  readonly state: string;
  /** Its tools, also those that are hidden from the caller. */
  readonly tools: readonly Tool[];
}

/** The servers, without those whose tools are all hidden from the caller. */
export function seenServers({ host, principal }: Pick<HostContext, "host" | "principal">): readonly KnownServer[] {
  const states = host.servers();
  const tools = new Map<string, Tool[]>([...states.keys()].map((name) => [name, []]));
  for (const tool of host.project.registry.tools)
    if (tool.source.kind === "proxy") tools.get(serverNameOf(tool, (name) => states.has(name)))?.push(tool);
  const view = host.view(principal);
  return [...states].flatMap(([name, state]) => {
    const own = tools.get(name) ?? [];
    return own.length === 0 || own.some(({ op }) => view.exact(op) !== undefined) ? [{ name, state, tools: own }] : [];
  });
}
