/** `GET /api/registry`: the part of the registry that a caller may see, and the caller. */

import { grantKey, type RegistryIndex } from "../../catalog/registry.js";
import type { Principal } from "../../contract/handler.js";
import type { Level, Pack, Tool } from "../../contract/registry.js";

/** The caller, as far as a page needs it. */
export interface SeenCaller {
  readonly kind: Principal["kind"];
  /** Id of the key, which calls use to name their caller. */
  readonly id: string;
  readonly level: Level;
  /** Whether all projects are accessible. */
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

/** Entity tag over everything that the answer depends on. */
export const registryTag = ({ version }: RegistryIndex, { kind, id, grant, allowWrite }: Principal): string =>
  `"${version}-${kind}-${id}-${grantKey(grant)}-${allowWrite ? "w" : "r"}"`;

/** The listed ops without their sources, and their packs. */
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
