/** Words by which callers looked for an op before they called it: what each counts when ops are ranked. */

import type { Tool } from "./registry.js";

/** Of so many different words of an op, each counts once; of fewer, more. */
const REFERENCE_WORDS = 120;
/** Share of the number of words. */
const LENGTH_SHARE = 0.75;

/** Weight of these words among the fields of the search. */
export const LEARNED_FIELD = 2;

/** What is left of a count after 90 days, or after the input of the op has changed. */
export const FADED = 0.5;

/** The bands in which queries are counted, so that a file changes only when its meaning does. */
export const WORD_BANDS = [3, 10, 30, 100] as const;

/** Form of a word: a stem, in lower case. */
export const WORD_FORM = /^\p{L}{1,20}$/u;

/**
 * What a word counts for an op, from 0 to below 4: each further query adds less, and so does each further word.
 *
 * @param queries - queries that held the word
 * @param words - different words of the op
 */
export const wordWeight = (queries: number, words: number): number =>
  queries / (queries + 2) / (1 - LENGTH_SHARE + (LENGTH_SHARE * words) / REFERENCE_WORDS);

/**
 * The words of an op that a person has reviewed, with what each counts: the field `learned` of the ranking.
 *
 * @example
 * const counts = ({ learned_words }: Tool, stem: string): number => learnedWords({ learned_words }).get(stem) ?? 0;
 */
export function learnedWords({ learned_words: learned }: Pick<Tool, "learned_words">): ReadonlyMap<string, number> {
  const words = Object.entries(learned?.words ?? {});
  const share = learned?.stale ? FADED : 1;
  return new Map(words.map(([stem, band]) => [stem, wordWeight(share * Number.parseInt(band, 10), words.length)]));
}

/** The words of one caller: of a stem, what it counts for ops; nothing for all others. */
export type OwnWords = (stem: string) => ReadonlyMap<string, number>;
