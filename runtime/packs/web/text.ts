/** Converts HTML to plain text: blocks on their own lines, list items marked, without a tree. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
/** Elements with a blank line before and after. */
const PARAGRAPHS = words(
  "p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre article section main header footer nav aside figure form fieldset address hr",
);
/** Elements on a line of their own. */
const LINES = words("div li tr dt dd br caption figcaption option legend details summary");
const CELLS = words("td th");
const SKIPPED = words("script style head title noscript template");

/** Text under construction. Pieces are separated by the strongest break between them. */
interface Collecting {
  readonly parts: string[];
  breaks: number;
  blank: boolean;
  preformatted: number;
  skipping: number;
}

/** The text of HTML that is already within limits, or comes from a provider's answer. */
export async function htmlToText(html: string): Promise<string> {
  const { Parser } = await import("htmlparser2");
  const text: Collecting = { parts: [], breaks: 0, blank: false, preformatted: 0, skipping: 0 };
  const parser = new Parser({
    onopentag: (name) => opened(text, name),
    onclosetag: (name) => closed(text, name),
    ontext: (piece) => wrote(text, piece),
  });
  parser.end(html);
  return text.parts.join("").trim();
}

function opened(text: Collecting, name: string): void {
  if (SKIPPED.has(name)) text.skipping++;
  if (name === "pre") text.preformatted++;
  edge(text, name);
  if (name === "li") add(text, "- ");
}

function closed(text: Collecting, name: string): void {
  if (SKIPPED.has(name)) text.skipping--;
  if (name === "pre") text.preformatted--;
  if (name !== "br") edge(text, name);
}

function wrote(text: Collecting, piece: string): void {
  if (text.skipping > 0 || piece === "") return;
  if (text.preformatted > 0) {
    add(text, piece);
    return;
  }
  const plain = piece.replace(/\s+/g, " ");
  if (plain.startsWith(" ")) text.blank = true;
  if (plain === " ") return;
  add(text, plain.trim());
  text.blank = plain.endsWith(" ");
}

function add(text: Collecting, piece: string): void {
  if (text.breaks > 0) text.parts.push("\n".repeat(text.breaks));
  else if (text.blank) text.parts.push(" ");
  text.parts.push(piece);
  text.breaks = 0;
  text.blank = false;
}

function edge(text: Collecting, name: string): void {
  if (CELLS.has(name)) text.blank = true;
  text.breaks = Math.max(text.breaks, PARAGRAPHS.has(name) ? 2 : LINES.has(name) ? 1 : 0);
}
