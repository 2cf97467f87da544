/**
 * Types of expressions that are certain before code runs: the value is exactly an `int`, a `float` or a `str`, whatever
 * else happens. A check that lets such values pass is left out.
 *
 * A name has a type if everything that binds it, in any scope, gives it a value of this type; so it does not matter
 * which of its bindings a place reads.
 */

import { BUILTINS } from "../names.js";
import { childrenOf, isIn, type PyNode, type PyTree, textOf } from "../python-tree.js";
import type { Scopes } from "../scopes.js";

/** A type of Python. A bool counts as unknown, although Python calls it an int. */
export type PyType = "int" | "float" | "str";

/** What is known so far: no binding was read yet, or more than one type is possible. */
type State = PyType | "unset" | "unknown";

/** Most passes over the code; what is not certain by then is left unknown. */
const MAX_PASSES = 20;

interface Context {
  readonly tree: PyTree;
  readonly scopes: Scopes;
  readonly free: ReadonlySet<PyNode>;
  readonly isTaken: (name: string) => boolean;
  /** States of the names, by the pass before. */
  readonly names: ReadonlyMap<string, State>;
  /** States of the nodes, by index; those inside of a node precede it. */
  readonly states: State[];
}

/**
 * Returns a look-up of certain types. The first use reads the whole tree.
 *
 * @param isTaken - whether a name has a value without being bound: that of a pack
 */
export function certainTypes(
  tree: PyTree,
  scopes: Scopes,
  isTaken: (name: string) => boolean,
): (node: PyNode) => PyType | undefined {
  let states: readonly State[] | undefined;
  return (node) => {
    states ??= statesOf(tree, scopes, isTaken);
    const state = tree.nodes[node.index] === node ? states[node.index] : undefined;
    return state === "unset" || state === "unknown" ? undefined : state;
  };
}

/** Reads the code again and again until the names stay what they are. */
function statesOf(tree: PyTree, scopes: Scopes, isTaken: Context["isTaken"]): readonly State[] {
  if (tree.nodes.some(bindsUnseen)) return [];
  const free = new Set(scopes.free);
  let names: ReadonlyMap<string, State> = new Map();
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const context: Context = { tree, scopes, free, isTaken, names, states: [] };
    for (let index = tree.nodes.length - 1; index >= 0; index--) {
      const node = tree.nodes[index] as PyNode;
      context.states[index] = STATES[node.name]?.(node, context) ?? "unknown";
    }
    const next = namesOf(context);
    if ([...next].every(([name, state]) => names.get(name) === state)) return context.states;
    names = next;
  }
  return [];
}

/** Whether a node binds names that its text does not show, or not as the other statements do. */
const bindsUnseen = ({ name, children }: PyNode): boolean =>
  name === "MatchStatement" || (name === "ImportStatement" && children.some((one) => one.name === "*"));

function namesOf(context: Context): ReadonlyMap<string, State> {
  const names = new Map<string, State>();
  for (const { node, by } of context.scopes.bindings) {
    const name = textOf(context.tree, node);
    names.set(name, joined(names.get(name) ?? "unset", BOUND[by.name]?.(node, by, context) ?? "unknown"));
  }
  return names;
}

const joined = (a: State, b: State): State => (a === "unset" || a === b ? b : b === "unset" ? a : "unknown");

const at = (node: PyNode | undefined, { states }: Context): State => (node && states[node.index]) ?? "unknown";

/** States of expressions; of any other kind of expression nothing is known. */
const STATES: Readonly<Record<string, (node: PyNode, context: Context) => State>> = {
  VariableName: (node, { tree, free, isTaken, names }) => {
    const name = textOf(tree, node);
    if (free.has(node) || BUILTINS.has(name) || name.startsWith("__") || isTaken(name)) return "unknown";
    return names.get(name) ?? "unset";
  },
  Number: (node, { tree }) => stateOfNumber(textOf(tree, node)),
  String: stateOfText,
  FormatString: stateOfText,
  ContinuedString: stateOfText,
  ParenthesizedExpression: (node, context) => {
    const [, inner, end] = childrenOf(node);
    return end?.name === ")" ? at(inner, context) : "unknown";
  },
  UnaryExpression: (node, context) => {
    const [operator, operand] = childrenOf(node);
    const state = at(operand, context);
    if (!operator || operator.name === "not") return "unknown";
    return state === "int" || state === "unset" || (state === "float" && textOf(context.tree, operator) !== "~")
      ? state
      : "unknown";
  },
  BinaryExpression: (node, context) => {
    const [left, operator, right, ...more] = childrenOf(node);
    if (!operator || more.length > 0) return "unknown";
    if (operator.name === "and" || operator.name === "or") return joined(at(left, context), at(right, context));
    return computed(textOf(context.tree, operator), at(left, context), at(right, context), right);
  },
  ConditionalExpression: (node, context) => {
    const [first, word, , , second] = childrenOf(node);
    return word?.name === "if" ? joined(at(first, context), at(second, context)) : "unknown";
  },
  NamedExpression: (node, context) => at(childrenOf(node).at(-1), context),
  MemberExpression: (node, context) => {
    const [object, bracket] = childrenOf(node);
    const state = at(object, context);
    return bracket?.name === "[" && (state === "str" || state === "unset") ? state : "unknown";
  },
  CallExpression: stateOfCall,
};

