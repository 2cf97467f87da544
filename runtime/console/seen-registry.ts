/** `GET /api/registry`: what of the registry a caller may see, and who the caller is. */

import type { Principal } from "../contract/handler.js";
import type { Level, Pack, Tool } from "../contract/registry.js";
import { grantKey, type RegistryIndex } from "../registry.js";

/** Who asks, as far as a page has to know. */
export interface SeenCaller {
  readonly kind: Principal["kind"];
  /** Of the key, by which calls name their caller. */
  readonly id: string;
  readonly level: Level;
  /** Whether every project is within reach. */
  readonly projects: "all" | "some";
  readonly allow_write: boolean;
}

/** The registry of a caller. */
export interface SeenRegistry {
  readonly registry_version: string;
  readonly caller: SeenCaller;
  readonly packs: readonly Pack[];
  readonly tools: readonly Omit<Tool, "source">[];
}

/** What the answer depends on, as an entity tag. */
export const registryTag = ({ version }: RegistryIndex, { kind, id, grant, allowWrite }: Principal): string =>
  `"${version}-${kind}-${id}-${grantKey(grant)}-${allowWrite ? "w" : "r"}"`;

/** The ops that help shows to the caller, without where they come from, and the packs that they are in. */
export function seenRegistry({ version, registry, view }: RegistryIndex, principal: Principal): SeenRegistry {
  const { kind, id, grant, allowWrite } = principal;
  const tools = view(grant).listed.map(({ source: _, ...tool }) => tool);
  const packs = new Set(tools.map(({ group }) => group));
  return {
    registry_version: version,
    caller: {
      kind,
      id,
      level: grant.level,
      projects: grant.projects === "*" ? "all" : "some",
      allow_write: allowWrite,
    },
    packs: registry.packs.filter(({ name }) => packs.has(name)),
    tools,
  };
}
