/**
 * Whether a program only passes on what it was given by some calls. If it looks at such an answer, as in a condition or a
 * computation, it may do something else with another answer. What is not known to pass an answer on counts as looking at it.
 */

import { isParseLimitError, type PyNode, type PyTree, parsePython } from "./python-tree.js";

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
  const waiting: Value[] = calls.map((node) => ({ node, isText: false }));
  for (let value = waiting.pop(); value; value = waiting.pop()) {
    const end = endOf(tree, value, isOp);
    if (end === undefined) return false;
    const { variable, isText } = end;
    if (variable === undefined || followed.has(`${variable} ${isText}`)) continue;
    followed.add(`${variable} ${isText}`);
    waiting.push(...readsOf(tree, variable).map((node) => ({ node, isText })));
  }
  // A call that is not found by its name is made in another way.
  return calls.length > 0;
}

/** An answer or a member of one, or a text that is made of one. */
interface Value {
  readonly node: PyNode;
  readonly isText: boolean;
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
]);

/** Where a value ends up: in a variable, or where it is only passed on; undefined if the program looks at it. */
function endOf(
  tree: PyTree,
  from: Value,
  isOp: (path: string) => boolean,
): { readonly variable?: string; readonly isText: boolean } | undefined {
  let { isText } = from;
  for (let { node } = from; node.parent; node = node.parent) {
    const { parent } = node;
    if (parent.name === "ExpressionStatement") return { isText };
    if (parent.name === "AssignStatement") {
      const variable = assignedTo(tree, parent);
      return variable === undefined ? undefined : { variable, isText };
    }
    if (parent.name === "ArgList") return isPassed(tree, node, parent, isOp) ? { isText } : undefined;
    const makesText = isShown(parent) || parent.name === "FormatString" || isJoined(tree, parent, node);
    // A member of a text is a part of it.
    const isHeld =
      makesText || HOLDING.has(parent.name) || isValueIn(node, parent) || (!isText && isMemberOf(node, parent));
    if (!isHeld) return undefined;
    isText ||= makesText;
  }
  return undefined;
}

/** `value` in `print(value)` and `pack.op(value)`. */
function isPassed(tree: PyTree, node: PyNode, list: PyNode, isOp: (path: string) => boolean): boolean {
  const before = list.children[node.position - 1]?.name;
  const path = pathOf(tree, list.parent?.children[0]);
  return before !== "*" && before !== "**" && path !== undefined && (PASSING.has(path) || isOp(path));
}

/** `value` in `"text" + value`, `value + "text"` and `"%s text" % value`. */
function isJoined(tree: PyTree, parent: PyNode, node: PyNode): boolean {
  if (parent.name !== "BinaryExpression") return false;
  if (operatorOf(tree, parent) === "%") return node.position === 2 && isPattern(tree, parent.children[0]);
  return operatorOf(tree, parent) === "+" && isTextual(tree, sumAround(tree, parent));
}

const operatorOf = (tree: PyTree, { children }: PyNode): string | undefined =>
  children[1]?.name === "ArithOp" ? textOf(tree, children[1]) : undefined;

/** The whole of a sum: a text among its parts means that all of them are texts, or Python raises an exception. */
function sumAround(tree: PyTree, sum: PyNode): PyNode {
  let whole = sum;
  for (let node = sum.parent; node; node = node.parent) {
    if (node.name === "BinaryExpression" && operatorOf(tree, node) === "+") whole = node;
    else if (node.name !== "ParenthesizedExpression") break;
  }
  return whole;
}

/** Whether an expression is a text, by how it is written. */
function isTextual(tree: PyTree, node: PyNode | undefined): boolean {
  if (!node) return false;
  const { name, children } = node;
  if (name === "String") return !/^\w*b/i.test(textOf(tree, node));
  if (name === "FormatString") return true;
  if (name === "ContinuedString") return isTextual(tree, children[0]);
  if (name === "ParenthesizedExpression") return isTextual(tree, children[1]);
  if (name !== "BinaryExpression") return false;
  const operator = operatorOf(tree, node);
  if (operator === "%") return isTextual(tree, children[0]);
  return operator === "+" && [children[0], children[2]].some((one) => isTextual(tree, one));
}

/** A text that shows values as they are: `"%s"`, `"%d"`, `"%(name)s"`. A width or a precision looks at them. */
function isPattern(tree: PyTree, node: PyNode | undefined): boolean {
  if (node?.name !== "String" || !isTextual(tree, node)) return false;
  const text = textOf(tree, node);
  // Another escape may be that of a percent sign.
  return !/\\[^nt'"\\]/.test(text) && !text.replace(/%(?:\([^()]*\))?[sdi]|%%/g, "").includes("%");
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
function assignedTo(tree: PyTree, { children }: PyNode): string | undefined {
  const [target, operator] = children;
  if (target?.name !== "VariableName" || operator?.name !== "AssignOp" || children.length !== 3) return undefined;
  return textOf(tree, target);
}

const textOf = ({ code }: PyTree, { from, to }: PyNode): string => code.slice(from, to);

/** The path of a function as it is written; undefined for any other expression. */
function pathOf(tree: PyTree, node: PyNode | undefined): string | undefined {
  const text = node && textOf(tree, node).replace(/\s/g, "");
  return text !== undefined && /^\w+(?:\.\w+)*$/.test(text) ? text : undefined;
}
