/**
 * Finds code that runs on CPython although no value is known to differ: constructs that were never compared between the
 * engines, and code that Python refuses at compile time and Monty accepts.
 */

import { BUILTINS } from "./names.js";
import { childrenOf, inside, type PyNode, type PyTree, previous, textOf } from "./python-tree.js";
import type { Scopes } from "./scopes.js";

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));
const EXCEPTION = /(?:Error|Exception|Interrupt|Exit|Iteration|Warning|Group)$/;
/** Members of modules that Monty has and computes like Python. */
export const MEMBERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["math", setOf("sqrt floor ceil pi e inf gcd isqrt")],
  ["json", setOf("dumps loads JSONDecodeError")],
  ["asyncio", setOf("run gather")],
]);
/** Builtins that Monty has and computes like Python; exceptions are recognised by their names. */
const KNOWN = setOf(
  "abs all any bin bool chr dict divmod enumerate filter float hex int isinstance len list map max min oct ord print range repr " +
    "reversed round set sorted str sum tuple type zip True False None __name__ __format__ __sanitize__ __ret",
);
/** Methods that Monty has and, with the checks, computes like Python. */
const METHODS = setOf(
  "upper lower strip lstrip rstrip split rsplit splitlines join replace find rfind index rindex count startswith endswith isdigit isalpha " +
    "isalnum isspace isupper islower isnumeric isdecimal istitle isascii title capitalize swapcase casefold zfill ljust rjust partition " +
    "rpartition removeprefix removesuffix encode decode append extend insert pop remove sort reverse copy clear get keys values items " +
    "setdefault update fromkeys popitem add discard union intersection difference symmetric_difference issubset issuperset isdisjoint " +
    "is_integer bit_length bit_count __name__ name parent suffix stem parts",
);
/** Further string methods. */
const OF_TEXT = setOf("center isprintable isidentifier expandtabs translate maketrans format format_map");
/** Nodes that Monty interprets like Python; all others, and remains of parser errors, go to CPython. */
const SYNTAX = setOf(
  "Script ArgList ArithOp ArrayComprehensionExpression ArrayExpression AssertStatement AssignOp AssignStatement AwaitExpression BinaryExpression " +
    "BitOp Body Boolean BreakStatement CallExpression Comment CompareOp ComprehensionExpression ConditionalExpression ContinueStatement " +
    "ContinuedString DictionaryComprehensionExpression DictionaryExpression Escape ExpressionStatement ForStatement FormatConversion " +
    "FormatReplacement FormatSpec FormatString FunctionDefinition IfStatement ImportStatement LambdaExpression LogicOp MemberExpression " +
    "NamedExpression None Number ParamList ParenthesizedExpression PassStatement PropertyName RaiseStatement ReturnStatement ScopeStatement " +
    "SetComprehensionExpression SetExpression StatementGroup String TryStatement TupleExpression TypeDef UnaryExpression UpdateOp " +
    "UpdateStatement VariableName WhileStatement",
);

/**
 * The first construct that was never compared, such as other syntax, builtins and methods, in code without any known
 * difference.
 */
export function otherFeatures(
  tree: PyTree,
  { free }: { readonly free: readonly PyNode[] },
  isTool: (node: PyNode) => boolean,
): readonly { readonly at: PyNode; readonly name: string }[] {
  const frees = new Set(free);
  const isOfTool = ofTool(isTool);
  if (/^ *\t/m.test(tree.code) && /^\t* /m.test(tree.code)) return [{ at: tree.root, name: "tabs and spaces" }];
  const nameAt = (at: PyNode): string | undefined => {
    if (/^[A-Z]/.test(at.name) && !SYNTAX.has(at.name)) return at.name;
    const text = textOf(tree, at);
    if (at.name === "VariableName" && frees.has(at) && BUILTINS.has(text) && !isTool(at))
      return KNOWN.has(text) || EXCEPTION.test(text) ? undefined : text;
    if (at.name !== "PropertyName" || METHODS.has(text) || !at.parent || isOfTool(at.parent)) return undefined;
    const object = at.parent.children[0];
    if (object?.name === "VariableName" && MEMBERS.has(textOf(tree, object))) return undefined;
    return OF_TEXT.has(text) ? `str.${text}` : `.${text}`;
  };
  // One is enough for the decision.
  for (const at of tree.nodes) {
    const name = nameAt(at);
    if (name !== undefined) return [{ at, name }];
  }
  return [];
}

