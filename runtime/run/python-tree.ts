/** Python's parse tree as plain nodes in the order of the text: analyses are loops, since hostile code nests as deep as it likes. */

import { parser } from "@lezer/python";

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
  /** Position in `PyTree.nodes`; what lies inside the node follows it, up to `end`. */
  readonly index: number;
  readonly end: number;
}

/** A parsed text. */
export interface PyTree {
  readonly code: string;
  readonly root: PyNode;
  /** Every node, parents before children, left before right. */
  readonly nodes: readonly PyNode[];
  /** Places where the parser gave up on the grammar; none means that it found no fault. */
  readonly faults: readonly PyNode[];
}

/** Name of a node that stands for a fault. */
const FAULT = "⚠";

/** Turns text into a tree. */
export type Parse = (code: string) => PyTree;

/** The parser needs more time or stack than it may use. */
class ParseLimitError extends Error {
  override readonly name = "ParseLimitError";
}

/** Whether a parse was given up. */
export const isParseLimitError = (error: unknown): error is Error =>
  error instanceof Error && error.name === "ParseLimitError";

interface Growing extends PyNode {
  children: Growing[];
  end: number;
}

/** Shared by all nodes without children: most nodes are tokens. */
const NO_CHILDREN: Growing[] = [];

/**
 * Parses any text. Python 2's `print x`, which the parser knows, is a fault.
 *
 * @param until - when to give up, by `performance.now()`
 * @throws ParseLimitError when that time has come, and where code nests deeper than the stack
 */
export function parsePython(code: string, until = Number.POSITIVE_INFINITY): PyTree {
  const nodes: Growing[] = [];
  const open: Growing[] = [];
  // The parser takes a last line `print` for Python 2 unless a newline follows.
  syntaxTree(`${code}\n`, until).iterate({
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
  });
  const root = nodes[0] as PyNode;
  const backslashes = backslashCounts(code);
  return { code, root, nodes, faults: nodes.filter((node) => isFault(code, node, backslashes)) };
}

/** Steps between two looks at the clock, and steps that are always made: a cold start is slow, however short the code. */
const STEPS_BETWEEN_LOOKS = 16;
const FREE_STEPS = 256;

/**
 * Parses step by step, so that it can be given up: recovery from errors costs up to 60 µs a character, and correct code 2 µs.
 */
function syntaxTree(text: string, until: number): ReturnType<typeof parser.parse> {
  try {
    const parse = parser.startParse(text);
    for (let step = 1; ; step++) {
      const tree = parse.advance();
      if (tree) return tree;
      if (step % STEPS_BETWEEN_LOOKS === 0 && step > FREE_STEPS && performance.now() > until)
        throw new ParseLimitError("the parse takes too long");
    }
  } catch (error) {
    // The parser builds its tree recursively: deep nesting overflows the stack.
    if (error instanceof RangeError) throw new ParseLimitError("the code nests too deep");
    throw error;
  }
}

/** A tree for code that was not parsed: one fault as long as the code. */
export function unparsedTree(code: string): PyTree {
  const root: PyNode = {
    ...{ name: FAULT, from: 0, to: code.length, parent: undefined, children: [] },
    ...{ position: 0, index: 0, end: 1 },
  };
  return { code, root, nodes: [root], faults: [root] };
}

