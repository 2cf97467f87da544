/**
 * Finds the verb that begins a description, for names without a known verb: `maps_timezone`, "Get the timezone of a place".
 *
 * Only a read is taken from a description, and only if its first sentence joins no write to it ("Read or replace the clipboard").
 */

import type { Verb } from "./verbs.js";

type Vocabulary = ReadonlyMap<string, Verb>;

/** Longest part of a description that is read, in characters. */
const MAX_SENTENCE_LENGTH = 400;
/** Words before the verb: "This tool", "Use this method to", "(Deprecated)", and adverbs. */
const OPENING =
  /^(?:(?:this|the|a)\s+(?:tool|function|endpoint|method)\s+|use\s+this(?:\s+(?:tool|function|endpoint|method))?\s+to\s+|\(deprecated\)\s+|[a-z]+ly\s+)*/;
/** Words that say of a read in a description only: `return_order` sends something back. */
const SAID = /^(?:returns?|tells? the user|sends? a prompt)\b/;
const JOINED = /(?:,|\/|\band\b|\bor\b|\bthen\b|&)\s*(?:then\s+)?([a-z]+)/g;

/** The end of a sentence; "Note:" begins one. */
const SENTENCE_END = /(?<!\b(?:attention|caution|important|note|warning))[.:;](?:\s|$)|\n+/;

/** The first sentences or lines of a description, in lower case. */
export const firstSentences = (description: string, count: number): readonly string[] =>
  description.slice(0, MAX_SENTENCE_LENGTH).trim().toLowerCase().split(SENTENCE_END, count);

/** The read verb that begins a description, in its base form; undefined for anything else. */
export function readVerbOf(description: string, vocabulary: Vocabulary): string | undefined {
  const sentence = openingSentence(description);
  const first = firstWord(description);
  const said = SAID.exec(sentence)?.[0].replace(/s\b/, "");
  const stem = said ?? stemOf(first, vocabulary);
  if (stem === undefined || (said === undefined && vocabulary.get(stem)?.kind !== "read")) return undefined;
  const joined = [...sentence.matchAll(JOINED)].map(([, word = ""]) => stemOf(word, vocabulary));
  return joined.some((one) => one !== undefined && vocabulary.get(one)?.kind === "write") ? undefined : stem;
}

/** Verbs that make an answer only, in a description of what reads: "Generate a chart", "Says how many there are". */
const COMPUTING: ReadonlySet<string> = new Set(
  (
    "combine compile compose compress confirm convert decompress decrypt draw emulate encrypt evaluate execute expose extend fill " +
    "follow gen generate give load make normalize optimize perform prepare produce reduce resolve respond run sanitize say select " +
    "sort split synthesise synthesize transform trim"
  ).split(" "),
);
/** A write with its object that is joined to what came first: "and mark them as read". */
const AND_ACTS = /\b(?:and|then)\s+(?:then\s+)?([a-z]+)\s+(?:them|it|this|the|an?|all|its|every|each)\b/g;
const WRITING_STATEMENTS = /\b(?:INSERT|UPDATE|DELETE|DROP|ALTER)\b/;
const TO_DISK = /\bto (?:an? |the |your )?(?:local )?(?:disk|file ?system|folder|directory)\b/;
/** What says of a read verb that it writes: a download "to disk", a query with statements that write. */
const WRITES: ReadonlyMap<string, (description: string, sentence: string) => boolean> = new Map([
  ["download", (_, sentence) => TO_DISK.test(sentence)],
  ["query", (description) => WRITING_STATEMENTS.test(description)],
]);

/**
 * The write verb in the description of a tool whose name says that it reads. It begins the description ("Sends feedback"), or `and` joins
 * it with its object ("and mark them as read"), or it is the first word of the name ("Defriend a person").
 *
 * @param read - the read verb in the name
 * @param own - the first word of the name after the name of the pack
 */
export function actingVerbOf(
  description: string,
  read: string,
  own: string,
  vocabulary: Vocabulary,
): string | undefined {
  const sentence = openingSentence(description);
  const acts = (word: string): string | undefined => {
    const stem = stemOf(word, vocabulary);
    const { kind, grade } = vocabulary.get(stem ?? "") ?? {};
    return kind === "write" && grade !== "either" && !COMPUTING.has(stem ?? "") ? stem : undefined;
  };
  const [, subject = ""] = WITH_OBJECT.exec(sentence) ?? [];
  // "Take a screenshot" is what reads: a word that may be a noun is one there.
  const isNoun = vocabulary.get(read)?.grade === "either";
  const isOwn = !isNoun && subject !== "" && !vocabulary.has(own) && (subject === own || subject === `${own}s`);
  const joined = [...sentence.matchAll(AND_ACTS)].flatMap(([, word = ""]) => acts(word) ?? []);
  return (
    (SAID.test(sentence) ? undefined : acts(firstWord(description))) ??
    joined[0] ??
    (isOwn ? own : undefined) ??
    (WRITES.get(read)?.(description.slice(0, MAX_SENTENCE_LENGTH), sentence) ? read : undefined)
  );
}

/** A verb and the beginning of its object. */
const WITH_OBJECT = /^([a-z]+) (?:all|an?|the|your|every|each) /;

/**
 * Whether a description begins with a write and its object: "Push a view onto the stack". "Order details" is no sentence, and what
 * "Export a container" makes is the answer.
 */
export function saysAct(description: string, vocabulary: Vocabulary): boolean {
  const stem = stemOf(WITH_OBJECT.exec(openingSentence(description))?.[1] ?? "", vocabulary);
  return stem !== undefined && stem !== "export" && vocabulary.get(stem)?.kind === "write";
}

const openingSentence = (description: string): string => (firstSentences(description, 1)[0] ?? "").replace(OPENING, "");
const firstWord = (description: string): string => /^[a-z]+/.exec(openingSentence(description))?.[0] ?? "";

/** The verb that a word is a form of: `get`, `gets`, `searches`, `retrieves`, `queries`. */
function stemOf(word: string, vocabulary: Vocabulary): string | undefined {
  return [word, word.replace(/s$/, ""), word.replace(/es$/, ""), word.replace(/ies$/, "y")].find((one) =>
    vocabulary.has(one),
  );
}
