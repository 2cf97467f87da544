/** Finds code that Python refuses at compile time, and Monty accepts. */

import { childrenOf, inside, type PyNode, type PyTree, previous } from "./python-tree.js";

type Refusals = readonly string[];
const when = (isSo: boolean, name: string): Refusals => (isSo ? [name] : []);
const HOLDERS: ReadonlySet<string> = new Set([
  "ComprehensionExpression",
  "ArrayComprehensionExpression",
  "SetComprehensionExpression",
  "DictionaryComprehensionExpression",
  "ArgList",
]);

/**
 * Returns a check whether a node is in a comprehension. Python refuses `:=` in its iterable, and for its loop
 * variables; elsewhere in a comprehension it is rare enough to be left to CPython as well.
 */
export function comprehended(tree: PyTree): (node: PyNode) => boolean {
  const inner: boolean[] = [];
  const holders = new Set(tree.nodes.flatMap(({ name, parent }) => (name === "for" && parent ? [parent] : [])));
  for (const { parent } of tree.nodes)
    inner.push(
      parent !== undefined && (inner[parent.index] === true || (HOLDERS.has(parent.name) && holders.has(parent))),
    );
  return ({ index }) => inner[index] === true;
}

/** `*a, *b = ...`. */
export function starredTargets(node: PyNode, tree: PyTree): Refusals {
  const last = node.children.findLastIndex(({ name }) => name === "AssignOp");
  const stars = node.children
    .slice(0, Math.max(0, last))
    .flatMap((one) => inside(tree, one).filter(({ name }) => name === "*"));
  return when(stars.length > 1, "several starred targets");
}

/** Whether another `except` follows a bare one. */
export const exceptBelowBare = (node: PyNode): boolean => {
  const children = childrenOf(node);
  const bare = children.findIndex(({ name }, i) => name === "except" && children[i + 1]?.name === "Body");
  return bare >= 0 && children.slice(bare + 1).some(({ name }) => name === "except");
};

/**
 * `global` below other statements: Python refuses it if the name was used before. Returns the first such statement.
 */
export function lateScope(node: PyNode): Refusals {
  let before = previous(node);
  while (before?.name === "Comment") before = previous(before);
  const isFirst = before?.name === ":" || before?.name === node.name;
  return when(
    !isFirst || node.parent?.parent?.name !== "FunctionDefinition",
    "global or nonlocal below other statements",
  );
}
