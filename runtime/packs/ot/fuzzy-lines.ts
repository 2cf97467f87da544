/** Fuzzy search in lines: finds those whose words are similar to a query, nearest first. */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Signal } from "../../contract/handler.js";
import { nearnessOf } from "./nearness.js";

/** Most lines that are returned. */
const MAX_LINES = 1000;
/** Words that are compared before yielding to other work. */
const CHUNK = 2000;
/** Characters of a word that are compared. */
const MAX_WORD_LENGTH = 100;
/** Above every word score: a line that contains the query itself. */
const EXACT = 2;

const wordsOf = (line: string): readonly string[] =>
  line
    .toLowerCase()
    .match(/[\p{L}\p{N}_]+/gu)
    ?.map((word) => word.slice(0, MAX_WORD_LENGTH)) ?? [];

/** Indexes of the lines that are similar to a query. */
export async function fuzzyLines(lines: readonly string[], query: string, signal: Signal): Promise<readonly number[]> {
  const tokens = [...new Set(wordsOf(query))];
  const wanted = query.toLowerCase().trim();
  const scores = await wordScores([...new Set(lines.flatMap(wordsOf))], tokens, signal);
  const scored = lines.flatMap((line, at) => {
    if (wanted !== "" && line.toLowerCase().includes(wanted)) return [{ at, score: EXACT }];
    const words = wordsOf(line);
    const best = scores.map((one) => words.reduce((most, word) => Math.max(most, one.get(word) ?? 0), 0));
    const score = best.reduce((sum, one) => sum + one, 0) / Math.max(1, best.length);
    return score > 0 ? [{ at, score }] : [];
  });
  return scored
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, MAX_LINES)
    .map(({ at }) => at);
}

/** For each token, the scores of similar words. */
async function wordScores(
  words: readonly string[],
  tokens: readonly string[],
  signal: Signal,
): Promise<readonly ReadonlyMap<string, number>[]> {
  const scores = tokens.map(() => new Map<string, number>());
  for (let start = 0; start < words.length; start += CHUNK) {
    await nextTurn();
    signal.throwIfAborted();
    const chunk = words.slice(start, start + CHUNK);
    const nearness = await nearnessOf(chunk);
    tokens.forEach((token, i) => {
      for (const [at, score] of nearness(token)) scores[i]?.set(chunk[at] ?? "", score);
    });
  }
  return scores;
}
