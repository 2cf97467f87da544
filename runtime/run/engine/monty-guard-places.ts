/** Adds checks of keys, members, iterables and caught exceptions, where Monty's behaviour depends on the value. */

import type { Edit } from "../../contract/text-edits.js";
import { BUILTINS } from "../names.js";
import { childrenOf, inside, type PyNode, type PyTree, textOf, unwrapped } from "../python-tree.js";
import { MISSING_BUILTINS } from "./monty-faults.js";
import { type PyType, passesOperator } from "./monty-types.js";

/** Keys that need no check. */
const PLAIN_KEYS: ReadonlySet<string> = new Set(["String", "FormatString", "ContinuedString", "None"]);

const isPlainKey = (tree: PyTree, node: PyNode): boolean =>
  PLAIN_KEYS.has(node.name) || (node.name === "Number" && /^\d+$/.test(textOf(tree, node)));

/** The keys of a dict display or a dict comprehension. */
export function keyed(node: PyNode, { tree, wrap }: Guards): void {
  const children = childrenOf(node);
  const counted = counterOf(tree, children);
  for (const [i, child] of children.entries())
    if (children[i + 1]?.name === ":" && !isPlainKey(tree, child) && textOf(tree, child) !== counted)
      wrap(child, "__member");
}

/** The loop variable of a comprehension over `range`. */
function counterOf(tree: PyTree, children: readonly PyNode[]): string | undefined {
  const start = children.findIndex(({ name }) => name === "for");
  const [target, word, iterable] = children.slice(start + 1, start + 4);
  const isRange = iterable?.name === "CallExpression" && textOf(tree, iterable.children[0] as PyNode) === "range";
  return start >= 0 && target && word?.name === "in" && isRange ? textOf(tree, target) : undefined;
}

/** The members of a set display; an unpacked one follows a star. */
export const membersOf = (node: PyNode): readonly PyNode[] =>
  childrenOf(node).filter(({ name }, i, all) => !["{", "}", ",", "*"].includes(name) && all[i - 1]?.name !== "*");

/** The key of `d[key] = value` and `d[key] += value`. */
export function stored(node: PyNode, { tree, wrap }: Guards): void {
  const { parent } = node;
  if (parent?.name !== "AssignStatement" && parent?.name !== "UpdateStatement") return;
  // The last expression of the statement is its value.
  const isTarget = parent.children.at(-1) !== node;
  const [, bracket, key, ...rest] = childrenOf(node);
  if (!isTarget || bracket?.name !== "[" || !key || [key, ...rest].some(({ name }) => name === ":")) return;
  // `d[a, b]` has one key, which is a tuple.
  const last = rest.at(-2) ?? key;
  if (last === key && isPlainKey(tree, key)) return;
  wrap({ ...key, to: last.to }, "__member");
}

/** Rewrites `enumerate(x, start=1)` as `enumerate(x, 1)`: Monty accepts the argument by position only. */
export function counted(node: PyNode, { tree, free, opening }: Guards): void {
  const [callee, list] = childrenOf(node);
  if (!callee || !free.has(callee) || textOf(tree, callee) !== "enumerate" || !list) return;
  const [, first, comma, key, assign] = childrenOf(list);
  if (!first || first.name === "*" || comma?.name !== "," || assign?.name !== "AssignOp" || !key) return;
  if (textOf(tree, key) === "start") opening.push({ from: key.from, to: assign.to, text: "" });
}

/** Functions whose results are numbers. */
const NUMERIC: ReadonlySet<string> = new Set(["abs", "float", "int", "len", "ord"]);

/** Whether a node is a number that fits in 64 bits: a literal, or a length. */
function isShort(tree: PyTree, node: PyNode): boolean {
  if (node.name === "Number") return !/^\d[\d_]{18,}$|^0\w{16,}$/.test(textOf(tree, node));
  return node.name === "CallExpression" && textOf(tree, node).startsWith("len(");
}

