/** Finds where the result of a piece of Python is captured. */

import type { Edit } from "../../../contract/text-edits.js";
import { countUpTo } from "../../count.js";
import {
  childrenOf,
  enclosingNode,
  type PyNode,
  type PyTree,
  previousSibling,
  sourceText,
  withoutParentheses,
} from "./python-tree.js";
import type { Scopes } from "./scopes.js";

/** Result of code that has run to its end: a captured value, nothing, or the output of `print`. */
export type CaptureKind = "expression" | "none" | "print";

/** The function that captures a value: defined in the prelude; the code returns its result. */
export const CAPTURE = "__ret";

/** The edits that capture the result. */
export interface Capture {
  readonly edits: readonly Edit[];
  readonly outcome: CaptureKind;
  /** The expression captured last, if the code ends with one. */
  readonly value: PyNode | undefined;
}

const INNER: ReadonlySet<string> = new Set(["FunctionDefinition", "LambdaExpression", "ClassDefinition"]);

/** Captures the last expression and every `return` outside of functions and classes. */
export function captureResult(tree: PyTree, scopes: Scopes): Capture {
  const isSound = soundness(tree);
  const holderOf = enclosingNode(tree, INNER);
  const edits = tree.nodes
    .filter((node) => node.name === "ReturnStatement" && !holderOf(node) && isSound(node))
    .flatMap((node) => returned(tree, node));
  const last = lastStatement(tree);
  if (last?.name === "ReturnStatement")
    return { edits, outcome: "expression", value: childrenOf(last).length === 2 ? childrenOf(last)[1] : undefined };
  if (last?.name !== "ExpressionStatement" || !isSound(last)) return { edits, outcome: "none", value: undefined };
  const value = childrenOf(last).length === 1 ? childrenOf(last)[0] : undefined;
  if (value && isPrint(tree, scopes, value)) return { edits, outcome: "print", value: undefined };
  return { edits: [...edits, ...wrapped(last.from, last.to, "return ")], outcome: "expression", value };
}

/** Doubles the parentheses `(…)`, so that a bare tuple or an unpacking is one value, not several arguments. */
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

/** The last statement at module level; of several on one line the last one. */
function lastStatement(tree: PyTree): PyNode | undefined {
  const last = childrenOf(tree.root).at(-1);
  if (last?.name !== "StatementGroup") return last;
  return childrenOf(last)
    .filter(({ name }) => name !== ";")
    .at(-1);
}

function isPrint(tree: PyTree, scopes: Scopes, value: PyNode): boolean {
  const at = withoutParentheses(value);
  const called = at.name === "CallExpression" ? at.children[0] : undefined;
  return called?.name === "VariableName" && sourceText(tree, called) === "print" && !scopes.isBound(called);
}

/**
 * Whether the statement around a node can be trusted. If the parser found faults, as it also does in code of a newer
 * Python, only statements on lines of their own, with no fault on or right before them, are trusted.
 */
export function soundness(tree: PyTree): (node: PyNode) => boolean {
  const { code, root, faults } = tree;
  if (faults.length === 0) return () => true;
  const indices = faults.map(({ index }) => index);
  const starts = faults.map(({ from }) => from);
  const ends: number[] = [];
  for (const { to } of faults) ends.push(Math.max(to, ends.at(-1) ?? 0));
  const isFaultAtEnd = (group: PyNode): boolean =>
    faults
      .slice(countUpTo(indices, group.index - 1), countUpTo(indices, group.end - 1))
      .some(({ to }) => to >= group.to);
  const judge = (statement: PyNode): boolean => {
    if (statement.from > 0 && code[statement.from - 1] !== "\n") return false;
    const group = statement === root ? undefined : previousSibling(statement);
    if (group && isFaultAtEnd(group)) return false;
    const newline = code.indexOf("\n", statement.to);
    const before = countUpTo(starts, newline < 0 ? code.length : newline);
    return before === 0 || (ends[before - 1] ?? 0) < statement.from;
  };
  const statementOf = outermost(tree);
  const judged = new Map<PyNode, boolean>();
  return (node) => {
    const statement = statementOf(node);
    const isSound = judged.get(statement) ?? judge(statement);
    judged.set(statement, isSound);
    return isSound;
  };
}

/** The module-level statement that contains a node. */
function outermost(tree: PyTree): (node: PyNode) => PyNode {
  const found: PyNode[] = [];
  for (const node of tree.nodes)
    found.push(node.parent && node.parent !== tree.root ? (found[node.parent.index] ?? node) : node);
  return (node) => found[node.index] ?? node;
}
