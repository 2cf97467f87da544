/** Renders foreign text as HTML: Markdown without HTML, images or scripts, and code with syntax colours. */

import type { HLJSApi, Language as HljsLanguage } from "highlight.js";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import python from "highlight.js/lib/languages/python";
import shell from "highlight.js/lib/languages/shell";
import typescript from "highlight.js/lib/languages/typescript";
import yaml from "highlight.js/lib/languages/yaml";
import markdownIt from "markdown-it";
import nunjucks from "nunjucks";

/** HTML that a template inserts unescaped. */
export type Html = InstanceType<typeof nunjucks.runtime.SafeString>;

/** A token of Markdown. */
type MarkdownToken = ReturnType<ReturnType<typeof markdownIt>["parse"]>[number];

/** A language with syntax colours; `signature` is the part of TypeScript that types and calls need. */
export type ColouredLanguage = "bash" | "json" | "python" | "signature" | "typescript";

/** Renders text as HTML; markup in the text is escaped. */
export interface Renderer {
  /** Markdown of several lines. */
  readonly block: (text: string) => Html;
  /** Markdown within a line. */
  readonly inline: (text: string) => Html;
  /** A block of code. */
  readonly code: (text: string, language: ColouredLanguage) => Html;
}

/**
 * Invisible characters: they change the writing direction, have no width, or move the cursor of a terminal. Joiners, direction
 * marks and the signs of Arabic numbers are excluded, since languages need them.
 */
// biome-ignore lint/complexity/useRegexLiterals: TypeScript takes the flag `v` in a literal for ES2024 only.
const INVISIBLE = new RegExp(String.raw`[[\p{Cc}\p{Cf}]--[\t\n\r\u0600-\u0605\u06dd\u200c-\u200f]]`, "gv");

/** A text in which each such character is shown as its number, `⟨U+202E⟩`. */
export const withVisibleMarks = (text: string): string =>
  text.replace(INVISIBLE, (one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

/** A string of JSON or TypeScript. One without an end ends with its line: otherwise each quote in it would be tried as the beginning of a string. */
const STRING = { scope: "string", match: /"(?:\\.|[^\\"\n])*"?/ } as const;

/**
 * JSON, with comments. The library's own grammar puts each bracket and comma into an element, too, which have no colour here and would be half of a page with
 * schemas.
 */
const json = ({ C_LINE_COMMENT_MODE, C_BLOCK_COMMENT_MODE }: HLJSApi): HljsLanguage => ({
  name: "JSON",
  aliases: ["jsonc", "json5"],
  contains: [
    { scope: "attr", match: /"(?:\\.|[^\\"\n])*"(?=\s*:)/ },
    STRING,
    { scope: "literal", match: /\b(?:true|false|null)\b/ },
    { scope: "number", match: /-?\b(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|Infinity)\b/ },
    C_LINE_COMMENT_MODE,
    C_BLOCK_COMMENT_MODE,
  ],
});

/** Types and calls in TypeScript. The library's grammar of the whole language takes six times as long, and every op has a signature and examples. */
const signature = (): HljsLanguage => ({
  name: "TypeScript",
  keywords: {
    keyword: ["await", "const", "import", "from", "new"],
    literal: ["true", "false", "null", "undefined"],
    built_in: ["any", "boolean", "never", "number", "object", "string", "unknown", "void"],
  },
  contains: [
    { scope: "attr", match: /(?<![\w$])[\w$]+(?=\??: )|"(?:\\.|[^\\"\n])*"(?=\??: )/ },
    STRING,
    { scope: "number", match: /-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/ },
    { scope: "title.function", match: /(?<![\w$])[\w$]+(?=\()/ },
    { scope: "title.class", match: /(?<![\w$])[A-Z][\w$]*(?=<)/ },
  ],
});

const LANGUAGES = { bash, json, python, shell, signature, typescript, yaml };
/** Longest code that is coloured, in characters; in longer code, the markup would be most of the page. */
const MAX_COLOURED_LENGTH = 20_000;
/** A word so long that colouring takes quadratic time. */
const LONG_WORD = /[\w$]{500}/;
/** Deepest nesting of lists and quotes that is rendered. */
const MAX_MARKDOWN_DEPTH = 12;
const HEADING = "heading";

/** Code with syntax colours as HTML; undefined for a language that is not known, and for code that is too long. */
export type SyntaxColouring = (text: string, language: string) => string | undefined;

/** Makes a function that colours code. */
export function createColours(): SyntaxColouring {
  const colours = hljs.newInstance();
  for (const [name, language] of Object.entries(LANGUAGES)) colours.registerLanguage(name, language);
  return (text, language) =>
    text.length <= MAX_COLOURED_LENGTH && !LONG_WORD.test(text) && colours.getLanguage(language)
      ? colours.highlight(text, { language, ignoreIllegals: true }).value
      : undefined;
}

/** Makes a renderer. */
export function createRenderer(coloured: SyntaxColouring = createColours()): Renderer {
  const markdown = markdownFor((text, language) => coloured(text, language) ?? "");
  const { escapeHtml } = markdown.utils;
  const safe = (html: string): Html => new nunjucks.runtime.SafeString(html);
  return {
    block: (text) => safe(markdown.render(text)),
    inline: (text) => safe(markdown.renderInline(text.replace(/\s+/g, " ").trim())),
    code: (text, language) => safe(`<pre><code>${coloured(text, language) ?? escapeHtml(text)}</code></pre>`),
  };
}

function markdownFor(highlight: (text: string, language: string) => string): ReturnType<typeof markdownIt> {
  const markdown = markdownIt({ html: false, linkify: false, maxNesting: MAX_MARKDOWN_DEPTH * 5, highlight });
  markdown.disable(["html_inline", "html_block", "image"]);
  markdown.validateLink = (url) => /^https?:\/\//i.test(url);
  const { rules } = markdown.renderer;
  // Headings in foreign text must not be headings of the page.
  rules[`${HEADING}_open`] = () => '<p class="heading">';
  rules[`${HEADING}_close`] = () => "</p>\n";
  rules["table_open"] = () => '<table class="foreign">\n';
  rules["link_open"] = (tokens, at, options, _env, self) => {
    tokens[at]?.attrSet("rel", "nofollow noopener noreferrer");
    return self.renderToken(tokens, at, options);
  };
  markdown.core.ruler.push("plain_cells", ({ tokens }) => plainCells(tokens));
  return markdown;
}

/**
 * Changes the cells of Markdown tables in place: alignment would need inline styles, and a heading without text, which a
 * screen reader reads as nothing, is an ordinary cell.
 */
export function plainCells(tokens: readonly MarkdownToken[]): void {
  for (const [at, token] of tokens.entries()) {
    token.attrs = token.attrs?.filter(([name]) => name !== "style") ?? null;
    const [text, close] = [tokens[at + 1], tokens[at + 2]];
    if (token.type !== "th_open" || text?.content.trim() !== "" || !close) continue;
    token.tag = "td";
    close.tag = "td";
  }
}
