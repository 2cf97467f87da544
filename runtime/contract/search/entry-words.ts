/** The words that `ot.help` searches: stems of names, descriptions and arguments. */

import { isSchema } from "../json-schema.js";
import { recentOf } from "../recent.js";
import type { Tool } from "../registry.js";
import { stem } from "./stem.js";

/** Words that a search ignores. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  "a an the of to for in on at by with and or my all any some is are be it this that do how what can i me please".split(
    " ",
  ),
);

/** The texts of one entry, by field. */
export interface WordFields {
  readonly name: string;
  readonly description: string;
  /** Names and descriptions of arguments. */
  readonly args: string;
  /** Enum values of arguments. */
  readonly values: string;
}

/** The fields in the order of their numbers. */
export const WORD_FIELDS = ["name", "description", "args", "values"] as const satisfies readonly (keyof WordFields)[];

/** The words of one field. */
export interface FieldWords {
  /** How many different words are written in it. */
  readonly length: number;
  /** How often it contains a stem, by number of the stem. */
  readonly counts: ReadonlyMap<number, number>;
}

/** Reads the words of texts. */
export interface WordReader {
  /** By number, in the order in which they were found. */
  readonly stems: readonly string[];
  /** The words of the fields, in their order. */
  read(fields: WordFields): readonly FieldWords[];
}

/** A word as it is written, and the number of its stem; a stop word has none. */
interface Word {
  readonly written: string;
  readonly stem: number | undefined;
}

/** Creates a reader. It remembers every word: the same few recur. */
export function createWordReader(): WordReader {
  const stems: string[] = [];
  const numbers = new Map<string, number>();
  const known = new Map<string, readonly Word[]>();
  const numberOf = (word: string): number | undefined => {
    const term = termOf(word);
    if (term === undefined) return undefined;
    const number = numbers.get(term) ?? stems.push(term) - 1;
    numbers.set(term, number);
    return number;
  };
  const wordsOf = (name: string): readonly Word[] => {
    const words = known.get(name) ?? partsOf(name).map((written) => ({ written, stem: numberOf(written) }));
    known.set(name, words);
    return words;
  };
  const readField = (text: string): FieldWords => {
    const written = new Set<string>();
    const counts = new Map<number, number>();
    for (const name of text.split(BETWEEN_NAMES))
      for (const word of wordsOf(name)) {
        written.add(word.written);
        if (word.stem !== undefined) counts.set(word.stem, (counts.get(word.stem) ?? 0) + 1);
      }
    return { length: written.size, counts };
  };
  return { stems, read: (fields) => WORD_FIELDS.map((field) => readField(fields[field])) };
}

/** Names whose stems are kept, and the longest of them. */
const MAX_NAMES = 2000;
const MAX_NAME_LENGTH = 40;

const recentStems = recentOf<readonly string[]>(MAX_NAMES);

/** The stems of a name, in their order: queries have the same few names. */
function stemsIn(name: string): readonly string[] {
  const make = (): readonly string[] => partsOf(name).flatMap((word) => termOf(word) ?? []);
  return name.length > MAX_NAME_LENGTH ? make() : recentStems(name, make);
}

/** The stems of a text, each once, in their order. */
export const stemsOf = (text: string): readonly string[] => [...new Set(text.split(BETWEEN_NAMES).flatMap(stemsIn))];

const BETWEEN_NAMES = /[^\p{L}\p{N}]+/u;

/** The words in names such as `getHTTPUrl`. */
const partsOf = (name: string): readonly string[] =>
  name
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(" ")
    .filter((word) => word !== "");

function termOf(word: string): string | undefined {
  const lower = word.toLowerCase();
  return STOP_WORDS.has(lower) ? undefined : stem(lower);
}

/** The searchable texts of a tool. */
export function toolFields(tool: Tool): WordFields {
  const args: string[] = [];
  const values: string[] = [];
  collect(tool.parameters_schema, args, values);
  return {
    name: [tool.op, tool.tool_name, ...tool.aliases].join(" "),
    description: tool.description,
    args: args.join(" "),
    values: values.join(" "),
  };
}

/** Levels of a schema whose words are indexed. */
const MAX_SCHEMA_DEPTH = 12;

/** The text of a value; none for a list or an object. */
const textsOf = (value: unknown): readonly string[] =>
  typeof value === "object" && value !== null ? [] : [String(value)];

/** Collects names, descriptions and enum values of members at all levels. */
function collect(schema: unknown, args: string[], values: string[], depth = 0): void {
  if (typeof schema !== "object" || schema === null || depth > MAX_SCHEMA_DEPTH) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "enum" && Array.isArray(value)) for (const one of value) values.push(...textsOf(one));
    else if (typeof value === "object") collect(value, args, values, depth + 1);
    // The description of the root does not belong to an argument.
    else if (keyword === "description" && depth > 0) args.push(String(value));
    if (keyword === "properties" && isSchema(value)) args.push(...Object.keys(value));
  }
}
