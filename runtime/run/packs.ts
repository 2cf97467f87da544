/** Looks packs and ops up in the tree of a run. */

import { OWN_OP } from "./engine/engine.js";
import type { PackTree } from "./languages/language.js";

/** Whether there is an op at this path. */
export const isOp = (tree: PackTree, path: readonly string[]): boolean => {
  const node = nodeAt(tree, path);
  return node === null || node?.has(OWN_OP) === true;
};

/** The pack at this path. */
export const packAt = (tree: PackTree, path: readonly string[]): PackTree | undefined =>
  nodeAt(tree, path) ?? undefined;

/** The members of a pack that may be listed: ops that are not hidden, and packs that are such an op or have one. */
export function shownMembers(
  pack: PackTree,
  path: readonly string[],
  hidden: ReadonlySet<string> = new Set(),
): readonly string[] {
  const isShown = (name: string, node: PackTree | null): boolean => {
    const below = [...path, name];
    const isShownOp = (node === null || node.has(OWN_OP)) && !hidden.has(below.join("."));
    return isShownOp || (node !== null && shownMembers(node, below, hidden).length > 0);
  };
  return [...pack].filter(([name, node]) => name !== OWN_OP && isShown(name, node)).map(([name]) => name);
}

function nodeAt(tree: PackTree, path: readonly string[]): PackTree | null | undefined {
  let node: PackTree | null | undefined = tree;
  for (const part of path) node = node ? node.get(part) : undefined;
  return node;
}