/** A whole number, in any base; a float; imaginary numbers are neither. */
function stateOfNumber(text: string): State {
  if (/^(?:\d[\d_]*|0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+)$/.test(text)) return "int";
  return /^[\d_]*\.?[\d_]*(?:[eE][+-]?[\d_]+)?$/.test(text) ? "float" : "unknown";
}

/** Bytes are no text. */
function stateOfText(node: PyNode, { tree }: Context): State {
  return /^[rRuUfF]*["']/.test(textOf(tree, node)) ? "str" : "unknown";
}

/** Operators that make a whole number of two. */
const WHOLE: ReadonlySet<string> = new Set(["+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>"]);
/** Operators that make a float of a float and a number. */
const REAL: ReadonlySet<string> = new Set(["+", "-", "*", "/", "//", "%"]);

/** The result of an operator that is no comparison. */
function computed(operator: string, a: State, b: State, right: PyNode | undefined): State {
  if (a === "unset" || b === "unset") return "unset";
  if (a === "int" && b === "int") {
    if (operator === "/") return "float";
    return WHOLE.has(operator) || (operator === "**" && right?.name === "Number") ? "int" : "unknown";
  }
  if (a === "str") return (operator === "+" && b === "str") || (operator === "*" && b === "int") ? "str" : "unknown";
  const isNumeric = (a === "int" || a === "float") && (b === "int" || b === "float");
  return isNumeric && REAL.has(operator) ? "float" : "unknown";
}

/** Builtin functions whose results are of one type. */
const RESULTS: ReadonlyMap<string, PyType> = new Map([
  ["len", "int"],
  ["ord", "int"],
  ["str", "str"],
  ["chr", "str"],
]);

/** Methods of text. */
const TEXT_RESULTS: ReadonlyMap<string, PyType> = new Map([
  ...["strip", "lstrip", "rstrip", "upper", "lower", "replace", "join"].map((name) => [name, "str"] as const),
  ...["find", "count"].map((name) => [name, "int"] as const),
]);

function stateOfCall(node: PyNode, context: Context): State {
  const [callee] = childrenOf(node);
  if (callee?.name === "VariableName") return builtinOf(callee, context, RESULTS) ?? "unknown";
  const [object, dot, method] = callee?.name === "MemberExpression" ? childrenOf(callee) : [];
  if (dot?.name !== "." || !method) return "unknown";
  const result = TEXT_RESULTS.get(textOf(context.tree, method));
  const state = at(object, context);
  if (!result) return "unknown";
  return state === "str" ? result : state === "unset" ? "unset" : "unknown";
}

/** The entry of a table for a name that no code binds. */
const builtinOf = <T>(node: PyNode, { tree, free }: Context, table: ReadonlyMap<string, T>): T | undefined =>
  free.has(node) ? table.get(textOf(tree, node)) : undefined;

/** What a name is bound to, by the kind of what binds it. */
const BOUND: Readonly<Record<string, (name: PyNode, by: PyNode, context: Context) => State>> = {
  AssignStatement: assigned,
  UpdateStatement: (name, by, context) => {
    const [target, operator, value] = childrenOf(by);
    if (target !== name || !operator) return "unknown";
    const text = textOf(context.tree, operator).replace(/=$/, "");
    return computed(text, at(name, context), at(value, context), value);
  },
  NamedExpression: (_, by, context) => at(by, context),
  ForStatement: iteratedOver,
  ComprehensionExpression: iteratedOver,
  ArrayComprehensionExpression: iteratedOver,
  SetComprehensionExpression: iteratedOver,
  DictionaryComprehensionExpression: iteratedOver,
  ArgList: iteratedOver,
};

/** The parts between commas; undefined for a part that is not one node. */
function partsOf(nodes: readonly PyNode[]): readonly (PyNode | undefined)[] {
  const parts: PyNode[][] = [[]];
  for (const node of nodes) {
    if (node.name === ",") parts.push([]);
    else if (node.name !== "TypeDef") parts.at(-1)?.push(node);
  }
  return parts.map((part) => (part.length === 1 ? part[0] : undefined));
}

/** The value of `a = 1`, of `a: int = 1`, of `a = b = 1` and of a name in `a, b = 1, 2`. */
function assigned(name: PyNode, by: PyNode, context: Context): State {
  const children = childrenOf(by);
  const signs = children.flatMap(({ name: kind }, i) => (kind === "AssignOp" ? [i] : []));
  // A declaration alone binds nothing.
  if (signs.length === 0) return "unset";
  const place = children.indexOf(name);
  const end = signs.find((sign) => sign > place);
  if (place < 0 || end === undefined) return "unknown";
  const start = signs.findLast((sign) => sign < place) ?? -1;
  const targets = partsOf(children.slice(start + 1, end));
  const values = partsOf(children.slice((signs.at(-1) ?? 0) + 1));
  return targets.length === values.length ? at(values[targets.indexOf(name)], context) : "unknown";
}

/** What a loop or a comprehension binds a name to. */
function iteratedOver(name: PyNode, by: PyNode, context: Context): State {
  const children = childrenOf(by);
  const place = children.findIndex((one) => isIn(name, one));
  const start = children.findLastIndex((one, i) => i < place && one.name === "for");
  const end = children.findIndex((one, i) => i > place && one.name === "in");
  const iterable = children[end + 1];
  if (start < 0 || end < 0 || !iterable || children[end + 2]?.name === ",") return "unknown";
  const targets = children.slice(start + 1, end);
  if (targets.length === 1 && targets[0] === name) return itemOf(iterable, context);
  const isCounter = targets.length === 3 && targets[0] === name && targets[1]?.name === ",";
  return isCounter && isCallOf("enumerate", iterable, context) ? "int" : "unknown";
}

/** What iteration over an expression gives. */
function itemOf(iterable: PyNode, context: Context): State {
  if (isCallOf("range", iterable, context)) return "int";
  if (iterable.name !== "ArrayExpression" && iterable.name !== "TupleExpression") {
    const state = at(iterable, context);
    return state === "str" || state === "unset" ? state : "unknown";
  }
  const items = partsOf(childrenOf(iterable).slice(1, -1));
  return items.reduce<State>((all, one) => joined(all, at(one, context)), "unset");
}

/** Whether an expression is a call of this builtin function, and `enumerate` counts from 0. */
function isCallOf(name: string, node: PyNode, context: Context): boolean {
  const [callee, list] = node.name === "CallExpression" ? childrenOf(node) : [];
  const isOne = callee?.name === "VariableName" && builtinOf(callee, context, new Map([[name, true]])) === true;
  return isOne && (name !== "enumerate" || (list !== undefined && childrenOf(list).length === 3));
}

/** Operators whose checks let two whole numbers pass, and those whose checks let two numbers pass of which one is a float. */
const PASS_WHOLE: ReadonlySet<string> = new Set(["-", "*", "//", "%", "&", "|", "^"]);
const PASS_REAL: ReadonlySet<string> = new Set(["-", "*", "/"]);

/**
 * Whether the check of an operator would let two values pass: `__mod` of two whole numbers computes `a % b`.
 */
export function passesOperator(operator: string, a: PyType | undefined, b: PyType | undefined, right: PyNode): boolean {
  if (a === "int" && b === "int") return PASS_WHOLE.has(operator) || (operator === "**" && right.name === "Number");
  const isReal = (a === "float" && (b === "float" || b === "int")) || (a === "int" && b === "float");
  return isReal && PASS_REAL.has(operator);
}

/** Types of values that checks of one value let pass. */
const PASSED: ReadonlyMap<string, ReadonlySet<PyType>> = new Map([
  ...["__shown", "__string", "__padded", "__iter", "__members", "__sought", "__sequence"].map(
    (check) => [check, new Set<PyType>(["str"])] as const,
  ),
  ...["__member", "__sent"].map((check) => [check, new Set<PyType>(["str", "int"])] as const),
  ["__whole", new Set<PyType>(["int"])],
]);

/** Whether a check of one value would let values of this type pass. */
export const passes = (check: string, type: PyType | undefined): boolean =>
  type !== undefined && PASSED.get(check)?.has(type) === true;
