/**
 * Python's parse tree as plain nodes in the order of the text; analyses are loops, because hostile code may nest to
 * any depth.
 */

import { parser } from "@lezer/python";
import { countUpTo } from "../../count.js";

/** A node; tokens such as `(` and `def` are nodes whose name is their text. */
export interface PyNode {
  readonly name: string;
  /** UTF-16 offsets. */
  readonly from: number;
  readonly to: number;
  readonly parent: PyNode | undefined;
  readonly children: readonly PyNode[];
  /** Position among the children of its parent. */
  readonly position: number;
  /** Index in `PyTree.nodes`; the nodes inside it follow, up to `end`. */
  readonly index: number;
  readonly end: number;
}

/** A parsed text. */
export interface PyTree {
  readonly code: string;
  readonly root: PyNode;
  /** All nodes, parents before children, left before right. */
  readonly nodes: readonly PyNode[];
  /** Places of syntax errors; empty if the parser found none. */
  readonly faults: readonly PyNode[];
}

/** Name of a node for a fault. */
const FAULT = "⚠";

/** Parses text to a tree. */
export type Parse = (code: string) => PyTree;

/** The parser exceeds its limit of time or stack. */
class ParseLimitError extends Error {
  override readonly name = "ParseLimitError";
}

/** Whether a parse exceeded its limits. */
export const isParseLimitError = (error: unknown): error is Error =>
  error instanceof Error && error.name === "ParseLimitError";

interface Growing extends PyNode {
  children: Growing[];
  end: number;
}

/** Shared by all nodes without children: most nodes are tokens. */
const NO_CHILDREN: Growing[] = [];

/**
 * Parses any text. Python 2's `print x`, which the parser accepts, is a fault.
 *
 * @param until - deadline, of `performance.now()`
 * @throws ParseLimitError at the deadline, and if code nests deeper than the stack allows
 */
export function parsePython(code: string, until = Number.POSITIVE_INFINITY): PyTree {
  const nodes: Growing[] = [];
  const open: Growing[] = [];
  // The parser reads a last line `print` as Python 2 unless a newline follows.
  const tree = syntaxTree(`${code}\n`, until);
  const walk: Parameters<typeof tree.iterate>[0] = {
    enter({ name, from, to }) {
      const parent = open.at(-1);
      const index = nodes.length;
      const place = { from: Math.min(from, code.length), to: Math.min(to, code.length) };
      const position = parent?.children.length ?? 0;
      const node: Growing = { name, ...place, parent, children: NO_CHILDREN, position, index, end: index + 1 };
      if (parent) {
        if (position === 0) parent.children = [];
        parent.children.push(node);
      }
      nodes.push(node);
      open.push(node);
    },
    leave() {
      const node = open.pop();
      if (node) node.end = nodes.length;
    },
  };
  withinNesting(() => tree.iterate(walk));
  const root = nodes[0] as PyNode;
  const backslashes = backslashCounts(code);
  return { code, root, nodes, faults: nodes.filter((node) => isFault(code, node, backslashes)) };
}

/**
 * Steps between two checks of the deadline, and steps that always run: a cold start is slow, however short the code.
 */
const STEPS_BETWEEN_LOOKS = 16;
const FREE_STEPS = 256;

/**
 * Parses step by step, so that the parse can be stopped: recovery from errors takes up to 60 µs a character, correct
 * code 2 µs.
 */
function syntaxTree(text: string, until: number): ReturnType<typeof parser.parse> {
  return withinNesting(() => {
    const parse = parser.startParse(text);
    for (let step = 1; ; step++) {
      const tree = parse.advance();
      if (tree) return tree;
      if (step % STEPS_BETWEEN_LOOKS === 0 && step > FREE_STEPS && performance.now() > until)
        throw new ParseLimitError("the parse takes too long");
    }
  });
}

/**
 * Works on the parser's tree, which is built recursively: deep nesting overflows the stack, or, in fields of nested
 * f-strings, leaves nodes without a type.
 *
 * @throws ParseLimitError for both
 */
function withinNesting<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) throw new ParseLimitError("the code nests too deep");
    throw error;
  }
}

/** A tree for unparsed code: one fault over the whole code. */
export function unparsedTree(code: string): PyTree {
  const root: PyNode = {
    ...{ name: FAULT, from: 0, to: code.length, parent: undefined, children: [] },
    ...{ position: 0, index: 0, end: 1 },
  };
  return { code, root, nodes: [root], faults: [root] };
}

