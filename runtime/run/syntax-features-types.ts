/**
 * Finds builtin types that code uses as functions without naming them at the call, as in `f = str`. The checks of
 * arguments of `str()`, `list()` and the others stand at calls that name them.
 */

import { isComparison, type PyNode, type PyTree, previous, textOf } from "./python-tree.js";

/** Types whose calls are checked. */
const CHECKED: ReadonlySet<string> = new Set(["str", "int", "float", "list", "tuple", "dict", "set", "frozenset"]);
/** Types for which `key=str` and `map(str, x)` are replaced by a function that checks. */
const REPLACED: ReadonlySet<string> = new Set(["str", "int", "float"]);
/** Keywords behind which it is replaced, or which have a check of their own. */
const KEYWORDS: ReadonlySet<string> = new Set(["key", "default"]);
/** Nodes through which a type stays a type: `(int, str)`, `int | None`, `list[int]`. */
const AROUND: ReadonlySet<string> = new Set(["TupleExpression", "ParenthesizedExpression", "BinaryExpression"]);

/** Levels of such nodes that are looked at: each `int` of `int | int | …` is one deeper. */
const MAX_LEVELS = 30;

/** Whether a name is a type that code may call where no check stands. */
export function isTypeAsValue(node: PyNode, tree: PyTree): boolean {
  const name = textOf(tree, node);
  if (!CHECKED.has(name) || isCalled(node)) return false;
  return !(isNamedAsType(node, tree) || (REPLACED.has(name) && isReplaced(node, tree)));
}

const isCalled = ({ parent, position }: PyNode): boolean =>
  position === 0 && (parent?.name === "CallExpression" || parent?.name === "MemberExpression");

/** Whether a node is in an annotation, a comparison or the types of `isinstance`. */
function isNamedAsType(node: PyNode, tree: PyTree): boolean {
  let at = node;
  for (let level = 0; level < MAX_LEVELS; level++) {
    const { parent } = at;
    if (parent?.name === "TypeDef" || (parent && isComparison(parent))) return true;
    if (parent?.name === "ArgList") return at.position > 1 && calleeOf(parent, tree) === "isinstance";
    const isSubscript = parent?.name === "MemberExpression" && parent.children[1]?.name === "[";
    if (!parent || !(AROUND.has(parent.name) || isSubscript)) return false;
    at = parent;
  }
  return false;
}

/** Whether a type is passed as `key=`, or to `map`. */
function isReplaced(node: PyNode, tree: PyTree): boolean {
  if (node.parent?.name !== "ArgList") return false;
  const before = previous(node);
  if (before?.name === "AssignOp") return KEYWORDS.has(textOf(tree, previous(before) ?? before));
  return before?.name === "(" && calleeOf(node.parent, tree) === "map";
}

const calleeOf = ({ parent }: PyNode, tree: PyTree): string => textOf(tree, parent?.children[0] ?? tree.root);
