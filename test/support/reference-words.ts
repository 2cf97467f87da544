/** The word search as minisearch makes it, with the same words and weights: the measure of ours. */

import MiniSearch from "minisearch";
import { type SearchedIndex, wordSearchOf } from "../../runtime/catalog/word-search.js";
import { STOP_WORDS, stemsOf, WORD_FIELDS, type WordFields } from "../../runtime/contract/search/entry-words.js";
import { stem } from "../../runtime/contract/search/stem.js";

/** Words, and the parts of names such as `getHTTPUrl` and `web_fetch`. */
const split = (text: string): string[] =>
  text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

/** Scores of the entries that a query finds, by number. */
export type Scoring = (query: string) => ReadonlyMap<number, number>;

/** Our own search, which reports each entry once. */
export function scoringOf(searched: readonly SearchedIndex[]): Scoring {
  const search = wordSearchOf(searched);
  return (query) => {
    const scores = new Map<number, number>();
    search(query, (entry, score) => {
      if (scores.has(entry)) throw new Error(`entry ${entry} is reported twice`);
      scores.set(entry, score);
    });
    return scores;
  };
}

/** Indexes entries with minisearch. */
export function referenceSearchOf(entries: readonly WordFields[]): Scoring {
  const known = new Set<string>();
  const index = new MiniSearch<WordFields & { readonly id: number }>({
    fields: [...WORD_FIELDS],
    tokenize: split,
    processTerm: (word) => {
      const lower = word.toLowerCase();
      if (STOP_WORDS.has(lower)) return null;
      known.add(stem(lower));
      return stem(lower);
    },
    searchOptions: {
      boost: { name: 2, description: 2, args: 1, values: 2 },
      tokenize: (term) => [term],
      processTerm: (term) => term,
      fuzzy: (term) => (!known.has(term) && term.length >= 6 && term.length <= 64 ? 0.2 : false),
    },
  });
  index.addAll(entries.map((entry, id) => ({ id, ...entry })));
  return (query) => scoresOf(index, query);
}

/** The sum of the word scores times the words found, relative to an entry with the best score for every word. */
function scoresOf(index: MiniSearch, query: string): ReadonlyMap<number, number> {
  const terms = stemsOf(query).slice(0, 100);
  const sums = new Map<number, { sum: number; count: number }>();
  let best = 0;
  for (const term of terms) {
    const found = index.search(term);
    best += found[0]?.score ?? 0;
    for (const { id, score } of found) {
      const { sum, count } = sums.get(id) ?? { sum: 0, count: 0 };
      sums.set(id, { sum: sum + score, count: count + 1 });
    }
  }
  return new Map([...sums].map(([id, { sum, count }]) => [id, (sum * count) / (best * terms.length)]));
}
