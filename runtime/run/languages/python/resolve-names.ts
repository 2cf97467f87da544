/** Resolves the free names of a piece of Python: aliases, packs, and bare tool names. */

import type { Names } from "../../names.js";
import { BUILTINS } from "./builtins.js";
import { dottedBases, dottedNames, type PyNode, type PyTree, sourceText } from "./python-tree.js";
import type { Scopes } from "./scopes.js";

/** What a free name means. */
type Meaning =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "ambiguous"; readonly paths: readonly string[] };

/** The free names of a tree that are replaced, and functions to resolve dotted paths. */
export interface ResolvedNames {
  /** Name in the code to the path that replaces it. */
  readonly replaced: ReadonlyMap<PyNode, string>;
  /** Names with several possible ops, which the engine's NameError lists. */
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
  /** The op path of a dotted expression; `undefined` if it does not start with a pack. */
  pathOf(node: PyNode): readonly string[] | undefined;
}

/** Resolves every free name. Builtins win over aliases, aliases over packs, packs over bare names. */
export function resolveNames(tree: PyTree, scopes: Scopes, names: Names): ResolvedNames {
  const replaced = new Map<PyNode, string>();
  const ambiguous = new Map<string, readonly string[]>();
  const free = new Set(scopes.free);
  for (const node of scopes.free) {
    const name = sourceText(tree, node);
    const meaning = meaningOf(name, names);
    if (meaning?.kind === "path") replaced.set(node, meaning.path);
    else if (meaning) ambiguous.set(name, meaning.paths);
  }
  const baseOf = dottedBases(tree);
  const firstOf = (base: PyNode): string => replaced.get(base) ?? sourceText(tree, base);
  const isOfPack = (node: PyNode): boolean => {
    const base = baseOf(node);
    return base !== undefined && free.has(base) && names.packs.has(firstOf(base).split(".", 1)[0] ?? "");
  };
  const pathOf = (node: PyNode): readonly string[] | undefined => {
    const base = isOfPack(node) ? baseOf(node) : undefined;
    return base && [...firstOf(base).split("."), ...dottedNames(tree, node).slice(1)];
  };
  return { replaced, ambiguous, pathOf };
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
