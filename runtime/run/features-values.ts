/** Constructs that Monty takes otherwise than Python for some values, without an error, and that no check in the code can tell. */

import { comparisonOf, isComparison, mayAwait, specCheck } from "./engine/monty-guards.js";
import { around, childrenOf, inside, type PyNode, type PyTree, textOf, unwrapped } from "./python-tree.js";
import { namesGiven } from "./scopes.js";

/** What the readers look at. */
interface Seen {
  readonly tree: PyTree;
  readonly free: ReadonlySet<PyNode>;
  readonly bound: ReadonlySet<string>;
  readonly isTool: (node: PyNode) => boolean;
  /** Names that are given a set. */
  readonly sets: ReadonlySet<string>;
}

type Reader = (node: PyNode, seen: Seen) => readonly string[];

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));
const when = (isSo: boolean, name: string): readonly string[] => (isSo ? [name] : []);

const FUNCTIONS = setOf("next iter hasattr getattr setattr hash pow id bytes open");
const METHODS = setOf("center isprintable translate maketrans format_map");
const TYPES = setOf("str int float bool list dict set tuple bytes frozenset");
/** What of a module Monty has, and computes as Python does. */
const MEMBERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["math", setOf("sqrt floor ceil pi e inf gcd isqrt")],
  ["json", setOf("dumps loads JSONDecodeError")],
  ["asyncio", setOf("run gather")],
]);
/** Functions whose value Monty makes at once, as a list. */
const LAZY = setOf("map filter zip enumerate reversed");
/** What takes every item of a lazy value at once. */
const TAKERS = setOf("list tuple set dict sorted sum min max any all frozenset enumerate zip map filter reversed");
const WHOLE = setOf("list tuple set dict sorted sum min max frozenset");
/** What does not show the order of a set. */
const ORDERLESS = setOf("sorted len sum min max any all set frozenset");
const GENERATORS = new Set(["ComprehensionExpression"]);
const COMPREHENSIONS = new Set([
  "ComprehensionExpression",
  "ArrayComprehensionExpression",
  "SetComprehensionExpression",
  "DictionaryComprehensionExpression",
]);
const SETS = new Set(["SetExpression", "SetComprehensionExpression"]);

/** The readers, by the node they read. */
const READERS: Readonly<Record<string, Reader>> = {
  FormatSpec: (node, { tree }) =>
    when(specCheck(textOf(tree, node)) === undefined, `f-string format '${textOf(tree, node)}'`),
  FormatSelfDoc: () => ["f-string with ="],
  FormatConversion: (node, { tree }) => when(textOf(tree, node) === "!a", "f-string with !a"),
  UpdateStatement: (node, { tree }) => {
    const [target, operator] = childrenOf(node);
    const text = operator ? textOf(tree, operator) : "";
    return when((text === "%=" || text === "**=") && target?.name !== "VariableName", `${text} on an item`);
  },
  BinaryExpression: chains,
  VariableName: (node, seen) => {
    const name = textOf(seen.tree, node);
    if (!seen.free.has(node)) return when(seen.sets.has(name) && showsOrder(node, seen), "order of a set");
    return when(FUNCTIONS.has(name) && !seen.isTool(node), name);
  },
  MemberExpression: (node, { tree, free, isTool }) => {
    const [object, dot, property] = childrenOf(node);
    if (dot?.name !== "." || !property || !object || isTool(node)) return [];
    const name = textOf(tree, property);
    const base = object.name === "VariableName" && free.has(object) ? textOf(tree, object) : "";
    const members = object.name === "VariableName" ? MEMBERS.get(textOf(tree, object)) : undefined;
    return [
      ...when(METHODS.has(name), `str.${name}`),
      ...when(TYPES.has(base) && name !== "fromkeys", `${base}.${name}`),
      ...when(members?.has(name) === false, `${textOf(tree, object)}.${name}`),
    ];
  },
  ImportStatement: imports,
  AwaitExpression: awaits,
  String: surrogates,
  FormatString: surrogates,
  DictionaryExpression: equalKeys,
  CallExpression: calls,
  ComprehensionExpression: (node, seen) => [
    ...when(!isTaken(node, seen), "generator as a value"),
    ...generator(node, seen),
  ],
  ArgList: (node, seen) => (node.children.some(({ name }) => name === "for") ? generator(node, seen) : []),
  SetExpression: (node, seen) => when(node.children.length > 3 && showsOrder(node, seen), "order of a set"),
  SetComprehensionExpression: (node, seen) => when(showsOrder(node, seen), "order of a set"),
  TryStatement: exceptionTexts,
};

