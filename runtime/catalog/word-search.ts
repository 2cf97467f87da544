/** Word search in names, descriptions and arguments: BM25+ over stems. */

import { recentOf } from "../contract/recent.js";
import { stemsOf, WORD_FIELDS } from "../contract/search/entry-words.js";
import { bytesOf, numberAt, readNumbers, type WordIndex } from "../contract/search/word-index.js";
import { mistypedIn, type Near } from "./mistyped.js";

/** Weights of the fields, in the order of `WORD_FIELDS`. */
const BOOST = [2, 2, 1, 2] as const satisfies { readonly length: (typeof WORD_FIELDS)["length"] };

const FIELDS = 4 satisfies (typeof WORD_FIELDS)["length"];
const NOTHING = new Uint32Array(0);

/** How soon more occurrences of a word stop to count, how much long texts count less, and what any occurrence counts. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.7;
const OCCURRENCE = 0.5;

/** Weight of a word that is mistyped in the query. */
const MISTYPED = 0.45;

/** The search looks up at most this many words, from this many characters at the start of the query, which may be megabytes long. */
const MAX_WORDS = 100;
const MAX_QUERY_LENGTH = 10_000;

/** Most scores that are kept, of all words, and how many a word counts for itself: it has two arrays. */
const MAX_KEPT = 100_000;
const WORD_WEIGHT = 100;

/** Reports each entry that contains words of a query, by number and in no order, with a score above 0 and up to 1. */
export type WordSearch = (query: string, report: (entry: number, score: number) => void) => void;

/** An index, some of whose texts are searched. */
export interface SearchedIndex {
  readonly index: WordIndex;
  /** By text: the number of its entry; -1 if it is not searched. */
  readonly entries: Int32Array;
}

/** Searches entries, each of which has one text in one index. How rare a word is depends on these texts alone. */
export function wordSearchOf(searched: readonly SearchedIndex[]): WordSearch {
  const measured = searched.map(measuredOf);
  const entries = measured.reduce((sum, { count }) => sum + count, 0);
  const averages = WORD_FIELDS.map(
    (_, field) => measured.reduce((sum, { sums }) => sum + (sums[field] ?? 0), 0) / entries,
  );
  const whole: Whole = {
    parts: searched.map((one, part) => partOf(one, measured[part]?.lengths ?? NOTHING, averages)),
    entries,
    scores: {
      sums: new Float64Array(entries),
      counts: new Uint8Array(entries),
      found: new Uint32Array(entries),
      size: 0,
    },
    recent: recentScores(),
  };
  return (query, report) => search(whole, query, report);
}

/** All that is searched. */
interface Whole {
  readonly parts: readonly Part[];
  readonly entries: number;
  readonly scores: Scores;
  readonly recent: (stem: string, make: () => WordScores | undefined) => WordScores | undefined;
}

/** Scores of entries while a query is searched; none before and after it, because to make room for them takes longer than a search. */
interface Scores {
  /** By entry: the sum of its word scores, and how many there are. */
  readonly sums: Float64Array;
  readonly counts: Uint8Array;
  /** The first so many are the entries that have scores. */
  readonly found: Uint32Array;
  size: number;
}

/** An index that is ready to be searched. */
interface Part extends SearchedIndex {
  readonly numbers: ReadonlyMap<string, number>;
  /** By stem: where its postings end. */
  readonly ends: Uint32Array;
  /** By place: how much less an occurrence counts, because the field is long. */
  readonly lengthiness: Float64Array;
  readonly mistyped: (word: string) => readonly Near[];
  /** Where the occurrences of a stem are read to. */
  room: Uint32Array;
}

/** Lengths by place, and how many texts are searched, with the sums of their lengths by field. */
interface Measured {
  readonly lengths: Uint32Array;
  readonly count: number;
  readonly sums: readonly number[];
}

