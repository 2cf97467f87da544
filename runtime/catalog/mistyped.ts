/** Finds words that a mistyped word may mean. */

import { bitCount, lettersOf } from "./letters.js";

/** Words of at least this length may be mistyped; this share of their letters may be wrong, and at most so many. */
const MIN_LENGTH = 6;
const WRONG_SHARE = 0.2;
const MAX_EDITS = 6;
/** Letters of a word that may be mistyped: what is compared grows with their square. */
const MAX_LENGTH = 64;

/** A word that may be meant. */
export interface Near {
  /** Its index. */
  readonly number: number;
  readonly length: number;
  /** Letters to insert, to delete and to replace. */
  readonly edits: number;
}

/** Prepares a list of words. The function that it returns finds the words of the list that a mistyped word is near to. */
export function mistypedIn(words: readonly string[]): (word: string) => readonly Near[] {
  let known: Uint32Array | undefined;
  return (word) => {
    if (word.length < MIN_LENGTH || word.length > MAX_LENGTH) return [];
    const most = Math.min(MAX_EDITS, Math.round(word.length * WRONG_SHARE));
    known ??= Uint32Array.from(words, lettersOf);
    const letters = lettersOf(word);
    const found: Near[] = [];
    words.forEach((other, number) => {
      if (Math.abs(other.length - word.length) > most) return;
      // An edit changes at most two letters of those that occur.
      if (bitCount(letters ^ (known?.[number] ?? 0)) > 2 * most) return;
      const edits = editsOf(word, other);
      if (edits <= most) found.push({ number, length: other.length, edits });
    });
    return found;
  };
}

/** Letters to insert, to delete and to replace between two words. */
function editsOf(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = (above[j - 1] ?? 0) + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1);
      row.push(Math.min(same, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    above = row;
  }
  return above[b.length] ?? 0;
}
