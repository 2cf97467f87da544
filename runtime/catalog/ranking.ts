/**
 * The ranking of the search. First the words: every entry that holds one gets a score. Then the best of them again, with those whose title or
 * name is the query: by their titles, verbs and the order of words.
 */

import { LEARNED_FIELD, type OwnWords } from "../contract/learned-words.js";
import { firstVerb, type Synonyms, verbRelation, withoutPhrases } from "../contract/search/synonyms.js";
import { isStopWord, stemsOf, textWords, withoutTags } from "../contract/search/tool-words.js";
import { shareOf } from "../contract/search/word-index.js";
import { type NamedEntries, nameSearch } from "./name-search.js";
import { type Holding, type SearchedIndex, type Term, type Terms, termsOf } from "./terms.js";

/** What is ranked. */
export interface RankedEntry {
  /** Its full name; the part behind the last dot is a name too. */
  readonly name: string;
  readonly title: string;
  /** Its names, in which a verb is looked for. */
  readonly names: string;
}

/** An entry that a query finds. */
interface Ranked {
  readonly number: number;
  readonly score: number;
}

/** What a query finds. */
interface Found {
  /** How many entries. */
  readonly count: number;
  /** The best of them, the best first; of equal ones that with the lowest number. */
  readonly best: readonly Ranked[];
  /** Words of the query that no entry holds, nor a word like them. */
  readonly unknown: readonly string[];
  /** The stems that stand for a stem of the query, or that it may be mistyped for. */
  meant(stem: string): readonly string[];
}

/** What a ranking may depend on beside the query. */
interface RankingOptions {
  /** Only entries for which it is true. */
  readonly among?: ((entry: number) => boolean) | undefined;
  /** The words of the caller, by which it looks for ops. */
  readonly own?: OwnWords | undefined;
}

/** Finds the best so many entries of a query. */
type Ranking = (query: string, most: number, options?: RankingOptions) => Found;

/** A search looks up at most this many words, from this many characters at the start of the query, which may be megabytes long. */
const MAX_TERMS = 100;
const MAX_QUERY_LENGTH = 10_000;
/** Unknown words that are named. */
const MAX_UNKNOWN = 5;
/** Entries that are ranked by their titles. */
const MAX_CANDIDATES = 60;
/** Words at the start of a query among which its verb is. */
const VERB_WORDS = 4;

/** The share of a score that does not depend on how many words are found, and the impact from which on a word counts as found. */
const UNCOVERED = 0.35;
const COVERING = 0.7;

/** What counts for an entry that is among the best. */
const TITLE = 0.6;
const VERB = 0.25;
const OTHER_VERB = 0.12;
const ORDER = 0.2;
/** Stems from which on a query is a text, so that its likeness to a title counts less. */
const SHORT_QUERY = 7;
const EQUAL_TITLE = 2;
const EQUAL_NAME = 3;
const NEAR_NAME = 1.5;
const CONTAINED_NAME = 0.02;
/** What a score counts of an entry that is not ranked by its title. */
const REST = 0.001;
/** Ranks entries; each has one text in one index. Hidden texts change no score. */
export function rankingOf(
  searched: readonly SearchedIndex[],
  entries: readonly RankedEntry[],
  synonyms: Synonyms,
): Ranking {
  const texts = entries.map(({ name, title, names }) => `${name} ${title} ${names}`);
  const terms = termsOf(searched, texts, synonyms);
  const scores = scoresFor(entries.length);
  const bonuses = bonusesFor(entries);
  const named = nameSearch(entries.map(({ name }) => name));
  const likeness = likenessOf(terms, entries);
  const numbers = new Map(entries.map(({ name }, entry) => [name, entry]));
  return (query, most, { among = () => true, own } = {}) => {
    const asked = read(query.slice(0, MAX_QUERY_LENGTH).trim(), terms);
    const learned = new Set<string>();
    for (const term of asked.terms) {
      addTerm(scores, terms.holding(term), term.rarity, among);
      const holding = own && ownHolding(own(term.stem), numbers);
      if (!holding || holding.size === 0) continue;
      addTerm(scores, holding, term.rarity, among);
      learned.add(term.stem);
    }
    weighWords(scores, asked);
    const names = named(asked.text, scores.size === 0);
    for (const entry of names.like.filter(among)) addName(scores, entry);
    const equal = bonuses(asked.key, names);
    const likely = new Set([...bestOf(scores), ...[...equal.keys()].filter(among)]);
    const like = likeness(asked);
    const best = [...likely].map((number): Ranked => {
      const score = scores.sums[number] ?? 0;
      return { number, score: score + like(number, score) + (equal.get(number) ?? 0) };
    });
    best.sort(byScore);
    if (best.length < most) best.push(...restOf(scores, likely));
    const found = {
      count: Math.max(scores.size, best.length),
      best: best.slice(0, most),
      unknown: unknownWords(asked.words, terms, learned),
      meant: (stem: string) =>
        asked.terms.flatMap((one) => (one.stem === stem ? [...one.stems.keys()].map(terms.text) : [])),
    };
    clear(scores);
    return found;
  };
}

