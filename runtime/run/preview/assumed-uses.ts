/**
 * Whether a program only passes on what it was given by some calls. If it looks at such an answer, as in a condition or a
 * computation, it may do something else with another answer. What is not known to pass an answer on counts as looking at it.
 */

import { isParseLimitError, type PyNode, type PyTree, parsePython } from "../python-tree.js";

/** Time for reading the code. */
const READ_MS = 100;
/** Functions that do nothing but pass on their arguments: printing, and the value of a program. */
const PASSING: ReadonlySet<string> = new Set(["print", "__ret"]);

/**
 * Whether the code only passes on the answers of ops.
 *
 * @param code with the full paths of ops
 * @param ops whose answers are assumed
 * @param isOp whether an op with this path may get such an answer as an argument
 */
export function passesOn(code: string, ops: Iterable<string>, isOp: (path: string) => boolean): boolean {
  try {
    const tree = parsePython(code, performance.now() + READ_MS);
    return tree.faults.length === 0 && !readsNames(tree) && [...ops].every((op) => opPassesOn(tree, op, isOp));
  } catch (error) {
    if (isParseLimitError(error)) return false;
    throw error;
  }
}

/** Functions with which code reads a variable whose name it does not write. */
const READERS: ReadonlySet<string> = new Set(["eval", "exec", "globals", "locals", "vars", "getattr"]);

const readsNames = (tree: PyTree): boolean =>
  tree.nodes.some((node) => node.name === "VariableName" && READERS.has(textOf(tree, node)));

function opPassesOn(tree: PyTree, op: string, isOp: (path: string) => boolean): boolean {
  const calls = tree.nodes.filter((node) => node.name === "CallExpression" && pathOf(tree, node.children[0]) === op);
  if (isCalledOtherwise(tree, op)) return false;
  const followed = new Set<string>();
  const waiting: PyNode[] = [...calls];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const end = endOf(tree, node, isOp);
    if (end === undefined) return false;
    if (end.variable === undefined || followed.has(end.variable)) continue;
    followed.add(end.variable);
    waiting.push(...readsOf(tree, end.variable));
  }
  // A call that is not found by its name is made in another way.
  return calls.length > 0;
}

/** Whether the op, or a pack that holds it, is a value of the program, such as `f` in `f = pack.op`. */
const isCalledOtherwise = (tree: PyTree, op: string): boolean =>
  tree.nodes.some((node) => {
    if (node.name !== "MemberExpression" && node.name !== "VariableName") return false;
    const path = pathOf(tree, node);
    if (path === undefined || isParameterName(node)) return false;
    const isCallee = node.position === 0 && node.parent?.name === "CallExpression";
    const isPart = node.position === 0 && node.parent?.name === "MemberExpression";
    return path === op ? !isCallee : op.startsWith(`${path}.`) && !isPart;
  });

/** Where a variable is read, in any scope. */
const readsOf = (tree: PyTree, name: string): readonly PyNode[] =>
  tree.nodes.filter(
    (node) => node.name === "VariableName" && textOf(tree, node) === name && !isTarget(node) && !isParameterName(node),
  );

const isTarget = (node: PyNode): boolean => node.parent?.name === "AssignStatement" && node.position === 0;
/** `id` in `op(id=1)`. */
const isParameterName = (node: PyNode): boolean =>
  node.parent?.name === "ArgList" && node.parent.children[node.position + 1]?.name === "AssignOp";

/** What is around a value and only holds it. */
const HOLDING: ReadonlySet<string> = new Set([
  "AwaitExpression",
  "ParenthesizedExpression",
  "ArrayExpression",
  "TupleExpression",
  "FormatString",
]);

/** Where a value ends up: in a variable, or where it is only passed on; undefined if the program looks at it. */
function endOf(
  tree: PyTree,
  from: PyNode,
  isOp: (path: string) => boolean,
): { readonly variable?: string } | undefined {
  for (let node = from; node.parent; node = node.parent) {
    const { parent } = node;
    if (parent.name === "ExpressionStatement") return {};
    if (parent.name === "AssignStatement") return assignedTo(tree, parent);
    if (parent.name === "ArgList") {
      const before = parent.children[node.position - 1]?.name;
      const path = pathOf(tree, parent.parent?.children[0]);
      const isPassed = before !== "*" && before !== "**" && path !== undefined && (PASSING.has(path) || isOp(path));
      return isPassed ? {} : undefined;
    }
    const isHeld = HOLDING.has(parent.name) || isMemberOf(node, parent) || isValueIn(node, parent) || isShown(parent);
    if (!isHeld) return undefined;
  }
  return undefined;
}

/** `value` in `{"key": value}`. */
const isValueIn = (node: PyNode, parent: PyNode): boolean =>
  parent.name === "DictionaryExpression" && parent.children[node.position - 1]?.name === ":";

/** `{value}` in a format string, without a format. */
const isShown = (parent: PyNode): boolean =>
  parent.name === "FormatReplacement" && parent.children.every(({ name }) => name !== "FormatSpec");

/** `value["key"]` and `value[0]`. An attribute may be a method. */
function isMemberOf(node: PyNode, parent: PyNode): boolean {
  if (parent.name !== "MemberExpression" || node.position !== 0) return false;
  const [, opening, index, closing] = parent.children;
  const isLiteral = index?.name === "String" || index?.name === "Number";
  return opening?.name === "[" && isLiteral && closing?.name === "]";
}

/** The variable of `variable = value`. */
function assignedTo(tree: PyTree, { children }: PyNode): { readonly variable: string } | undefined {
  const [target, operator] = children;
  if (target?.name !== "VariableName" || operator?.name !== "AssignOp" || children.length !== 3) return undefined;
  return { variable: textOf(tree, target) };
}

const textOf = ({ code }: PyTree, { from, to }: PyNode): string => code.slice(from, to);

/** The path of a function as it is written; undefined for what is no path. */
function pathOf(tree: PyTree, node: PyNode | undefined): string | undefined {
  const text = node && textOf(tree, node).replace(/\s/g, "");
  return text !== undefined && /^\w+(?:\.\w+)*$/.test(text) ? text : undefined;
}
