/** The tools that code can use: ops as packs, and the names that stand for them, once for every kind of grant (`run.md` 1). */

import { isUnseen } from "../access/unseen.js";
import type { Principal } from "../contract/handler.js";
import type { PythonStubs } from "../contract/python-stubs.js";
import type { Tool } from "../contract/registry.js";
import type { RegistryIndex, RegistryView } from "../registry.js";
import type { Settings } from "../settings.js";
import { parameterFor } from "./call-arguments.js";
import type { PackTree } from "./engine/engine.js";
import { bareNames, followAliases, type Names } from "./names.js";
import type { ParameterNamed } from "./rewrite.js";
import { projectPaths } from "./run-settings.js";

/** What one kind of grant reaches. */
export interface Tools {
  readonly names: Names;
  readonly packs: PackTree;
  /** `proj.<name>`: name to absolute path. */
  readonly projects: ReadonlyMap<string, string>;
  /** The ops themselves, hidden ones too. */
  readonly ops: readonly Tool[];
  /** Paths of the ops that are shown. */
  readonly listed: readonly string[];
  readonly parameterNamed: ParameterNamed;
  /** What type checks made of them, by pack. */
  readonly stubs: Map<string, PythonStubs>;
}

/** Loads tools, and keeps them: neither registry nor settings change under a gateway. */
export interface ToolLoader {
  toolsFor(principal: Principal): Tools;
  /** Aliases that lead in a circle, if there are any. */
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
  const paths = projectPaths(root, settings.run.projects);
  const loaded = new WeakMap<RegistryView, Tools>();
  const seenAliases = (view: RegistryView): ReadonlyMap<string, string> =>
    new Map([...aliases].filter(([, path]) => !isUnseen(path, index.registry, view)));
  const load = (view: RegistryView): Tools => {
    // Who may not ask the pack `proj` for a path finds none in its names either.
    const projects = isUnseen("proj.path", index.registry, view) ? new Map<string, string>() : paths;
    // Hidden ops too: they are callable all the same.
    const ops = index.registry.tools.filter((tool) => view.exact(tool.op) === tool);
    const firsts = [...ops.map(({ group }) => group), ...(projects.size > 0 ? ["proj"] : [])];
    const bare = bareNames(
      ops.map(({ op, tool_name, source }) => ({ path: op, source: tool_name, shipped: source.shipped === true })),
    );
    // A function of the pack `proj` wins over a project of its name.
    const isFree = (name: string): boolean => view.exact(`proj.${name}`) === undefined;
    const packs = packTree(ops.map(({ op }) => op));
    return {
      names: {
        aliases: seenAliases(view),
        packs: new Set(firsts),
        bare,
        projects: new Set([...projects.keys()].filter(isFree)),
      },
      packs,
      projects,
      ops,
      listed: view.listed.map(({ op }) => op),
      parameterNamed: (op, text) => parameterFor(view.exact(op)?.parameters ?? [], text)?.name,
      stubs: new Map(),
    };
  };
  return {
    toolsFor: ({ grant }) => {
      const view = index.view(grant);
      const known = loaded.get(view) ?? load(view);
      loaded.set(view, known);
      return known;
    },
    circle: followed.kind === "cycle" ? followed.cycle : undefined,
  };
}

interface Branch extends Map<string, Branch | null> {}

/** Ops as a tree of their segments; where a path is both, it is a pack. */
function packTree(ops: Iterable<string>): PackTree {
  const root: Branch = new Map();
  for (const op of ops) {
    const parts = op.split(".");
    const name = parts.pop() ?? "";
    let at = root;
    for (const part of parts) {
      const below = at.get(part) ?? new Map();
      at.set(part, below);
      at = below;
    }
    if (!at.has(name)) at.set(name, null);
  }
  return root;
}