/** Where the code holds what Monty takes otherwise. */
export function valueFeatures(
  tree: PyTree,
  scopes: { readonly free: readonly PyNode[]; readonly bound: ReadonlySet<string> },
  isTool: (node: PyNode) => boolean,
): readonly { readonly at: PyNode; readonly name: string }[] {
  const sets = namesGiven(
    tree,
    (value) => SETS.has(value.name) || isCallOf(tree, value, (name) => name === "set" || name === "frozenset"),
  );
  const seen: Seen = { tree, free: new Set(scopes.free), bound: scopes.bound, isTool, sets };
  return tree.nodes.flatMap((at) => (READERS[at.name]?.(at, seen) ?? []).map((name) => ({ at, name })));
}

/** What of a module is imported that Monty has not, or under another name. */
function imports(node: PyNode, { tree }: Seen): readonly string[] {
  const [from, module, ...rest] = childrenOf(node);
  if (from?.name === "from") {
    const name = module ? textOf(tree, module) : "";
    const members = MEMBERS.get(name);
    const names = rest.filter((one) => one.name === "VariableName" || one.name === "*").map((one) => textOf(tree, one));
    return when(members !== undefined && names.some((one) => !members.has(one)), `import of ${name}`);
  }
  const renamed = childrenOf(node).find(
    (one, i, all) => MEMBERS.has(textOf(tree, one)) && all[i + 1]?.name === "as" && all[i - 1]?.name !== "as",
  );
  return renamed ? [`import of ${textOf(tree, renamed)}`] : [];
}

/** An `await` of anything but a tool's call, whose `await` is dropped, or the call of a coroutine of the code. */
function awaits(node: PyNode, { tree, bound, isTool }: Seen): readonly string[] {
  const [, value] = childrenOf(node);
  const callee = value && unwrapped(value).name === "CallExpression" ? unwrapped(value).children[0] : undefined;
  const isCoroutine = callee?.name === "VariableName" && bound.has(textOf(tree, callee));
  const isPlain = callee && (isTool(callee) || isCoroutine || textOf(tree, callee) === "asyncio.gather");
  if (!isPlain) return ["await of a value"];
  return when(!mayAwait(node), "await outside of async def");
}

/** Half a character, which Monty's texts cannot hold. */
function surrogates(node: PyNode, { tree }: Seen): readonly string[] {
  return when(/\\(?:u|U0000)[dD][89a-fA-F]/.test(textOf(tree, node)), "surrogate in a text");
}

/** `{True: 1, 1.0: 2}`: keys that may be equal though they look different, of which Monty keeps the last. */
function equalKeys(node: PyNode, { tree }: Seen): readonly string[] {
  const keys = node.children.filter(
    ({ name }, i) => (name === "Number" || name === "Boolean") && node.children[i + 1]?.name === ":",
  );
  const kinds = keys.map((key) => (key.name === "Number" && /[.eE]/.test(textOf(tree, key)) ? "float" : key.name));
  return when(new Set(kinds).size > 1, "keys of several kinds");
}

/** A chain whose later operands call something: the check would call them all. */
function chains(node: PyNode, { tree }: Seen): readonly string[] {
  if (!isComparison(node) || (node.parent && isComparison(node.parent) && childrenOf(node.parent)[0] === node))
    return [];
  const { operands, operators } = comparisonOf(node) ?? { operands: [], operators: [] };
  if (operators.length < 2) return [];
  const plain = operators.every((one) => ["<", ">", "<=", ">=", "==", "!="].includes(textOf(tree, one)));
  const calls = operands
    .slice(2)
    .some((one) => inside(tree, one).some(({ name }) => name === "CallExpression" || name === "MemberExpression"));
  const ordered = operators.some((one) => /[<>]/.test(textOf(tree, one)));
  return when(ordered && (!plain || calls), "chained comparison");
}

