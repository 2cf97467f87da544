/**
 * Renders a guide as HTML: Markdown with front matter, footnotes, anchors at its headings, links to other guides and ops, and the few
 * HTML elements that Markdown has no sign for.
 */

/// <reference path="./markdown-it-footnote.d.ts" />

import GithubSlugger, { slug } from "github-slugger";
import markdownIt from "markdown-it";
import footnotes from "markdown-it-footnote";
import nunjucks from "nunjucks";
import { withoutFrontMatter } from "./front-matter.js";
import { type Html, plainCells, type SyntaxColouring } from "./text.js";

type Markdown = ReturnType<typeof markdownIt>;
type Token = ReturnType<Markdown["parse"]>[number];

/** A part of a guide under a heading; the part before the first heading has no title. */
export interface GuideSection {
  readonly title: string;
  /** Anchor of the heading. */
  readonly id: string;
  readonly level: number;
  /** What the part says, as plain text. */
  readonly text: string;
}

/** What a link in a guide leads to: an address, or nothing that the site shows, or a fault. */
export type LinkTarget = { readonly href: string } | { readonly fault: string } | undefined;

/** A guide that is read and can be rendered. */
export interface ParsedGuide {
  readonly title: string;
  /** Whether its text has the title as a heading. */
  readonly hasTitle: boolean;
  /** Its first paragraph as plain text. */
  readonly about: string;
  readonly sections: readonly GuideSection[];
  /** Local links, with the line that holds them. */
  readonly links: readonly { readonly href: string; readonly line: number }[];
  /** HTML elements that are not closed, or closed and not open. */
  readonly faults: readonly { readonly line: number; readonly message: string }[];
  readonly html: (targetOf: (href: string) => LinkTarget, opAddress: (name: string) => string | undefined) => Html;
  /** The same without the title and the first paragraph. */
  readonly rest: ParsedGuide["html"];
}

/** Folder of the guides on the site. */
export const GUIDES = "guides";

/** A guide with its place on the site. */
export interface Guide {
  /** Path from the folder of the guides. */
  readonly file: string;
  /** Its folder on the site. */
  readonly folder: string;
  /** The folder that holds it, as a heading; empty at the top. */
  readonly group: string;
  readonly title: string;
  readonly about: string;
  readonly sections: readonly GuideSection[];
  readonly text: string;
  readonly parsed: ParsedGuide;
}

/** Elements that a guide may contain, without attributes. */
const ELEMENTS = "table thead tbody tr th td details summary kbd sub sup br";
const ALLOWED = new RegExp(`^<(/?)(${ELEMENTS.replaceAll(" ", "|")})\\s*/?>$`, "i");

/** Reads a guide; `name` is its title if neither front matter nor a heading gives one. */
export function parseGuide(text: string, name: string, colours: SyntaxColouring): ParsedGuide {
  const markdown = guideMarkdown(colours);
  const front = withoutFrontMatter(text);
  const tokens = markdown.parse(front.body, {});
  const sections = sectionsOf(tokens);
  const title = sections.find((one) => one.level === 1)?.title;
  const first = tokens.findIndex((one) => one.type === "paragraph_open" && one.level === 0);
  return {
    title: front.title ?? title ?? name,
    hasTitle: title !== undefined,
    about: front.description ?? plain(tokens[first + 1]).replace(/:$/, "."),
    sections,
    links: linksOf(tokens),
    faults: elementFaults(tokens),
    html: (targetOf, opAddress) => render(markdown, front.body, targetOf, opAddress),
    rest: (targetOf, opAddress) => render(markdown, front.body, targetOf, opAddress, withoutOpening),
  };
}

/** Parts by their headings; sets the anchor of each heading token, as GitHub makes it. */
function sectionsOf(tokens: readonly Token[]): readonly GuideSection[] {
  const sections: (GuideSection & { texts: string[] })[] = [{ title: "", id: "", level: 0, text: "", texts: [] }];
  const slugger = new GithubSlugger();
  for (const [at, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const title = plain(tokens[at + 1]);
      const id = slugger.slug(slug(title) === "" ? "section" : title);
      token.attrSet("id", id);
      sections.push({ title, id, level: Number(token.tag.slice(1)), text: "", texts: [] });
    } else if (token.type === "inline" && tokens[at - 1]?.type !== "heading_open")
      sections.at(-1)?.texts.push(plain(token));
  }
  return sections.map(({ texts, ...one }) => ({ ...one, text: texts.join(" ") }));
}

