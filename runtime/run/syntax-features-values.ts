/**
 * Finds constructs for which Monty's result silently differs from Python's for some values, and which no check in the
 * code can detect.
 */

import { countUpTo } from "./count.js";
import { isTextSpec, specCheck } from "./engine/monty-features.js";
import { CHECKED_UPDATES, handlersOf, headOf, isCompound, itemOf, leavesFinally } from "./engine/monty-guard-places.js";
import { awaiting } from "./engine/monty-guards.js";
import { BUILTINS } from "./names.js";
import {
  childrenOf,
  comparisonOf,
  holding,
  inside,
  isComparison,
  type PyNode,
  type PyTree,
  previous,
  textOf,
  unwrapped,
} from "./python-tree.js";
import { namesGiven, type Scopes } from "./scopes.js";
import { exceptionTexts, raising } from "./syntax-features-exceptions.js";
import {
  comprehended,
  exceptBelowBare,
  globalAlone,
  lateScope,
  MEMBERS,
  readsAbove,
  starredTargets,
} from "./syntax-features-other.js";
import { isTypeAsValue } from "./syntax-features-types.js";

/** The parsed code and what was found in it: the input of every reader. */
interface Seen {
  readonly tree: PyTree;
  readonly free: ReadonlySet<PyNode>;
  readonly bound: ReadonlySet<string>;
  readonly scopes: Pick<Scopes, "ofModule">;
  /** Reads of functions of the module above them. */
  readonly early: ReadonlySet<PyNode>;
  readonly isTool: (node: PyNode) => boolean;
  /** Names to which a set is assigned. */
  readonly sets: ReadonlySet<string>;
  /** Whether a node contains a call of a tool, or of a function of the code. */
  readonly holdsEffect: (node: PyNode) => boolean;
  /** Whether a node contains a call, or a member of an object. */
  readonly holdsCall: (node: PyNode) => boolean;
  /** Whether a node is in a comprehension. */
  readonly isComprehended: (node: PyNode) => boolean;
  /** Whether a node contains an expression that may raise an exception whose text Monty words differently. */
  readonly holdsRaising: (node: PyNode) => boolean;
  /** Offsets of escapes of lone surrogates. */
  readonly surrogates: readonly number[];
  readonly mayAwait: (node: PyNode) => boolean;
}

type Reader = (node: PyNode, seen: Seen) => readonly string[];

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));
const when = (isSo: boolean, name: string): readonly string[] => (isSo ? [name] : []);

/** Builtins that Monty has and computes differently. */
const DIFFERENT = setOf("next iter hasattr getattr setattr hash pow id bytes open");
/** Builtins for which a check exists, or which Monty has in another form. */
const PLAIN_FUNCTIONS = setOf(
  "abs all any bin chr divmod enumerate filter hex isinstance len map max min oct ord print range repr reversed round sorted sum type zip",
);
const TYPES = setOf("str int float bool list dict set tuple bytes frozenset");
/** Methods whose further arguments bound a search. */
const SEARCHES = setOf("find rfind index rindex count startswith endswith");
/** Methods that change a collection. */
const CHANGES = setOf("pop popitem update setdefault clear add remove discard append insert extend sort reverse");
/** Statements that change an item directly. */
const ITEM_CHANGES = setOf("AssignStatement UpdateStatement DeleteStatement");
/** Functions of modules whose arguments are checked at the call. */
const WATCHED = setOf("dumps loads");
const isCallee = (node: PyNode): boolean => node.parent?.name === "CallExpression" && node.parent.children[0] === node;
/** Tokens of `from __future__ import annotations`. */
const FUTURE = setOf("import annotations , ( )");
/** Functions whose value is lazy in Python, and a list in Monty. */
const LAZY = setOf("map filter zip enumerate reversed");
/** Functions that consume all items of a lazy value at once. */
const TAKERS = setOf("list tuple set dict sorted sum min max any all frozenset enumerate zip map filter");
const WHOLE = setOf("list tuple set dict sorted sum min max frozenset");
/** Functions that do not depend on the order of a set. */
const ORDERLESS = setOf("sorted len sum min max any all set frozenset");
const GENERATORS = new Set(["ComprehensionExpression"]);
const COMPREHENSIONS = new Set([
  "ComprehensionExpression",
  "ArrayComprehensionExpression",
  "SetComprehensionExpression",
  "DictionaryComprehensionExpression",
]);
const SETS = new Set(["SetExpression", "SetComprehensionExpression"]);