function measuredOf({ index, entries }: SearchedIndex): Measured {
  const lengths = readNumbers(index.lengths);
  const sums = WORD_FIELDS.map(() => 0);
  let count = 0;
  entries.forEach((entry, text) => {
    if (entry < 0) return;
    count++;
    for (let field = 0; field < FIELDS; field++)
      sums[field] = (sums[field] ?? 0) + (lengths[text * FIELDS + field] ?? 0);
  });
  return { lengths, count, sums };
}

function partOf({ index, entries }: SearchedIndex, lengths: Uint32Array, averages: readonly number[]): Part {
  const ends = readNumbers(index.sizes);
  for (let stem = 1; stem < ends.length; stem++) ends[stem] = (ends[stem] ?? 0) + (ends[stem - 1] ?? 0);
  const lengthiness = Float64Array.from(lengths, (length, place) => {
    const share = (LENGTH_SHARE * length) / (averages[place % FIELDS] ?? 1);
    return SATURATION * (1 - LENGTH_SHARE + share);
  });
  const numbers = new Map(index.stems.map((stem, number) => [stem, number]));
  return { index, entries, numbers, ends, lengthiness, mistyped: mistypedIn(index.stems), room: NOTHING };
}

/**
 * Scores entries: the sum of the word scores times the words found, relative to an entry with the best score for every
 * word. It looks at no entry that contains none of the words.
 */
function search(whole: Whole, query: string, report: Parameters<WordSearch>[1]): void {
  const terms = stemsOf(query.slice(0, MAX_QUERY_LENGTH)).slice(0, MAX_WORDS);
  const { scores } = whole;
  const { sums, counts, found } = scores;
  let best = 0;
  for (const term of terms) best += scoreTerm(whole, term);
  const { size } = scores;
  scores.size = 0;
  for (let at = 0; at < size; at++) {
    const entry = found[at] ?? 0;
    const score = ((sums[entry] ?? 0) * (counts[entry] ?? 0)) / (best * terms.length);
    sums[entry] = 0;
    counts[entry] = 0;
    report(entry, score);
  }
}

/** Adds the scores of a word to the entries; one that no entry contains counts as mistyped. Returns the best. */
function scoreTerm(whole: Whole, term: string): number {
  const exact = whole.recent(term, () => wordScores(whole, term, 1));
  if (exact) return addScores(whole.scores, exact);
  const near = new Map(
    whole.parts.flatMap((part) => part.mistyped(term).map((one) => [part.index.stems[one.number] ?? "", one])),
  );
  const sums = new Map<number, number>();
  for (const [stem, { length, edits }] of near) {
    const occurrences = occurrencesOf(whole, stem, (MISTYPED * length) / (length + edits));
    if (occurrences) scoreStem(whole, occurrences, { add: (entry, score) => sums.set(entry, score), before: sums });
  }
  const [entries, scores] = [Uint32Array.from(sums.keys()), Float64Array.from(sums.values())];
  return addScores(whole.scores, { entries, scores, best: scores.reduce((best, one) => Math.max(best, one), 0) });
}

/** Adds the scores of a word to entries. Returns the best. */
function addScores(to: Scores, { entries, scores, best }: WordScores): number {
  const { sums, counts, found } = to;
  let { size } = to;
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at] ?? 0;
    const sum = sums[entry] ?? 0;
    if (sum === 0) found[size++] = entry;
    sums[entry] = sum + (scores[at] ?? 0);
    counts[entry] = (counts[entry] ?? 0) + 1;
  }
  to.size = size;
  return best;
}

/** The entries that contain a word, each once, and what the word counts in them. */
interface WordScores {
  readonly entries: Uint32Array;
  readonly scores: Float64Array;
  readonly best: number;
}

/** The scores of words that came before: the same words come again and again. */
const recentScores = (): Whole["recent"] => recentOf(MAX_KEPT, ({ entries }) => entries.length + WORD_WEIGHT);

