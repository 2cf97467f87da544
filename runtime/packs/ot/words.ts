/** Word search in names, descriptions and arguments: BM25+ by minisearch over stems. */

import type MiniSearch from "minisearch";
import { STOP_WORDS } from "../../catalog/search.js";
import { stem } from "./stem.js";

/** The texts of one entry. */
export interface WordFields {
  readonly name: string;
  readonly description: string;
  /** Names and descriptions of arguments. */
  readonly args: string;
  /** Enum values of arguments. */
  readonly values: string;
}

const BOOST = { name: 2, description: 2, args: 1, values: 2 };

/** Unknown words of at least this length are treated as mistyped; this share of their letters may be wrong. */
const MIN_MISTYPED_LENGTH = 6;
const WRONG_SHARE = 0.2;
/** Letters of a word that may be mistyped: what is compared grows with their square. */
const MAX_MISTYPED = 64;

/** Most words of a query that are looked up. */
const MAX_WORDS = 100;

/** Scores above 0 and up to 1 of the entries that contain words of a query, by index. */
export type WordSearch = (query: string) => ReadonlyMap<number, number>;

/** Indexes entries for searches. */
export async function wordSearchOf(entries: readonly WordFields[]): Promise<WordSearch> {
  const { default: Engine } = await import("minisearch");
  const known = new Set<string>();
  const index = new Engine<WordFields & { readonly id: number }>({
    fields: Object.keys(BOOST),
    tokenize: split,
    processTerm: (word) => {
      const term = termOf(word);
      if (term !== null) known.add(term);
      return term;
    },
    searchOptions: {
      boost: BOOST,
      // One stem is looked up at a time.
      tokenize: (term) => [term],
      processTerm: (term) => term,
      fuzzy: (term) =>
        !known.has(term) && term.length >= MIN_MISTYPED_LENGTH && term.length <= MAX_MISTYPED ? WRONG_SHARE : false,
    },
  });
  index.addAll(entries.map((entry, id) => ({ id, ...entry })));
  return (query) => scoresOf(index, entries.length, query);
}

/**
 * Scores of the entries: the sum of the word scores times the words found, relative to an entry with the best score for
 * every word.
 */
function scoresOf(index: MiniSearch, entries: number, query: string): ReadonlyMap<number, number> {
  const all = new Set(split(query).flatMap((word) => termOf(word) ?? []));
  const terms = [...all].slice(0, MAX_WORDS);
  const sums = new Float64Array(entries);
  const counts = new Uint8Array(entries);
  let best = 0;
  for (const term of terms) {
    const found = index.search(term);
    best += found[0]?.score ?? 0;
    for (const { id, score } of found) {
      sums[id] = (sums[id] ?? 0) + score;
      counts[id] = (counts[id] ?? 0) + 1;
    }
  }
  const scores = new Map<number, number>();
  sums.forEach((sum, id) => {
    if (sum > 0) scores.set(id, (sum * (counts[id] ?? 0)) / (best * terms.length));
  });
  return scores;
}

/** Words, and the parts of names such as `getHTTPUrl` and `web_fetch`. */
const split = (text: string): string[] =>
  text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

function termOf(word: string): string | null {
  const lower = word.toLowerCase();
  return STOP_WORDS.has(lower) ? null : stem(lower);
}