/** Text of an inline token, without marks. */
const plain = (token: Token | undefined): string =>
  (token?.children ?? [])
    .map((one) =>
      one.type === "softbreak" || one.type === "hardbreak"
        ? " "
        : /^(text|code_inline)$/.test(one.type)
          ? one.content
          : "",
    )
    .join("")
    .trim();

const hrefOf = (token: Token): string => String(token.attrGet("href") ?? "");

const isLocal = (href: string): boolean => !/^[a-z][a-z\d+.-]*:/i.test(href) && !href.startsWith("//");

function linksOf(tokens: readonly Token[]): ParsedGuide["links"] {
  return tokens.flatMap((token) =>
    (token.children ?? [])
      .filter((one) => one.type === "link_open")
      .map((one) => ({ href: hrefOf(one), line: (token.map?.[0] ?? 0) + 1 }))
      .filter(({ href }) => isLocal(href)),
  );
}

/** Pieces of raw HTML in a guide: elements that are allowed, and everything else as text. */
const piecesOf = (html: string): readonly string[] =>
  html.replace(/<!--[\s\S]*?(?:-->|$)/g, "").match(/<[^<>]*>|[^<]+|</g) ?? [];

/** Tags of allowed elements in a guide, with their line. */
const tagsOf = (
  tokens: readonly Token[],
): readonly { readonly close: boolean; readonly name: string; readonly line: number }[] =>
  tokens.flatMap((block) =>
    [block, ...(block.children ?? [])]
      .filter(({ type }) => type.startsWith("html_"))
      .flatMap(({ content }) => piecesOf(content))
      .flatMap((piece) => {
        const [, slash, name = ""] = ALLOWED.exec(piece) ?? [];
        return name === "" ? [] : [{ close: slash === "/", name: name.toLowerCase(), line: (block.map?.[0] ?? 0) + 1 }];
      }),
  );

function elementFaults(tokens: readonly Token[]): ParsedGuide["faults"] {
  const faults: { line: number; message: string }[] = [];
  const open: { name: string; line: number }[] = [];
  for (const { close, name, line } of tagsOf(tokens).filter((one) => one.name !== "br")) {
    if (!close) open.push({ name, line });
    else if (open.at(-1)?.name === name) open.pop();
    else faults.push({ line, message: `</${name}> closes nothing: open it before, or remove it` });
  }
  const unclosed = open.map(({ name, line }) => ({
    line,
    message: `<${name}> is not closed: close it with </${name}>`,
  }));
  return [...faults, ...unclosed];
}

function render(
  markdown: Markdown,
  text: string,
  targetOf: (href: string) => LinkTarget,
  opAddress: (name: string) => string | undefined,
  part: (tokens: Token[]) => Token[] = (tokens) => tokens,
): Html {
  const all = markdown.parse(text, {});
  sectionsOf(all);
  const tokens = part(all);
  for (const token of tokens) if (token.children) token.children = linked(token.children, targetOf, opAddress);
  return new nunjucks.runtime.SafeString(markdown.renderer.render(tokens, markdown.options, {}));
}

/** The tokens after the title and the first paragraph, where a guide begins with them. */
function withoutOpening(tokens: Token[]): Token[] {
  const first = tokens[0]?.type === "heading_open" && tokens[0].tag === "h1" ? 3 : 0;
  return tokens.slice(tokens[first]?.type === "paragraph_open" ? first + 3 : first);
}

/** Inline tokens with the links of the site; a link that the site cannot follow is text, and the name of an op is a link. */
function linked(
  tokens: Token[],
  targetOf: (href: string) => LinkTarget,
  opAddress: (name: string) => string | undefined,
): Token[] {
  const open: boolean[] = [];
  return tokens.flatMap((token): Token[] => {
    if (token.type === "link_open") {
      open.push(leads(token, targetOf));
      return open.at(-1) ? [token] : [];
    }
    if (token.type === "link_close") return open.pop() ? [token] : [];
    const address = token.type === "code_inline" && open.length === 0 ? opAddress(token.content) : undefined;
    return address === undefined ? [token] : around(token, address);
  });
}

