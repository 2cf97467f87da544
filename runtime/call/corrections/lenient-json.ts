/** Reads text that means a JSON value: fenced, encoded twice, with a trailing comma, or as Python writes it. */

import { objectOf } from "../../contract/exact-number.js";
import { MAX_JSON_DEPTH } from "../../contract/json.js";
import { readJson } from "../../contract/read-json.js";
import type { JsonObject, JsonValue } from "../../contract/registry.js";
import { repeatedName } from "../arguments/json-text.js";

/** Longest text that is read, in characters. */
const MAX_TEXT_LENGTH = 100_000;
/** Texts inside texts that are read. */
const MAX_ENCODINGS = 3;

/** The value that a text means; undefined if it is not one whole object or list. */
export function readLenient(text: string): JsonObject | readonly JsonValue[] | undefined {
  let at = text;
  for (let times = 0; times < MAX_ENCODINGS; times++) {
    if (at.length > MAX_TEXT_LENGTH) return undefined;
    const value = readOnce(unfenced(at));
    if (typeof value !== "string") return typeof value === "object" && value !== null ? value : undefined;
    at = value;
  }
  return undefined;
}

/** The arguments that a text writes as a call in Python does: `limit=5, state_key='done'`; undefined for any other text. */
export function readKeywords(text: string): JsonObject | undefined {
  return text.length > MAX_TEXT_LENGTH ? undefined : new Reader(text).keywords();
}

/** The text inside a Markdown fence, or the text itself. */
const unfenced = (text: string): string =>
  /^\s*(?:```|~~~)[ \t]*\w*[ \t]*\r?\n([\s\S]*?)\r?\n?[ \t]*(?:```|~~~)\s*$/.exec(text)?.[1] ?? text;

function readOnce(text: string): JsonValue | undefined {
  try {
    const value = readJson(text) as JsonValue;
    return repeatedName(text) === undefined ? value : undefined;
  } catch {
    return new Reader(text).whole();
  }
}

const WORDS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["True", true],
  ["true", true],
  ["False", false],
  ["false", false],
  ["None", null],
  ["null", null],
]);
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  "\\": "\\",
  "/": "/",
  "'": "'",
  '"': '"',
  "\n": "",
};
const CLOSING: Readonly<Record<string, string>> = { "{": "}", "[": "]", "(": ")" };

/** Marks text that cannot be read without a guess. */
class Unreadable extends Error {}

/** A reader of one text; its time is linear in the length. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): JsonValue | undefined {
    try {
      const value = this.#value(0);
      this.#space();
      return this.#at === this.#text.length ? value : undefined;
    } catch (cause) {
      if (cause instanceof Unreadable) return undefined;
      throw cause;
    }
  }

  keywords(): JsonObject | undefined {
    const members = new Map<string, JsonValue>();
    try {
      for (this.#space(); this.#at < this.#text.length; this.#space()) {
        const name = this.#name();
        this.#space();
        if (this.#text[this.#at++] !== "=" || members.has(name)) return undefined;
        members.set(name, this.#value(0));
        this.#space();
        if (this.#at < this.#text.length && this.#text[this.#at++] !== ",") return undefined;
      }
    } catch (cause) {
      if (cause instanceof Unreadable) return undefined;
      throw cause;
    }
    return members.size > 0 ? objectOf([...members]) : undefined;
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #value(depth: number): JsonValue {
    if (depth > MAX_JSON_DEPTH) throw new Unreadable();
    this.#space();
    const first = this.#text[this.#at] ?? "";
    if (first === "{") return this.#object(depth);
    if (first === "[" || first === "(") return this.#list(CLOSING[first] ?? "", depth);
    return first === '"' || first === "'" ? this.#string(first) : this.#word();
  }

  #object(depth: number): JsonObject {
    const members = new Map<string, JsonValue>();
    this.#items("}", () => {
      const name = this.#name();
      this.#space();
      if (this.#text[this.#at++] !== ":" || members.has(name)) throw new Unreadable();
      members.set(name, this.#value(depth + 1));
    });
    return objectOf([...members]);
  }

  #list(end: string, depth: number): readonly JsonValue[] {
    const items: JsonValue[] = [];
    this.#items(end, () => void items.push(this.#value(depth + 1)));
    return items;
  }

  /** Reads items up to the closing bracket; a comma may stand before it. */
  #items(end: string, item: () => void): void {
    this.#at++;
    for (;;) {
      this.#space();
      if (this.#text[this.#at] === end) break;
      item();
      this.#space();
      if (this.#text[this.#at] === ",") this.#at++;
      else if (this.#text[this.#at] !== end) throw new Unreadable();
    }
    this.#at++;
  }

  #name(): string {
    const first = this.#text[this.#at] ?? "";
    return first === '"' || first === "'" ? this.#string(first) : this.#take(/[\p{L}_$][\p{L}\p{N}_$-]*/uy);
  }

  #string(quote: string): string {
    const parts: string[] = [];
    this.#at++;
    for (;;) {
      const next = this.#text[this.#at++];
      if (next === undefined) throw new Unreadable();
      if (next === quote) return parts.join("");
      parts.push(next === "\\" ? this.#escape() : next);
    }
  }

  #escape(): string {
    const letter = this.#text[this.#at++] ?? "";
    if (letter === "u") return this.#code(/[0-9a-fA-F]{4}/y);
    if (letter === "x") return this.#code(/[0-9a-fA-F]{2}/y);
    const meant = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (meant === undefined) throw new Unreadable();
    return meant;
  }

  #code(form: RegExp): string {
    return String.fromCharCode(Number.parseInt(this.#take(form), 16));
  }

  #word(): JsonValue {
    const word = this.#take(/[\p{L}\p{N}_.+-]+/uy);
    const known = WORDS.get(word);
    if (known !== undefined) return known;
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)) throw new Unreadable();
    return readJson(word) as JsonValue;
  }

  #take(form: RegExp): string {
    form.lastIndex = this.#at;
    const [found] = form.exec(this.#text) ?? [];
    if (found === undefined) throw new Unreadable();
    this.#at += found.length;
    return found;
  }
}
