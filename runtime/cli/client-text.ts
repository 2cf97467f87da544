/** Parses a client's configuration file: JSON with comments and trailing commas, or TOML. */

import { homedir } from "node:os";
import { relative, resolve, sep } from "node:path";
import type { ParseError } from "jsonc-parser";
import type { Values } from "../contract/json.js";
import type { Client } from "./clients.js";

/** Largest configuration file of a client that is read: bytes of the file, characters of its text. */
export const MAX_CONFIG_SIZE = 4_000_000;

/** Whether a value is a plain object; a date is not. */
export const isPlainObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** Parses a text to plain objects; `undefined` if it is invalid or not an object. An empty text is an empty object. */
export async function parsedValues(text: string, format: Client["format"]): Promise<Values | undefined> {
  try {
    const values = plain(await (format === "toml" ? tomlIn(text) : jsonIn(text)));
    return isPlainObject(values) ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Copies a value so that every object has the usual prototype; `__proto__` stays an ordinary member. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return isPlainObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)] as const))
    : value;
}

async function tomlIn(text: string): Promise<unknown> {
  const { parse } = await import("smol-toml");
  return parse(text, { integersAsBigInt: "asNeeded" });
}

/** Comments and trailing commas are allowed. */
const JSON_OPTIONS = { allowTrailingComma: true, allowEmptyContent: true };

async function jsonIn(text: string): Promise<unknown> {
  const { getNodeValue, parseTree } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, JSON_OPTIONS);
  if (errors.length > 0) return undefined;
  return tree ? getNodeValue(tree) : {};
}

/** Where and why a text is none of its format: `line 3, column 1: close brace expected`; undefined if it is. */
export async function syntaxFault(text: string, format: Client["format"]): Promise<string | undefined> {
  if (format === "toml") {
    const error = await tomlIn(text).then(
      () => undefined,
      (fault: unknown) => fault,
    );
    const { line, column, message = "" } = (error ?? {}) as { line?: number; column?: number; message?: string };
    return error === undefined ? undefined : faultAt(line, column, message.split("\n")[0] ?? "");
  }
  const { parseTree, printParseErrorCode } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, JSON_OPTIONS);
  const [first] = errors;
  if (first) {
    const before = text.slice(0, first.offset).split("\n");
    const words = printParseErrorCode(first.error)
      .replace(/\B[A-Z]/g, " $&")
      .toLowerCase();
    return faultAt(before.length, (before.at(-1)?.length ?? 0) + 1, words);
  }
  return tree === undefined || tree.type === "object" ? undefined : faultAt(1, 1, "an object is expected");
}

const faultAt = (line = 1, column = 1, what: string): string => `line ${line}, column ${column}: ${what}`;

/** A path for messages: relative to the root or to the home directory. */
export function clientPathText(path: string, root: string): string {
  for (const [folder, start] of [
    [root, ""],
    [homedir(), "~/"],
  ] as const) {
    const rest = relative(folder, path);
    if (rest !== "" && !rest.startsWith("..") && resolve(folder, rest) === path)
      return start + rest.split(sep).join("/");
  }
  return path;
}