/** Gives a link its address on the site; false if it has none. */
function leads(token: Token, targetOf: (href: string) => LinkTarget): boolean {
  const href = hrefOf(token);
  if (!isLocal(href)) {
    token.attrSet("rel", "noopener noreferrer");
    return true;
  }
  const target = targetOf(href);
  if (!target || "fault" in target) return false;
  token.attrSet("href", target.href);
  return true;
}

function around(token: Token, href: string): Token[] {
  const Made = token.constructor as new (type: string, tag: string, nesting: 1 | -1) => Token;
  const open = new Made("link_open", "a", 1);
  open.attrSet("href", href);
  return [open, token, new Made("link_close", "a", -1)];
}

/** Deepest nesting of lists, quotes and tables in a guide. */
const MAX_GUIDE_DEPTH = 100;

function guideMarkdown(colours: SyntaxColouring): Markdown {
  const highlight = (text: string, language: string): string => colours(text, LANGUAGES[language] ?? language) ?? "";
  const markdown = markdownIt({ html: true, linkify: false, maxNesting: MAX_GUIDE_DEPTH, highlight });
  // As on GitHub: notes with labels only.
  markdown.use(footnotes).disable("footnote_inline");
  const { escapeHtml } = markdown.utils;
  markdown.validateLink = (url) => /^(?:https?:|mailto:)/i.test(url) || isLocal(url);
  const { rules } = markdown.renderer;
  rules["html_block"] = (tokens, at) => allowedHtml(tokens[at]?.content ?? "");
  rules["html_inline"] = (tokens, at) => allowedHtml(tokens[at]?.content ?? "");
  // The site holds text only: an image is what it says.
  rules["image"] = (tokens, at) => escapeHtml(tokens[at]?.content ?? "");
  rules["heading_close"] = (tokens, at) => {
    const [open, text] = [tokens[at - 2], tokens[at - 1]];
    const id = escapeHtml(String(open?.attrGet("id") ?? ""));
    const link = ` <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(plain(text))}">#</a>`;
    return `${open?.tag === "h1" ? "" : link}</${open?.tag}>\n`;
  };
  rules["table_open"] = () => '<div class="scroll" tabindex="0"><table>\n';
  rules["table_close"] = () => "</table></div>\n";
  const fence = rules["fence"];
  rules["fence"] = (tokens, at, options, env, self) => {
    const html = fence?.(tokens, at, options, env, self) ?? "";
    if (tokens[at]?.info.trim() !== "mermaid") return html;
    return `<figure class="diagram"><figcaption>Diagram, in Mermaid</figcaption>\n${html}</figure>\n`;
  };
  markdown.core.ruler.push("plain_cells", ({ tokens }) => {
    plainCells(tokens);
    labelCells(tokens);
  });
  return markdown;
}

/** Fewest columns of a table that a phone shows as a list. */
const MIN_LISTED_COLUMNS = 3;

/** Gives cells of wide tables the heading of their column, which a phone shows beside them. */
function labelCells(tokens: readonly Token[]): void {
  let headings: string[] = [];
  let column = 0;
  for (const [at, { type }] of tokens.entries()) {
    if (type === "table_open") headings = [];
    if (type === "tr_open") column = 0;
    if (type === "th_open") headings.push(plain(tokens[at + 1]));
    if (type === "td_open") labelCell(tokens[at], headings, column++);
  }
}

/** The first cell of a row is the heading of the row, and has an empty label. */
function labelCell(cell: Token | undefined, headings: readonly string[], column: number): void {
  if (headings.length < MIN_LISTED_COLUMNS) return;
  cell?.attrSet("data-label", column === 0 ? "" : (headings[column] ?? ""));
}

/** Languages of fences by the name that guides give them. */
const LANGUAGES: Readonly<Record<string, string>> = { console: "shell", text: "", yml: "yaml" };

/** Raw HTML of a guide with the allowed elements only; everything else is shown as it is written. */
const allowedHtml = (html: string): string =>
  piecesOf(html)
    .map((one) =>
      ALLOWED.test(one)
        ? one
        : one
            .replace(/&(?!#?\w{1,40};)/g, "&amp;")
            .replaceAll("<", "&lt;")
            .replaceAll(">", "&gt;"),
    )
    .join("");
