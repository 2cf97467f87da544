/** Newlines and indentation of code that was pasted, quoted or indented as a whole. */

import { lineAt, lineStarts, type Parse, type PyNode, type PyTree, parsePython } from "./python-tree.js";

/** Columns that a tab leads to, as Python counts. */
const TAB = 8;

/** Kinds of statement, and what else begins a line of code at an indentation of its own. */
const STATEMENT = /Statement$|^StatementGroup$|Definition$|^ImportStatement$|^Decorator$|^MatchClause$/;
const STRINGS: ReadonlySet<string> = new Set(["String", "FormatString"]);

/**
 * Code with newlines as `\n`, without a byte order mark, and with the indentation that all its statements share taken off;
 * a first line that lost its own may be at column 0. Tabs mixed with spaces become spaces. Lines inside strings never move,
 * and there are as many lines as before. Code that does not parse either way comes back with its newlines changed only.
 */
export function normaliseIndentation(source: string, parse: Parse = parsePython): PyTree {
  const code = source.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  const tree = parse(code);
  const spaced = mixesTabs(tree) ? parse(moved(tree, (text) => withoutTabs(text))) : tree;
  const start = spaced.faults.length <= tree.faults.length ? spaced : tree;
  const common = commonIndentation(start);
  if (!common) return start;
  const shifted = parse(moved(start, (text) => withoutColumns(text, common.columns)));
  return shifted.faults.length === 0 || common.isOwn ? shifted : start;
}

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
 * so that the code cannot be right as it is.
 */
function commonIndentation(tree: PyTree): { readonly columns: number; readonly isOwn: boolean } | undefined {
  const lines = indentations(tree).map(({ node, text }) => ({
    isOuter: node.parent === tree.root,
    columns: width(text),
  }));
  const [first, ...rest] = lines;
  if (!first || !lines.some(({ isOuter, columns }) => isOuter && columns > 0)) return undefined;
  const isOwn = first.columns > 0;
  const columns = (isOwn ? lines : rest).reduce(
    (least, line) => Math.min(least, line.columns),
    Number.POSITIVE_INFINITY,
  );
  return columns > 0 ? { columns, isOwn } : undefined;
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

function width(indentation: string): number {
  let columns = 0;
  for (const one of indentation) columns += one === "\t" ? TAB - (columns % TAB) : 1;
  return columns;
}

const withoutTabs = (indentation: string): string => " ".repeat(width(indentation));

/** An indentation with so many columns less, or none; kept as it is written where that comes out even. */
function withoutColumns(indentation: string, columns: number): string {
  let [at, done] = [0, 0];
  for (; at < indentation.length && done < columns; at++) done += indentation[at] === "\t" ? TAB - (done % TAB) : 1;
  if (done === columns) return indentation.slice(at);
  return " ".repeat(Math.max(0, width(indentation) - columns));
}
