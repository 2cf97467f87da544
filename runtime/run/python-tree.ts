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

interface Growing extends PyNode {
  readonly children: Growing[];
  end: number;
}

/** Parses any text. Python 2's `print x`, which the parser knows, is a fault. */
export function parsePython(code: string): PyTree {
  const nodes: Growing[] = [];
  const open: Growing[] = [];
  // The parser takes a last line `print` for Python 2 unless a newline follows.
  parser.parse(`${code}\n`).iterate({
    enter({ name, from, to }) {
      const parent = open.at(-1);
      const index = nodes.length;
      const place = { from: Math.min(from, code.length), to: Math.min(to, code.length) };
      const node: Growing = { name, ...place, parent, children: [], index, end: index + 1 };
      parent?.children.push(node);
      nodes.push(node);
      open.push(node);
    },
    leave() {
      const node = open.pop();
      if (node) node.end = nodes.length;
    },
  });
  const root = nodes[0] as PyNode;
  return { code, root, nodes, faults: nodes.filter((node) => isFault(code, node)) };
}

/** Faults that the parser marks, and those it overlooks: Python 2's `print x`, a string that its line ends. */
function isFault(code: string, { name, from, to }: PyNode): boolean {
  if (name === FAULT || name === "PrintStatement") return true;
  if (name !== "String" && name !== "FormatString") return false;
  const text = code.slice(from, to);
  const [start = "", quote = ""] = /^[a-zA-Z]*("""|'''|"|')/.exec(text) ?? [];
  const end = text.length - quote.length;
  let content = end;
  while (text[content - 1] === "\\") content--;
  return !text.endsWith(quote) || end < start.length || (end - content) % 2 === 1;
}

/** The text of a node. */
export const textOf = (tree: PyTree, node: PyNode): string => tree.code.slice(node.from, node.to);

/** The nodes inside a node, itself included. */
export const inside = (tree: PyTree, node: PyNode): readonly PyNode[] => tree.nodes.slice(node.index, node.end);

/** Whether a node lies in another, or is it. */
export const isIn = (node: PyNode, outer: PyNode): boolean => outer.index <= node.index && node.index < outer.end;

/** The nearest node around a node that has one of these names. */
export function around(node: PyNode, names: ReadonlySet<string>): PyNode | undefined {
  let at = node.parent;
  while (at && !names.has(at.name)) at = at.parent;
  return at;
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

/** `a.b.c` as its names, with the node of the first: undefined where anything but names and dots is part of it. */
export function dottedPath(
  tree: PyTree,
  node: PyNode,
): { readonly base: PyNode; readonly path: readonly string[] } | undefined {
  const path: string[] = [];
  let at: PyNode | undefined = node;
  while (at?.name === "MemberExpression") {
    const [object, dot, property]: readonly PyNode[] = childrenOf(at);
    if (dot?.name !== "." || property?.name !== "PropertyName") return undefined;
    path.push(textOf(tree, property));
    at = object;
  }
  if (at?.name !== "VariableName") return undefined;
  path.push(textOf(tree, at));
  return { base: at, path: path.reverse() };
}

/** Line of an offset, from 1, by the offsets at which lines start. */
export function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The offsets at which lines start, the first included. */
export function lineStarts(code: string): readonly number[] {
  const starts = [0];
  for (let at = code.indexOf("\n"); at >= 0; at = code.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
