/**
 * Recognises mistyped names, and nothing else: two words that differ in a letter may be two words (`get` and `set`,
 * `active` and `inactive`), and a wrong guess changes what a call does.
 */

import { editDistance } from "./closest.js";
import { spend } from "./work-budget.js";

/** Names longer than this are not compared. */
const MAX_NAME_LENGTH = 80;
/** Candidates that are compared. */
const MAX_CANDIDATES = 2_000;
/** Units of work to split a name into words. */
const WORDS_WORK = 15;
/** Length of a word from which two letters may be wrong. */
const MIN_LONG_WORD_LENGTH = 9;
/** Length of a word up to which its end must be right, too. */
const SHORT_WORD = 5;

/** `stateKey`, `State-Key` → `state`, `key`. */
export function wordsIn(name: string): readonly string[] {
  return name
    .slice(0, MAX_NAME_LENGTH)
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/**
 * A name in lower case without what separates its letters, so that `To Do`, `to_do` and `toDo` are `todo`. A separator beside a digit or
 * a sign stays: it may be a part of the name (`1_2`, `-1`).
 */
export const withoutSeparators = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/(?<=\p{L})[\s_-]+(?=\p{L})/gu, "");

/** A word without its plural ending. */
export function withoutPlural(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:[sx]|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

/**
 * The only candidate that a name can be a mistyped form of; undefined if there are none or several.
 *
 * @example mistyped("bloked", ["todo", "blocked"]) // "blocked"
 */
export function mistyped(name: string, candidates: Iterable<string>): string | undefined {
  let best: { readonly found: string; readonly distance: number; readonly isOnly: boolean } | undefined;
  const all = [...candidates];
  if (all.length > MAX_CANDIDATES) return undefined;
  const words = wordsOf(name);
  for (const found of all) {
    const distance = typoDistance(words, wordsOf(found));
    if (distance === undefined || (best && distance > best.distance)) continue;
    best = { found, distance, isOnly: !best || distance < best.distance };
  }
  return best?.isOnly ? best.found : undefined;
}

/** All candidates that a name can be a mistyped form of. */
export function typosOf(name: string, candidates: Iterable<string>): readonly string[] {
  const words = wordsOf(name);
  return [...candidates].slice(0, MAX_CANDIDATES).filter((one) => typoDistance(words, wordsOf(one)) !== undefined);
}

/** The words of a name that is compared; none if it is too long. */
function wordsOf(name: string): readonly string[] {
  spend(WORDS_WORK);
  return name.length > MAX_NAME_LENGTH ? [] : wordsIn(name);
}

/** The number of wrong letters; undefined if the names are too different. */
function typoDistance(left: readonly string[], right: readonly string[]): number | undefined {
  if (left.length !== right.length || left.length === 0) return undefined;
  const distances = left.map((word, at) => wordDistance(word, right[at] ?? ""));
  return distances.reduce<number | undefined>(
    (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
    0,
  );
}

function wordDistance(a: string, b: string): number | undefined {
  if (a === b) return 0;
  const [short, long] = [Math.min(a.length, b.length), Math.max(a.length, b.length)];
  if (short < 3 || digitsOf(a) !== digitsOf(b)) return undefined;
  const distance = editDistance(a, b);
  if (distance > (long >= MIN_LONG_WORD_LENGTH ? 2 : 1)) return undefined;
  const isSwapped = a[0] === b[1] && a[1] === b[0];
  if (a[0] !== b[0] && !isSwapped) return undefined;
  const isLoose = long > SHORT_WORD || (short === long && long > 3) || isSwapped;
  return isLoose || a.at(-1) === b.at(-1) ? distance : undefined;
}

const digitsOf = (word: string): string => word.replaceAll(/\P{N}/gu, "");
