/** Converts HTML to Markdown, with tables in GitHub's form. */

import type TurndownService from "turndown";

/** The part of a node that the rules use. */
interface Cell {
  readonly nodeName: string;
  readonly childNodes: Iterable<{ readonly nodeName: string }>;
  readonly parentNode: Cell | null;
  readonly previousElementSibling: Cell | null;
  closest(selector: string): { querySelector(selector: string): unknown } | null;
  getAttribute(name: string): string | null;
}

interface Rule {
  readonly filter: (node: Cell) => boolean;
  readonly replacement: (content: string, node: Cell) => string;
}

const isCell = ({ nodeName }: { readonly nodeName: string }): boolean => nodeName === "TD" || nodeName === "TH";
const isRow = ({ nodeName }: Cell): boolean => nodeName === "TR";
/** Tables without header cells are mostly layout; their cells become text. */
const isData = (node: Cell): boolean => Boolean(node.closest("table")?.querySelector("th"));
const flat = (content: string): string => content.replace(/\s+/g, " ").trim();

/** A URL as a link target, with parentheses escaped. */
const target = (link: Cell): string =>
  (link.getAttribute("href") ?? "").replace(/[()]/g, (one) => (one === "(" ? "%28" : "%29"));

/** The first row of a table is its header, in any section. */
function isHead(row: Cell): boolean {
  const section = row.parentNode;
  const first = row.previousElementSibling === null;
  return first && (section?.nodeName === "TABLE" || section?.previousElementSibling?.nodeName !== "THEAD");
}

function rowText(content: string, row: Cell): string {
  const line = `\n|${content}`;
  if (!isHead(row)) return line;
  const cells = [...row.childNodes].filter(isCell).length;
  return `${line}\n|${" --- |".repeat(cells)}`;
}

const RULES: Readonly<Record<string, Rule>> = {
  dataCell: {
    filter: (node) => isCell(node) && isData(node),
    replacement: (content) => ` ${flat(content).replace(/\|/g, "\\|")} |`,
  },
  dataRow: { filter: (node) => isRow(node) && isData(node), replacement: rowText },
  plainCell: { filter: (node) => isCell(node) && !isData(node), replacement: (content) => `${content} ` },
  plainRow: { filter: (node) => isRow(node) && !isData(node), replacement: (content) => `\n${content.trim()}\n` },
  section: {
    filter: ({ nodeName }) => nodeName === "THEAD" || nodeName === "TBODY" || nodeName === "TFOOT",
    replacement: (content) => content,
  },
  /** An image without alternative text is left out. */
  silentImage: {
    filter: (node) => node.nodeName === "IMG" && !node.getAttribute("alt")?.trim(),
    replacement: () => "",
  },
  link: {
    filter: (node) => node.nodeName === "A" && node.getAttribute("href") !== null,
    replacement: (content, node) => (flat(content) === "" ? "" : `[${flat(content)}](${target(node)})`),
  },
};

/** Loads the libraries and returns the converter of one document, which needs a time limit. */
export async function markdownOf(): Promise<(html: string) => string> {
  const [{ parseHTML }, { default: Turndown }] = await Promise.all([import("linkedom"), import("turndown")]);
  const converter = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---" });
  for (const [name, rule] of Object.entries(RULES)) converter.addRule(name, rule as unknown as TurndownService.Rule);
  return (html) => converter.turndown(parseHTML(html).document.body).trim();
}
