/** A page laid out for reading: its main text or all of it, as Markdown or as text. */

import { withinMs } from "./budget.js";
import { cleanHtml, type HtmlBounds, type Link, oneLine } from "./html.js";
import { markdownOf } from "./markdown.js";
import { textOf } from "./text.js";

/** How a page is to be read. */
export interface Reading {
  readonly mode: "auto" | "reader" | "raw";
  readonly format: "markdown" | "text";
  readonly maxChars: number;
  /** Milliseconds that laying out may take. */
  readonly ms: number;
}

/** A page as it was read. */
export interface LaidOut {
  readonly title: string;
  readonly content: string;
  readonly links: readonly Link[];
  /** Whether the page holds more than was looked at. */
  readonly cut: boolean;
  /** What a caller should know about how it was read, as warnings. */
  readonly remarks: readonly string[];
}

/** What the reader is given. Its effort grows faster than the page. */
const PAGE: HtmlBounds = { nodes: 20_000, text: 400_000 };
/** Nodes that are laid out for one character that is wanted, and always. */
const NODES_PER_CHAR = 0.5;
const LEAST_NODES = 2000;
/** Markup and blanks between blocks make a text longer, never shorter than half. */
const TEXT_PER_CHAR = 2;
/** Characters of an article below which `auto` takes the whole page. */
const SHORTEST_ARTICLE = 200;

interface Article {
  readonly title: string;
  readonly html: string;
}

/**
 * Lays a page out.
 *
 * Whatever the libraries make of a hostile page, they end: at the limit, or with an error, its plain text is the answer.
 */
export async function layOut(html: string, url: string, reading: Reading): Promise<LaidOut> {
  const end = performance.now() + reading.ms;
  const page = await cleanHtml(html, url, PAGE);
  const remarks: string[] = [];
  const left = (): number => end - performance.now();
  const article = reading.mode === "raw" ? undefined : await readArticle(page.html, reading.mode, left(), remarks);
  const shown = await cleanHtml(article?.html ?? page.html, url, boundsOf(reading.maxChars));
  const content = await contentOf(shown.html, reading.format, left(), remarks);
  return {
    title: oneLine(article?.title ?? "") || page.title,
    content,
    links: page.links,
    cut: page.cut || shown.cut,
    remarks,
  };
}

const boundsOf = (maxChars: number): HtmlBounds => ({
  nodes: LEAST_NODES + NODES_PER_CHAR * maxChars,
  text: TEXT_PER_CHAR * maxChars,
});

async function readArticle(
  html: string,
  mode: "auto" | "reader",
  ms: number,
  remarks: string[],
): Promise<Article | undefined> {
  const [{ parseHTML }, { Readability, isProbablyReaderable }] = await Promise.all([
    import("linkedom"),
    import("@mozilla/readability"),
  ]);
  const read = (): Article | undefined => {
    const { document } = parseHTML(html);
    if (mode === "auto" && !isProbablyReaderable(document)) return undefined;
    const found = new Readability(document, { disableJSONLD: true }).parse();
    const enough = mode === "reader" ? 1 : SHORTEST_ARTICLE;
    return found?.content && (found.length ?? 0) >= enough
      ? { title: found.title ?? "", html: found.content }
      : undefined;
  };
  const article = attempt(read, ms, remarks);
  if (mode === "reader" && article === undefined && remarks.length === 0)
    remarks.push("no_main_text: no main text was found, so this is the whole page");
  return article;
}

async function contentOf(html: string, format: Reading["format"], ms: number, remarks: string[]): Promise<string> {
  if (format === "text") return textOf(html);
  const toMarkdown = await markdownOf();
  return attempt(() => toMarkdown(html), ms, remarks) ?? textOf(html);
}

/** Runs a library on foreign input. */
function attempt<T>(work: () => T | undefined, ms: number, remarks: string[]): T | undefined {
  try {
    return withinMs(ms, work);
  } catch {
    if (remarks.length === 0) remarks.push("simplified: the page is built too intricately to be laid out in full");
    return undefined;
  }
}
