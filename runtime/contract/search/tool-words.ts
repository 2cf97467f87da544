/** The words that the search finds tools by: stems of titles, names, descriptions and arguments. */

import { isSchema } from "../json-schema.js";
import { learnedWords } from "../learned-words.js";
import type { Tool } from "../registry.js";
import { stem } from "./stem.js";

/** Words that a search ignores. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about all am an and any anyone are as at be been being but by can could did do does each else ever every everybody everyone " +
    "for from had has have he her him his how i if in into is it its just like may me my myself need of on or our ours please s she " +
    "should so some somebody someone something t than that the their theirs them then there these they this those to too us use very " +
    "via want was we were what when where which who whom whose why will with would you your yours"
  ).split(" "),
);

/** Whether a search ignores a word in lower case. */
export const isStopWord = (word: string): boolean => STOP_WORDS.has(word);

/** The texts of an entry, by field. */
export interface WordFields {
  readonly title: string;
  readonly name: string;
  readonly description: string;
  /** Names and descriptions of arguments. */
  readonly args: string;
  /** Enum values of arguments. */
  readonly values: string;
}

/** The texts of an entry, and the words by which callers look for it, with what each counts. */
export interface IndexedText extends WordFields {
  readonly learned?: ReadonlyMap<string, number>;
}

/** How names such as `getHTTPUrl` and words are parted: in ASCII alone, which takes a third of the time, and in all alphabets. `PRs` is one word. */
const ASCII = [/[A-Z]{2,}s(?![A-Za-z])/g, /([a-z0-9])([A-Z])/g, /([A-Z])([A-Z][a-z])/g, /[^a-z0-9]+/] as const;
const ALL = [
  /\p{Lu}{2,}s(?!\p{L})/gu,
  /(\p{Ll}|\p{N})(\p{Lu})/gu,
  /(\p{Lu})(\p{Lu}\p{Ll})/gu,
  /[^\p{L}\p{N}]+/u,
] as const;

/** Every run of letters and digits, and the parts of names such as `getHTTPUrl`, in lower case. */
export function textWords(text: string): readonly string[] {
  const [plural, inName, afterCapitals, between] = /[^\s -~]/.test(text) ? ALL : ASCII;
  const plain = text.replace(plural, (word) => word.toLowerCase());
  const parted = plain.replace(inName, "$1 $2").replace(afterCapitals, "$1 $2").toLowerCase();
  return parted.split(between).filter((word) => word !== "");
}

/** Words whose stems are kept; at one more, all are forgotten. To know which were used last would take as long as to find a stem. */
const MAX_WORDS = 10_000;
const MAX_WORD_LENGTH = 40;

const known = new Map<string, string>();

/** The stem of a word in lower case; `""` for a stop word. */
function stemOf(word: string): string {
  if (word.length > MAX_WORD_LENGTH) return stem(word);
  const found = known.get(word);
  if (found !== undefined) return found;
  const made = STOP_WORDS.has(word) ? "" : stem(word);
  if (known.size >= MAX_WORDS) known.clear();
  known.set(word, made);
  return made;
}

/** The stems of words in lower case, in their order; stop words have none. */
export const stemsOf = (words: readonly string[]): readonly string[] => words.map(stemOf).filter((one) => one !== "");

/** A text without tags of HTML. */
export const withoutTags = (text: string): string => text.replace(/<\/?[a-z][^<>]{0,200}>/gi, " ");

/** The title of a tool as plain text: its summary without HTML. */
export const titleOf = ({ summary }: Pick<Tool, "summary">): string => withoutTags(summary);

/** The names of a tool, without its pack. */
export const toolNames = ({ op, group, tool_name, aliases }: Tool): string =>
  [op.startsWith(`${group}.`) ? op.slice(group.length + 1) : op, tool_name, ...aliases].join(" ");

/** The searchable texts of a tool. */
export function toolFields(tool: Tool): IndexedText {
  const args: string[] = [];
  const values: string[] = [];
  collect(tool.parameters_schema, args, values);
  return {
    title: titleOf(tool),
    // With its pack, so that words such as "github issues" prefer it.
    name: `${tool.group} ${toolNames(tool)}`,
    description: tool.description,
    args: args.join(" "),
    values: values.join(" "),
    learned: learnedWords(tool),
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
