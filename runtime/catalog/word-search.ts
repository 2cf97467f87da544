/** Word search in names, descriptions and arguments: BM25+ over stems. */

import { stemsOf, WORD_FIELDS } from "../contract/search/entry-words.js";
import { readNumbers, type WordIndex } from "../contract/search/word-index.js";
import { mistypedIn, type Near } from "./mistyped.js";

/** Weights of the fields, in the order of `WORD_FIELDS`. */
const BOOST = [2, 2, 1, 2] as const satisfies { readonly length: (typeof WORD_FIELDS)["length"] };

/** How soon more occurrences of a word stop to count, how much long texts count less, and what any occurrence counts. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.7;
const OCCURRENCE = 0.5;

/** Weight of a word that is mistyped in the query. */
const MISTYPED = 0.45;

/** The search looks up at most this many words, from this many characters at the start of the query, which may be megabytes long. */
const MAX_WORDS = 100;
const MAX_QUERY_LENGTH = 10_000;

/** Scores above 0 and up to 1 of the entries that contain words of a query, by number. */
export type WordSearch = (query: string) => ReadonlyMap<number, number>;

/** An index, some of whose texts are searched. */
export interface SearchedIndex {
  readonly index: WordIndex;
  /** By text: the number of its entry; -1 if it is not searched. */
  readonly entries: Int32Array;
}

/** Searches entries, each of which has one text in one index. How rare a word is depends on these texts alone. */
export function wordSearchOf(searched: readonly SearchedIndex[]): WordSearch {
  const parts = searched.map(partOf);
  const entries = parts.reduce((sum, part) => sum + part.count, 0);
  const averages = WORD_FIELDS.map(
    (_, field) => parts.reduce((sum, part) => sum + (part.sums[field] ?? 0), 0) / entries,
  );
  const whole: Whole = { parts, entries, averages };
  return (query) => scoresOf(whole, query);
}

/** All that is searched. */
interface Whole {
  readonly parts: readonly Part[];
  readonly entries: number;
  /** Mean length of each field. */
  readonly averages: readonly number[];
}

/** An index that is ready to be searched. */
interface Part extends SearchedIndex {
  readonly numbers: ReadonlyMap<string, number>;
  /** By stem: where its postings end. */
  readonly ends: Uint32Array;
  readonly lengths: Uint32Array;
  readonly mistyped: (word: string) => readonly Near[];
  /** How many texts are searched, and the sums of their lengths, by field. */
  readonly count: number;
  readonly sums: readonly number[];
}

function partOf({ index, entries }: SearchedIndex): Part {
  const ends = readNumbers(index.sizes);
  for (let stem = 1; stem < ends.length; stem++) ends[stem] = (ends[stem] ?? 0) + (ends[stem - 1] ?? 0);
  const lengths = readNumbers(index.lengths);
  const sums = WORD_FIELDS.map(() => 0);
  let count = 0;
  entries.forEach((entry, text) => {
    if (entry < 0) return;
    count++;
    for (let field = 0; field < WORD_FIELDS.length; field++)
      sums[field] = (sums[field] ?? 0) + (lengths[text * WORD_FIELDS.length + field] ?? 0);
  });
  const numbers = new Map(index.stems.map((stem, number) => [stem, number]));
  return { index, entries, numbers, ends, lengths, mistyped: mistypedIn(index.stems), count, sums };
}

/**
 * Scores of the entries: the sum of the word scores times the words found, relative to an entry with the best score for
 * every word.
 */
function scoresOf(whole: Whole, query: string): ReadonlyMap<number, number> {
  const terms = stemsOf(query.slice(0, MAX_QUERY_LENGTH)).slice(0, MAX_WORDS);
  const sums = new Float64Array(whole.entries);
  const counts = new Uint8Array(whole.entries);
  const scored: Scored = { scores: new Float64Array(whole.entries), found: [] };
  let best = 0;
  for (const term of terms) {
    scoreTerm(whole, term, scored);
    let most = 0;
    for (const entry of scored.found.splice(0)) {
      const own = scored.scores[entry] ?? 0;
      scored.scores[entry] = 0;
      sums[entry] = (sums[entry] ?? 0) + own;
      counts[entry] = (counts[entry] ?? 0) + 1;
      most = Math.max(most, own);
    }
    best += most;
  }
  const scores = new Map<number, number>();
  sums.forEach((sum, entry) => {
    if (sum > 0) scores.set(entry, (sum * (counts[entry] ?? 0)) / (best * terms.length));
  });
  return scores;
}

/** Scores of one word: those of entries that are not in `found` are 0. */
interface Scored {
  readonly scores: Float64Array;
  readonly found: number[];
}

/** Scores a stem; one that no entry contains counts as mistyped. */
function scoreTerm(whole: Whole, term: string, scored: Scored): void {
  const isKnown = score(whole, term, 1, scored);
  if (isKnown) return;
  const near = new Map(
    whole.parts.flatMap((part) => part.mistyped(term).map((one) => [part.index.stems[one.number] ?? "", one])),
  );
  for (const [stem, { length, edits }] of near) score(whole, stem, (MISTYPED * length) / (length + edits), scored);
}

/** Occurrences of a stem in the texts that are searched: the place, how often, the place… */
function occurrencesOf({ index, numbers, ends, entries }: Part, term: string): readonly number[] {
  const stem = numbers.get(term);
  if (stem === undefined) return [];
  const coded = readNumbers(index.postings, stem === 0 ? 0 : ends[stem - 1], ends[stem]);
  const found: number[] = [];
  let place = 0;
  for (let at = 0; at < coded.length; at += 2) {
    place += coded[at] ?? 0;
    const isSearched = (entries[Math.floor(place / WORD_FIELDS.length)] ?? -1) >= 0;
    if (isSearched) found.push(place, coded[at + 1] ?? 0);
  }
  return found;
}

/** Adds the scores of the entries that contain a stem. Returns whether there are any. */
function score(
  { parts, entries: all, averages }: Whole,
  term: string,
  weight: number,
  { scores, found }: Scored,
): boolean {
  const occurrences = parts.map((part) => occurrencesOf(part, term));
  const rarity = rarities(occurrences, all);
  parts.forEach(({ entries, lengths }, part) => {
    const own = occurrences[part] ?? [];
    for (let at = 0; at < own.length; at += 2) {
      const place = own[at] ?? 0;
      const count = own[at + 1] ?? 0;
      const field = place % WORD_FIELDS.length;
      const entry = entries[(place - field) / WORD_FIELDS.length] ?? 0;
      const length = (LENGTH_SHARE * (lengths[place] ?? 0)) / (averages[field] ?? 1);
      const often = (count * (SATURATION + 1)) / (count + SATURATION * (1 - LENGTH_SHARE + length));
      const sum = scores[entry] ?? 0;
      if (sum === 0) found.push(entry);
      scores[entry] = sum + weight * (BOOST[field] ?? 0) * ((rarity[field] ?? 0) * (OCCURRENCE + often));
    }
  });
  return occurrences.some((own) => own.length > 0);
}

/** How rare a stem is in each field. */
function rarities(occurrences: readonly (readonly number[])[], entries: number): readonly number[] {
  const holding = WORD_FIELDS.map(() => 0);
  for (const own of occurrences)
    for (let at = 0; at < own.length; at += 2) {
      const field = (own[at] ?? 0) % WORD_FIELDS.length;
      holding[field] = (holding[field] ?? 0) + 1;
    }
  return holding.map((count) => Math.log(1 + (entries - count + 0.5) / (count + 0.5)));
}
