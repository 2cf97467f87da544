/**
 * Adds checks to code that Monty runs, at places where its result silently differs from Python's for some values:
 * comparisons, remainders, powers, the text of values. A check that finds such a value ends the run as one that needs
 * a feature Monty lacks.
 */

import { type Edit, edited } from "../../contract/text-edits.js";
import {
  childrenOf,
  comparisonOf,
  isComparison,
  nearest,
  type PyNode,
  type PyTree,
  parsePython,
  previous,
  textOf,
  unwrapped,
} from "../python-tree.js";
import { readScopes, type Scopes } from "../scopes.js";
import { grouped, specCheck } from "./monty-features.js";
import {
  caught,
  counted,
  type Guards,
  iterated,
  keyed,
  mayRepeat,
  membersOf,
  passed,
  raisedTypes,
  spread,
  stored,
  updated,
  type Wrap,
} from "./monty-guard-places.js";
import { certainTypes, passes, passesOperator } from "./monty-types.js";

/** The function by which a check reports that Monty would be wrong; the driver handles it. */
export const LACK = "__lack";

/** The argument by which a tool call requests its value as JSON. */
export const EXACT = "__exact";

/** Checks by operator: `a < b` becomes `__lt((a),(b))`. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ["<", "__lt"],
  [">", "__gt"],
  ["<=", "__le"],
  [">=", "__ge"],
  ["==", "__eq"],
  ["!=", "__ne"],
  ["*", "__times"],
  ["/", "__true"],
  ["//", "__floor"],
  ["%", "__mod"],
  ["**", "__pow"],
  ["&", "__and"],
  ["|", "__or"],
  ["^", "__xor"],
]);
/** Operators of a chain, which the check receives as indices. */
const CHAINED = ["<", "<=", ">", ">=", "==", "!="];
/** Checks of arguments of a builtin type, and the replacement of the type when it is passed to a function. */
const TYPES: ReadonlyMap<string, readonly [check: string, whole?: string]> = new Map([
  ["str", ["__shown", "__str_of"]],
  ["int", ["__whole", "__int_of"]],
  ["float", ["__real", "__float_of"]],
  ["reversed", ["__sequence"]],
]);

/** Functions and their checked replacements. */
const FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ["print", "__print_of"],
  ["repr", "__repr_of"],
  ["round", "__round_of"],
  ["sum", "__sum_of"],
  ["divmod", "__divmod_of"],
  ["sorted", "__sorted_of"],
  ["min", "__min_of"],
  ["max", "__max_of"],
]);

const tableOf = (check: string, names: string): readonly (readonly [string, string])[] =>
  names.split(" ").map((name) => [name, check]);

/** Checks of the object whose method is called. */
const METHODS: ReadonlyMap<string, string> = new Map([
  ...tableOf("__ascii", "title capitalize casefold istitle swapcase isnumeric"),
  ...tableOf("__letters", "isdecimal upper lower isdigit isalpha isalnum isspace isupper islower"),
  ...tableOf("__spaced", "strip lstrip rstrip split rsplit"),
  ["splitlines", "__lines"],
  ["pop", "__popped"],
  ["sort", "__to_sort"],
]);

/** Checks of the arguments of methods and of functions of modules. */
const ARGUMENTS: ReadonlyMap<string, string> = new Map([
  ...tableOf("__sought", "index count remove discard"),
  ...tableOf("__member", "add setdefault"),
  ...tableOf("__members", "update union intersection difference symmetric_difference"),
  ...tableOf("__iter", "join extend"),
  ...Object.entries({ dumps: "__jsonable", loads: "__json_text", fromkeys: "__in_order" }),
]);

/** Checks of the first positional argument alone. */
const OF_FIRST: ReadonlySet<string> = new Set(["__member", "__in_order"]);

/** Checks of the first argument of a builtin function. */
const GIVEN: ReadonlyMap<string, string> = new Map([
  ...tableOf("__members", "set frozenset"),
  ["dict", "__pairs"],
  ...tableOf("__iter", "list tuple enumerate"),
]);
/** Functions that iterate over several arguments. */
const OVER: ReadonlySet<string> = new Set(["zip", "map", "filter"]);

/** Adds the checks to code; code with faults of the parser is unchanged. */
export function guarded(code: string): string {
  const tree = parsePython(code);
  if (tree.faults.length > 0) return code;
  const { opening, closing } = guardEdits(tree, readScopes(tree), { isTool: () => false, isTaken: () => false });
  return edited(code, [...closing, ...opening]);
}