/** Finds the entries whose title or name is a query, or nearly their name, and what that adds to their scores. */
function bonusesFor(
  entries: readonly RankedEntry[],
): (key: string, named: NamedEntries) => ReadonlyMap<number, number> {
  const titled = byWords(entries.map(({ title }) => title));
  const worded = byWords(entries.map(({ name }) => name));
  return (key, named) =>
    new Map([
      ...named.near.map((entry) => [entry, NEAR_NAME] as const),
      ...(titled.get(key) ?? []).map((entry) => [entry, EQUAL_TITLE] as const),
      ...[...(worded.get(key) ?? []), ...named.equal].map((entry) => [entry, EQUAL_NAME] as const),
    ]);
}

const byScore = (a: Ranked, b: Ranked): number => b.score - a.score || a.number - b.number;

/** A query with what is looked for. */
interface Asked {
  readonly text: string;
  /** Its words, by which it equals a title. */
  readonly key: string;
  readonly terms: readonly Term[];
  /** How many stems it has, known or not, and how rare they are together. */
  readonly count: number;
  readonly rarity: number;
  readonly verb: string | undefined;
  readonly words: readonly string[];
  /** Those that are compared with those of titles, and their places. */
  readonly places: ReadonlyMap<string, number>;
}

function read(text: string, terms: Terms): Asked {
  const key = keyOf(withoutTags(text));
  const words = textWords(withoutPhrases(key));
  const found = [...wordsByStem(words).values()].slice(0, MAX_TERMS).map(terms.find);
  const compared = comparedWords(words);
  return {
    text,
    key,
    terms: found,
    count: found.length,
    rarity: found.reduce((sum, { rarity }) => sum + rarity, 0),
    words,
    verb: firstVerb(found.slice(0, VERB_WORDS).map(({ stem }) => stem)),
    places: new Map(compared.map((word, at) => [word, at])),
  };
}

/** The first word of each stem. Stop words have none. */
function wordsByStem(words: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const word of words) for (const stem of stemsOf([word])) if (!found.has(stem)) found.set(stem, word);
  return found;
}

/** The first words that no entry holds, nor the caller has learned. A word with a digit is a value. */
function unknownWords(words: readonly string[], terms: Terms, learned: ReadonlySet<string>): readonly string[] {
  const isUnknown = (word: string): boolean => {
    if (isStopWord(word)) return false;
    const { stem, stems } = terms.find(word);
    return stems.size === 0 && !learned.has(stem);
  };
  const sought = [...new Set(words)].slice(0, MAX_TERMS).filter((word) => /^\p{L}{3,40}$/u.test(word));
  return sought.filter(isUnknown).slice(0, MAX_UNKNOWN);
}

const keyOf = (text: string): string => textWords(text).join(" ");