/** Whether the value of a node is a number, whatever its names hold. */
function isNumber(tree: PyTree, node: PyNode): boolean {
  const value = unwrapped(node);
  if (value.name === "Number") return true;
  const [first, operator] = childrenOf(value);
  if (value.name === "UnaryExpression") return true;
  if (value.name === "BinaryExpression")
    return operator !== undefined && /^(?:-|\/\/?|\*\*)$/.test(textOf(tree, operator));
  return value.name === "CallExpression" && first !== undefined && NUMERIC.has(textOf(tree, first));
}

/** Whether `a * b` may repeat a sequence, by a number below -2^63: Python refuses it, Monty gives an empty sequence. */
export function mayRepeat(tree: PyTree, a: PyNode, b: PyNode): boolean {
  if (isShort(tree, a) || isShort(tree, b) || (isNumber(tree, a) && isNumber(tree, b))) return false;
  return a.name !== "VariableName" || textOf(tree, a) !== textOf(tree, b);
}

/** Checks of augmented assignments, such as `x %= 3`; `_by` keeps the list or set that a name holds. */
export const CHECKED_UPDATES: ReadonlyMap<string, string> = new Map([
  ["%=", "__mod"],
  ["**=", "__pow"],
  ["/=", "__true"],
  ["//=", "__floor"],
  ["*=", "__times_by"],
  ["|=", "__or_by"],
  ["&=", "__and_by"],
  ["^=", "__xor_by"],
  ["-=", "__minus_by"],
]);

/** The object, the brackets and the key of `d[key]` with one key. */
export function itemOf(target: PyNode): readonly PyNode[] | undefined {
  const parts = target.name === "MemberExpression" ? childrenOf(target) : [];
  const [object, start, key, end] = parts;
  return parts.length === 4 && object && start?.name === "[" && key && key.name !== ":" && end?.name === "]"
    ? [object, start, key, end]
    : undefined;
}

/** Rewrites `x %= 3` as `x = __mod(x,((3)))`, and `d[k] %= 3` as `__mod_item((d),(k),((3)))`. */
export function updated(node: PyNode, { tree, typeOf, opening, closing }: Guards): void {
  const [target, operator, value] = childrenOf(node);
  if (!target || !operator || !value) return;
  const text = textOf(tree, operator);
  const check = CHECKED_UPDATES.get(text);
  if (!check || (check.endsWith("_by") && text !== "*=" && isNumber(tree, value))) return;
  if (passesOperator(text.slice(0, -1), typeOf(target), typeOf(value), value)) return;
  const [, start, , end] = itemOf(target) ?? [];
  if (start && end) {
    opening.push({ from: node.from, to: node.from, text: `${check}_item((` });
    opening.push({ from: start.from, to: start.to, text: "),(" });
    opening.push({ from: end.from, to: operator.to, text: "),((" });
  } else if (target.name === "VariableName")
    opening.push({ from: operator.from, to: operator.to, text: `= ${check}(${textOf(tree, target)},((` });
  else return;
  closing.push({ from: node.to, to: node.to, text: ")))" });
}

/** Functions whose results are not sets. */
const LISTS: ReadonlySet<string> = new Set(["range", "enumerate", "zip", "sorted", "list", "tuple", "reversed", "map"]);
const LITERALS: ReadonlySet<string> = new Set([
  "String",
  "ArrayExpression",
  "TupleExpression",
  "ArrayComprehensionExpression",
]);
const VIEWS: ReadonlySet<string> = new Set(["items", "keys", "values", "split", "splitlines"]);
/** Functions whose results do not depend on the order. `any` and `all` stop early, before an item that raises. */
const ORDERLESS: ReadonlySet<string> = new Set(["len", "set", "frozenset"]);