/**
 * Returns a check whether a member belongs to the path of a tool. Each path is resolved once, because it may be long.
 */
function ofTool(isTool: (node: PyNode) => boolean): (node: PyNode) => boolean {
  const known = new Map<PyNode, boolean>();
  return (node) => {
    const inner: PyNode[] = [];
    let at = node;
    while (!known.has(at) && at.parent?.name === "MemberExpression" && at.parent.children[0] === at) {
      inner.push(at);
      at = at.parent;
    }
    const is = known.get(at) ?? isTool(at);
    for (const one of [at, ...inner]) known.set(one, is);
    return is;
  };
}

type Refusals = readonly string[];
const when = (isSo: boolean, name: string): Refusals => (isSo ? [name] : []);
const HOLDERS: ReadonlySet<string> = new Set([
  "ComprehensionExpression",
  "ArrayComprehensionExpression",
  "SetComprehensionExpression",
  "DictionaryComprehensionExpression",
  "ArgList",
]);

/**
 * Returns a check whether a node is in a comprehension. Python refuses `:=` in its iterable, and for its loop
 * variables; elsewhere in a comprehension it is rare enough to be left to CPython as well.
 */
export function comprehended(tree: PyTree): (node: PyNode) => boolean {
  const inner: boolean[] = [];
  const holders = new Set(tree.nodes.flatMap(({ name, parent }) => (name === "for" && parent ? [parent] : [])));
  for (const { parent } of tree.nodes)
    inner.push(
      parent !== undefined && (inner[parent.index] === true || (HOLDERS.has(parent.name) && holders.has(parent))),
    );
  return ({ index }) => inner[index] === true;
}

/** `*a, *b = ...`. */
export function starredTargets(node: PyNode, tree: PyTree): Refusals {
  const last = node.children.findLastIndex(({ name }) => name === "AssignOp");
  const stars = node.children
    .slice(0, Math.max(0, last))
    .flatMap((one) => inside(tree, one).filter(({ name }) => name === "*"));
  return when(stars.length > 1, "several starred targets");
}

/** Whether another `except` follows a bare one. */
export const exceptBelowBare = (node: PyNode): boolean => {
  const children = childrenOf(node);
  const bare = children.findIndex(({ name }, i) => name === "except" && children[i + 1]?.name === "Body");
  return bare >= 0 && children.slice(bare + 1).some(({ name }) => name === "except");
};

/**
 * `global` below other statements: Python refuses it if the name was used before. Returns the first such statement.
 */
export function lateScope(node: PyNode): Refusals {
  let before = previous(node);
  while (before?.name === "Comment") before = previous(before);
  const isFirst = before?.name === ":" || before?.name === node.name;
  return when(
    !isFirst || node.parent?.parent?.name !== "FunctionDefinition",
    "global or nonlocal below other statements",
  );
}

/**
 * `global` for names that no statement of the module above it binds: until a function does, Monty reads another value,
 * where Python raises NameError.
 */
export const globalAlone = (node: PyNode, tree: PyTree, { ofModule }: Pick<Scopes, "ofModule">): Refusals =>
  when(
    node.children.some(
      (one) =>
        one.name === "VariableName" && !((ofModule.get(textOf(tree, one)) ?? Number.POSITIVE_INFINITY) < node.from),
    ),
    "a global name that is not bound above",
  );

/**
 * Reads of functions of the module above them: Monty reads None, where Python raises NameError. A call raises another
 * error on Monty, and is left to the second run.
 */
export function readsAbove(tree: PyTree, { reads }: Pick<Scopes, "reads">): ReadonlySet<PyNode> {
  const since = new Map<string, number>();
  for (const { name, children, from } of tree.root.children) {
    const own = name === "FunctionDefinition" && children.find((one) => one.name === "VariableName");
    if (own && !since.has(textOf(tree, own))) since.set(textOf(tree, own), from);
  }
  const isCalled = (node: PyNode) => node.parent?.name === "CallExpression" && node.parent.children[0] === node;
  return new Set(
    since.size === 0 ? [] : reads.filter((one) => one.from < (since.get(textOf(tree, one)) ?? 0) && !isCalled(one)),
  );
}