/** Words with a meaning of their own, and `all`, which says of several. */
const comparedWords = (words: readonly string[]): readonly string[] =>
  words.filter((word) => word === "all" || !isStopWord(word));

/** Texts by their words. */
function byWords(texts: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const all = new Map<string, number[]>();
  texts.forEach((text, number) => {
    const key = keyOf(text);
    const known = all.get(key);
    if (known) known.push(number);
    else if (key !== "") all.set(key, [number]);
  });
  return all;
}

/** Scores of entries while a query is searched; none before and after it, because to make room for them takes longer than a search. */
interface Scores {
  /** By entry: the sum of its word scores, at last its score, and the sum of the rarities of the words that it holds. */
  readonly sums: Float64Array;
  readonly covered: Float64Array;
  /** The first so many are the entries that have scores. */
  readonly found: Uint32Array;
  size: number;
}

const scoresFor = (count: number): Scores => ({
  sums: new Float64Array(count),
  covered: new Float64Array(count),
  found: new Uint32Array(count),
  size: 0,
});

/** The ops that a caller calls by a word, with what it counts there. */
function ownHolding(weights: ReadonlyMap<string, number>, numbers: ReadonlyMap<string, number>): Holding {
  const found = [...weights].flatMap(([op, weight]): [number, number][] => {
    const entry = numbers.get(op);
    return entry === undefined ? [] : [[entry, shareOf(LEARNED_FIELD * weight)]];
  });
  const [entries, impacts] = [found.map(([entry]) => entry), found.map(([, impact]) => impact)];
  return { entries: Uint32Array.from(entries), impacts: Float64Array.from(impacts), size: found.length };
}

/** Weighs the scores of the entries that hold words, by how rare these are and the share of them that is there. */
function weighWords(scores: Scores, asked: Asked): void {
  const { sums, covered, found, size } = scores;
  for (let at = 0; at < size; at++) {
    const entry = found[at] ?? 0;
    const share = Math.min(1, (covered[entry] ?? 0) / asked.rarity);
    sums[entry] = ((sums[entry] ?? 0) / asked.rarity) * (UNCOVERED + (1 - UNCOVERED) * share);
  }
}

function addTerm(
  scores: Scores,
  { entries, impacts, size }: Holding,
  rarity: number,
  among: (entry: number) => boolean,
): void {
  const { sums, covered, found } = scores;
  for (let at = 0; at < size; at++) {
    const entry = entries[at] ?? 0;
    const impact = impacts[at] ?? 0;
    const known = covered[entry] ?? 0;
    if (known === 0) {
      if (!among(entry)) continue;
      found[scores.size++] = entry;
    }
    sums[entry] = (sums[entry] ?? 0) + rarity * impact;
    covered[entry] = known + rarity * Math.min(1, impact / COVERING);
  }
}

function addName(scores: Scores, entry: number): void {
  if (scores.sums[entry] === 0) scores.found[scores.size++] = entry;
  scores.sums[entry] = (scores.sums[entry] ?? 0) + CONTAINED_NAME;
}

function clear(scores: Scores): void {
  for (let at = 0; at < scores.size; at++) {
    const entry = scores.found[at] ?? 0;
    scores.sums[entry] = 0;
    scores.covered[entry] = 0;
  }
  scores.size = 0;
}

/** The entries with the best scores; of equal ones those with the lowest numbers. They stay in order, so that most others are compared with the last alone. */
function bestOf({ sums, found, size }: Scores): Uint32Array {
  const best = new Uint32Array(Math.min(size, MAX_CANDIDATES));
  let kept = 0;
  const isBefore = (entry: number, other: number): boolean =>
    (sums[entry] ?? 0) > (sums[other] ?? 0) || (sums[entry] === sums[other] && entry < other);
  for (let i = 0; i < size; i++) {
    const entry = found[i] ?? 0;
    if (kept === best.length && !isBefore(entry, best[kept - 1] ?? 0)) continue;
    let at = kept < best.length ? kept++ : kept - 1;
    for (; at > 0 && isBefore(entry, best[at - 1] ?? 0); at--) best[at] = best[at - 1] ?? 0;
    best[at] = entry;
  }
  return best;
}

