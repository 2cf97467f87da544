/** Finds words that a mistyped word may mean. */

import { editDistance } from "../contract/closest.js";

/** Lengths from which one letter and two letters may be wrong, and the length up to which words are compared. */
const ONE_WRONG = 4;
const TWO_WRONG = 8;
const MAX_LENGTH = 40;

/** What a word counts that is meant, how much less with every wrong letter of as many, and how much less with another first letter. */
const MEANT = 0.8;
const WRONG_LETTER = 1.2;
const OTHER_START = 0.15;

/** A word that may be meant, and what it counts, from 0 to 1. */
type Near = readonly [word: string, weight: number];

/**
 * Prepares a list of words. The function that it returns finds the words of the list that a mistyped word is near to. Two letters that are
 * swapped are one wrong letter.
 */
export function mistypedIn(words: readonly string[]): (word: string) => readonly Near[] {
  let known: Uint32Array | undefined;
  return (word) => {
    if (word.length < ONE_WRONG || word.length > MAX_LENGTH || /\p{N}/u.test(word)) return [];
    const most = word.length < TWO_WRONG ? 1 : 2;
    known ??= Uint32Array.from(words, lettersOf);
    const letters = lettersOf(word);
    const found: Near[] = [];
    words.forEach((other, number) => {
      if (Math.abs(other.length - word.length) > most) return;
      // A wrong letter is one that the other word lacks, and the right one may be one that this word lacks.
      const others = known?.[number] ?? 0;
      if (bitCount(letters & ~others) > most || bitCount(others & ~letters) > most) return;
      const wrong = editDistance(word, other);
      if (wrong > most) return;
      const less = (WRONG_LETTER * wrong) / word.length + (word[0] === other[0] ? 0 : OTHER_START);
      found.push([other, MEANT * (1 - less)]);
    });
    return found;
  };
}

/** Which letters occur, a bit each; letters that are 32 apart share one. */
export function lettersOf(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at++) bits |= 1 << (word.charCodeAt(at) & 31);
  return bits >>> 0;
}

/** How many bits of a number are set: added in pairs, then in fours, then in bytes. */
export function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