/** The edits that add the checks. At one offset closing edits come first, inner before outer; then opening ones. */
export interface GuardEdits {
  readonly opening: readonly Edit[];
  readonly closing: readonly Edit[];
}

/** What names mean. */
export interface GuardNames {
  /** Whether an expression is a tool. */
  readonly isTool: (node: PyNode) => boolean;
  /** Whether a name has a value without being bound: that of a pack. */
  readonly isTaken: (name: string) => boolean;
}

/** The checks of a tree without faults. Those that let every value pass that can come are left out. */
export function guardEdits(tree: PyTree, scopes: Scopes, { isTool, isTaken }: GuardNames): GuardEdits {
  const free = new Set(scopes.free);
  const typeOf = certainTypes(tree, scopes, isTaken);
  const opening: Edit[] = [];
  const closing: Edit[] = [];
  const wrap = (node: PyNode, check: string): void => {
    const { from, to } = node;
    if (passes(check, typeOf(node))) return;
    opening.push({ from, to: from, text: `${check}((` });
    closing.push({ from: to, to, text: "))" });
  };
  let types: string | undefined;
  const raised = (): string => {
    types ??= raisedTypes(tree);
    return types;
  };
  const guards: Guards = { tree, free, typeOf, isTool, wrap, opening, closing, mayAwait: awaiting(tree), raised };
  for (const node of tree.nodes) GUARDS[node.name]?.(node, guards);
  return { opening: opening.map((one) => apartFromWord(tree, one)), closing: closing.reverse() };
}

/** Adds a space behind a keyword: `return-x` becomes `return __neg((-x))`. */
const apartFromWord = ({ code }: PyTree, edit: Edit): Edit =>
  edit.text.startsWith("__") && /\w/.test(code[edit.from - 1] ?? "") ? { ...edit, text: ` ${edit.text}` } : edit;

/** The guards by kind of node. */
const GUARDS: Readonly<Record<string, (node: PyNode, guards: Guards) => void>> = {
  BinaryExpression: binary,
  FormatReplacement: (node, { tree, wrap, opening }) => formatted(tree, node, wrap, opening),
  CallExpression: (node, guards) => {
    const { tree, free, isTool, wrap, opening } = guards;
    if (node.children[0] && isTool(node.children[0])) return sent(tree, node, wrap, opening);
    called(tree, node, free, wrap);
    counted(node, guards);
  },
  AwaitExpression: (node, guards) => awaited(node, guards),
  VariableName: (node, { tree, free, opening }) => {
    if (free.has(node)) given(tree, node, opening);
  },
  UpdateStatement: updated,
  MemberExpression: (node, guards) => stored(node, guards),
  DictionaryExpression: (node, guards) => keyed(node, guards),
  DictionaryComprehensionExpression: (node, guards) => {
    keyed(node, guards);
    iterated(node, guards);
  },
  SetExpression: (node, { wrap }) => {
    for (const member of membersOf(node)) wrap(member, "__member");
  },
  SetComprehensionExpression: (node, { wrap }) => {
    const [, member] = childrenOf(node);
    if (member) wrap(member, "__member");
  },
  ForStatement: iterated,
  ArrayComprehensionExpression: iterated,
  ComprehensionExpression: iterated,
  ArgList: passed,
  ArrayExpression: spread,
  TupleExpression: spread,
  AssignStatement: spread,
  ReturnStatement: spread,
  TryStatement: caught,
};

const FUNCTIONS_AROUND: ReadonlySet<string> = new Set(["FunctionDefinition", "LambdaExpression"]);

/** Whether `await` is allowed at a node: at module level, and in `async def`. */
export function awaiting(tree: PyTree): (node: PyNode) => boolean {
  const functionOf = nearest(tree, FUNCTIONS_AROUND);
  return (node) => {
    const holder = functionOf(node);
    return !holder || holder.children[0]?.name === "async";
  };
}

/** Removes the `await` of a tool's call, which has its value at once. */
function awaited(node: PyNode, { tree, isTool, opening, mayAwait }: Guards): void {
  const [keyword, value] = childrenOf(node);
  const call = value && unwrapped(value);
  if (!keyword || call?.name !== "CallExpression" || !call.children[0] || !isTool(call.children[0])) return;
  if (!mayAwait(node)) return;
  const blank = /^[ \t]*/.exec(tree.code.slice(keyword.to))?.[0].length ?? 0;
  opening.push({ from: keyword.from, to: keyword.to + blank, text: "" });
}

