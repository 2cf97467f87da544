/** Reads Python's comparisons, which chain: `a < b < c` compares twice. */

import { childrenOf, type PyNode } from "./python-tree.js";

/** The parts of a chain of comparisons such as `a < b < c`; `node` is the outermost one. */
export function comparisonOf(
  node: PyNode,
): { readonly operands: readonly PyNode[]; readonly operators: readonly PyNode[] } | undefined {
  const operands: PyNode[] = [];
  const operators: PyNode[] = [];
  let at: PyNode | undefined = node;
  while (at && isComparison(at)) {
    const children = childrenOf(at);
    operands.push(children.at(-1) as PyNode);
    operators.push(...children.slice(1, -1).reverse());
    at = children[0];
  }
  if (!at || operators.length === 0) return undefined;
  return { operands: [...operands, at].reverse(), operators: operators.reverse() };
}

const WORDS: ReadonlySet<string> = new Set(["CompareOp", "in", "not", "is"]);

/** Whether a node is a comparison. */
export const isComparison = (node: PyNode): boolean =>
  node.name === "BinaryExpression" && WORDS.has(childrenOf(node)[1]?.name ?? "");
