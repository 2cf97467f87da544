/** Parses the call of a snippet, `$name key=value`, to its name and parameters. */

import { countUpTo } from "./count.js";
import { type TextFault, textFault } from "./fault.js";

/** A call of a snippet. */
export interface SnippetCall {
  readonly kind: "call";
  readonly name: string;
  readonly values: ReadonlyMap<string, string>;
}

/** A failure to call or render a snippet. */
export const snippetFault = (message: string, ...hints: readonly string[]): TextFault =>
  textFault("SnippetError", message, ...hints);

/** Whether a command calls a snippet; `${` does not. */
export function isSnippet(command: string): boolean {
  const text = command.trimStart();
  return text.startsWith("$") && !text.startsWith("${");
}

/** Parses a call; its parameters are checked against the snippet later. */
export function readSnippetCall(command: string): SnippetCall | TextFault {
  const [first = "", ...lines] = command.trim().split(/\r\n|\n|\r/);
  const name = /^\$(\S*)/.exec(first)?.[1] ?? "";
  if (!/^\w+$/.test(name)) return snippetFault(`invalid snippet name '${shortenedName(name)}'`);
  const pairs = [...inLine(first.slice(name.length + 1).trim()), ...perLine(lines)];
  const values = new Map<string, string>();
  for (const pair of pairs) {
    if ("wrong" in pair) return snippetFault(`snippet '$${shortenedName(name)}': ${pair.wrong}`, FORM);
    if (values.has(pair.key))
      return snippetFault(`snippet '$${shortenedName(name)}' got parameter '${shortenedName(pair.key)}' twice`);
    values.set(pair.key, pair.value);
  }
  return { kind: "call", name, values };
}

/** Longest name in an error, in characters. */
const MAX_ECHO = 100;

/** Shortens a name for an error. */
export const shortenedName = (name: string): string =>
  name.length > MAX_ECHO ? `${name.slice(0, MAX_ECHO)}...` : name;

const FORM = 'Write $name key=value key2="two words", or one "key: value" a line.';

type Pair = { readonly key: string; readonly value: string } | { readonly wrong: string };

/** Parses `a=1 b="two words"`: a value extends to the next ` key=`. */
function inLine(text: string): readonly Pair[] {
  const pairs: Pair[] = [];
  const endOf = new Map<string, readonly number[]>(['"', "'"].map((quote) => [quote, quoteEnds(text, quote)]));
  const nexts = Array.from(text.matchAll(/\s\w+=/g), ({ index }) => index);
  for (let at = 0; at < text.length; ) {
    const key = keyAt(text, at);
    if (key === undefined) return [...pairs, { wrong: `'${text.slice(at, at + 40)}' belongs to no parameter` }];
    const start = at + key.length + 1;
    const ends = endOf.get(text[start] ?? "") ?? [];
    const quoteEnd = ends[countUpTo(ends, start)];
    const end = quoteEnd === undefined ? (nexts[countUpTo(nexts, start - 1)] ?? text.length) : quoteEnd + 1;
    const pair = pairOf(key, text.slice(start, end).trimEnd(), quoteEnd !== undefined);
    pairs.push(pair);
    if ("wrong" in pair) return pairs;
    at = end;
    while (/\s/.test(text[at] ?? "")) at++;
  }
  return pairs;
}

/** A parameter and its value, which may be quoted. */
function pairOf(key: string, value: string, isInQuotes: boolean): Pair {
  if (isInQuotes) return { key, value: value.slice(1, -1) };
  if (/\s=/.test(value)) return { wrong: `'${value.slice(0, 40)}' has a space before '='` };
  return { key, value: value.replaceAll("\\=", "=") };
}

/** The name before the `=` of a parameter that starts here. */
function keyAt(text: string, at: number): string | undefined {
  const key = /\w+(?==)/y;
  key.lastIndex = at;
  return key.exec(text)?.[0];
}

/** Possible ends of a quoted value: a quote before white space, or at the end. */
const quoteEnds = (text: string, quote: string): readonly number[] =>
  Array.from(text.matchAll(quote === '"' ? /"(?=\s|$)/g : /'(?=\s|$)/g), ({ index }) => index);

/** Whether the whole value is quoted. */
const isQuoted = (text: string): boolean => {
  const [quote = ""] = text;
  return text.length > 1 && (quote === '"' || quote === "'") && quoteEnds(text.slice(1), quote)[0] === text.length - 2;
};

/** Parses `key: value` on every line, up to an empty one. */
function perLine(lines: readonly string[]): readonly Pair[] {
  const end = lines.findIndex((line) => line.trim() === "");
  const rest = end < 0 ? [] : lines.slice(end).filter((line) => line.trim() !== "");
  const pairs = lines.slice(0, end < 0 ? lines.length : end).map((line): Pair => {
    const [, key, text = ""] = /^\s*(\w+)\s*:(.*)$/.exec(line) ?? [];
    if (key === undefined) return { wrong: `'${line.trim().slice(0, 40)}' is not 'key: value'` };
    const value = text.trim();
    return { key, value: isQuoted(value) ? value.slice(1, -1) : value };
  });
  const [extra] = rest;
  return extra === undefined
    ? pairs
    : [...pairs, { wrong: `'${extra.trim().slice(0, 40)}' stands after the empty line that ends the list` }];
}