/** Literals that need no check. */
const LITERALS: ReadonlySet<string> = new Set(["String", "FormatString", "ContinuedString", "Boolean", "None"]);

/** Integer literals; a whole float must be distinguished from them. */
const INTEGER = /^(?:\d[\d_]*|0[xX][\da-fA-F_]+|0[oObB][\d_]+)$/;

/**
 * Guards a call of a tool. Arguments: values that are not data would arrive as their text, and a whole float as an
 * integer. Result: one with whole floats comes as JSON, which the call requests.
 */
function sent(tree: PyTree, call: PyNode, wrap: Wrap, opening: Edit[]): void {
  const list = childrenOf(call)[1];
  const parts = list?.name === "ArgList" ? childrenOf(list).slice(1, -1) : [];
  if (!list || parts.some(({ name }) => name === "for")) return;
  wrap(call, "__got");
  opening.push({
    from: list.to - 1,
    to: list.to - 1,
    text: `${parts.length > 0 && parts.at(-1)?.name !== "," ? "," : ""}${EXACT}=True`,
  });
  parts.forEach((value, i) => {
    const isName = parts[i + 1]?.name === "AssignOp" || value.name === "AssignOp";
    const isToken = value.name === "," || value.name === "*" || value.name === "**";
    const isPlain = value.name === "Number" ? INTEGER.test(textOf(tree, value)) : LITERALS.has(value.name);
    if (isName || isToken || isPlain) return;
    wrap(value, parts[i - 1]?.name === "**" ? "__named" : "__sent");
  });
}

const split = ({ from, to }: PyNode): Edit => ({ from, to, text: "),(" });

function binary(node: PyNode, guards: Guards): void {
  const { tree, typeOf, wrap, opening: edits } = guards;
  const [left, operator, right] = childrenOf(node);
  if (!left || !operator || !right) return;
  if (isComparison(node)) {
    if (!(node.parent && isComparison(node.parent) && childrenOf(node.parent)[0] === node)) compared(node, guards);
    return;
  }
  const text = textOf(tree, operator);
  const check = isRoot(tree, node, right) ? "__root" : OPERATORS.get(text);
  if (!check || (text === "*" && !mayRepeat(tree, left, right))) return;
  if (passesOperator(text, typeOf(left), typeOf(right), right)) return;
  wrap(node, check);
  edits.push(split(operator));
}

/** Whether a node is `int(n ** 0.5)`. */
function isRoot(tree: PyTree, node: PyNode, right: PyNode): boolean {
  const list = node.parent;
  const call = list?.name === "ArgList" && list.children.length === 3 ? list.parent : undefined;
  return textOf(tree, right) === "0.5" && call !== undefined && textOf(tree, call.children[0] as PyNode) === "int";
}

/** Guards one comparison, or a chain: `__chain((a),0,(b),1,(c))`. */
function compared(node: PyNode, { tree, typeOf, wrap, opening: edits }: Guards): void {
  const { operands, operators } = comparisonOf(node) ?? { operands: [], operators: [] };
  const texts = operators.map((one) => textOf(tree, one));
  const membership = texts.join(" ");
  if (membership === "in" || membership === "not in") {
    if (operands[0] && (operands[0].name === "String" || typeOf(operands[0]) === "str")) return;
    wrap(node, membership === "in" ? "__in" : "__not_in");
    edits.push(split({ ...(operators[0] as PyNode), to: (operators.at(-1) as PyNode).to }));
    return;
  }
  if (!texts.every((text) => CHAINED.includes(text)) || operators.length !== operands.length - 1) return;
  const [type, ...others] = operands.map(typeOf);
  if (type !== undefined && others.every((other) => other === type)) return;
  const [only] = texts;
  if (texts.length === 1 && only !== undefined) {
    const isEquality = only === "==" || only === "!=";
    if (operands.every((one) => isInteger(tree, one)) || (isEquality && operands.some((one) => isPlain(tree, one))))
      return;
    wrap(node, OPERATORS.get(only) ?? "");
    for (const one of operators) edits.push(split(one));
    return;
  }
  wrap(node, "__chain");
  for (const one of operators)
    edits.push({ from: one.from, to: one.to, text: `),${CHAINED.indexOf(textOf(tree, one))},(` });
}

