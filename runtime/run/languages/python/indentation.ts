/** Normalises newlines and indentation of code that was pasted, quoted or indented as a whole. */

import { lineAt, lineStarts, type Parse, type PyNode, type PyTree, parsePython } from "./python-tree.js";

/** Width of a tab in Python, and in many editors. */
const TAB = 8;
const SHOWN_TAB = 4;

/** Least indentation, in columns, that the first line counts as having lost if a block follows it. */
const LOST_INDENTATION = 4;

/** Statements and other nodes that begin a line of code with its own indentation. */
const STATEMENT = /Statement$|^StatementGroup$|Definition$|^ImportStatement$|^Decorator$|^MatchClause$/;
const STRINGS: ReadonlySet<string> = new Set(["String", "FormatString"]);

/**
 * Normalises code: newlines become `\n`, a byte order mark is removed, and so is the common indentation of all
 * statements, which the first line may have lost. Tabs mixed with spaces become spaces, unless the width of a tab
 * changes the meaning. Lines inside strings never move, and the number of lines stays the same. In code that does not
 * parse either way, only newlines change.
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

/** Replaces mixed tabs and spaces by spaces; unchanged if narrower tabs would change the meaning. */
function withSpaces(tree: PyTree, parse: Parse): PyTree {
  const spaced = parse(moved(tree, (text) => " ".repeat(width(text))));
  if (spaced.faults.length > tree.faults.length) return tree;
  const narrow = parse(moved(tree, (text) => " ".repeat(width(text, SHOWN_TAB))));
  return narrow.faults.length > 0 || isSameShape(spaced, narrow) ? spaced : tree;
}

/** Whether two trees have the same structure. */
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

/** Length of the white space at an offset. */
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
 * Columns to remove, if a module-level statement does not start at column 0; `isOwn` if the first one does not, so
 * that the code cannot be valid as it is. If a block follows a first line at column 0, a statement that ends the block
 * between its columns and column 0 is more likely a slip: the first line has lost its indentation only if the block is
 * indented twice as far as that statement.
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

/** Changes the indentation of every line that does not start inside a string. */
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

/** Removes columns from an indentation; keeps the rest as written if that comes out even. */
function withoutColumns(indentation: string, columns: number): string {
  let [at, done] = [0, 0];
  for (; at < indentation.length && done < columns; at++) done += indentation[at] === "\t" ? TAB - (done % TAB) : 1;
  if (done === columns) return indentation.slice(at);
  return " ".repeat(Math.max(0, width(indentation) - columns));
}
