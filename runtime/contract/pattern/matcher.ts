/** The matcher type and word boundaries that all matchers share. */

/** Returns whether a text, as code points or code units, matches; undefined for a text that takes too much work. */
export type Matcher = (codes: ArrayLike<number>) => boolean | undefined;

const isWord = (code: number | undefined): boolean =>
  code !== undefined &&
  ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95);

/** Whether a word begins or ends at a place. */
export const isBoundary = (codes: ArrayLike<number>, place: number): boolean =>
  isWord(codes[place - 1]) !== isWord(codes[place]);
