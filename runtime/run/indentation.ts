/** Newlines and indentation of code that was pasted, quoted or indented as a whole (`run.md` 5). */

import { lineAt, lineStarts, type PyNode, type PyTree, parsePython } from "./python-tree.js";

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
export function normaliseIndentation(source: string): PyTree {
  const code = source.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  const tree = parsePython(code);
  const spaced = mixesTabs(tree) ? parsePython(moved(tree, (text) => withoutTabs(text))) : tree;
  const start = spaced.faults.length <= tree.faults.length ? spaced : tree;
  const common = commonIndentation(start);
  if (!common) return start;
  const shifted = parsePython(moved(start, (text) => withoutColumns(text, common.columns)));
  return shifted.faults.length === 0 || common.isOwn ? shifted : start;
}

/** The indentation of every line that starts a statement. */
function indentations(tree: PyTree): readonly { readonly node: PyNode; readonly text: string }[] {
  const found = new Map<number, { readonly node: PyNode; readonly text: string }>();
  for (const node of tree.nodes) {
    if (!STATEMENT.test(node.name)) continue;
    const start = tree.code.lastIndexOf("\n", node.from - 1) + 1;
    const text = tree.code.slice(start, node.from);
    if (!found.has(start) && isBlank(text)) found.set(start, { node, text });
  }
  return [...found.values()];
}

const isBlank = (text: string): boolean => /^[ \t\f]*$/.test(text);

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
  const starts = lineStarts(tree.code);
  const held = new Set<number>();
  for (const node of tree.nodes) {
    if (!STRINGS.has(node.name)) continue;
    const last = lineAt(starts, node.to);
    for (let line = lineAt(starts, node.from) + 1; line <= last; line++) held.add(line);
  }
  return tree.code
    .split("\n")
    .map((line, i) => {
      const indentation = /^[ \t\f]*/.exec(line)?.[0] ?? "";
      return held.has(i + 1) ? line : change(indentation) + line.slice(indentation.length);
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
  for (let at = 0; at <= indentation.length; at++) {
    const done = width(indentation.slice(0, at));
    if (done === columns) return indentation.slice(at);
    if (done > columns) break;
  }
  return " ".repeat(Math.max(0, width(indentation) - columns));
}