/**
 * Whether a node is a fault: one that the parser marks, or one that it overlooks, such as Python 2's `print x` or an
 * unclosed string.
 */
function isFault(code: string, { name, from, to }: PyNode, backslashes: (before: number) => number): boolean {
  if (name === FAULT || name === "PrintStatement") return true;
  if (name !== "String" && name !== "FormatString") return false;
  const text = code.slice(from, to);
  const [start = "", quote = ""] = /^[a-zA-Z]*("""|'''|"|')/.exec(text) ?? [];
  const end = to - quote.length;
  return !text.endsWith(quote) || end < from + start.length || backslashes(end) % 2 === 1;
}

/** Counts the backslashes right before an offset, with a cache: nested strings may share their end. */
function backslashCounts(code: string): (before: number) => number {
  const known = new Map<number, number>();
  return (before) => {
    const counted = known.get(before);
    if (counted !== undefined) return counted;
    let start = before;
    while (code[start - 1] === "\\") start--;
    known.set(before, before - start);
    return before - start;
  };
}

/** The text of a node. */
export const sourceText = (tree: PyTree, node: PyNode): string => tree.code.slice(node.from, node.to);

/** Whether a node is inside another, or the same. */
export const isWithin = (node: PyNode, outer: PyNode): boolean => outer.index <= node.index && node.index < outer.end;

/** Returns a look-up of the nearest enclosing node with one of these names. The first use reads the whole tree. */
export function enclosingNode(tree: PyTree, names: ReadonlySet<string>): (node: PyNode) => PyNode | undefined {
  let found: readonly (PyNode | undefined)[] | undefined;
  return ({ index }) => {
    found ??= enclosing(tree, names);
    return found[index];
  };
}

function enclosing(tree: PyTree, names: ReadonlySet<string>): readonly (PyNode | undefined)[] {
  const found: (PyNode | undefined)[] = [];
  for (const { parent } of tree.nodes) found.push(parent && (names.has(parent.name) ? parent : found[parent.index]));
  return found;
}

/** The sibling before a node, and the one after it. */
export const previousSibling = ({ parent, position }: PyNode): PyNode | undefined => parent?.children[position - 1];
export const nextSibling = ({ parent, position }: PyNode): PyNode | undefined => parent?.children[position + 1];

/** Adds a value to the list of a key. */
export function appendTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const known = lists.get(key);
  if (known) known.push(value);
  else lists.set(key, [value]);
}

/** Children except comments. */
export const childrenOf = (node: PyNode): readonly PyNode[] => node.children.filter(({ name }) => name !== "Comment");

/** The expression inside any number of parentheses. */
export function withoutParentheses(node: PyNode): PyNode {
  let at = node;
  while (at.name === "ParenthesizedExpression") {
    const inner = childrenOf(at)[1];
    if (!inner) return at;
    at = inner;
  }
  return at;
}

/** The object of a member access with a dot: `a.b` of `a.b.c`. */
function objectOf(node: PyNode): PyNode | undefined {
  if (node.name !== "MemberExpression") return undefined;
  const [object, dot, property]: readonly PyNode[] = childrenOf(node);
  return dot?.name === "." && property?.name === "PropertyName" ? object : undefined;
}

/** Returns a look-up of the first name of a dotted expression: `a` of `a.b.c`. */
export function dottedBases(tree: PyTree): (node: PyNode) => PyNode | undefined {
  const found: (PyNode | undefined)[] = [];
  // Objects follow the member expressions that contain them.
  for (let index = tree.nodes.length - 1; index >= 0; index--) {
    const node = tree.nodes[index] as PyNode;
    const object = objectOf(node);
    found[index] = node.name === "VariableName" ? node : object && found[object.index];
  }
  return ({ index }) => found[index];
}

/** The names of a dotted expression. */
export function dottedNames(tree: PyTree, node: PyNode): readonly string[] {
  const path: string[] = [];
  let at: PyNode | undefined = node;
  for (; at?.name === "MemberExpression"; at = at.children[0]) {
    const property = childrenOf(at)[2];
    if (property) path.push(sourceText(tree, property));
  }
  if (at) path.push(sourceText(tree, at));
  return path.reverse();
}

/** Line of an offset, from 1, given the offsets of the line starts. */
export const lineAt = (starts: readonly number[], offset: number): number => countUpTo(starts, offset);

/** The offsets at which lines start, including the first. */
export function lineStarts(code: string): readonly number[] {
  const starts = [0];
  for (let at = code.indexOf("\n"); at >= 0; at = code.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
