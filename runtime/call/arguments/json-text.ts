/** Parses arguments that arrive as text, and finds where the text stops being JSON. */

import { isObject } from "../../contract/json.js";
import { readJson } from "../../contract/read-json.js";
import type { JsonObject } from "../../contract/registry.js";

/** An object, or the position (from 0) and the kind of the fault. */
export type ParsedText =
  | { readonly kind: "object"; readonly value: JsonObject }
  | { readonly kind: "other" }
  | { readonly kind: "repeated"; readonly name: string }
  | { readonly kind: "broken"; readonly position: number };

/** Parses a text that should contain one JSON object. */
export function parseObject(text: string): ParsedText {
  try {
    const value = readJson(text);
    const name = repeatedName(text);
    if (name !== undefined) return { kind: "repeated", name };
    return isObject(value) ? { kind: "object", value } : { kind: "other" };
  } catch {
    return { kind: "broken", position: brokenAt(text) };
  }
}

const TOKEN =
  /[\t\n\r ]*(?:([{}[\]:,])|("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/uy;

/** The first name that an object of a JSON text has twice, so that one of two values would be lost. */
export function repeatedName(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let isName = false;
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const [, mark, string] = TOKEN.exec(text) ?? [];
    if (TOKEN.lastIndex === 0) return undefined;
    const names = open.at(-1);
    if (isName && string !== undefined && names) {
      const name = String(JSON.parse(string));
      if (names.has(name)) return name;
      names.add(name);
    }
    if (mark === "{" || mark === "[") open.push(mark === "{" ? new Set() : undefined);
    if (mark === "}" || mark === "]") open.pop();
    isName = mark === "{" || (mark === "," && open.at(-1) !== undefined);
    at = TOKEN.lastIndex;
  }
  return undefined;
}

/** Tokens that may follow; `end` is the end of the text. */
type Expected = "value" | "first-item" | "key" | "first-key" | "colon" | "next" | "end";

/** Tokens by their first letter: punctuation as it is, `s` a string, `v` any other value. */
const ALLOWED: Readonly<Record<Expected, string>> = {
  value: "{[sv",
  "first-item": "{[sv]",
  key: "s",
  "first-key": "s}",
  colon: ":",
  next: ",}]",
  end: "",
};

type Follow = (open: string[], expected: Expected) => Expected | undefined;

const after = (open: readonly string[]): Expected => (open.length === 0 ? "end" : "next");
const opening =
  (mark: string, next: Expected): Follow =>
  (open) => {
    open.push(mark);
    return next;
  };
const closing =
  (mark: string): Follow =>
  (open) =>
    open.pop() === mark ? after(open) : undefined;

const FOLLOWS: Readonly<Record<string, Follow>> = {
  "{": opening("{", "first-key"),
  "[": opening("[", "first-item"),
  "}": closing("{"),
  "]": closing("["),
  ":": () => "value",
  ",": (open) => (open.at(-1) === "{" ? "key" : "value"),
  s: (open, expected) => (expected === "key" || expected === "first-key" ? "colon" : after(open)),
  v: (open) => after(open),
};

/** Finds the position of a fault token by token, because V8 leaves it out of most messages. */
function brokenAt(text: string): number {
  const open: string[] = [];
  let expected: Expected = "value";
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const [, mark, string] = TOKEN.exec(text) ?? [];
    if (TOKEN.lastIndex === 0) break;
    const token = mark ?? (string === undefined ? "v" : "s");
    const next: Expected | undefined = ALLOWED[expected].includes(token) ? FOLLOWS[token]?.(open, expected) : undefined;
    if (next === undefined) break;
    expected = next;
    at = TOKEN.lastIndex;
  }
  return at + (/^[\t\n\r ]*/.exec(text.slice(at))?.[0].length ?? 0);
}
