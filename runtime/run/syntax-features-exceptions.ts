/** Finds code that catches exceptions and reads their text: Monty words some exceptions differently from Python. */

import {
  childrenOf,
  holding,
  inside,
  isComparison,
  nearest,
  type PyNode,
  type PyTree,
  textOf,
  unwrapped,
} from "./python-tree.js";

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Exceptions whose text is always the same. */
const SAME_TEXT = setOf(
  "KeyError IndexError ZeroDivisionError RuntimeError PermissionError TimeoutError NotImplementedError AssertionError ConnectionError",
);
const RAISE: ReadonlySet<string> = new Set(["RaiseStatement"]);
const SAFE_CALLS = setOf("len str print append add range");

/** `except ... as e` that uses `e`, around expressions that raise in other words. */
export function exceptionTexts(
  node: PyNode,
  { tree, holdsRaising }: { readonly tree: PyTree; readonly holdsRaising: (node: PyNode) => boolean },
): readonly string[] {
  const children = childrenOf(node);
  const body = children.find(({ name }) => name === "Body");
  if (!body) return [];
  const found = children.some((child, i) => {
    if (child.name !== "as") return false;
    const [type, name, handler] = [children[i - 1], children[i + 1], children[i + 2]];
    if (!type || !name || !handler) return false;
    const text = textOf(tree, name);
    const isUsed = inside(tree, handler).some((at) => at.name === "VariableName" && textOf(tree, at) === text);
    const types = inside(tree, unwrapped(type)).filter((at) => at.name === "VariableName");
    return isUsed && !types.every((at) => SAME_TEXT.has(textOf(tree, at)));
  });
  return found && holdsRaising(body) ? ["text of an exception"] : [];
}

/** Facts about the names of the code. */
interface Known {
  readonly bound: ReadonlySet<string>;
  readonly isTool: (node: PyNode) => boolean;
}

/** Returns a check whether a node contains an expression that may raise in words of the engine. */
export function raising(tree: PyTree, known: Known): (node: PyNode) => boolean {
  const raiseOf = nearest(tree, RAISE);
  return holding(tree, (node) => mayRaise(node, { ...known, tree, raiseOf }));
}

/**
 * Whether an expression may raise in words of the engine: any but tool calls, comparisons, `raise` and plain values.
 */
function mayRaise(
  node: PyNode,
  { tree, isTool, bound, raiseOf }: Known & { readonly tree: PyTree; raiseOf(node: PyNode): unknown },
): boolean {
  if (node.name === "BinaryExpression") return !isComparison(node);
  if (node.name === "MemberExpression") return childrenOf(node)[1]?.name !== ".";
  if (node.name !== "CallExpression" || raiseOf(node)) return false;
  const callee = node.children[0];
  if (!callee || isTool(callee)) return false;
  const last = callee.name === "MemberExpression" ? childrenOf(callee).at(-1) : callee;
  return bound.has(last ? textOf(tree, last) : "") || !SAFE_CALLS.has(last ? textOf(tree, last) : "");
}
