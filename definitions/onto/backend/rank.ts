/** Ranks search results: BM25 over words, similarity over trigrams. Pure. */

import type { WordHit } from "./candidates.js";
import { dice, foldText, trigrams } from "./text.js";

const K1 = 1.2;
const B = 0.75;
/** Weight of a word in the label relative to one in the text. */
const LABEL_WEIGHT = 4;
const RANK_SHARE = 0.65;
const SIM_SHARE = 0.35;
const ALL_TERMS = 0.15;
/** Weight of similarity with the description relative to the label. */
const DESCRIPTION_SHARE = 0.6;
/** Hits with a lower score are dropped. */
export const MIN_SCORE = 0.12;

/** Size of the searched texts: their number, and their words. */
export interface Corpus {
  readonly texts: number;
  readonly words: number;
}

/** A row found by words: its BM25 score, and how many of the terms occur in it. */
export interface Ranked {
  readonly kind: string;
  readonly id: string;
  readonly bm25: number;
  readonly terms: number;
}

/** BM25 of every row that contains one of the words; `occurs` is the number of rows per term. */
export function rankWords(hits: readonly WordHit[], occurs: readonly number[], corpus: Corpus): readonly Ranked[] {
  const average = corpus.texts > 0 ? Math.max(1, corpus.words / corpus.texts) : 1;
  const idf = occurs.map((n) => Math.log(1 + (Math.max(corpus.texts, n) - n + 0.5) / (n + 0.5)));
  // A row may contain several words that begin with the last term; they count as one.
  const weights = new Map<string, { hit: WordHit; perTerm: Map<number, number> }>();
  for (const hit of hits) {
    const entry = weights.get(hit.entity_id) ?? { hit, perTerm: new Map() };
    const weight = hit.label_count * LABEL_WEIGHT + hit.body_count;
    entry.perTerm.set(hit.term, (entry.perTerm.get(hit.term) ?? 0) + weight);
    weights.set(hit.entity_id, entry);
  }
  return [...weights.values()].map(({ hit, perTerm }) => {
    const norm = K1 * (1 - B + (B * hit.length) / average);
    // In the order of the terms, since sums of floats depend on it.
    const parts = idf.map((weight, term) => {
      const tf = perTerm.get(term) ?? 0;
      return weight * ((tf * (K1 + 1)) / (tf + norm));
    });
    return { kind: hit.kind, id: hit.entity_id, bm25: parts.reduce((a, b) => a + b, 0), terms: perTerm.size };
  });
}

/** A normalized search text. */
export interface Wanted {
  readonly folded: string;
  readonly grams: ReadonlySet<string>;
  readonly terms: number;
}

/** Normalizes a search text for {@link scoreOf}. */
export const wantedOf = (text: string, terms: number): Wanted => ({
  folded: foldText(text),
  grams: trigrams(text),
  terms,
});

/** Similarity of a search text with a row: with the label, or with the description at a lower weight. */
export const similarity = ({ grams }: Wanted, label: string, description: string): number =>
  Math.max(dice(grams, trigrams(label)), DESCRIPTION_SHARE * dice(grams, trigrams(description)));

/** Score from 0 to 1, with three decimals. */
export function scoreOf(wanted: Wanted, found: Ranked | undefined, label: string, description: string): number {
  if (wanted.folded !== "" && foldText(label) === wanted.folded) return 1;
  const bm25 = found?.bm25 ?? 0;
  const complete = found !== undefined && found.terms === wanted.terms ? ALL_TERMS : 0;
  const score = RANK_SHARE * (bm25 / (1 + bm25)) + SIM_SHARE * similarity(wanted, label, description) + complete;
  return Math.round(Math.min(1, score) * 1000) / 1000;
}
