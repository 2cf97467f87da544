/** Loads the tools that code can use, once for every kind of grant: ops as packs, and the names for them. */

import { isHiddenName, type RegistryIndex, type RegistryView } from "../catalog/registry.js";
import { projectPaths } from "../config/run-settings.js";
import type { Settings } from "../config/settings.js";
import type { Principal } from "../contract/handler.js";
import type { Registry, Tool } from "../contract/registry.js";
import { RESULT_TOOL } from "../contract/result-tool.js";
import { OWN_OP } from "./engine/engine.js";
import type { PackTree, Scope } from "./languages/language.js";
import { bareNames, followAliases, type Names } from "./names.js";

/** The tools of one kind of grant. */
export interface Tools extends Scope {
  readonly packs: PackTree;
  /** The packs that code may inspect: a hidden op is included only if the code contains its name. */
  packsFor(code: string): PackTree;
  /** Paths of the listed ops. */
  readonly listed: readonly string[];
}

/** Loads and caches tools: neither registry nor settings change during the life of a gateway. */
export interface ToolLoader {
  toolsFor(principal: Principal): Tools;
  /** A cycle of aliases, if there is one. */
  readonly circle: readonly string[] | undefined;
}

/** Makes the loader of a gateway. */
export function createToolLoader(
  root: string,
  index: RegistryIndex,
  settings: Pick<Settings, "aliases" | "run">,
): ToolLoader {
  const followed = followAliases(settings.aliases);
  const aliases = followed.kind === "aliases" ? followed.aliases : new Map<string, string>();
  const named = { aliases, projects: projectPaths(root, settings.run.projects) };
  const loaded = new WeakMap<RegistryView, Tools>();
  return {
    toolsFor: ({ grant }) => {
      const view = index.view(grant);
      const known = loaded.get(view) ?? toolsOf(view, index.registry, named);
      loaded.set(view, known);
      return known;
    },
    circle: followed.kind === "cycle" ? followed.cycle : undefined,
  };
}

/** Makes the tools of one view. */
function toolsOf(
  view: RegistryView,
  registry: Registry,
  configured: Pick<Names, "aliases"> & Pick<Tools, "projects">,
): Tools {
  // A caller that may not call `proj.path` gets no projects as names either.
  const projects = isHiddenName("proj.path", registry, view) ? new Map<string, string>() : configured.projects;
  // Includes hidden ops, which are callable.
  const ops = [...registry.tools, RESULT_TOOL].filter((tool) => view.exact(tool.op) === tool);
  const hidden = new Set(ops.filter(({ op }) => !view.isListed(op)).map(({ op }) => op));
  const shown = ops.map(({ op }) => op).filter((op) => !hidden.has(op));
  const shownPacks = packTree(shown);
  const names: Names = {
    aliases: new Map([...configured.aliases].filter(([, path]) => !isHiddenName(path, registry, view))),
    packs: new Set([...ops.map(({ group }) => group), ...(projects.size > 0 ? ["proj"] : [])]),
    bare: bareNamesOf(ops, hidden),
  };
  return {
    ...{ names, hidden, projects, ops },
    packs: packTree(ops.map(({ op }) => op)),
    packsFor: (code) => {
      const named = [...hidden].filter((op) => code.includes(lastSegment(op)));
      return named.length === 0 ? shownPacks : packTree([...shown, ...named]);
    },
    listed: view.listed.map(({ op }) => op),
  };
}

const lastSegment = (op: string): string => op.slice(op.lastIndexOf(".") + 1);

/** Bare names. A hidden op only gets names that no other op has. */
function bareNamesOf(ops: readonly Tool[], hidden: ReadonlySet<string>): Names["bare"] {
  const namesOf = (some: readonly Tool[]) =>
    bareNames(
      some.map(({ op, tool_name, source }) => ({ path: op, source: tool_name, shipped: source.shipped === true })),
    );
  const shown = namesOf(ops.filter(({ op }) => !hidden.has(op)));
  const others = [...namesOf(ops.filter(({ op }) => hidden.has(op)))].filter(([, paths]) => paths.length === 1);
  return new Map([...others, ...shown]);
}

interface Branch extends Map<string, Branch | null> {}

/** Ops as a tree of their segments. */
function packTree(ops: Iterable<string>): PackTree {
  const root: Branch = new Map();
  for (const op of ops) {
    const parts = op.split(".");
    const name = parts.pop() ?? "";
    let at = root;
    for (const part of parts) {
      const known = at.get(part);
      const below: Branch = known ?? new Map(known === null ? [[OWN_OP, null]] : []);
      at.set(part, below);
      at = below;
    }
    const pack = at.get(name);
    if (pack) pack.set(OWN_OP, null);
    else at.set(name, null);
  }
  return root;
}
