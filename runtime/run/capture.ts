/** Where the result of a piece of Python is captured (`run.md` 5). */

import type { Edit } from "./edits.js";
import { around, childrenOf, isIn, type PyNode, type PyTree, textOf, unwrapped } from "./python-tree.js";
import type { Scopes } from "./scopes.js";

/** What is left of the code when it has run to its end: a captured value, nothing, or what `print` wrote. */
export type Ending = "expression" | "none" | "print";

/** The name that captures a value: it is defined in the prelude, and the code returns what it gives. */
export const CAPTURE = "__ret";

/** How the result is captured. */
export interface Capture {
  readonly edits: readonly Edit[];
  readonly outcome: Ending;
  /** The expression captured last, where the code ends with one. */
  readonly value: PyNode | undefined;
}

const INNER: ReadonlySet<string> = new Set(["FunctionDefinition", "LambdaExpression", "ClassDefinition"]);

/** Captures the last expression and every `return` outside of functions and classes. */
export function captureResult(tree: PyTree, scopes: Scopes): Capture {
  const edits = tree.nodes
    .filter((node) => node.name === "ReturnStatement" && !around(node, INNER) && isSound(tree, node))
    .flatMap((node) => returned(tree, node));
  const last = lastStatement(tree);
  if (last?.name === "ReturnStatement")
    return { edits, outcome: "expression", value: childrenOf(last).length === 2 ? childrenOf(last)[1] : undefined };
  if (last?.name !== "ExpressionStatement" || !isSound(tree, last)) return { edits, outcome: "none", value: undefined };
  const value = childrenOf(last).length === 1 ? childrenOf(last)[0] : undefined;
  if (value && isPrint(tree, scopes, value)) return { edits, outcome: "print", value: undefined };
  return { edits: [...edits, ...wrapped(last.from, last.to, "return ")], outcome: "expression", value };
}

/** `(…)` twice: a bare tuple or an unpacking is one value, not several arguments. */
const wrapped = (from: number, to: number, before: string): readonly Edit[] => [
  { from, to: from, text: `${before}${CAPTURE}((` },
  { from: to, to, text: "))" },
];

function returned(tree: PyTree, node: PyNode): readonly Edit[] {
  const [keyword, value] = childrenOf(node);
  if (!keyword) return [];
  if (!value) return [{ from: keyword.to, to: keyword.to, text: ` ${CAPTURE}(None)` }];
  return wrapped(value.from, node.to, /\s/.test(tree.code[value.from - 1] ?? "") ? "" : " ");
}

/** The last statement of the outermost level, the last of its line where several share one. */
function lastStatement(tree: PyTree): PyNode | undefined {
  const last = childrenOf(tree.root).at(-1);
  if (last?.name !== "StatementGroup") return last;
  return childrenOf(last)
    .filter(({ name }) => name !== ";")
    .at(-1);
}

function isPrint(tree: PyTree, scopes: Scopes, value: PyNode): boolean {
  const at = unwrapped(value);
  const called = at.name === "CallExpression" ? at.children[0] : undefined;
  return called?.name === "VariableName" && textOf(tree, called) === "print" && !scopes.isBound(called);
}

/**
 * Whether a statement is what it seems. Where the parser found faults, which code of a newer Python than it knows has too,
 * only a statement on lines of its own, with no fault on or right before them, is.
 */
export function isSound(tree: PyTree, node: PyNode): boolean {
  if (tree.faults.length === 0) return true;
  const statement = outermost(tree, node);
  const group = tree.root.children[tree.root.children.indexOf(statement) - 1];
  const start = tree.code.lastIndexOf("\n", statement.from - 1) + 1;
  const newline = tree.code.indexOf("\n", statement.to);
  const end = newline < 0 ? tree.code.length : newline;
  if (statement.from !== start || (group && tree.faults.some((fault) => isIn(fault, group) && fault.to >= group.to)))
    return false;
  return !tree.faults.some(({ from, to }) => to >= start && from <= end);
}

function outermost(tree: PyTree, node: PyNode): PyNode {
  let at = node;
  while (at.parent && at.parent !== tree.root) at = at.parent;
  return at;
}
