/** The word search without anything that makes it fast: every text is read for every word. The measure of ours, to the last bit. */

import { mistypedIn } from "../../runtime/catalog/mistyped.js";
import { createWordReader, stemsOf, type WordFields } from "../../runtime/contract/search/entry-words.js";
import type { Scoring } from "./reference-words.js";

const BOOST = [2, 2, 1, 2];

/** Searches texts by their number, those alone for which `isSearched` is true. */
export function plainScoringOf(texts: readonly WordFields[], isSearched: (text: number) => boolean): Scoring {
  const { read, stems } = createWordReader();
  const all = texts.map(read).map((fields, number) => ({ fields, number }));
  const seen = all.filter(({ number }) => isSearched(number));
  const average = (field: number): number =>
    seen.reduce((sum, { fields }) => sum + (fields[field]?.length ?? 0), 0) / seen.length;
  const averages = BOOST.map((_, field) => average(field));
  const mistyped = mistypedIn(stems);
  /** Adds what a stem scores in each text. */
  const add = (scores: Map<number, number>, stem: number, weight: number): void =>
    BOOST.forEach((boost, field) => {
      const holding = seen.filter(({ fields }) => fields[field]?.counts.has(stem));
      const rarity = Math.log(1 + (seen.length - holding.length + 0.5) / (holding.length + 0.5));
      for (const { fields, number } of holding) {
        const { length = 0, counts } = fields[field] ?? {};
        const count = counts?.get(stem) ?? 0;
        const often = (count * 2.2) / (count + 1.2 * (1 - 0.7 + (0.7 * length) / (averages[field] ?? 1)));
        scores.set(number, (scores.get(number) ?? 0) + weight * boost * (rarity * (0.5 + often)));
      }
    });
  const scoresOf = (term: string): ReadonlyMap<number, number> => {
    const scores = new Map<number, number>();
    if (stems.includes(term)) add(scores, stems.indexOf(term), 1);
    if (scores.size > 0) return scores;
    for (const { number, length, edits } of mistyped(term)) add(scores, number, (0.45 * length) / (length + edits));
    return scores;
  };
  return (query) => {
    const words = stemsOf(query).map(scoresOf);
    const best = words.reduce((sum, scores) => sum + Math.max(0, ...scores.values()), 0);
    const scored = seen.map(({ number }) => {
      const own = words.flatMap((scores) => scores.get(number) ?? []);
      const sum = own.reduce((some, score) => some + score, 0);
      return [number, (sum * own.length) / (best * words.length)] as const;
    });
    return new Map(scored.filter(([, score]) => score > 0));
  };
}
