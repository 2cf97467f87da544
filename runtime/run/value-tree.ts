/**
 * A result in JSON's types that keeps facts which a JavaScript object would lose: `1.0`, long integers, the order of
 * keys.
 */

import type { Data } from "./languages/language.js";
import { wellFormed } from "./text-repr.js";

/** A value that JSON and YAML can represent. */
export type Tree =
  | { readonly kind: "text"; readonly text: string }
  /** A number, true, false or null, in JSON syntax. */
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly Tree[] }
  | { readonly kind: "map"; readonly entries: ReadonlyMap<string, Tree> };

const NULL: Tree = { kind: "literal", text: "null" };
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const text = (value: string): Tree => ({ kind: "text", text: wellFormed(value) });
const literal = (value: string): Tree => ({ kind: "literal", text: value });

/** Replaces values that nest too deeply. */
const TOO_DEEP = text("...");

/**
 * Converts a value to JSON's types; deeper values than `depth` become `"..."`.
 *
 * @param str - the text of a value, as the language writes it: of keys, and for the order of sets
 */
export function treeOf(value: Data, depth: number, str: (value: Data) => string): Tree {
  if (value === null) return NULL;
  if (typeof value === "string") return text(value);
  if (typeof value !== "object") return numeric(String(value));
  if (value instanceof Uint8Array) return text(Buffer.from(value).toString("base64"));
  if ("$" in value && "text" in value)
    return value.$ === "float" || value.$ === "timedelta" ? numeric(value.text) : text(value.text);
  if (depth <= 0) return TOO_DEEP;
  const list = (items: readonly Data[]): Tree => ({
    kind: "list",
    items: items.map((item) => treeOf(item, depth - 1, str)),
  });
  if (!("$" in value)) return list(value);
  if (value.$ === "dict")
    return {
      kind: "map",
      entries: new Map(
        value.entries.map(([key, item]) => [wellFormed(keyText(key, str)), treeOf(item, depth - 1, str)]),
      ),
    };
  return list(value.$ === "set" ? sorted(value.items, str) : value.items);
}

/** A number or boolean as a literal; NaN, infinities and other text become null. */
function numeric(value: string): Tree {
  if (value === "true" || value === "false" || NUMBER.test(value)) return literal(value);
  return Number.isFinite(Number(value)) && value.trim() !== "" ? literal(String(Number(value))) : NULL;
}

function keyText(key: Data, str: (value: Data) => string): string {
  if (key === null || typeof key === "boolean") return String(key);
  return str(key);
}

/** Sorts the members of a set: numbers by size, texts by code point, any mixture by text. */
function sorted(items: readonly Data[], str: (value: Data) => string): readonly Data[] {
  if (items.every((item) => sizeOf(item) !== undefined))
    return [...items].sort((a, b) => (sizeOf(a) ?? 0) - (sizeOf(b) ?? 0));
  return [...items].sort((a, b) => Buffer.compare(Buffer.from(str(a)), Buffer.from(str(b))));
}

function sizeOf(value: Data): number | undefined {
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return Number(value);
  if (value === null || typeof value !== "object" || !("$" in value) || value.$ !== "float") return undefined;
  return FLOATS.get(value.text) ?? Number(value.text);
}

const FLOATS: ReadonlyMap<string, number> = new Map([
  ["inf", Number.POSITIVE_INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
  ["nan", 0],
]);

interface Open {
  readonly items: Tree[];
  readonly entries: Map<string, Tree> | undefined;
  key: string | undefined;
  readonly isTooDeep: boolean;
}

/**
 * Parses JSON text; undefined if it is invalid. Of equal keys the last one counts. Uses its own stack, so that any
 * depth is possible.
 */
export function treeOfJson(json: string, depth: number): Tree | undefined {
  try {
    JSON.parse(json);
  } catch {
    return undefined;
  }
  const root: Open = { items: [], entries: undefined, key: undefined, isTooDeep: false };
  const open = [root];
  for (const token of tokens(json)) take(token, open, root, depth);
  return root.items[0];
}

/** Adds one token to the open list or object. */
function take(token: string, open: Open[], root: Open, depth: number): void {
  const holder = open.at(-1) ?? root;
  if (token === "{" || token === "[") {
    const entries = token === "{" ? new Map<string, Tree>() : undefined;
    open.push({ items: [], entries, key: undefined, isTooDeep: open.length > depth });
  } else if (token === "}" || token === "]") {
    const done = closed(open.pop() ?? root);
    put(open.at(-1) ?? root, done);
  } else if (!token.startsWith('"')) put(holder, literal(token));
  else if (holder.entries && holder.key === undefined) holder.key = wellFormed(JSON.parse(token) as string);
  else put(holder, text(JSON.parse(token) as string));
}

function closed({ items, entries, isTooDeep }: Open): Tree {
  if (isTooDeep) return TOO_DEEP;
  return entries ? { kind: "map", entries } : { kind: "list", items };
}

function put(holder: Open, tree: Tree): void {
  if (holder.isTooDeep) holder.key = undefined;
  else if (holder.entries) holder.entries.set(holder.key ?? "", tree);
  else holder.items.push(tree);
  holder.key = undefined;
}

/** The tokens of valid JSON, without commas, colons and white space. */
function* tokens(json: string): Generator<string> {
  const scalar = /[^\s,:[\]{}"]+/y;
  for (let at = 0; at < json.length; ) {
    const one = json[at] ?? "";
    if (one === '"') {
      const end = endOfText(json, at);
      yield json.slice(at, end);
      at = end;
    } else if ("[]{}".includes(one)) {
      yield one;
      at++;
    } else {
      scalar.lastIndex = at;
      const found = scalar.exec(json)?.[0];
      if (found) yield found;
      at += found?.length ?? 1;
    }
  }
}

function endOfText(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === "\\") at++;
    else if (json[at] === '"') return at + 1;
  }
  return json.length;
}

/** JSON of a tree: compact, or with an indentation. */
export function treeJson(tree: Tree, indent = 0, margin = "\n"): string {
  if (tree.kind === "text") return JSON.stringify(tree.text);
  if (tree.kind === "literal") return tree.text;
  const inner = indent > 0 ? margin + " ".repeat(indent) : "";
  const parts =
    tree.kind === "list"
      ? tree.items.map((item) => treeJson(item, indent, inner))
      : [...tree.entries].map(
          ([key, item]) => `${JSON.stringify(key)}:${indent > 0 ? " " : ""}${treeJson(item, indent, inner)}`,
        );
  const [start, end] = tree.kind === "list" ? "[]" : "{}";
  if (parts.length === 0) return `${start}${end}`;
  return `${start}${inner}${parts.join(`,${inner}`)}${indent > 0 ? margin : ""}${end}`;
}
