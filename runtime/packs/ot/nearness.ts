/** Matches names with a query that may be mistyped: exact, prefix, substring, or fuzzy by fuse.js. */

import type { IFuseOptions } from "fuse.js";

/** A longer query, or one with more words, is a sentence rather than a mistyped name. */
const MAX_QUERY_LENGTH = 32;
const MAX_WORDS = 3;

const EXACT = 1;
const PREFIX = 0.9;
const SUBSTRING = 0.8;
/** Below every exact match; a half-wrong match scores much less than half. */
const FUZZY = 0.75;

/** Largest share of a query that may be wrong. */
const WRONG_SHARE = 0.4;

const OPTIONS: IFuseOptions<string> = { ignoreLocation: true, threshold: WRONG_SHARE };

/** Scores above 0 and up to 1 of similar names, by index. */
export type Nearness = (query: string) => ReadonlyMap<number, number>;

/** Prepares names for matching; their last segment is matched too. */
export async function nearnessOf(names: readonly string[]): Promise<Nearness> {
  const { default: Engine } = await import("fuse.js");
  const lower = names.map((name) => name.toLowerCase());
  return (query) => {
    const wanted = query.toLowerCase().trim();
    const scores = new Map<number, number>();
    if (wanted === "" || wanted.length > MAX_QUERY_LENGTH || wanted.split(/\s+/).length > MAX_WORDS) return scores;
    const pieces = piecesOf(wanted);
    lower.forEach((name, at) => {
      if (name.includes(wanted)) scores.set(at, sure(name, wanted));
      else if (pieces.some((piece) => name.includes(piece))) {
        const { isMatch, score } = Engine.match(wanted, name, OPTIONS);
        if (isMatch) scores.set(at, FUZZY * (1 - score) ** 2);
      }
    });
    return scores;
  };
}

/**
 * Splits a query into one piece more than letters may be wrong: any name that fuse.js finds contains one of them, and
 * most names none.
 */
function piecesOf(wanted: string): readonly string[] {
  const count = Math.floor(WRONG_SHARE * wanted.length) + 1;
  const bounds = Array.from({ length: count + 1 }, (_, at) => Math.round((at * wanted.length) / count));
  return bounds.slice(1).map((end, at) => wanted.slice(bounds[at], end));
}

function sure(name: string, wanted: string): number {
  const last = name.slice(name.lastIndexOf(".") + 1);
  if (name === wanted || last === wanted) return EXACT;
  return name.startsWith(wanted) || last.startsWith(wanted) ? PREFIX : SUBSTRING;
}
