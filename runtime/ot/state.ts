/** `ot.config` and `ot.health`: what is configured, and how it does. */

import type { HostContext } from "../shipped.js";
import { catalogueOf } from "./catalogue.js";
import { isOwner } from "./stats.js";

/** What is configured. */
export interface Configuration {
  readonly aliases: Readonly<Record<string, string>>;
  readonly snippets: Readonly<Record<string, { readonly description?: string }>>;
  readonly servers: readonly string[];
}

/** What is configured, as far as the caller may see it; nothing in it is secret. */
export async function configuration(ctx: HostContext): Promise<Configuration> {
  const { aliases, snippets } = await catalogueOf(ctx);
  return {
    aliases: Object.fromEntries(aliases.map(({ name, target }) => [name, target])),
    snippets: Object.fromEntries(
      snippets.map(({ name, description }) => [name, description === undefined ? {} : { description }]),
    ),
    servers: seenServers(ctx).map(([name]) => name),
  };
}

/** How the product does. */
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

/** How the product does, as far as the caller may see it. */
export async function health(ctx: HostContext): Promise<Health> {
  const { host, principal } = ctx;
  const [{ tools }, python] = await Promise.all([catalogueOf(ctx), host.python()]);
  const servers = seenServers(ctx);
  const isDegraded = servers.some(([, state]) => state === "disconnected");
  return {
    version: host.project.version,
    python,
    // Where things are on the machine is for its owner, and for who may do anything there.
    cwd: isOwner(principal) ? host.project.root : ".",
    registry: registryHealth(tools.length, host.stale(), isOwner(principal)),
    proxy: {
      status: isDegraded ? "degraded" : "ok",
      server_count: servers.length,
      ...(servers.length > 0 ? { servers: Object.fromEntries(servers) } : {}),
    },
  };
}

/** File names that one line can hold. */
const MAX_STALE_NAMES = 5;

/** The registry, and whether it is older than the definitions; where files are is told to owners. */
function registryHealth(tool_count: number, stale: readonly string[], tellsFiles: boolean): Health["registry"] {
  if (stale.length === 0) return { status: "ok", tool_count };
  const more = stale.length > MAX_STALE_NAMES ? ` and ${stale.length - MAX_STALE_NAMES} more` : "";
  const changed = tellsFiles ? `${stale.slice(0, MAX_STALE_NAMES).join(", ")}${more}` : "definitions/";
  return { status: "stale", tool_count, remedy: `generated/ is older than ${changed}: run "toolwright generate"` };
}

/** Servers but for those that have tools of which the caller may see none. */
export function seenServers({
  host,
  principal,
}: Pick<HostContext, "host" | "principal">): readonly (readonly [name: string, state: string])[] {
  const { tools } = host.project.registry;
  const view = host.view(principal);
  return [...host.servers()].filter(([name]) => {
    const own = tools.filter(({ source }) => source.server === name);
    return own.length === 0 || own.some(({ op }) => view.exact(op) !== undefined);
  });
}
