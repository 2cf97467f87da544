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
/** Verbs that say so in a description only: `return_order` sends something back. */
const SAID: ReadonlySet<string> = new Set(["return", "returns"]);
const JOINED = /(?:,|\/|\band\b|\bor\b|\bthen\b|&)\s*(?:then\s+)?([a-z]+)/g;

/** The first sentences or lines of a description, in lower case. */
export const firstSentences = (description: string, count: number): readonly string[] =>
  description
    .slice(0, MAX_SENTENCE_LENGTH)
    .trim()
    .toLowerCase()
    .split(/[.:;](?:\s|$)|\n+/, count);

/** The read verb that begins a description, in its base form; undefined for anything else. */
export function readVerbOf(description: string, vocabulary: Vocabulary): string | undefined {
  const sentence = openingSentence(description);
  const first = firstWord(description);
  const stem = SAID.has(first) ? "return" : stemOf(first, vocabulary);
  if (stem === undefined || (stem !== "return" && vocabulary.get(stem)?.kind !== "read")) return undefined;
  const joined = [...sentence.matchAll(JOINED)].map(([, word = ""]) => stemOf(word, vocabulary));
  return joined.some((one) => one !== undefined && vocabulary.get(one)?.kind === "write") ? undefined : stem;
}

/** Verbs that, where they begin a description, say that it is no read, whatever the name says. */
const ACTING: ReadonlySet<string> = new Set(
  (
    "add append assign cancel create delete deploy disable edit enable import insert install invite launch move post publish " +
    "register remove rename reset restart restore revoke schedule send submit terminate trigger update upload write"
  ).split(" "),
);

/** The verb that begins a description and acts, in its base form: "Sends feedback", "Trigger a scan". */
export function actingVerbOf(description: string, vocabulary: Vocabulary): string | undefined {
  const stem = stemOf(firstWord(description), vocabulary);
  return stem !== undefined && ACTING.has(stem) && vocabulary.get(stem)?.kind === "write" ? stem : undefined;
}

/**
 * Whether a description begins with a write and its object: "Push a view onto the stack". "Order details" is no sentence, and what
 * "Export a container" makes is the answer.
 */
export function saysAct(description: string, vocabulary: Vocabulary): boolean {
  const stem = stemOf(/^([a-z]+) (?:all|an?|the|your) /.exec(openingSentence(description))?.[1] ?? "", vocabulary);
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
