/**
 * Checks that go into code which Monty runs, where its answer differs from Python's for some values without an error: comparisons,
 * remainders, powers, the text of values. A check that finds such a value ends the run as one that Monty lacks something for.
 */

import { type Edit, edited } from "../edits.js";
import { around, childrenOf, type PyNode, type PyTree, parsePython, textOf, unwrapped } from "../python-tree.js";
import { readScopes } from "../scopes.js";

/** The bare name by which a check says that Monty would be wrong; the driver answers it. */
export const LACK = "__lack";

/** Checks of operators, by operator: `a < b` becomes `__lt((a),(b))`. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ["<", "__lt"],
  [">", "__gt"],
  ["<=", "__le"],
  [">=", "__ge"],
  ["%", "__mod"],
  ["**", "__pow"],
  ["&", "__and"],
  ["|", "__or"],
  ["^", "__xor"],
]);
/** Operators of a chain, which the check gets by their position. */
const CHAINED = ["<", "<=", ">", ">=", "==", "!="];
const COMPARISONS: ReadonlySet<string> = new Set(["<", ">", "<=", ">="]);

/** Checks of what a builtin type makes something of, and what stands for the type where it is given to a function. */
const TYPES: ReadonlyMap<string, readonly [check: string, whole?: string]> = new Map([
  ["str", ["__shown", "__str_of"]],
  ["int", ["__whole", "__int_of"]],
  ["float", ["__real", "__float_of"]],
  ["reversed", ["__sequence"]],
]);

/** Functions that checked ones stand for. */
const FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ["print", "__print_of"],
  ["repr", "__repr_of"],
  ["round", "__round_of"],
  ["sum", "__sum_of"],
]);

/** Checks of the text whose method is called. */
const METHODS: ReadonlyMap<string, string> = new Map([
  ["title", "__ascii"],
  ["capitalize", "__ascii"],
  ["swapcase", "__ascii"],
  ["casefold", "__ascii"],
  ["splitlines", "__lines"],
]);

/** Format specifications that Monty writes as Python does, with the check of the value. */
const SPECS: readonly (readonly [spec: RegExp, check: string])[] = [
  [/^:(?:[^{}]?[<>^])?\d*$/, "__padded"],
  [/^:(?:[^{}]?[<>^])?(?:[1-9]\d*)?s$/, "__string"],
  [/^:[+]?0?\d*(?:\.\d+)?[f%]$/, "__number"],
  [/^:(?:[^{}]?[<>^])\d*(?:\.\d+)?[f%]$/, "__number"],
  [/^:(?:[^{}]?[<>^])?[+]?0?\d*[dxXob]$/, "__integer"],
];

/** The check for a value that is formatted: none where no check is enough. */
export function specCheck(spec: string): string | undefined {
  if (/^:0\d/.test(spec) && !/[f%dxXob]$/.test(spec)) return undefined;
  return SPECS.find(([pattern]) => pattern.test(spec))?.[1];
}

/** A chain of comparisons, `a < b < c`: its outermost node and its parts. */
export function comparisonOf(
  node: PyNode,
): { readonly operands: readonly PyNode[]; readonly operators: readonly PyNode[] } | undefined {
  const operands: PyNode[] = [];
  const operators: PyNode[] = [];
  let at: PyNode | undefined = node;
  while (at && isComparison(at)) {
    const children = childrenOf(at);
    operands.unshift(children.at(-1) as PyNode);
    operators.unshift(...children.slice(1, -1));
    at = children[0];
  }
  if (!at || operators.length === 0) return undefined;
  return { operands: [at, ...operands], operators };
}

const WORDS: ReadonlySet<string> = new Set(["CompareOp", "in", "not", "is"]);

/** Whether a node compares, by whatever operator. */
export const isComparison = (node: PyNode): boolean =>
  node.name === "BinaryExpression" && WORDS.has(childrenOf(node)[1]?.name ?? "");

/** Code with the checks; as it is where the parser found faults. */
export function guarded(code: string): string {
  const tree = parsePython(code);
  if (tree.faults.length > 0) return code;
  const { opening, closing } = guardEdits(tree, readScopes(tree).free, () => false);
  return edited(code, [...closing, ...opening]);
}