/** Readers by kind of node. */
const READERS: Readonly<Record<string, Reader>> = {
  FormatSpec: (node, { tree }) => {
    const spec = textOf(tree, node);
    const isConverted = node.parent?.children.some(({ name }) => name === "FormatConversion");
    return when(!(isConverted ? isTextSpec(spec) : specCheck(spec) !== undefined), `f-string format '${spec}'`);
  },
  FormatSelfDoc: () => ["f-string with ="],
  FormatConversion: (node, { tree }) => when(textOf(tree, node) === "!a", "f-string with !a"),
  UpdateStatement: (node, { tree }) => {
    const [target, operator] = childrenOf(node);
    const text = operator ? textOf(tree, operator) : "";
    return when(
      CHECKED_UPDATES.has(text) && !(target?.name === "VariableName" || (target && itemOf(target))),
      `${text} on an item`,
    );
  },
  BinaryExpression: chains,
  VariableName: (node, seen) => {
    const name = textOf(seen.tree, node);
    if (name === "__debug__") return [name];
    if (seen.early.has(node)) return ["a function that is read above it"];
    if (!seen.free.has(node)) return when(seen.sets.has(name) && showsOrder(node, seen), "order of a set");
    if (seen.isTool(node) || !BUILTINS.has(name)) return [];
    return [
      ...when(DIFFERENT.has(name), name),
      ...when(PLAIN_FUNCTIONS.has(name) && !isUsed(node, seen), `${name} as a value`),
      ...when(isTypeAsValue(node, seen.tree), `${name} as a value`),
    ];
  },
  MemberExpression: (node, { tree, free, isTool }) => {
    const [object, dot, property] = childrenOf(node);
    if (dot?.name !== "." || !property || !object || isTool(node)) return [];
    const name = textOf(tree, property);
    const base = object.name === "VariableName" && free.has(object) ? textOf(tree, object) : "";
    const members = object.name === "VariableName" ? MEMBERS.get(textOf(tree, object)) : undefined;
    return [
      ...when(TYPES.has(base) && name !== "fromkeys", `${base}.${name}`),
      ...when(members?.has(name) === false, `${textOf(tree, object)}.${name}`),
      ...when(WATCHED.has(name) && members?.has(name) === true && !isCallee(node), `json.${name} as a value`),
    ];
  },
  ImportStatement: imports,
  AwaitExpression: awaits,
  String: surrogates,
  FormatString: surrogates,
  DictionaryExpression: equalKeys,
  CallExpression: calls,
  ForStatement: changes,
  ScopeStatement: (node, { tree, scopes }) => [...lateScope(node), ...globalAlone(node, tree, scopes)],
  NamedExpression: (node, { isComprehended }) => when(isComprehended(node), ":= in a comprehension"),
  AssignStatement: (node, { tree }) => starredTargets(node, tree),
  ComprehensionExpression: (node, seen) => [
    ...when(!isTaken(node, seen), "generator as a value"),
    ...generator(node, seen),
  ],
  ArgList: (node, seen) =>
    node.children.some(({ name }) => name === "for")
      ? [...when(!TAKERS.has(takerIn(node, seen) ?? ""), "generator as a value"), ...generator(node, seen)]
      : [],
  SetExpression: (node, seen) => when(node.children.length > 3 && showsOrder(node, seen), "order of a set"),
  SetComprehensionExpression: (node, seen) => when(showsOrder(node, seen), "order of a set"),
  TryStatement: (node, seen) => [
    ...exceptionTexts(node, seen),
    ...when(leavesFinally(seen.tree, node), "a finally that leaves"),
    ...when(exceptBelowBare(node), "except below a bare except"),
    ...when(
      handlersOf(node).some(({ first }) => first && isCompound(first) && !headOf(first)),
      "a block at the start of except",
    ),
  ],
};

