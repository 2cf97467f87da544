/** `$name key=value`: the call of a snippet, read into its name and parameters (`run.md` 4). */

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

/** Whether a command calls a snippet. `${` does not. */
export function isSnippet(command: string): boolean {
  const text = command.trimStart();
  return text.startsWith("$") && !text.startsWith("${");
}

/** Reads a call; its parameters are checked against the snippet elsewhere. */
export function readSnippetCall(command: string): SnippetCall | TextFault {
  const [first = "", ...lines] = command.trim().split(/\r\n|\n|\r/);
  const name = /^\$(\S*)/.exec(first)?.[1] ?? "";
  if (!/^\w+$/.test(name)) return snippetFault(`invalid snippet name '${name}'`);
  const pairs = [...inLine(first.slice(name.length + 1).trim()), ...perLine(lines)];
  const values = new Map<string, string>();
  for (const pair of pairs) {
    if ("wrong" in pair) return snippetFault(`snippet '$${name}': ${pair.wrong}`, FORM);
    if (values.has(pair.key)) return snippetFault(`snippet '$${name}' got parameter '${pair.key}' twice`);
    values.set(pair.key, pair.value);
  }
  return { kind: "call", name, values };
}

const FORM = 'Write $name key=value key2="two words", or one "key: value" a line.';

type Pair = { readonly key: string; readonly value: string } | { readonly wrong: string };

/** `a=1 b="two words"`: a value runs to the next ` key=`. */
function inLine(text: string): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let rest = text; rest !== ""; ) {
    const key = /^(\w+)=/.exec(rest)?.[1];
    if (key === undefined) return [...pairs, { wrong: `'${rest.slice(0, 40)}' belongs to no parameter` }];
    const after = rest.slice(key.length + 1);
    const quoted = quotedLength(after);
    const length = quoted ?? plainLength(after);
    const value = after.slice(0, length).trimEnd();
    if (quoted === undefined && /\s=/.test(value))
      return [...pairs, { wrong: `'${value.slice(0, 40)}' has a space before '='` }];
    pairs.push({ key, value: quoted === undefined ? value.replaceAll("\\=", "=") : value.slice(1, -1) });
    rest = after.slice(length).trimStart();
  }
  return pairs;
}

/** Length of a value in quotes that ends where they do. */
function quotedLength(text: string): number | undefined {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return undefined;
  for (let at = text.indexOf(quote, 1); at > 0; at = text.indexOf(quote, at + 1))
    if (at + 1 === text.length || /\s/.test(text[at + 1] ?? "")) return at + 1;
  return undefined;
}

function plainLength(text: string): number {
  const next = /\s\w+=/.exec(text);
  return next ? next.index : text.length;
}

/** `key: value` on every line, up to an empty one. */
function perLine(lines: readonly string[]): readonly Pair[] {
  const end = lines.findIndex((line) => line.trim() === "");
  const rest = end < 0 ? [] : lines.slice(end).filter((line) => line.trim() !== "");
  const pairs = lines.slice(0, end < 0 ? lines.length : end).map((line): Pair => {
    const [, key, text = ""] = /^\s*(\w+)\s*:(.*)$/.exec(line) ?? [];
    if (key === undefined) return { wrong: `'${line.trim().slice(0, 40)}' is not 'key: value'` };
    const value = text.trim();
    return { key, value: quotedLength(value) === value.length && value.length > 1 ? value.slice(1, -1) : value };
  });
  const [extra] = rest;
  return extra === undefined
    ? pairs
    : [...pairs, { wrong: `'${extra.trim().slice(0, 40)}' stands after the empty line that ends the list` }];
}