const nameOf = (tree: PyTree, call: PyNode): string => {
  const callee = call.children[0];
  return callee?.name === "VariableName" ? textOf(tree, callee) : "";
};

const isCallOf = (tree: PyTree, node: PyNode, of: (name: string) => boolean): boolean =>
  node.name === "CallExpression" && of(nameOf(tree, node));

function calls(node: PyNode, seen: Seen): readonly string[] {
  const { tree, free } = seen;
  const callee = node.children[0];
  const list = node.children.find(({ name }) => name === "ArgList");
  if (!callee || !list) return [];
  if (seen.isTool(callee)) return when(namesProto(tree, list), "the keyword __proto__");
  if (callee.name === "MemberExpression") return methodCalls(tree, callee, list);
  if (callee.name !== "VariableName" || !free.has(callee)) return [];
  const name = textOf(tree, callee);
  return [
    ...when(CONVERSIONS.has(name) && has(list, ","), `${name} with several arguments`),
    ...when(LAZY.has(name) && !isTaken(node, seen), `${name} as a value`),
    ...when((name === "set" || name === "frozenset") && holds(list) && showsOrder(node, seen), "order of a set"),
  ];
}

/** A keyword that is lost on its way out of Monty. */
const namesProto = (tree: PyTree, list: PyNode): boolean =>
  list.children.some((one, i) => list.children[i + 1]?.name === "AssignOp" && textOf(tree, one) === "__proto__");

function methodCalls(tree: PyTree, callee: PyNode, list: PyNode): readonly string[] {
  const name = textOf(tree, childrenOf(callee).at(-1) ?? callee);
  const isEncoding = name === "encode" || name === "decode";
  return [
    ...when(name === "dumps" && /\b(default|cls|skipkeys)\s*=/.test(textOf(tree, list)), "json.dumps with default"),
    ...when(name === "loads" && has(list, ","), "json.loads with options"),
    ...when(isEncoding && holds(list), `str.${name} with arguments`),
  ];
}

const CONVERSIONS = setOf("int str float type");
const has = (node: PyNode, token: string): boolean => node.children.some(({ name }) => name === token);
/** Whether something stands between the parentheses. */
const holds = (list: PyNode): boolean => list.children.length > 2;

/** The call whose argument a node is directly, by name. */
function takerOf(node: PyNode, { tree, free }: Seen): string | undefined {
  const list = node.parent;
  if (list?.name !== "ArgList") return undefined;
  const callee = list.parent?.children[0];
  if (callee?.name === "VariableName") return free.has(callee) ? textOf(tree, callee) : undefined;
  const last = callee?.name === "MemberExpression" ? textOf(tree, childrenOf(callee).at(-1) ?? callee) : undefined;
  return last === "join" || last === "extend" || last === "update" ? "list" : undefined;
}

/** Whether a node is what a loop or a comprehension goes over. */
function isIterated(node: PyNode): boolean {
  const { parent } = node;
  if (!parent || !(parent.name === "ForStatement" || COMPREHENSIONS.has(parent.name) || parent.name === "ArgList"))
    return false;
  const before = parent.children[parent.children.indexOf(node) - 1];
  return before?.name === "in";
}

/** Whether a lazy value goes at once into what takes all of it. */
function isTaken(node: PyNode, seen: Seen): boolean {
  if (isIterated(node)) return true;
  const before = node.parent?.children[node.parent.children.indexOf(node) - 1];
  if (before?.name === "*") return true;
  if (node.parent?.name === "ParenthesizedExpression") return isTaken(node.parent, seen);
  const taker = takerOf(node, seen);
  if (taker === undefined || !TAKERS.has(taker)) return false;
  // The value of a nested one is taken by what takes the outer one; `filter(f, map(...))` is lazy itself and looked at for itself.
  return true;
}