/** The places in the code that Monty interprets differently. */
export function valueFeatures(
  tree: PyTree,
  scopes: Pick<Scopes, "free" | "bound" | "reads" | "ofModule">,
  isTool: (node: PyNode) => boolean,
): readonly { readonly at: PyNode; readonly name: string }[] {
  const sets = namesGiven(
    tree,
    (value) => SETS.has(value.name) || isCallOf(tree, value, (name) => name === "set" || name === "frozenset"),
  );
  const { bound } = scopes;
  const seen: Seen = {
    ...{ tree, free: new Set(scopes.free), bound, scopes, isTool, sets },
    early: readsAbove(tree, scopes),
    holdsEffect: holding(tree, (node) => isEffect(node, { tree, bound, isTool })),
    holdsCall: holding(tree, ({ name }) => name === "CallExpression" || name === "MemberExpression"),
    isComprehended: comprehended(tree),
    holdsRaising: raising(tree, { bound, isTool }),
    surrogates: Array.from(tree.code.matchAll(SURROGATE), ({ index }) => index),
    mayAwait: awaiting(tree),
  };
  return tree.nodes.flatMap((at) => (READERS[at.name]?.(at, seen) ?? []).map((name) => ({ at, name })));
}

/** Whether a function is called here, or passed to a function that calls it. */
function isUsed(node: PyNode, seen: Seen): boolean {
  const { parent } = node;
  if (parent?.name === "CallExpression" && parent.children[0] === node) return true;
  if (parent?.name !== "ArgList") return false;
  const before = previous(node);
  const key = before && previous(before);
  if (before?.name === "AssignOp") return key !== undefined && textOf(seen.tree, key) === "key";
  const taker = takerOf(node, seen);
  return before?.name === "(" && (taker === "map" || taker === "filter");
}

/** A loop that changes its iterable: Python raises an error where Monty continues. */
function changes(node: PyNode, { tree }: Seen): readonly string[] {
  const children = childrenOf(node);
  const iterable = children[children.findIndex(({ name }) => name === "in") + 1];
  const body = children.find(({ name }) => name === "Body");
  if (!iterable || !body) return [];
  const bases = inside(tree, iterable).filter(({ name }) => name === "VariableName");
  const names = new Set(bases.map((base) => textOf(tree, base)));
  const changed = inside(tree, body).some((at) => {
    if (at.name === "VariableName" && at.parent?.name === "UpdateStatement" && at.parent.children[0] === at)
      return names.has(textOf(tree, at));
    if (at.name !== "MemberExpression") return false;
    const [object, dot, property] = childrenOf(at);
    if (object?.name !== "VariableName" || !names.has(textOf(tree, object))) return false;
    if (dot?.name === ".") return property !== undefined && CHANGES.has(textOf(tree, property));
    return at.parent !== undefined && ITEM_CHANGES.has(at.parent.name);
  });
  return when(changed, "a loop over what it changes");
}

/** Imported members of a module that Monty lacks, or that are renamed. */
function imports(node: PyNode, { tree }: Seen): readonly string[] {
  const [from, module, ...rest] = childrenOf(node);
  if (from?.name === "from") {
    const name = module ? textOf(tree, module) : "";
    if (name === "__future__") return when(!rest.every((one) => FUTURE.has(textOf(tree, one))), "import of __future__");
    const members = MEMBERS.get(name);
    const names = rest.filter((one) => one.name === "VariableName" || one.name === "*").map((one) => textOf(tree, one));
    return when(members !== undefined && names.some((one) => !members.has(one)), `import of ${name}`);
  }
  const renamed = childrenOf(node).find(
    (one, i, all) => MEMBERS.has(textOf(tree, one)) && all[i + 1]?.name === "as" && all[i - 1]?.name !== "as",
  );
  return renamed ? [`import of ${textOf(tree, renamed)}`] : [];
}