/** Faults that the parser marks, and those it overlooks: Python 2's `print x`, a string that its line ends. */
function isFault(code: string, { name, from, to }: PyNode, backslashes: (before: number) => number): boolean {
  if (name === FAULT || name === "PrintStatement") return true;
  if (name !== "String" && name !== "FormatString") return false;
  const text = code.slice(from, to);
  const [start = "", quote = ""] = /^[a-zA-Z]*("""|'''|"|')/.exec(text) ?? [];
  const end = to - quote.length;
  return !text.endsWith(quote) || end < from + start.length || backslashes(end) % 2 === 1;
}

/** Counts the backslashes that stand right before an offset, once for each offset: strings that nest may share their end. */
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
export const textOf = (tree: PyTree, node: PyNode): string => tree.code.slice(node.from, node.to);

/** The nodes inside a node, itself included. */
export const inside = (tree: PyTree, node: PyNode): readonly PyNode[] => tree.nodes.slice(node.index, node.end);

/** Whether a node lies in another, or is it. */
export const isIn = (node: PyNode, outer: PyNode): boolean => outer.index <= node.index && node.index < outer.end;

/** For every node of a tree, the nearest node around it that has one of these names: one pass, then a look-up. */
export function nearest(tree: PyTree, names: ReadonlySet<string>): (node: PyNode) => PyNode | undefined {
  const found: (PyNode | undefined)[] = [];
  for (const { parent } of tree.nodes) found.push(parent && (names.has(parent.name) ? parent : found[parent.index]));
  return ({ index }) => found[index];
}

/** Whether a node holds, or is, one of those that `isMeant` names: one pass, then a look-up. */
export function holding(tree: PyTree, isMeant: (node: PyNode) => boolean): (node: PyNode) => boolean {
  const before = [0];
  for (const node of tree.nodes) before.push((before.at(-1) ?? 0) + (isMeant(node) ? 1 : 0));
  return ({ index, end }) => before[index] !== before[end];
}

/** The sibling before a node, and the one after it. */
export const previous = ({ parent, position }: PyNode): PyNode | undefined => parent?.children[position - 1];
export const next = ({ parent, position }: PyNode): PyNode | undefined => parent?.children[position + 1];

/** Adds a value to the list of a key. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const known = lists.get(key);
  if (known) known.push(value);
  else lists.set(key, [value]);
}

/** Children that carry meaning: comments are not. */
export const childrenOf = (node: PyNode): readonly PyNode[] => node.children.filter(({ name }) => name !== "Comment");

/** The expression inside any number of parentheses. */
export function unwrapped(node: PyNode): PyNode {
  let at = node;
  while (at.name === "ParenthesizedExpression") {
    const inner = childrenOf(at)[1];
    if (!inner) return at;
    at = inner;
  }
  return at;
}

/** The object of a member that is written with a dot: `a.b` of `a.b.c`. */
function objectOf(node: PyNode): PyNode | undefined {
  if (node.name !== "MemberExpression") return undefined;
  const [object, dot, property]: readonly PyNode[] = childrenOf(node);
  return dot?.name === "." && property?.name === "PropertyName" ? object : undefined;
}

/** For every expression of names and dots alone, the node of its first name: `a` of `a.b.c`. */
export function dottedBases(tree: PyTree): (node: PyNode) => PyNode | undefined {
  const found: (PyNode | undefined)[] = [];
  // Objects follow the members that they are part of.
  for (let index = tree.nodes.length - 1; index >= 0; index--) {
    const node = tree.nodes[index] as PyNode;
    const object = objectOf(node);
    found[index] = node.name === "VariableName" ? node : object && found[object.index];
  }
  return ({ index }) => found[index];
}

/** The names of an expression of names and dots alone. */
export function dottedNames(tree: PyTree, node: PyNode): readonly string[] {
  const path: string[] = [];
  let at: PyNode | undefined = node;
  for (; at?.name === "MemberExpression"; at = at.children[0]) {
    const property = childrenOf(at)[2];
    if (property) path.push(textOf(tree, property));
  }
  if (at) path.push(textOf(tree, at));
  return path.reverse();
}

/** How many of the numbers, which ascend, are no larger than `limit`. */
export function countUpTo(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Line of an offset, from 1, by the offsets at which lines start. */
export const lineAt = (starts: readonly number[], offset: number): number => countUpTo(starts, offset);

/** The offsets at which lines start, the first included. */
export function lineStarts(code: string): readonly number[] {
  const starts = [0];
  for (let at = code.indexOf("\n"); at >= 0; at = code.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The text of a line, from 1, without the rest of the code being split. */
export function lineText(code: string, line: number): string | undefined {
  let start = 0;
  for (let before = 1; before < line; before++) {
    const end = code.indexOf("\n", start);
    if (end < 0) return undefined;
    start = end + 1;
  }
  const end = code.indexOf("\n", start);
  return code.slice(start, end < 0 ? code.length : end);
}