/** The iterables of a loop or a comprehension. */
export function iterated(node: PyNode, { tree, wrap }: Guards): void {
  const children = childrenOf(node);
  const call = node.name === "ArgList" ? node.parent : node.parent?.parent;
  const taker = call?.name === "CallExpression" ? textOf(tree, call.children[0] as PyNode) : "";
  const isOrderless =
    node.name.endsWith("rgList") || node.name === "ComprehensionExpression" ? ORDERLESS.has(taker) : false;
  for (const [i, child] of children.entries()) {
    if (children[i - 1]?.name !== "in" || !children.some(({ name }) => name === "for")) continue;
    if (isOrderless || LITERALS.has(child.name) || children[i + 1]?.name === ",") continue;
    const callee = child.name === "CallExpression" ? child.children[0] : undefined;
    const last = callee && textOf(tree, childrenOf(callee).at(-1) ?? callee);
    const isListed = last !== undefined && (callee?.name === "VariableName" ? LISTS.has(last) : VIEWS.has(last));
    if (!isListed) wrap(child, "__iter");
  }
}

/** The values that `*` unpacks in a display, a call or the value of a statement. */
export function spread(node: PyNode, { tree, wrap }: Guards): void {
  const children = childrenOf(node);
  if (!children.some(({ name }) => name === "*") || isTarget(node)) return;
  for (const [i, child] of children.entries()) {
    if (children[i - 1]?.name !== "*" || LITERALS.has(child.name) || targetsOf(node).has(child)) continue;
    const callee = child.name === "CallExpression" ? child.children[0] : undefined;
    const isList = callee?.name === "VariableName" && LISTS.has(textOf(tree, callee));
    if (!isList) wrap(child, "__iter");
  }
}

/** The arguments of a call: the iterables of a generator, and the values that `*` unpacks. */
export function passed(node: PyNode, guards: Guards): void {
  iterated(node, guards);
  spread(node, guards);
}

/** Whether a display is what a loop or an assignment binds: `[a, *b] = x`. */
function isTarget(node: PyNode): boolean {
  let at = node;
  while (at.parent?.name === "ArrayExpression" || at.parent?.name === "TupleExpression") at = at.parent;
  return at.parent !== undefined && BINDING.has(at.parent.name) && targetsOf(at.parent).has(at);
}

/** Nodes whose children are targets up to the last `=`, or between `for` and `in`. */
const BINDING: ReadonlySet<string> = new Set([
  "AssignStatement",
  "ForStatement",
  "ArgList",
  "ComprehensionExpression",
  "ArrayComprehensionExpression",
  "SetComprehensionExpression",
  "DictionaryComprehensionExpression",
]);
/** What {@link targetsOf} found, so that a node with many children is read once. */
const TARGETS = new WeakMap<PyNode, ReadonlySet<PyNode>>();

function targetsOf(node: PyNode): ReadonlySet<PyNode> {
  const known = TARGETS.get(node);
  if (known) return known;
  const last = node.name === "AssignStatement" ? node.children.findLastIndex(({ name }) => name === "AssignOp") : -1;
  let isBound = false;
  const targets = node.children.filter((child, i) => {
    if (child.name === "for" || child.name === "in") isBound = child.name === "for";
    return isBound || i < last;
  });
  const found = new Set(targets);
  TARGETS.set(node, found);
  return found;
}

const EXCEPTION = /^[A-Z]\w*(?:Error|Exception|Exit|Interrupt)$/;

/** The builtin exceptions that code raises itself, as a Python tuple. */
export function raisedTypes(tree: PyTree): string {
  const names = tree.nodes.flatMap((node) => {
    const raised = node.name === "RaiseStatement" ? childrenOf(node)[1] : undefined;
    const type = raised?.name === "CallExpression" ? raised.children[0] : raised;
    const name = type?.name === "VariableName" ? textOf(tree, type) : "";
    return EXCEPTION.test(name) && BUILTINS.has(name) && !MISSING_BUILTINS.has(name) ? [`${name},`] : [];
  });
  return `(${[...new Set(names)].join("")})`;
}

