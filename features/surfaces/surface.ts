/** Shared parts of the emitted surfaces: which ops they contain, and that each is emitted only if `surfaces` names it. */

import type { Config } from "../../generator/config/config.js";
import type { EmitContext, Emitter } from "../../generator/emit/emitter.js";
import { exposedHotTools, listedTools } from "../../generator/pass/expose.js";
import type { Pack, Registry, Tool } from "../../runtime/contract/registry.js";
import { wireNames } from "../../runtime/contract/wire-names.js";
import { type SurfaceName, surfacesOf } from "./settings.js";

/** Input of a surface. */
export interface SurfaceParts {
  readonly registry: Registry;
  /** All ops except hidden ones, in the order of the registry. */
  readonly tools: readonly Tool[];
  /** Ops that are loaded from the start: those of `expose.hot`. */
  readonly hot: ReadonlySet<string>;
  /** Names that model providers accept, by op. */
  readonly names: ReadonlyMap<string, string>;
  readonly help: EmitContext["help"];
  readonly expose: Config["expose"];
  readonly languages: EmitContext["languages"];
}

/** Texts by path under `generated/surfaces/`. */
export type SurfaceFiles = Readonly<Record<string, string>>;

/** An emitter of one surface. */
export const surface = (name: SurfaceName, filesOf: (parts: SurfaceParts) => SurfaceFiles): Emitter => ({
  name: `surface ${name}`,
  emit: (registry, { config, languages, help }) => {
    if (!surfacesOf(config).includes(name)) return [];
    const tools = listedTools(registry.tools, config);
    const hot = new Set(exposedHotTools(tools, config).shown.map(({ op }) => op));
    const { expose } = config;
    const files = filesOf({ registry, tools, hot, names: wireNames(tools), help, expose, languages });
    return Object.entries(files).map(([path, text]) => ({ path: `surfaces/${path}`, text }));
  },
});

/** Op of each provider name. */
export const opsByName = ({ tools, names }: Pick<SurfaceParts, "tools" | "names">): object =>
  Object.fromEntries(tools.map(({ op }) => [names.get(op), op]));

/** The packs of the tools, in order, with their tools. */
export function packsOf({ registry, tools }: Pick<SurfaceParts, "registry" | "tools">) {
  return registry.packs
    .map(({ name, summary }) => ({ name, summary, tools: tools.filter(({ group }) => group === name) }))
    .filter((one) => one.tools.length > 0);
}

/** Purpose of a pack: its summary, else its first ops without the name of the pack. */
export const packSummary = ({
  name,
  summary,
  tools,
}: Pick<Pack, "name" | "summary"> & { readonly tools: readonly Tool[] }): string =>
  summary ||
  `${tools
    .slice(0, 5)
    .map(({ op }) => op.slice(name.length + 1))
    .join(", ")}${tools.length > 5 ? ` and ${tools.length - 5} more` : ""}.`;