/** The edits that put the checks in. At one place what closes comes first, the inner before the outer; then what opens. */
export interface GuardEdits {
  readonly opening: readonly Edit[];
  readonly closing: readonly Edit[];
}

/** The checks of a tree without faults. */
export function guardEdits(tree: PyTree, names: readonly PyNode[], isTool: (node: PyNode) => boolean): GuardEdits {
  const free = new Set(names);
  const opening: Edit[] = [];
  const closing: Edit[] = [];
  const wrap = ({ from, to }: PyNode, check: string): void => {
    opening.push({ from, to: from, text: `${check}((` });
    closing.unshift({ from: to, to, text: "))" });
  };
  const guards: Guards = { tree, free, isTool, wrap, opening, closing };
  for (const node of tree.nodes) GUARDS[node.name]?.(node, guards);
  return { opening, closing };
}

/** What the checks of a tree are made with. */
interface Guards {
  readonly tree: PyTree;
  readonly free: ReadonlySet<PyNode>;
  readonly isTool: (node: PyNode) => boolean;
  readonly wrap: Wrap;
  readonly opening: Edit[];
  readonly closing: Edit[];
}

/** What is done at a node of each kind. */
const GUARDS: Readonly<Record<string, (node: PyNode, guards: Guards) => void>> = {
  BinaryExpression: (node, { tree, wrap, opening }) => binary(tree, node, wrap, opening),
  FormatReplacement: (node, { tree, wrap }) => formatted(tree, node, wrap),
  CallExpression: (node, { tree, free, isTool, wrap }) =>
    node.children[0] && isTool(node.children[0]) ? sent(node, isTool, wrap) : called(tree, node, free, wrap),
  AwaitExpression: (node, { tree, isTool, opening }) => awaited(tree, node, isTool, opening),
  VariableName: (node, { tree, free, opening }) => {
    if (free.has(node)) given(tree, node, opening);
  },
  UpdateStatement: (node, { tree, opening, closing }) => updated(tree, node, opening, closing),
};

const FUNCTIONS_AROUND: ReadonlySet<string> = new Set(["FunctionDefinition", "LambdaExpression"]);

/** Whether `await` may stand here: at the outermost level, and in `async def`. */
export function mayAwait(node: PyNode): boolean {
  const holder = around(node, FUNCTIONS_AROUND);
  return !holder || holder.children[0]?.name === "async";
}

/** A tool's call has its value at once: its `await` goes. */
function awaited(tree: PyTree, node: PyNode, isTool: (node: PyNode) => boolean, edits: Edit[]): void {
  const [keyword, value] = childrenOf(node);
  const call = value && unwrapped(value);
  if (!keyword || call?.name !== "CallExpression" || !call.children[0] || !isTool(call.children[0])) return;
  if (!mayAwait(node)) return;
  const blank = /^[ \t]*/.exec(tree.code.slice(keyword.to))?.[0].length ?? 0;
  edits.push({ from: keyword.from, to: keyword.to + blank, text: "" });
}

/** Values that are what they look like. */
const LITERALS: ReadonlySet<string> = new Set([
  "String",
  "FormatString",
  "ContinuedString",
  "Number",
  "Boolean",
  "None",
]);

/** Arguments of a tool: what is no data would arrive as the text that shows it. */
function sent(call: PyNode, isTool: (node: PyNode) => boolean, wrap: Wrap): void {
  const list = childrenOf(call)[1];
  const parts = list?.name === "ArgList" ? childrenOf(list).slice(1, -1) : [];
  if (parts.some(({ name }) => name === "for")) return;
  parts.forEach((value, i) => {
    const isName = parts[i + 1]?.name === "AssignOp" || value.name === "AssignOp";
    const isToken = value.name === "," || value.name === "*" || value.name === "**";
    const isPlain =
      LITERALS.has(value.name) || (value.name === "CallExpression" && value.children[0] && isTool(value.children[0]));
    if (isName || isToken || isPlain) return;
    wrap(value, parts[i - 1]?.name === "**" ? "__named" : "__sent");
  });
}

type Wrap = (node: PyNode, check: string) => void;

const split = ({ from, to }: PyNode): Edit => ({ from, to, text: "),(" });

