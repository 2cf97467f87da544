/**
 * Parses the arguments of `toolwright exec` and `call`: `NAME=VALUE`, `NAME:=JSON`, `NAME=@FILE`, `--NAME VALUE`, an object of
 * JSON, `-` and `--args JSON` become one object; and writes a call as a command line.
 */

import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";

import { typesOf } from "../call/arguments/schema.js";
import { acceptedNames } from "../contract/accepted-names.js";
import type { CorrectedCall } from "../contract/envelope.js";
import { objectOf, writeJson } from "../contract/exact-number.js";
import { isRecord } from "../contract/json.js";
import { isSchema } from "../contract/json-schema.js";
import { onLine } from "../contract/message-text.js";
import { readJson } from "../contract/read-json.js";
import type { Tool } from "../contract/registry.js";
import { messageOf } from "../contract/thrown.js";
import { UsageError } from "../contract/usage-error.js";

/** A word, or a text that stands for it: what it was read from is no part of the command line. */
type ArgumentWord = string | { readonly name: string | undefined; readonly text: string };

const PAIR = /^([^\s=:{[-][^\s=:]*)(:?=)([\s\S]*)$/;

/**
 * Reads what words stand for: `-` standard input, `NAME=@FILE` a file.
 *
 * @throws UsageError for a file that cannot be read
 */
export const readArgumentWords = (words: readonly string[]): Promise<readonly ArgumentWord[]> =>
  Promise.all(
    words.map(async (word, at) => {
      if (word === "-" && !isValueAt(words, at)) return { name: undefined, text: await text(process.stdin) };
      const [, name, sign, value = ""] = PAIR.exec(word) ?? [];
      if (name === undefined || sign !== "=" || !value.startsWith("@") || isValueAt(words, at)) return word;
      return { name, text: await fileText(name, value.slice(1)) };
    }),
  );

const FLAG = /^--([^=]+)(?:=([\s\S]*))?$/;

/** Whether the word before is a flag that takes this one as its value. */
function isValueAt(words: readonly ArgumentWord[], at: number): boolean {
  const [before, word] = [words[at - 1], words[at]];
  if (typeof before !== "string" || typeof word !== "string" || word.startsWith("--")) return false;
  const [, flag, inline] = FLAG.exec(before) ?? [];
  return flag !== undefined && inline === undefined;
}

const fileText = (name: string, path: string): Promise<string> =>
  readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(
      `${onLine(name)}=@${onLine(path)} cannot be read: ${messageOf(error)}; a text that begins with @ is written ${onLine(name)}:='"@…"'`,
    );
  });

/**
 * Parses arguments by the op's schema: text stays text, everything else is read as JSON.
 *
 * @param tool - the op that is called; without it every value that parses is JSON
 * @throws UsageError for a word that is none of the forms, a repeated name, or `--args` that is not a JSON object
 */
export function parsedArguments(
  tool: Tool | undefined,
  words: readonly ArgumentWord[],
  json: string | undefined,
): Readonly<Record<string, unknown>> {
  const given = new Map<string, unknown>();
  const all = json === undefined ? pairsOf(words) : [...membersOf(json, "--args"), ...pairsOf(words)];
  for (const pair of all) {
    const name = pair.isExact ? pair.name : argumentName(pair.name, tool);
    if (given.has(name))
      throw new UsageError(`${name} is given twice: give each argument once, as NAME=VALUE, as a flag or in --args`);
    given.set(name, "value" in pair ? pair.value : parsedValue(pair.text, name, tool));
  }
  return objectOf([...given]);
}

/** An argument: its value, or a text that is read by the type of the argument; none for a flag alone. */
type Pair = { readonly name: string; readonly isExact?: true } & (
  | { readonly value: unknown }
  | { readonly text: string | undefined }
);

const pairsOf = (words: readonly ArgumentWord[]): readonly Pair[] =>
  words.flatMap((word, at): readonly Pair[] => {
    if (isValueAt(words, at)) return [];
    if (typeof word !== "string")
      return word.name === undefined ? membersOf(word.text, "standard input") : [{ name: word.name, text: word.text }];
    const [, flag, inline] = FLAG.exec(word) ?? [];
    if (flag === undefined) return pairsIn(word);
    const next = isValueAt(words, at + 1) ? words[at + 1] : undefined;
    return [{ name: flag, text: inline ?? (typeof next === "string" ? next : undefined) }];
  });

