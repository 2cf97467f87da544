/** Prepares a page for reading: its main text or all of it, as Markdown or text. */

import { withinMs } from "../../contract/time-budget.js";
import { cleanHtml, type HtmlBounds, oneLine, type PageLink } from "./html.js";
import { markdownOf } from "./markdown.js";
import { htmlToText } from "./text.js";

/** How to read a page. */
export interface PageReading {
  readonly mode: "auto" | "reader" | "raw";
  readonly format: "markdown" | "text";
  readonly maxChars: number;
  /** Time limit in milliseconds. */
  readonly ms: number;
}

/** A page that is ready for reading. */
export interface LaidOut {
  readonly title: string;
  readonly content: string;
  readonly links: readonly PageLink[];
  /** Whether the page contains more than was processed. */
  readonly cut: boolean;
  /** Warnings about how it was read. */
  readonly remarks: readonly string[];
}

/** Limits for the reader, whose effort grows faster than the page. */
const PAGE: HtmlBounds = { nodes: 20_000, text: 400_000 };
/** Nodes that are processed per requested character, and their minimum. */
const NODES_PER_CHAR = 0.5;
const LEAST_NODES = 2000;
/** Markup and blanks between blocks lengthen a text, and never shorten it to less than half. */
const TEXT_PER_CHAR = 2;
/** Characters of an article below which `auto` uses the whole page. */
const SHORTEST_ARTICLE = 200;

interface Article {
  readonly title: string;
  readonly html: string;
}

/**
 * Prepares a page.
 *
 * If a library exceeds the time limit or fails on a hostile page, the answer is its plain text.
 */
export async function layOut(html: string, url: string, reading: PageReading): Promise<LaidOut> {
  const page = await cleanHtml(html, url, PAGE);
  const remarks: string[] = [];
  const budget = budgetOf(reading.ms);
  const article = reading.mode === "raw" ? undefined : await readArticle(page.html, reading.mode, budget, remarks);
  const shown = await cleanHtml(article?.html ?? page.html, url, boundsOf(reading.maxChars));
  const content = await contentOf(shown.html, reading.format, budget, remarks);
  return {
    title: oneLine(article?.title ?? "") || page.title,
    content,
    links: page.links,
    cut: page.cut || shown.cut,
    remarks,
  };
}

/** Runs work of a library in the time that is left of a page's. */
type Budget = <T>(work: () => T) => T;

/** Counts the work alone: a page does not pay for the loading of the libraries, or for other calls meanwhile. */
function budgetOf(ms: number): Budget {
  let left = ms;
  return (work) => {
    const began = performance.now();
    try {
      return withinMs(left, work);
    } finally {
      left -= performance.now() - began;
    }
  };
}

const boundsOf = (maxChars: number): HtmlBounds => ({
  nodes: LEAST_NODES + NODES_PER_CHAR * maxChars,
  text: TEXT_PER_CHAR * maxChars,
});

async function readArticle(
  html: string,
  mode: "auto" | "reader",
  budget: Budget,
  remarks: string[],
): Promise<Article | undefined> {
  const [{ parseHTML }, { default: reader }] = await Promise.all([import("linkedom"), import("@mozilla/readability")]);
  const read = (): Article | undefined => {
    const { document } = parseHTML(html);
    if (mode === "auto" && !reader.isProbablyReaderable(document)) return undefined;
    const found = new reader.Readability(document, { disableJSONLD: true }).parse();
    const enough = mode === "reader" ? 1 : SHORTEST_ARTICLE;
    return found?.content && (found.length ?? 0) >= enough
      ? { title: found.title ?? "", html: found.content }
      : undefined;
  };
  const article = orRemark(read, budget, remarks);
  if (mode === "reader" && article === undefined && remarks.length === 0)
    remarks.push("no_main_text: no main text was found, so this is the whole page");
  return article;
}

async function contentOf(
  html: string,
  format: PageReading["format"],
  budget: Budget,
  remarks: string[],
): Promise<string> {
  if (format === "text") return htmlToText(html);
  const toMarkdown = await markdownOf();
  return orRemark(() => toMarkdown(html), budget, remarks) ?? htmlToText(html);
}

/** The result of a library for foreign input; undefined with a remark if it fails or takes too long. */
function orRemark<T>(work: () => T | undefined, budget: Budget, remarks: string[]): T | undefined {
  try {
    return budget(work);
  } catch {
    if (remarks.length === 0) remarks.push("simplified: the page is built too intricately to be laid out in full");
    return undefined;
  }
}