/** An `await` of anything except a tool's call, whose `await` is dropped, or a call of a coroutine of the code. */
function awaits(node: PyNode, { tree, bound, isTool, mayAwait }: Seen): readonly string[] {
  const [, value] = childrenOf(node);
  const callee = value && unwrapped(value).name === "CallExpression" ? unwrapped(value).children[0] : undefined;
  const isCoroutine = callee?.name === "VariableName" && bound.has(textOf(tree, callee));
  const isPlain = callee && (isTool(callee) || isCoroutine || textOf(tree, callee) === "asyncio.gather");
  if (!isPlain) return ["await of a value"];
  return when(!mayAwait(node), "await outside of async def");
}

/** The escape of a lone surrogate, which Monty's strings cannot hold. */
const SURROGATE = /\\(?:u|U0000)[dD][89a-fA-F]/g;

function surrogates({ from, to }: PyNode, seen: Seen): readonly string[] {
  const at = seen.surrogates[countUpTo(seen.surrogates, from - 1)];
  return when(at !== undefined && at < to, "surrogate in a text");
}

/** Keys that may be equal although they look different, as in `{True: 1, 1.0: 2}`; Monty keeps the last one. */
function equalKeys(node: PyNode, { tree }: Seen): readonly string[] {
  const keys = node.children.filter(
    ({ name }, i) => (name === "Number" || name === "Boolean") && node.children[i + 1]?.name === ":",
  );
  const kinds = keys.map((key) => (key.name === "Number" && /[.eE]/.test(textOf(tree, key)) ? "float" : key.name));
  return when(new Set(kinds).size > 1, "keys of several kinds");
}

/** A chain whose later operands contain calls: the check would run all of them. */
function chains(node: PyNode, { tree, holdsCall }: Seen): readonly string[] {
  if (!isComparison(node) || (node.parent && isComparison(node.parent) && childrenOf(node.parent)[0] === node))
    return [];
  const { operands, operators } = comparisonOf(node) ?? { operands: [], operators: [] };
  if (operators.some(({ name }) => name === "is"))
    return when(!operands.some((one) => isSingleton(tree, one)), "is between values");
  if (operators.length < 2) return [];
  const plain = operators.every((one) => ["<", ">", "<=", ">=", "==", "!="].includes(textOf(tree, one)));
  const calls = operands.slice(2).some(holdsCall);
  return when(!(isNegated(operators) || (plain && !calls)), "chained comparison");
}

/** Whether the operator is `not in`. */
const isNegated = (operators: readonly PyNode[]): boolean =>
  operators.length === 2 && operators[0]?.name === "not" && operators[1]?.name === "in";

/** Whether a node is None, a boolean or a type, of which there is only one instance. */
const isSingleton = (tree: PyTree, node: PyNode): boolean =>
  node.name === "None" || node.name === "Boolean" || isCallOf(tree, node, (name) => name === "type");

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
  if (seen.isTool(callee)) return when(names(tree, list, PROTO), "the keyword __proto__");
  if (callee.name === "MemberExpression") return methodCalls(tree, callee, list);
  if (callee.name !== "VariableName" || !free.has(callee)) return [];
  const name = textOf(tree, callee);
  return [
    ...when(CONVERSIONS.has(name) && has(list, ","), `${name} with several arguments`),
    ...when(LAZY.has(name) && !isTaken(node, seen), `${name} as a value`),
    ...when((name === "set" || name === "frozenset") && holds(list) && showsOrder(node, seen), "order of a set"),
  ];
}

/** Whether one of these keywords is among the arguments. */
const names = (tree: PyTree, list: PyNode, keywords: ReadonlySet<string>): boolean =>
  list.children.some((one, i) => list.children[i + 1]?.name === "AssignOp" && keywords.has(textOf(tree, one)));

/** A keyword argument that Monty drops when it passes a call to the host. */
const PROTO = setOf("__proto__");
const DUMPS_OPTIONS = setOf("default cls skipkeys");