/** A generator that has effects and may not be taken to its end. */
function generator(node: PyNode, seen: Seen): readonly string[] {
  const { tree, free, bound } = seen;
  const call = node.name === "ArgList" ? node.parent?.children[0] : undefined;
  const taker = call
    ? call.name === "VariableName" && free.has(call)
      ? textOf(tree, call)
      : "list"
    : takerOf(node, seen);
  if (taker !== undefined && WHOLE.has(taker)) return [];
  const acts = inside(tree, node).some((at) => {
    if (at.name !== "CallExpression" || !at.children[0]) return false;
    const callee = at.children[0];
    return seen.isTool(callee) || (callee.name === "VariableName" && bound.has(textOf(tree, callee)));
  });
  return when(acts, "generator with effects");
}

/** Whether the order of a set shows where it stands: sets have none, but CPython's and Monty's differ. */
function showsOrder(node: PyNode, seen: Seen): boolean {
  const outer = node.parent?.name === "ParenthesizedExpression" ? node.parent : node;
  if (isIterated(outer)) return !isOrderless(outer.parent, seen);
  const before = outer.parent?.children[outer.parent.children.indexOf(outer) - 1];
  if (before?.name === "*") return true;
  const taker = takerOf(outer, seen);
  return taker !== undefined && TAKERS.has(taker) && !ORDERLESS.has(taker);
}

/** Whether what goes over a set makes something without an order: another set, a sum. */
function isOrderless(holder: PyNode | undefined, seen: Seen): boolean {
  if (holder?.name === "SetComprehensionExpression") return true;
  const callee = holder?.name === "ArgList" ? holder.parent?.children[0] : undefined;
  if (callee) return ORDERLESS.has(textOf(seen.tree, callee));
  return holder !== undefined && GENERATORS.has(holder.name) && ORDERLESS.has(takerOf(holder, seen) ?? "");
}

/** Exceptions whose text is the same, however they came about. */
const SAME_TEXT = setOf(
  "KeyError IndexError ZeroDivisionError RuntimeError PermissionError TimeoutError NotImplementedError AssertionError ConnectionError",
);
const SAFE_CALLS = setOf("len str print append add range");

/** `except ... as e` whose `e` is used, around what raises in other words. */
function exceptionTexts(node: PyNode, seen: Seen): readonly string[] {
  const children = childrenOf(node);
  const body = children.find(({ name }) => name === "Body");
  if (!body) return [];
  const found = children.some((child, i) => {
    if (child.name !== "as") return false;
    const [type, name, handler] = [children[i - 1], children[i + 1], children[i + 2]];
    if (!type || !name || !handler) return false;
    const text = textOf(seen.tree, name);
    const isUsed = inside(seen.tree, handler).some(
      (at) => at.name === "VariableName" && textOf(seen.tree, at) === text,
    );
    const types = inside(seen.tree, unwrapped(type)).filter((at) => at.name === "VariableName");
    return isUsed && !types.every((at) => SAME_TEXT.has(textOf(seen.tree, at)));
  });
  return when(found && inside(seen.tree, body).some((at) => mayRaise(at, seen)), "text of an exception");
}

/** Whether an expression may raise in words of the engine: all but tool calls, comparisons, `raise` and what is plain. */
function mayRaise(node: PyNode, { tree, isTool, bound }: Seen): boolean {
  if (node.name === "BinaryExpression") return !isComparison(node);
  if (node.name === "MemberExpression") return childrenOf(node)[1]?.name !== ".";
  if (node.name !== "CallExpression" || around(node, new Set(["RaiseStatement"]))) return false;
  const callee = node.children[0];
  if (!callee || isTool(callee)) return false;
  const last = callee.name === "MemberExpression" ? childrenOf(callee).at(-1) : callee;
  return bound.has(last ? textOf(tree, last) : "") || !SAFE_CALLS.has(last ? textOf(tree, last) : "");
}
