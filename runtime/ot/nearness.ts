/** How near names are to a query that may be mistyped: exact, beginning, part, or by fuse.js. */

import type { IFuseOptions } from "fuse.js";

/** A longer query, or one of more words, is a sentence, in which no name is mistyped. */
const LONGEST = 32;
const MOST_WORDS = 3;

const EXACT = 1;
const PREFIX = 0.9;
const SUBSTRING = 0.8;
/** Below every sure match; a match that is half wrong is worth much less than half. */
const FUZZY = 0.75;

/** How much of a query may be wrong. */
const WRONG = 0.4;

const OPTIONS: IFuseOptions<string> = { ignoreLocation: true, threshold: WRONG };

/** Scores over 0 and up to 1 of the names that are near to a query, by index. */
export type Nearness = (query: string) => ReadonlyMap<number, number>;

/** Makes names, of which the last segment is one too, ready to be compared with queries. */
export async function nearnessOf(names: readonly string[]): Promise<Nearness> {
  const { default: Engine } = await import("fuse.js");
  const lower = names.map((name) => name.toLowerCase());
  return (query) => {
    const wanted = query.toLowerCase().trim();
    const scores = new Map<number, number>();
    if (wanted === "" || wanted.length > LONGEST || wanted.split(/\s+/).length > MOST_WORDS) return scores;
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

/** One piece more than letters may be wrong: what fuse.js finds has one of them whole, and most names have none. */
function piecesOf(wanted: string): readonly string[] {
  const count = Math.floor(WRONG * wanted.length) + 1;
  const bounds = Array.from({ length: count + 1 }, (_, at) => Math.round((at * wanted.length) / count));
  return bounds.slice(1).map((end, at) => wanted.slice(bounds[at], end));
}

function sure(name: string, wanted: string): number {
  const last = name.slice(name.lastIndexOf(".") + 1);
  if (name === wanted || last === wanted) return EXACT;
  return name.startsWith(wanted) || last.startsWith(wanted) ? PREFIX : SUBSTRING;
}
