/** Words, trigrams and their similarity, for search and `similar`. Pure. */

/** Letters of a word that are kept. */
const WORD_MAX = 64;

/** English words without meaning for a search. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an and are as at be been but by can did do does for from had has have how i if in into is it its me my no not " +
    "of on or our shall she should so such than that the their them then there these they this to was we were what " +
    "when where which who why will with would you your"
  ).split(" "),
);

/** Normalizes a text for comparison: composed form, lower case, words separated by single spaces. */
export const foldText = (text: string): string => words(text).join(" ");

/** The words of a text in lower case. */
export const words = (text: string): readonly string[] =>
  (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  ).map((word) => [...word].slice(0, WORD_MAX).join(""));

/** The distinct terms of a search text without stop words, unless nothing else remains. */
export function terms(text: string): readonly string[] {
  const all = [...new Set(words(text))];
  const telling = all.filter((word) => !STOP_WORDS.has(word));
  return telling.length > 0 ? telling : all;
}

/** The distinct trigrams of a text; words are padded, so that their beginnings weigh more. */
export function trigrams(text: string): ReadonlySet<string> {
  const grams = new Set<string>();
  for (const word of words(text)) {
    const padded = [..."  ", ...word, " "];
    for (let i = 0; i + 3 <= padded.length; i++) grams.add(padded.slice(i, i + 3).join(""));
  }
  return grams;
}

/** How many members two sets share. */
export function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let count = 0;
  for (const member of small) if (large.has(member)) count++;
  return count;
}

/** Similarity of two sets from 0 to 1 (Dice coefficient). */
export const dice = (a: ReadonlySet<string>, b: ReadonlySet<string>): number =>
  a.size + b.size === 0 ? 0 : (2 * shared(a, b)) / (a.size + b.size);

/** How often each word occurs. */
export function wordCounts(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Up to `max` characters of a text around the first term, cut at spaces, with ellipses. */
export function snippet(text: string, of: readonly string[], max: number): string {
  const plain = text.replace(/\s+/g, " ").trim();
  const letters = [...plain];
  if (letters.length <= max) return plain;
  const folded = plain.toLowerCase();
  const places = of.map((term) => folded.indexOf(term)).filter((place) => place >= 0);
  const hit = places.length > 0 ? [...plain.slice(0, Math.min(...places))].length : 0;
  const room = max - 2;
  const start = Math.max(0, Math.min(hit - Math.floor(room / 3), letters.length - room));
  const cut = letters.slice(start, start + room).join("");
  const front = start > 0 ? `…${cut.replace(/^\S{0,20}\s/, "")}` : cut;
  return start + room < letters.length ? `${front.replace(/\s\S{0,20}$/, "")}…` : front;
}