/** Compound statements, before which a check cannot be put with a semicolon. */
const COMPOUND: ReadonlySet<string> = new Set(
  "IfStatement ForStatement WhileStatement TryStatement WithStatement FunctionDefinition ClassDefinition MatchStatement DecoratedStatement".split(
    " ",
  ),
);

const PARTS_OF_TRY: ReadonlySet<string> = new Set(["try", "except", "else", "finally"]);

/** A handler of a `try` statement. */
interface Handler {
  readonly body: PyNode;
  /** Its first statement. */
  readonly first: PyNode | undefined;
  /** The nodes between `except` and the body, without comments. */
  readonly head: readonly PyNode[];
}

/** The handlers of a `try` statement, in the order of the text. */
export function handlersOf(node: PyNode): readonly Handler[] {
  const handlers: Handler[] = [];
  let part = "";
  let head: PyNode[] = [];
  for (const child of childrenOf(node)) {
    if (PARTS_OF_TRY.has(child.name)) [part, head] = [child.name, []];
    else if (child.name !== "Body") head.push(child);
    else if (part === "except") handlers.push({ body: child, first: childrenOf(child)[1], head });
  }
  return handlers;
}

/** The expression of a compound statement that is evaluated first, if any. */
export function headOf(statement: PyNode): PyNode | undefined {
  const children = childrenOf(statement);
  if (statement.name === "IfStatement") return children[1];
  if (statement.name !== "ForStatement") return undefined;
  const at = children.findIndex(({ name }) => name === "in");
  return children[at + 2]?.name === "Body" ? children[at + 1] : undefined;
}

/** Whether a statement is compound. */
export const isCompound = ({ name }: PyNode): boolean => COMPOUND.has(name);

/** Rewrites `except ValueError:` as `except ValueError as __e: __caught(__e, (...));`. */
export function caught(node: PyNode, { tree, raised, opening, closing }: Guards): void {
  for (const { body, first, head: words } of handlersOf(node)) {
    const isNamed = words.at(-2)?.name === "as";
    const name = isNamed ? textOf(tree, words.at(-1) as PyNode) : "__e";
    if (!isNamed) {
      const isBare = words.length === 0;
      const text = isBare ? " Exception as __e" : " as __e";
      opening.push({ from: body.from, to: body.from, text });
    }
    if (!first) continue;
    const check = `__caught(${name}, ${raised()})`;
    if (!isCompound(first)) opening.push({ from: first.from, to: first.from, text: `${check}; ` });
    else {
      const head = headOf(first);
      if (!head) continue;
      opening.push({ from: head.from, to: head.from, text: `(${check}, (` });
      closing.push({ from: head.to, to: head.to, text: "))[1]" });
    }
  }
}

/** Whether a `finally` block leaves by itself, which drops the exception. */
export function leavesFinally(tree: PyTree, node: PyNode): boolean {
  const children = childrenOf(node);
  const at = children.findIndex(({ name }) => name === "finally");
  const body = at < 0 ? undefined : children[at + 1];
  return (
    body !== undefined &&
    inside(tree, body).some(({ name }) => ["ReturnStatement", "BreakStatement", "ContinueStatement"].includes(name))
  );
}

/** Context of the checks of a tree. */
export interface Guards {
  readonly tree: PyTree;
  readonly free: ReadonlySet<PyNode>;
  /** The type of an expression, if it is certain. */
  readonly typeOf: (node: PyNode) => PyType | undefined;
  readonly isTool: (node: PyNode) => boolean;
  readonly wrap: Wrap;
  readonly opening: Edit[];
  /** Outer ones before inner ones. */
  readonly closing: Edit[];
  readonly mayAwait: (node: PyNode) => boolean;
  /** The builtin exceptions that the code raises itself. */
  readonly raised: () => string;
}

export type Wrap = (node: PyNode, check: string) => void;
