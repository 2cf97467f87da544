/** Pages designed to exhaust a reader, five million characters each. */

const SIZE = 5_000_000;
const filled = (piece: string): string => piece.repeat(Math.ceil(SIZE / piece.length));
const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `a${index}`).join(" ");

/** By name. */
export const BOMBS: Readonly<Record<string, () => string>> = {
  "nested div": () => `<html><body>${filled("<div>")}deep down`,
  "nested div with classes": () => `${filled('<div class="article content main">')}deep, deep, deep`,
  "nested tables": () => filled("<table><tr><td>"),
  "nested lists": () => filled("<ul><li>x"),
  "nested emphasis": () => filled("<b><i>x"),
  "nested quotes": () => filled("<blockquote>x"),
  "paragraphs in many levels": () =>
    `${"<div class='a b c'>".repeat(300)}${filled("<p>hello, hello, hello, hello, hello</p>")}`,
  "flat paragraphs": () => filled("<p>hello, world, this is a sentence of some length</p>"),
  "one element with attributes": () => `<div ${numbered(500_000)}>text</div>`,
  "elements with attributes": () => filled(`<p ${numbered(200)}>text</p>`),
  "one long attribute": () => `<a href="https://example.com/${filled("x")}">text</a>`,
  "open attribute": () => `<a title="${filled("x ")}`,
  "less-than signs": () => filled("<"),
  ampersands: () => filled("&"),
  entities: () => filled("&amp;"),
  "unmatched ends": () => `${"<i>".repeat(20_000)}${filled("</x>")}`,
  "open comments": () => filled("<!--"),
  "open scripts": () => filled("<script>"),
  "line breaks": () => filled("<br>"),
  blanks: () => `<p>a${filled(" ")}b</p>`,
  "blanks, preformatted": () => `<pre>a${filled(" ")}b</pre>`,
  "one long word": () => `<p>${filled("word")}</p>`,
  "markdown signs": () => `<p>${filled("*_`[#+-1. ")}</p>`,
  links: () => filled("<a href=/x>x</a>"),
  cells: () => `<table><tr><th>h${filled("<td>x|")}`,
  rows: () => `<table><tr><th>h${filled("<tr><td>x")}`,
  titles: () => filled("<title>x</title>"),
  metas: () => filled('<meta name="a" content="b">'),
  commas: () => `<article>${filled("<div>,,,,,,,,,,,,,,,,,,,,</div>")}</article>`,
};
