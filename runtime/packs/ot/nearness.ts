/** Matches names with a query that may be mistyped: exact, prefix, substring, or with some letters wrong. */

import { bitCount, lettersOf } from "../../catalog/mistyped.js";

/** A longer query, or one with more words, is a sentence rather than a mistyped name. Its letters are bits of a number. */
const MAX_QUERY_LENGTH = 32;
const MAX_WORDS = 3;

const EXACT = 1;
const PREFIX = 0.9;
const SUBSTRING = 0.8;
/** Below every exact match; a half-wrong match scores much less than half. */
const FUZZY = 0.75;

/** Largest share of a query that may be wrong. */
const WRONG_SHARE = 0.4;

/** Letters below this are looked up in a list, which is faster than a map: nearly all letters of names. */
const CODES = 128;

/** Scores above 0 and up to 1 of similar names, by index. */
export type Nearness = (query: string) => ReadonlyMap<number, number>;

/** Prepares names for matching; their last segment is matched too. */
export function nearnessOf(names: readonly string[]): Nearness {
  const lower = names.map((name) => name.toLowerCase());
  let letters: Uint32Array | undefined;
  return (query) => {
    const wanted = query.toLowerCase().trim();
    const scores = new Map<number, number>();
    if (wanted === "" || wanted.length > MAX_QUERY_LENGTH || wanted.split(/\s+/).length > MAX_WORDS) return scores;
    letters ??= Uint32Array.from(lower, lettersOf);
    const own = lettersOf(wanted);
    const missing = letters.map((has) => bitCount(own & ~has));
    const wrongIn = wrongLetters(wanted);
    const most = Math.floor(wanted.length * WRONG_SHARE);
    lower.forEach((name, at) => {
      const lacks = missing[at] ?? 0;
      if (lacks === 0 && name.includes(wanted)) scores.set(at, sure(name, wanted));
      else if (lacks <= most) {
        const wrong = wrongIn(name);
        if (wrong <= most) scores.set(at, FUZZY * (1 - wrong / wanted.length) ** 2);
      }
    });
    return scores;
  };
}

/**
 * Letters to insert, to delete and to replace until a name contains the wanted text, by the bit vectors of Myers (1999): a bit for each
 * letter of the wanted text says whether the count rises or falls there from its neighbour.
 */
function wrongLetters(wanted: string): (name: string) => number {
  const places = new Int32Array(CODES);
  const others = new Map<number, number>();
  for (let at = 0; at < wanted.length; at++) {
    const letter = wanted.charCodeAt(at);
    if (letter < CODES) places[letter] = (places[letter] ?? 0) | (1 << at);
    else others.set(letter, (others.get(letter) ?? 0) | (1 << at));
  }
  const last = 1 << (wanted.length - 1);
  return (name) => {
    let [rises, falls] = [-1, 0];
    let wrong = wanted.length;
    let least = wrong;
    for (let at = 0; at < name.length; at++) {
      const letter = name.charCodeAt(at);
      const same = (letter < CODES ? places[letter] : others.get(letter)) ?? 0;
      const along = (((same & rises) + rises) ^ rises) | same;
      const rise = falls | ~(along | rises);
      const fall = rises & along;
      if (rise & last) wrong++;
      else if (fall & last) wrong--;
      least = Math.min(least, wrong);
      const down = same | falls;
      rises = (fall << 1) | ~(down | (rise << 1));
      falls = (rise << 1) & down;
    }
    return least;
  };
}

function sure(name: string, wanted: string): number {
  const last = name.slice(name.lastIndexOf(".") + 1);
  if (name === wanted || last === wanted) return EXACT;
  return name.startsWith(wanted) || last.startsWith(wanted) ? PREFIX : SUBSTRING;
}