function methodCalls(tree: PyTree, callee: PyNode, list: PyNode): readonly string[] {
  const name = textOf(tree, childrenOf(callee).at(-1) ?? callee);
  const isEncoding = name === "encode" || name === "decode";
  return [
    ...when(name === "dumps" && names(tree, list, DUMPS_OPTIONS), "json.dumps with default"),
    ...when(name === "loads" && has(list, ","), "json.loads with options"),
    ...when(SEARCHES.has(name) && has(list, ","), `str.${name} in a part`),
    ...when(isEncoding && holds(list), `str.${name} with arguments`),
  ];
}

const CONVERSIONS = setOf("int str float type");
const has = (node: PyNode, token: string): boolean => node.children.some(({ name }) => name === token);
/** Whether a call has arguments. */
const holds = (list: PyNode): boolean => list.children.length > 2;

/** Name of the call whose direct argument is a node. */
function takerOf(node: PyNode, seen: Seen): string | undefined {
  return node.parent?.name === "ArgList" ? takerIn(node.parent, seen) : undefined;
}

/** Name of the call that has these arguments, if it is that of a builtin, or of a method that takes all items. */
function takerIn(list: PyNode, { tree, free }: Seen): string | undefined {
  const callee = list.parent?.children[0];
  if (callee?.name === "VariableName") return free.has(callee) ? textOf(tree, callee) : undefined;
  const last = callee?.name === "MemberExpression" ? textOf(tree, childrenOf(callee).at(-1) ?? callee) : undefined;
  return last === "join" || last === "extend" || last === "update" ? "list" : undefined;
}

/** Whether a node is the iterable of a loop or a comprehension. */
function isIterated(node: PyNode): boolean {
  const { parent } = node;
  if (!parent || !(parent.name === "ForStatement" || COMPREHENSIONS.has(parent.name) || parent.name === "ArgList"))
    return false;
  return previous(node)?.name === "in";
}

/** Whether a lazy value is passed directly to a function that consumes all of it. */
function isTaken(node: PyNode, seen: Seen): boolean {
  let at = node;
  while (!isIterated(at) && previous(at)?.name !== "*" && at.parent?.name === "ParenthesizedExpression") at = at.parent;
  if (isIterated(at) || previous(at)?.name === "*") return true;
  // A nested value is consumed with the outer one; `filter(f, map(...))` is lazy itself and is checked separately.
  return TAKERS.has(takerOf(at, seen) ?? "");
}

/** A generator with side effects that may not be consumed to its end. */
function generator(node: PyNode, seen: Seen): readonly string[] {
  const taker = node.name === "ArgList" ? takerIn(node, seen) : takerOf(node, seen);
  if (taker !== undefined && WHOLE.has(taker)) return [];
  return when(seen.holdsEffect(node), "generator with effects");
}

/** Whether a node is a call of a tool, or of a function of the code. */
function isEffect(node: PyNode, { tree, bound, isTool }: Pick<Seen, "tree" | "bound" | "isTool">): boolean {
  const callee = node.name === "CallExpression" ? node.children[0] : undefined;
  if (!callee) return false;
  return isTool(callee) || (callee.name === "VariableName" && bound.has(textOf(tree, callee)));
}

/** Whether the order of a set is visible at this place: CPython's and Monty's orders differ. */
function showsOrder(node: PyNode, seen: Seen): boolean {
  const outer = node.parent?.name === "ParenthesizedExpression" ? node.parent : node;
  if (isIterated(outer)) return !isOrderless(outer.parent, seen);
  if (previous(outer)?.name === "*") return true;
  const taker = takerOf(outer, seen);
  return taker !== undefined && TAKERS.has(taker) && !ORDERLESS.has(taker);
}

/** Whether the loop over a set makes a value that does not depend on the order, such as another set or a sum. */
function isOrderless(holder: PyNode | undefined, seen: Seen): boolean {
  if (holder?.name === "SetComprehensionExpression") return true;
  const callee = holder?.name === "ArgList" ? holder.parent?.children[0] : undefined;
  if (callee) return ORDERLESS.has(textOf(seen.tree, callee));
  return holder !== undefined && GENERATORS.has(holder.name) && ORDERLESS.has(takerOf(holder, seen) ?? "");
}
