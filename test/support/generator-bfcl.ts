/**
 * The Berkeley Function-Call Leaderboard as chat-tools sources: foreign definitions and calls.
 *
 * Its schemas use the type words of the language that a case is about; {@link toJsonSchema} says what each means in JSON Schema.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { CHECKOUT } from "./project.js";

const FOLDER = join(CHECKOUT, "..", "shared", "corpora", "bfcl");

/** Whether the corpus is beside the checkout. */
export const hasCorpus = existsSync(FOLDER);

/** Values that are accepted for each argument; `""` among them: may be left out. */
export type AcceptedArgs = Readonly<Record<string, readonly unknown[]>>;

interface Function {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** One line of a file. */
export interface Case {
  readonly id: string;
  readonly function: readonly Function[];
  /** Turns of messages. */
  readonly question: readonly (readonly { readonly role: string; readonly content: string }[])[];
  readonly ground_truth: readonly Readonly<Record<string, AcceptedArgs>>[] | null;
}

/** Names of the case files, without extension. */
export const caseFiles = (): readonly string[] =>
  hasCorpus
    ? readdirSync(FOLDER)
        .filter((one) => one.endsWith(".jsonl"))
        .map((one) => basename(one, ".jsonl"))
        .sort()
    : [];

/** The cases of a file. */
export const casesOf = (file: string): readonly Case[] =>
  readFileSync(join(FOLDER, `${file}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Case);

/** Type words, lower case, and what they mean; absent: unchanged. No type at all for `any`. */
const WORDS: ReadonlyMap<string, string | undefined> = new Map([
  ...["dict", "hashmap", "map", "object"].map((word) => [word, "object"] as const),
  ...["float", "double", "number"].map((word) => [word, "number"] as const),
  ...["integer", "int", "long", "short", "byte", "bigint"].map((word) => [word, "integer"] as const),
  ...["tuple", "array", "arraylist", "list", "set", "queue", "stack"].map((word) => [word, "array"] as const),
  ...["string", "str", "char"].map((word) => [word, "string"] as const),
  ...["boolean", "bool"].map((word) => [word, "boolean"] as const),
  ["any", undefined],
  ["", undefined],
]);

/** A schema with the corpus's type words replaced, at every level. */
export function toJsonSchema(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).flatMap(([key, value]): readonly (readonly [string, unknown])[] => {
    if (key === "type") return typeOf(value);
    if (key === "properties" && typeof value === "object" && value !== null)
      return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toJsonSchema(one)]))]];
    return [[key, key === "items" || key === "additionalProperties" ? toJsonSchema(value) : value]];
  });
  return Object.fromEntries(entries);
}

function typeOf(word: unknown): readonly (readonly [string, unknown])[] {
  if (typeof word !== "string" || !WORDS.has(word.toLowerCase())) return [["type", word]];
  const type = WORDS.get(word.toLowerCase());
  return type === undefined ? [] : [["type", type]];
}

/** Name of a case's function in the registry. */
export const toolName = (id: string, name: string): string => `${id}__${name}`;

/** The functions of some cases as one array of function tools. */
export const toolsOf = (cases: readonly Case[]): readonly object[] =>
  cases.flatMap(({ id, function: functions }) =>
    functions.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name: toolName(id, name), description, parameters: toJsonSchema(parameters) },
    })),
  );

/** The parts of a schema that decide what may be left out. */
interface Members {
  readonly properties?: Readonly<Record<string, Members>>;
  readonly required?: readonly string[];
  readonly items?: Members;
}

/**
 * The first accepted call. An argument is left out where `""` comes first and nothing requires it; no accepted value at all
 * means the empty list.
 */
export function callOf(args: AcceptedArgs, { properties, required }: Members = {}): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, accepted]): readonly (readonly [string, unknown])[] => {
      const values = accepted.filter((one) => one !== "");
      if (accepted.length === 0) return [[name, []]];
      if (values.length === 0 || (accepted[0] === "" && !required?.includes(name))) return [];
      return [[name, firstAccepted(values[0], properties?.[name])]];
    }),
  );
}

/** Objects inside a call list accepted values, too, member by member. */
function firstAccepted(accepted: unknown, schema: Members = {}): unknown {
  if (Array.isArray(accepted)) return accepted.map((one) => firstAccepted(one, schema.items));
  if (typeof accepted !== "object" || accepted === null) return accepted;
  const lists = Object.values(accepted).every(Array.isArray);
  return lists ? callOf(accepted as AcceptedArgs, schema) : accepted;
}