/** The scores of the entries that contain a stem. Returns undefined if no entry contains it. */
function wordScores(whole: Whole, stem: string, weight: number): WordScores | undefined {
  const occurrences = occurrencesOf(whole, stem, weight);
  if (!occurrences) return undefined;
  const most = occurrences.places.reduce((sum, { length }) => sum + length / 2, 0);
  const [entries, scores] = [new Uint32Array(most), new Float64Array(most)];
  let [size, best] = [0, 0];
  const add = (entry: number, score: number): void => {
    entries[size] = entry;
    scores[size++] = score;
    if (score > best) best = score;
  };
  scoreStem(whole, occurrences, { add });
  return { entries: entries.slice(0, size), scores: scores.slice(0, size), best };
}

/** Where a stem occurs, and what that counts. */
interface Occurrences {
  /** By part: the place in a text that is searched, how often, the next place… */
  readonly places: readonly Uint32Array[];
  /** By field: how rare the stem is, and what the field counts. */
  readonly rarity: Float64Array;
  readonly boost: Float64Array;
}

/**
 * Finds the places where a stem occurs, and weighs them. Returns undefined if it occurs nowhere. The next call reuses the
 * returned arrays.
 */
function occurrencesOf({ parts, entries }: Whole, stem: string, weight: number): Occurrences | undefined {
  const holding = new Uint32Array(FIELDS);
  const places = parts.map((part) => readPlaces(part, stem, holding));
  if (places.every(({ length }) => length === 0)) return undefined;
  const rarity = new Float64Array(FIELDS);
  const boost = new Float64Array(FIELDS);
  holding.forEach((count, field) => {
    rarity[field] = Math.log(1 + (entries - count + 0.5) / (count + 0.5));
    boost[field] = weight * (BOOST[field] ?? 0);
  });
  return { places, rarity, boost };
}

/** Reads the occurrences of a stem, and counts them by field. */
function readPlaces(part: Part, stem: string, holding: Uint32Array): Uint32Array {
  const number = part.numbers.get(stem);
  if (number === undefined) return NOTHING;
  const { index, entries, ends } = part;
  const end = ends[number] ?? 0;
  let at = number === 0 ? 0 : (ends[number - 1] ?? 0);
  if (part.room.length < end - at) part.room = new Uint32Array(end - at);
  const { room } = part;
  let place = 0;
  let size = 0;
  while (at < end) {
    const distance = numberAt(index.postings, at);
    at += bytesOf(distance);
    const count = numberAt(index.postings, at);
    at += bytesOf(count);
    place += distance;
    const field = place % FIELDS;
    if ((entries[(place - field) / FIELDS] ?? -1) < 0) continue;
    holding[field] = (holding[field] ?? 0) + 1;
    room[size++] = place;
    room[size++] = count;
  }
  return room.subarray(0, size);
}

/** Takes the scores of entries. */
interface ScoreTaker {
  add(entry: number, score: number): void;
  /** Scores to which those of the stem are added. */
  readonly before?: ReadonlyMap<number, number>;
}

/** Scores the entries that contain a stem. */
function scoreStem({ parts }: Whole, occurrences: Occurrences, taker: ScoreTaker): void {
  parts.forEach((part, at) => void scorePlaces(part, occurrences.places[at] ?? NOTHING, occurrences, taker));
}

/** Scores the entries of one part. */
function scorePlaces(
  { entries, lengthiness }: Part,
  places: Uint32Array,
  { rarity, boost }: Occurrences,
  { add, before }: ScoreTaker,
): void {
  for (let at = 0; at < places.length; ) {
    const text = Math.floor((places[at] ?? 0) / FIELDS);
    const entry = entries[text] ?? 0;
    let score = before?.get(entry) ?? 0;
    for (const end = FIELDS * (text + 1); at < places.length && (places[at] ?? 0) < end; at += 2) {
      const place = places[at] ?? 0;
      const count = places[at + 1] ?? 0;
      const field = place % FIELDS;
      const often = (count * (SATURATION + 1)) / (count + (lengthiness[place] ?? 0));
      score += (boost[field] ?? 0) * ((rarity[field] ?? 0) * (OCCURRENCE + often));
    }
    add(entry, score);
  }
}
