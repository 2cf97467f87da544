/** Newlines and indentation of code that was pasted, quoted or indented as a whole. */

import { lineAt, lineStarts, type Parse, type PyNode, type PyTree, parsePython } from "./python-tree.js";

/** Columns that a tab leads to, as Python counts, and as many editors show it. */
const TAB = 8;
const SHOWN_TAB = 4;

/** Columns of the least indentation that a first line is taken to have lost where a block of its own follows. */
const LOST_INDENTATION = 4;

/** Kinds of statement, and what else begins a line of code at an indentation of its own. */
const STATEMENT = /Statement$|^StatementGroup$|Definition$|^ImportStatement$|^Decorator$|^MatchClause$/;
const STRINGS: ReadonlySet<string> = new Set(["String", "FormatString"]);

/**
 * Code with newlines as `\n`, without a byte order mark, and with the indentation that all its statements share taken off;
 * a first line that lost its own may be at column 0. Tabs mixed with spaces become spaces, unless the width of a tab decides what the
 * code means. Lines inside strings never move, and there are as many lines as before. Code that does not parse either way comes back with its newlines changed only.
 */
export function normaliseIndentation(source: string, parse: Parse = parsePython): PyTree {
  const code = source.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  const tree = parse(code);
  const isMixed = mixesTabs(tree);
  const start = isMixed ? withSpaces(tree, parse) : tree;
  const common = commonIndentation(start, isMixed);
  if (!common) return start;
  const shifted = parse(moved(start, (text) => withoutColumns(text, common.columns)));
  return shifted.faults.length === 0 || common.isOwn ? shifted : start;
}

/** Code that mixes tabs with spaces, with spaces alone; as it is where it would mean something else with narrower tabs. */
function withSpaces(tree: PyTree, parse: Parse): PyTree {
  const spaced = parse(moved(tree, (text) => " ".repeat(width(text))));
  if (spaced.faults.length > tree.faults.length) return tree;
  const narrow = parse(moved(tree, (text) => " ".repeat(width(text, SHOWN_TAB))));
  return narrow.faults.length > 0 || isSameShape(spaced, narrow) ? spaced : tree;
}

/** Whether two trees have the same nodes at the same places of the tree. */
const isSameShape = ({ nodes }: PyTree, other: PyTree): boolean =>
  nodes.length === other.nodes.length &&
  nodes.every(({ name, parent }, i) => {
    const same = other.nodes[i];
    return same?.name === name && same.parent?.index === parent?.index;
  });

/** The indentation of every line that starts a statement. */
function indentations(tree: PyTree): readonly { readonly node: PyNode; readonly text: string }[] {
  const starts = lineStarts(tree.code);
  const found = new Map<number, { readonly node: PyNode; readonly text: string }>();
  const looked = new Map<number, number>();
  for (const node of tree.nodes) {
    if (!STATEMENT.test(node.name)) continue;
    const start = starts[lineAt(starts, node.from) - 1] ?? 0;
    const end = looked.get(start) ?? start + blankLength(tree.code, start);
    looked.set(start, end);
    if (!found.has(start) && end >= node.from) found.set(start, { node, text: tree.code.slice(start, node.from) });
  }
  return [...found.values()];
}

/** Length of the blanks at an offset. */
function blankLength(code: string, start: number): number {
  let at = start;
  while (code[at] === " " || code[at] === "\t" || code[at] === "\f") at++;
  return at - start;
}

function mixesTabs(tree: PyTree): boolean {
  const texts = indentations(tree).map(({ text }) => text);
  return texts.some((text) => text.includes("\t")) && texts.some((text) => text.includes(" "));
}

/**
 * Columns to take off, where a statement of the outermost level does not start at column 0; `isOwn` where the first one does not,
 * so that the code cannot be right as it is. Where a block follows a first line at column 0, a statement that ends the block between its
 * columns and column 0 is more likely a slip: the first line has lost its indentation only if the block stands twice as far as that statement.
 */
function commonIndentation(
  tree: PyTree,
  isMixed: boolean,
): { readonly columns: number; readonly isOwn: boolean } | undefined {
  const lines = indentations(tree).map(({ node, text }) => ({
    isOuter: node.parent === tree.root,
    isInner: node.parent?.name === "Body",
    columns: width(text),
  }));
  const [first, ...rest] = lines;
  if (!first || !lines.some(({ isOuter, columns }) => isOuter && columns > 0)) return undefined;
  const isOwn = first.columns > 0;
  const columns = (isOwn ? lines : rest).reduce(
    (least, line) => Math.min(least, line.columns),
    Number.POSITIVE_INFINITY,
  );
  if (columns === 0) return undefined;
  const [second] = rest;
  const isBlock = !isOwn && second?.isInner;
  if (isBlock && (isMixed || columns < LOST_INDENTATION || second.columns !== 2 * columns)) return undefined;
  return { columns, isOwn };
}

/** The code with the indentation of every line changed that does not start inside a string. */
function moved(tree: PyTree, change: (indentation: string) => string): string {
  const { code } = tree;
  const strings = tree.nodes.filter(({ name }) => STRINGS.has(name));
  let next = 0;
  let heldTo = -1;
  return lineStarts(code)
    .map((start, i, starts) => {
      for (; (strings[next]?.from ?? code.length) < start; next++) heldTo = Math.max(heldTo, strings[next]?.to ?? 0);
      const line = code.slice(start, (starts[i + 1] ?? code.length + 1) - 1);
      if (heldTo >= start) return line;
      const blank = blankLength(line, 0);
      return change(line.slice(0, blank)) + line.slice(blank);
    })
    .join("\n");
}

function width(indentation: string, tab = TAB): number {
  let columns = 0;
  for (const one of indentation) columns += one === "\t" ? tab - (columns % tab) : 1;
  return columns;
}

/** An indentation with so many columns less, or none; kept as it is written where that comes out even. */
function withoutColumns(indentation: string, columns: number): string {
  let [at, done] = [0, 0];
  for (; at < indentation.length && done < columns; at++) done += indentation[at] === "\t" ? TAB - (done % TAB) : 1;
  if (done === columns) return indentation.slice(at);
  return " ".repeat(Math.max(0, width(indentation) - columns));
}
