/** What the free names of a piece of Python stand for: aliases, packs, and tools by their bare names (`run.md` 5). */

import { ownFirst } from "../registry.js";
import { BUILTINS } from "./builtins.js";
import { dottedPath, type PyNode, type PyTree, textOf } from "./python-tree.js";
import type { Scopes } from "./scopes.js";

/** The names a caller can use. */
export interface Names {
  /** Alias to dotted path, chains already followed (`followAliases`). */
  readonly aliases: ReadonlyMap<string, string>;
  /** First segments of the ops. */
  readonly packs: ReadonlySet<string>;
  /** Bare tool name to the paths it may mean; more than one is ambiguous (`bareNames`). */
  readonly bare: ReadonlyMap<string, readonly string[]>;
  /** Projects: `proj.<name>` is a path, not an op. */
  readonly projects?: ReadonlySet<string>;
}

/** An op, as far as its bare names go. */
export interface NamedOp {
  /** `brave.web_search` */
  readonly path: string;
  /** `list_onto_tasks` */
  readonly source?: string;
  /** Whether its pack comes with the package: then a project's own op goes before it. */
  readonly shipped?: boolean;
}

/** Aliases with every chain followed to its end, or the cycle that one of them runs into. */
export function followAliases(
  aliases: ReadonlyMap<string, string>,
):
  | { readonly kind: "aliases"; readonly aliases: ReadonlyMap<string, string> }
  | { readonly kind: "cycle"; readonly cycle: readonly string[] } {
  const followed = new Map<string, string>();
  for (const alias of aliases.keys()) {
    const seen = [alias];
    let target = aliases.get(alias) ?? alias;
    for (let next = aliases.get(target); next !== undefined; next = aliases.get(target)) {
      const start = seen.indexOf(target);
      if (start >= 0) return { kind: "cycle", cycle: [...seen.slice(start), target] };
      seen.push(target);
      target = next;
    }
    followed.set(alias, target);
  }
  return { kind: "aliases", aliases: followed };
}

/**
 * The bare names of ops: the source tool's name first, then the path with underscores, then the last segment. A name
 * that a better kind gives means nothing else; a last segment that several ops share is ambiguous. What a project calls so goes
 * before what comes with the package, so that taking a shipped pack into use changes no name.
 */
export function bareNames(ops: Iterable<NamedOp>): ReadonlyMap<string, readonly string[]> {
  const all = [...ops];
  const found = new Map<string, readonly string[]>();
  const kinds: readonly ((op: NamedOp) => string | undefined)[] = [
    ({ source }) => source,
    ({ path }) => (path.includes(".") ? path.replaceAll(".", "_") : undefined),
    ({ path }) => path.slice(path.lastIndexOf(".") + 1),
  ];
  for (const nameOf of kinds) {
    const named = new Map<string, NamedOp[]>();
    for (const op of all) {
      const name = nameOf(op);
      if (name !== undefined && !found.has(name)) named.set(name, [...(named.get(name) ?? []), op]);
    }
    for (const [name, sharing] of named)
      found.set(name, [...new Set(ownFirst(sharing, ({ shipped }) => shipped === true).map(({ path }) => path))]);
  }
  return found;
}

/** What a free name means. */
type Meaning =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "ambiguous"; readonly paths: readonly string[] };

/** The free names of a tree that mean something else than themselves, and dotted paths read through them. */
export interface Resolved {
  /** Name in the code to the path that replaces it. */
  readonly replaced: ReadonlyMap<PyNode, string>;
  /** Names that could mean several ops: the engine's NameError names them. */
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
  /** Whether a path names a project, or a part of its path. */
  isProject(path: readonly string[]): boolean;
  /** The op path an expression of names and dots stands for: `undefined` where it is not one of a pack. */
  pathOf(node: PyNode): readonly string[] | undefined;
}

/** Resolves every free name. Builtins win over aliases, aliases over packs, packs over bare names. */
export function resolveNames(tree: PyTree, scopes: Scopes, names: Names): Resolved {
  const replaced = new Map<PyNode, string>();
  const ambiguous = new Map<string, readonly string[]>();
  const free = new Set(scopes.free);
  for (const node of scopes.free) {
    const name = textOf(tree, node);
    const meaning = meaningOf(name, names);
    if (meaning?.kind === "path") replaced.set(node, meaning.path);
    else if (meaning) ambiguous.set(name, meaning.paths);
  }
  const pathOf = (node: PyNode): readonly string[] | undefined => {
    const dotted = dottedPath(tree, node);
    if (!dotted || !free.has(dotted.base)) return undefined;
    const [first = "", ...rest] = dotted.path;
    const path = [...(replaced.get(dotted.base) ?? first).split("."), ...rest];
    return names.packs.has(path[0] ?? "") ? path : undefined;
  };
  const isProject = ([pack, name = ""]: readonly string[]): boolean =>
    pack === "proj" && names.projects?.has(name) === true;
  return { replaced, ambiguous, pathOf, isProject };
}

function meaningOf(name: string, names: Names): Meaning | undefined {
  if (BUILTINS.has(name)) return undefined;
  const alias = names.aliases.get(name);
  if (alias !== undefined) return { kind: "path", path: alias };
  if (names.packs.has(name)) return undefined;
  const paths = names.bare.get(name);
  if (!paths) return undefined;
  return paths.length === 1 && paths[0] !== undefined ? { kind: "path", path: paths[0] } : { kind: "ambiguous", paths };
}
