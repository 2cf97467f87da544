/** Text of other people as HTML: Markdown without HTML, images or scripts, and code with its colours made ahead. */

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import markdownIt from "markdown-it";
import nunjucks from "nunjucks";

/** HTML that a template takes as it is. */
export type Html = InstanceType<typeof nunjucks.runtime.SafeString>;

/** A language whose code has colours. */
export type Language = "bash" | "json" | "python" | "typescript";

/** Makes HTML of text; nothing that goes in comes out as markup of its own. */
export interface Renderer {
  /** Markdown of several lines. */
  readonly block: (text: string) => Html;
  /** Markdown within a line. */
  readonly inline: (text: string) => Html;
  /** A block of code. */
  readonly code: (text: string, language: Language) => Html;
}

/**
 * What is not seen and changes what is: it turns the direction of a text, has no width, or moves a terminal's cursor. Joiners, marks
 * of direction and the signs of Arabic numbers stay, since languages need them.
 */
const UNSEEN = /(?![\t\n\r\u0600-\u0605\u06dd\u200c-\u200f])[\p{Cc}\p{Cf}]/gu;

/** A text in which such a character stands as its number, `⟨U+202E⟩`. */
export const visible = (text: string): string =>
  text.replace(UNSEEN, (one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

const LANGUAGES = { bash, json, python, typescript };
/** Longer code than this stays in one colour: nobody reads it by colour, and its marks would be most of the page. */
const LONGEST_COLOURED = 20_000;
/** A word for which the colours take time that grows with its square. */
const LONG_WORD = /[\w$]{500}/;
/** Lists and quotes within each other that are followed. */
const DEEPEST = 12;
const HEADING = "heading";

/** Makes a renderer. */
export function createRenderer(): Renderer {
  const colours = hljs.newInstance();
  for (const [name, language] of Object.entries(LANGUAGES)) colours.registerLanguage(name, language);
  const coloured = (text: string, language: string): string | undefined =>
    text.length <= LONGEST_COLOURED && !LONG_WORD.test(text) && colours.getLanguage(language)
      ? colours.highlight(text, { language, ignoreIllegals: true }).value
      : undefined;
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
  const markdown = markdownIt({ html: false, linkify: false, maxNesting: DEEPEST * 5, highlight });
  markdown.disable(["html_inline", "html_block", "image"]);
  markdown.validateLink = (url) => /^https?:\/\//i.test(url);
  const { rules } = markdown.renderer;
  // A heading of theirs is no heading of the page.
  rules[`${HEADING}_open`] = () => '<p class="heading">';
  rules[`${HEADING}_close`] = () => "</p>\n";
  rules["table_open"] = () => '<table class="foreign">\n';
  rules["link_open"] = (tokens, at, options, _env, self) => {
    tokens[at]?.attrSet("rel", "nofollow noopener noreferrer");
    return self.renderToken(tokens, at, options);
  };
  // Alignment would need a style of its own.
  markdown.core.ruler.push("no_styles", ({ tokens }) => {
    for (const token of tokens) token.attrs = token.attrs?.filter(([name]) => name !== "style") ?? null;
  });
  return markdown;
}
