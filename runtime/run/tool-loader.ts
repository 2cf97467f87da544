/** The tools that code can use: ops as packs, and the names that stand for them, once for every kind of grant. */

import { isUnseen } from "../access/unseen.js";
import type { Principal } from "../contract/handler.js";
import type { PythonStubs } from "../contract/python-stubs.js";
import type { Registry, Tool } from "../contract/registry.js";
import type { RegistryIndex, RegistryView } from "../registry.js";
import type { Settings } from "../settings.js";
import type { PackTree } from "./engine/engine.js";
import { bareNames, followAliases, type Names } from "./names.js";
import type { ParameterTable, Vocabulary } from "./reading.js";
import { projectPaths } from "./run-settings.js";

/** What one kind of grant reaches. */
export interface Tools {
  readonly names: Names;
  /** What code is read with, and what it is prepared for a type check with. */
  readonly vocabulary: Vocabulary;
  readonly checkVocabulary: () => Vocabulary;
  readonly packs: PackTree;
  /** Paths of the ops that can be called, but that no text of ours names. */
  readonly hidden: ReadonlySet<string>;
  /** The packs that code may look at: a hidden op is there only if the code holds its name. */
  packsFor(code: string): PackTree;
  /** `proj.<name>`: name to absolute path. */
  readonly projects: ReadonlyMap<string, string>;
  /** The ops themselves, hidden ones too. */
  readonly ops: readonly Tool[];
  /** Paths of the ops that are shown. */
  readonly listed: readonly string[];
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

/** The tools of one view. */
function toolsOf(
  view: RegistryView,
  registry: Registry,
  configured: Pick<Names, "aliases"> & Pick<Tools, "projects">,
): Tools {
  // A caller that may not ask the pack `proj` for a path finds none in its names either.
  const projects = isUnseen("proj.path", registry, view) ? new Map<string, string>() : configured.projects;
  // Hidden ops too: they are callable all the same.
  const ops = registry.tools.filter((tool) => view.exact(tool.op) === tool);
  const hidden = new Set(ops.filter(({ op }) => !view.isListed(op)).map(({ op }) => op));
  const shown = ops.map(({ op }) => op).filter((op) => !hidden.has(op));
  const shownPacks = packTree(shown);
  // A function of the pack `proj` wins over a project of its name.
  const isFree = (name: string): boolean => view.exact(`proj.${name}`) === undefined;
  const names: Names = {
    aliases: new Map([...configured.aliases].filter(([, path]) => !isUnseen(path, registry, view))),
    packs: new Set([...ops.map(({ group }) => group), ...(projects.size > 0 ? ["proj"] : [])]),
    bare: bareNamesOf(ops, hidden),
    projects: new Set([...projects.keys()].filter(isFree)),
  };
  let checking: Vocabulary | undefined;
  return {
    ...{ names, hidden, projects, ops },
    vocabulary: { names },
    checkVocabulary: () => {
      checking ??= { names, parameters: parametersOf(ops) };
      return checking;
    },
    packs: packTree(ops.map(({ op }) => op)),
    packsFor: (code) => {
      const named = [...hidden].filter((op) => code.includes(lastSegment(op)));
      return named.length === 0 ? shownPacks : packTree([...shown, ...named]);
    },
    listed: view.listed.map(({ op }) => op),
    stubs: new Map(),
  };
}

const lastSegment = (op: string): string => op.slice(op.lastIndexOf(".") + 1);

/** Bare names. A hidden op has those alone that no other op has. */
function bareNamesOf(ops: readonly Tool[], hidden: ReadonlySet<string>): Names["bare"] {
  const namesOf = (some: readonly Tool[]) =>
    bareNames(
      some.map(({ op, tool_name, source }) => ({ path: op, source: tool_name, shipped: source.shipped === true })),
    );
  const shown = namesOf(ops.filter(({ op }) => !hidden.has(op)));
  const others = [...namesOf(ops.filter(({ op }) => hidden.has(op)))].filter(([, paths]) => paths.length === 1);
  return new Map([...others, ...shown]);
}

const parametersOf = (ops: readonly Tool[]): ParameterTable =>
  new Map(
    ops.map(({ op, parameters }) => [
      op,
      parameters.map(({ name, original, aliases }) => ({ name, original, aliases })),
    ]),
  );

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