function binary(tree: PyTree, node: PyNode, wrap: Wrap, edits: Edit[]): void {
  const [left, operator, right] = childrenOf(node);
  if (!left || !operator || !right) return;
  if (isComparison(node)) {
    if (!(node.parent && isComparison(node.parent) && childrenOf(node.parent)[0] === node))
      compared(tree, node, wrap, edits);
    return;
  }
  const check = OPERATORS.get(textOf(tree, operator));
  if (!check) return;
  wrap(node, check);
  edits.push(split(operator));
}

/** One comparison, or a chain: `__chain((a),0,(b),1,(c))`. */
function compared(tree: PyTree, node: PyNode, wrap: Wrap, edits: Edit[]): void {
  const { operands, operators } = comparisonOf(node) ?? { operands: [], operators: [] };
  const texts = operators.map((one) => textOf(tree, one));
  if (
    !texts.some((text) => COMPARISONS.has(text)) ||
    !texts.every((text) => CHAINED.includes(text)) ||
    operators.length !== operands.length - 1
  )
    return;
  const [only] = texts;
  if (texts.length === 1 && only !== undefined) {
    if (operands.every((one) => isInteger(tree, one))) return;
    wrap(node, OPERATORS.get(only) ?? "");
    for (const one of operators) edits.push(split(one));
    return;
  }
  wrap(node, "__chain");
  for (const one of operators)
    edits.push({ from: one.from, to: one.to, text: `),${CHAINED.indexOf(textOf(tree, one))},(` });
}

/** A whole number as it is written, or a length. */
function isInteger(tree: PyTree, node: PyNode): boolean {
  if (node.name === "Number") return /^\d{1,9}$/.test(textOf(tree, node));
  return node.name === "CallExpression" && textOf(tree, node).startsWith("len(");
}

function formatted(tree: PyTree, node: PyNode, wrap: Wrap): void {
  const [, value] = childrenOf(node);
  if (!value) return;
  const spec = node.children.find(({ name }) => name === "FormatSpec");
  const converted = node.children.some(({ name }) => name === "FormatConversion");
  const check = converted || !spec ? "__shown" : specCheck(textOf(tree, spec));
  if (check) wrap(value, check);
}

function called(tree: PyTree, node: PyNode, free: ReadonlySet<PyNode>, wrap: Wrap): void {
  const [callee, list] = childrenOf(node);
  if (!callee || list?.name !== "ArgList") return;
  const values = childrenOf(list).slice(1, -1);
  if (callee.name === "VariableName" && free.has(callee)) {
    const check = TYPES.get(textOf(tree, callee))?.[0];
    if (check && values.length === 1 && values[0]) wrap(values[0], check);
  } else if (callee.name === "MemberExpression") {
    const [object] = childrenOf(callee);
    const check = METHODS.get(textOf(tree, childrenOf(callee).at(-1) ?? callee));
    if (check && object) wrap(object, check);
  }
}

/** `print`, and the type as a function: `map(str, x)` and `key=str`. */
function given(tree: PyTree, node: PyNode, edits: Edit[]): void {
  const checked = FUNCTIONS.get(textOf(tree, node));
  if (checked) edits.push({ from: node.from, to: node.to, text: checked });
  const whole = TYPES.get(textOf(tree, node))?.[1];
  const list = node.parent;
  if (!whole || list?.name !== "ArgList") return;
  const before = list.children[list.children.indexOf(node) - 1];
  const isKey = before?.name === "AssignOp" && textOf(tree, before) === "=";
  const callee = list.parent?.children[0];
  const isMapped = callee?.name === "VariableName" && textOf(tree, callee) === "map" && before?.name === "(";
  if (isKey || isMapped) edits.push({ from: node.from, to: node.to, text: whole });
}

/** `x %= 3` as `x = __mod((x),(3))`, for names. */
function updated(tree: PyTree, node: PyNode, opening: Edit[], closing: Edit[]): void {
  const [target, operator, value] = childrenOf(node);
  if (target?.name !== "VariableName" || !operator || !value) return;
  const text = textOf(tree, operator);
  const check = text === "%=" || text === "**=" ? OPERATORS.get(text.slice(0, -1)) : undefined;
  if (!check) return;
  opening.push({ from: operator.from, to: operator.to, text: `= ${check}(${textOf(tree, target)},((` });
  closing.unshift({ from: node.to, to: node.to, text: ")))" });
}