/** The entries that are not ranked by their titles. */
function restOf({ sums, found, size }: Scores, likely: ReadonlySet<number>): readonly Ranked[] {
  const rest = [...found.subarray(0, size)].filter((entry) => !likely.has(entry));
  return rest.map((number) => ({ number, score: REST * (sums[number] ?? 0) })).sort(byScore);
}

/** What the title of an entry says of it. */
interface TitleFacts {
  readonly words: readonly string[];
  readonly verb: string | undefined;
}

function titleFacts({ title, names }: RankedEntry = { name: "", title: "", names: "" }): TitleFacts {
  const words = textWords(title);
  const verb = firstVerb([...stemsOf(words).slice(0, 1), ...stemsOf(textWords(names))]);
  return { words: comparedWords(words), verb };
}

/** Measures what the titles of entries add to their scores: by the stems that they share with a query, their verbs, and the order of words. */
function likenessOf(
  terms: Terms,
  entries: readonly RankedEntry[],
): (asked: Asked) => (entry: number, score: number) => number {
  const known: TitleFacts[] = [];
  const factsOf = (entry: number): TitleFacts => {
    known[entry] ??= titleFacts(entries[entry]);
    return known[entry];
  };
  return (asked) => {
    const shared = sharedStems(terms, asked);
    const related = verbScores(asked.verb);
    const short = Math.min(1, SHORT_QUERY / asked.count);
    return (entry, score) => {
      const { words, verb } = factsOf(entry);
      return (
        short * (TITLE * shared(entry) + related(verb) * Math.min(1, 2 * score) + ORDER * orderOf(asked.places, words))
      );
    };
  };
}

/** Measures the share of stems that a title and a query have in common, weighted by how rare they are: the harmonic mean of both shares. */
function sharedStems(terms: Terms, asked: Asked): (entry: number) => number {
  const meant = new Map<number, readonly [term: number, weight: number]>();
  asked.terms.forEach(({ stems }, term) => {
    for (const [stem, weight] of stems) if (weight > (meant.get(stem)?.[1] ?? 0)) meant.set(stem, [term, weight]);
  });
  const found = new Float64Array(asked.terms.length);
  return (entry) => {
    let [all, held, asks] = [0, 0, 0];
    found.fill(0);
    for (const stem of terms.titles[entry] ?? []) {
      const rarity = terms.rarity(stem);
      all += rarity;
      const one = meant.get(stem);
      if (one === undefined) continue;
      const [term, weight] = one;
      held += rarity * weight;
      const before = found[term] ?? 0;
      if (weight <= before) continue;
      asks += (asked.terms[term]?.rarity ?? 0) * (weight - before);
      found[term] = weight;
    }
    return held > 0 ? (2 * held * asks) / (held * asked.rarity + asks * all) : 0;
  };
}

/** What the verb of an entry adds to its score. */
function verbScores(asked: string | undefined): (verb: string | undefined) => number {
  const known = new Map<string, number>();
  return (verb) => {
    if (asked === undefined || verb === undefined) return 0;
    const relation = known.get(verb) ?? verbRelation(asked, verb);
    known.set(verb, relation);
    return relation > 0 ? VERB * relation : -OTHER_VERB;
  };
}

/** The share of words that a query and a title have in common, and of those that follow one another in both. */
function orderOf(places: ReadonlyMap<string, number>, words: readonly string[]): number {
  let same = 0;
  let before = -1;
  for (const word of words) {
    const place = places.get(word) ?? -1;
    if (place >= 0) same += before >= 0 && place === before + 1 ? 2 : 1;
    before = place;
  }
  return words.length === 0 ? 0 : same / (words.length + places.size);
}
