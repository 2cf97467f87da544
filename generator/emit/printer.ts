/** Prints generated text. Hostile text is escaped here, and only here: what goes in comes out as the same value. */

import { onLine, onLines } from "toolwright/codegen";

/** How wide a line of generated JSON may grow before a list or an object is broken over lines. */
const WIDTH = 120;
/** Characters of a list or an object that holds nothing: there is nothing to break over lines. */
const EMPTY = 2;

/** JSON for people: what fits on a line stays on one, everything else is broken; ends with a newline. */
export function prettyJson(value: unknown, width = WIDTH): string {
  const parts: string[] = [];
  pretty(value, "", 0, { width, lines: new Map(), parts });
  parts.push("\n");
  return plain(parts.join(""));
}

interface Printing {
  readonly width: number;
  /** Lists and objects on one line each, undefined where that is wider than any line may be. */
  readonly lines: Map<object, string | undefined>;
  /** The text so far: texts joined level by level would copy each value once a level. */
  readonly parts: string[];
}

function pretty(value: unknown, indent: string, taken: number, printing: Printing): void {
  const { width, parts } = printing;
  const line = onOneLine(value, printing);
  const room = Math.max(EMPTY, width - indent.length - taken);
  if (typeof value !== "object" || value === null || (line !== undefined && line.length <= room)) {
    parts.push(line ?? "null");
    return;
  }
  const list = Array.isArray(value);
  const deeper = `${indent}  `;
  let separator = list ? "[\n" : "{\n";
  const add = (head: string, member: unknown): void => {
    parts.push(separator, deeper, head);
    separator = ",\n";
    pretty(member, deeper, head.length + 1, printing);
  };
  if (list) for (const member of value) add("", member);
  else
    for (const [key, member] of Object.entries(value))
      if (member !== undefined) add(`${JSON.stringify(key)}: `, member);
  parts.push("\n", indent, list ? "]" : "}");
}

/** A value on one line; undefined for a list or an object that is wider than a line: then its rest is not even looked at. */
function onOneLine(value: unknown, printing: Printing): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const { lines } = printing;
  if (!lines.has(value))
    lines.set(value, Array.isArray(value) ? listLine(value, printing) : objectLine(value, printing));
  return lines.get(value);
}

function listLine(list: readonly unknown[], printing: Printing): string | undefined {
  let text = "[";
  for (const member of list) {
    const line = onOneLine(member, printing);
    if (line === undefined || text.length + line.length > printing.width) return undefined;
    text += text.length > 1 ? `, ${line}` : line;
  }
  return `${text}]`;
}

function objectLine(object: object, printing: Printing): string | undefined {
  let text = "{";
  for (const [key, member] of Object.entries(object)) {
    if (member === undefined) continue;
    const line = onOneLine(member, printing);
    if (line === undefined || text.length + line.length > printing.width) return undefined;
    text += `${text.length > 1 ? ", " : " "}${JSON.stringify(key)}: ${line}`;
  }
  return text.length > 1 ? `${text} }` : "{}";
}

/** The beginning of a text, at most `length` long; a pair of surrogates is not torn apart. */
export const beginning = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\ud800-\udbff]$/, "");

/** A JSON value as a JavaScript literal that is also safe where U+2028 ends a line. */
export const jsLiteral = (value: unknown): string => plain(JSON.stringify(value) ?? "null");

/** JSON that reads as what it is: what JSON may leave as it stands, but ends a line elsewhere or turns the direction of writing, is escaped. */
const plain = (json: string): string => json.replace(/[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu, onLine);

/** A text as a double-quoted JavaScript string. */
export const jsString = (text: string): string => jsLiteral(text);

/** A property key: bare where it is an identifier. */
export const propertyKey = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : jsString(name));

/** Text for inside a block comment: it cannot end the comment, nor turn the direction of what follows. */
export const inComment = (text: string): string => onLines(text.replaceAll("*/", "*\\/"));

/** A JSDoc block, each line of the text on a line of its own. */
export function docComment(lines: readonly string[], indent = ""): string {
  const body = lines
    .flatMap((line) => inComment(line).split(/\r\n|[\n\r]/))
    .map((line) => `${indent} *${line.trim() === "" ? "" : ` ${line.trimEnd()}`}`);
  return `${indent}/**\n${body.join("\n")}\n${indent} */\n`;
}

/** `  // @generated …`: names what it was made from; no date, version or absolute path. */
export const header = (mark: string, sources: readonly string[]): string => `${mark} ${provenance(sources)}\n`;

/** The same for Markdown: a comment that the names of files cannot end. It stands last, where it disturbs no reader. */
export const htmlMark = (sources: readonly string[]): string =>
  `<!-- ${provenance(sources).replaceAll("--", "- -")} -->`;

function provenance(sources: readonly string[]): string {
  const from = sources.length > 4 ? "definitions/" : sources.join(", ");
  return `@generated by toolwright from ${from.replace(/[\r\n\u2028\u2029]/g, " ")}. Do not edit: toolwright generate`;
}

/** Marks that mean something in Markdown; an underscore inside a word and an ampersand that begins no entity do not. */
const MARKS = /[\\`*{}[\]<>|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=#?\w+;)/g;
const ENTITIES: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;" };
/** What would make a line a heading, or the line above it. */
const HEADING = /^(\s*)(#{1,6}(?=\s|$)|[-+=]+(?=\s*$))/;

/** Escapes text for Markdown: it reads as itself, lists apart; it makes no heading, opens no link and no HTML. */
export function inMarkdown(text: string): string {
  return text
    .replace(MARKS, (mark) => ENTITIES[mark] ?? `\\${mark}`)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) =>
      line
        .replace(HEADING, "$1\\$2")
        .replace(/^( {4,}|\t+)/, "")
        .trimEnd(),
    )
    .join("\n");
}

/** A code span that holds any text: the fence is longer than any run of back-ticks inside. */
export function inCode(text: string): string {
  const plain = text.replace(/[\r\n\u2028\u2029]+/g, " ");
  const longest = Math.max(0, ...(plain.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest > 0 ? `${fence} ${plain} ${fence}` : `${fence}${plain}${fence}`;
}

/** A fenced block that holds any text. */
export function inFence(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