/** Whether a node is a short integer literal, or a length. */
function isInteger(tree: PyTree, node: PyNode): boolean {
  if (node.name === "Number") return /^\d{1,9}$/.test(textOf(tree, node));
  return node.name === "CallExpression" && textOf(tree, node).startsWith("len(");
}

/** Checks of values by their conversion in an f-string: `!r` shows the contents of a value. */
const CONVERSIONS: ReadonlyMap<string, string> = new Map([
  ["!s", "__shown"],
  ["!r", "__inner"],
]);

/** Whether Monty and Python agree about what the value equals. */
const isPlain = (tree: PyTree, node: PyNode): boolean =>
  node.name === "String" || node.name === "None" || isInteger(tree, node);

function formatted(tree: PyTree, node: PyNode, wrap: Wrap, opening: Edit[]): void {
  const [, value] = childrenOf(node);
  if (!value) return;
  const spec = node.children.find(({ name }) => name === "FormatSpec");
  const conversion = node.children.find(({ name }) => name === "FormatConversion");
  const check = conversion
    ? CONVERSIONS.get(textOf(tree, conversion))
    : spec
      ? specCheck(textOf(tree, spec))
      : "__shown";
  if (check) wrap(value, check);
  const padding = spec && !conversion && grouped(textOf(tree, spec))?.padding;
  if (spec && padding !== undefined && padding !== false) opening.push({ from: spec.from, to: spec.to, text: padding });
}

function called(tree: PyTree, node: PyNode, free: ReadonlySet<PyNode>, wrap: Wrap): void {
  const [callee, list] = childrenOf(node);
  if (!callee || list?.name !== "ArgList") return;
  const values = childrenOf(list).slice(1, -1);
  const isGenerator = values.some(({ name }) => name === "for");
  const [first] = values;
  const positional = values.filter((one, i) => isPositional(one, values[i - 1], values[i + 1]));
  const key = values.find(
    (_, i) => textOf(tree, values[i - 2] ?? node) === "key" && values[i - 1]?.name === "AssignOp",
  );
  if (key) wrap(key, "__keyed");
  if (callee.name === "VariableName" && free.has(callee)) {
    const name = textOf(tree, callee);
    const check = TYPES.get(name)?.[0];
    if (check && values.length === 1 && first) wrap(first, check);
    const given = GIVEN.get(name);
    if (given && first && positional.includes(first) && !isGenerator) wrap(first, given);
    if (OVER.has(name)) for (const one of positional.slice(name === "zip" ? 0 : 1)) wrap(one, "__iter");
  } else if (callee.name === "MemberExpression") {
    const [object] = childrenOf(callee);
    const name = textOf(tree, childrenOf(callee).at(-1) ?? callee);
    const check = METHODS.get(name);
    if (check && object) wrap(object, check);
    const given = ARGUMENTS.get(name);
    if (given && !isGenerator)
      for (const one of OF_FIRST.has(given) ? positional.slice(0, 1) : positional) wrap(one, given);
  }
}

/** Whether a node is a positional argument that is not unpacked. */
const isPositional = (node: PyNode, before: PyNode | undefined, after: PyNode | undefined): boolean =>
  ![",", "*", "**", "AssignOp"].includes(node.name) &&
  before?.name !== "AssignOp" &&
  before?.name !== "*" &&
  before?.name !== "**" &&
  after?.name !== "AssignOp";

/** Replaces `print`, and types passed as functions: `map(str, x)` and `key=str`. */
function given(tree: PyTree, node: PyNode, edits: Edit[]): void {
  const checked = FUNCTIONS.get(textOf(tree, node));
  if (checked) edits.push({ from: node.from, to: node.to, text: checked });
  const whole = TYPES.get(textOf(tree, node))?.[1];
  const list = node.parent;
  if (!whole || list?.name !== "ArgList") return;
  const before = previous(node);
  const isKey = before?.name === "AssignOp" && textOf(tree, before) === "=";
  const callee = list.parent?.children[0];
  const isMapped = callee?.name === "VariableName" && textOf(tree, callee) === "map" && before?.name === "(";
  if (isKey || isMapped) edits.push({ from: node.from, to: node.to, text: whole });
}