/** `NAME=VALUE`, `NAME:=JSON`, or an object of JSON. */
function pairsIn(word: string): readonly Pair[] {
  const [, name, sign, text = ""] = PAIR.exec(word) ?? [];
  if (name !== undefined) return [sign === ":=" ? { name, value: parseJson(text, `${name}:=`) } : { name, text }];
  if (word.startsWith("{")) return membersOf(word, onLine(word.slice(0, MAX_SHOWN)));
  throw new UsageError(
    `${onLine(word)} is neither a flag nor its value: write NAME=VALUE, NAME:=JSON or --NAME VALUE, or an object as --args JSON or - (standard input)`,
  );
}

const membersOf = (json: string, from: string): readonly Pair[] =>
  Object.entries(parseObject(json, from)).map(([name, value]) => ({ name, value, isExact: true }));

/** Characters of an argument that a message repeats. */
const MAX_SHOWN = 40;

function parseJson(json: string, from: string): unknown {
  try {
    return readJson(json);
  } catch (cause) {
    throw new UsageError(`${from} is no JSON: ${messageOf(cause)}`);
  }
}

function parseObject(json: string, from: string): Readonly<Record<string, unknown>> {
  const value = parseJson(json, from);
  if (isRecord(value)) return value;
  throw new UsageError(`${from} must be a JSON object, as in --args '{"limit":5}'`);
}

/** Converts a flag to an argument name: `--project-id` is `project_id` if the op has such an argument. */
function argumentName(flag: string, tool: Tool | undefined): string {
  const known = tool?.parameters.flatMap((one) => [one.original, one.name, ...one.aliases]) ?? [];
  const folded = flag.replaceAll("-", "_");
  return !known.includes(flag) && known.includes(folded) ? folded : flag;
}

/** @throws UsageError for a missing value, unless the argument is boolean */
function parsedValue(text: string | undefined, name: string, tool: Tool | undefined): unknown {
  const schema = schemaOf(name, tool);
  const types = isSchema(schema) ? typesOf(schema, tool?.parameters_schema) : [];
  if (text === undefined) {
    if (types.length === 0 || types.includes("boolean")) return true;
    throw new UsageError(`--${name} has no value: write --${name} VALUE`);
  }
  if (types.includes("string") && !(text === "null" && types.includes("null"))) return text;
  try {
    return readJson(text);
  } catch {
    return text;
  }
}

/**
 * A call as a command that can be copied into a shell.
 *
 * @param tail words that follow, such as `--stdio` and a command
 */
export function callCommand(call: CorrectedCall, tool: Tool | undefined, tail: readonly string[]): string {
  const words = Object.entries(call.args).map(([name, value]) => argumentWord(name, value, tool));
  const effect = [
    ...(call.dry_run ? ["--dry-run"] : []),
    ...(call.idempotency_key === undefined ? [] : ["--idempotency-key", call.idempotency_key]),
  ];
  return ["toolwright", "call", call.op, ...words, ...effect, ...tail].map(quoted).join(" ");
}

/** An argument as `NAME=VALUE` if that is read as the same value, else as `NAME:=JSON`. */
function argumentWord(name: string, value: unknown, tool: Tool | undefined): string {
  const json = writeJson(value);
  const plain = typeof value === "string" ? value : json;
  const isPlain = !plain.startsWith("@") && onLine(plain) === plain;
  const isSame = isPlain && isDeepStrictEqual(parsedValue(plain, name, tool), value);
  const word = `${name}${isSame ? "=" : ":="}${isSame ? plain : json}`;
  const isRead = PAIR.exec(word)?.[1] === name && argumentName(name, tool) === name;
  return isRead ? word : writeJson(objectOf([[name, value]]));
}

/** A word in quotes if a shell would read it as something else. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Schema of an argument, by its name or an alias. */
function schemaOf(name: string, tool: Tool | undefined): unknown {
  if (!tool) return undefined;
  const { declared } = acceptedNames(tool.parameters_schema);
  const meant = tool.parameters.find((one) => one.name === name || one.aliases.includes(name));
  return declared.get(name) ?? declared.get(meant?.original ?? name);
}
