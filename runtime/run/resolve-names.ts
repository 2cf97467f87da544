/** Resolves the free names of a piece of Python: aliases, packs, and tools by their bare names. */

import { BUILTINS } from "./builtins.js";
import type { Names } from "./names.js";
import { dottedBases, dottedNames, type PyNode, type PyTree, textOf } from "./python-tree.js";
import type { Scopes } from "./scopes.js";

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
  /** Whether an expression of names and dots starts with a pack; costs no more for a long one. */
  isOfPack(node: PyNode): boolean;
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
  const baseOf = dottedBases(tree);
  const firstOf = (base: PyNode): string => replaced.get(base) ?? textOf(tree, base);
  const isOfPack = (node: PyNode): boolean => {
    const base = baseOf(node);
    return base !== undefined && free.has(base) && names.packs.has(firstOf(base).split(".", 1)[0] ?? "");
  };
  const pathOf = (node: PyNode): readonly string[] | undefined => {
    const base = isOfPack(node) ? baseOf(node) : undefined;
    return base && [...firstOf(base).split("."), ...dottedNames(tree, node).slice(1)];
  };
  const isProject = ([pack, name = ""]: readonly string[]): boolean =>
    pack === "proj" && names.projects?.has(name) === true;
  return { replaced, ambiguous, pathOf, isOfPack, isProject };
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
