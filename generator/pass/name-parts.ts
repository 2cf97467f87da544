/** Splits tool names of one pack into prefix, verb and noun words, for the inference of op names. */

import { nameWords, singular } from "../core/names.js";
import { verbIn } from "./verb-of.js";
import type { Verb } from "./verbs.js";

/** A tool name in parts. */
export interface NameParts {
  readonly tool: string;
  /** Empty in a name without a verb. */
  readonly verb: string;
  /** Nouns before the first preposition, without the prefix. */
  readonly nouns: readonly string[];
  /** The first preposition and what follows it. */
  readonly tail: readonly string[];
  /** Whether the verb comes first, as in `list_tasks`. */
  readonly isVerbFirst: boolean;
  /** The prefix that was left out, if any: what follows it is a noun of the pack. */
  readonly prefix: string;
}

/** Splits the names of a pack. Names that cannot be read as English, or whose verb is in the middle, are left out. */
export function partsOfNames(
  tools: readonly string[],
  pack: string,
  vocabulary: ReadonlyMap<string, Verb>,
): readonly NameParts[] {
  const packWords = nameWords(pack);
  const readable = tools.filter((one) => /^[\x21-\x7e]+$/.test(one));
  const words = new Map(readable.map((tool) => [tool, nameWords(tool)] as const));
  const lead = leadingPrefix([...words.values()], vocabulary);
  const split = readable.flatMap((tool) => {
    const all = words.get(tool) ?? [];
    const [prefix, rest] = withoutLead(all, [packWords, lead], vocabulary);
    const parts = splitWords(tool, rest, vocabulary);
    return parts ? [{ ...parts, prefix }] : [];
  });
  const middle = middlePrefix(split);
  return split.map((one) => withoutMiddle(one, [packWords, middle]));
}

const startsWith = (words: readonly string[], start: readonly string[]): boolean =>
  start.length > 0 && start.length < words.length && start.every((one, i) => words[i] === one);

/** A name without the first prefix that leaves a verb behind it. */
function withoutLead(
  words: readonly string[],
  prefixes: readonly (readonly string[])[],
  vocabulary: ReadonlyMap<string, Verb>,
): readonly [prefix: string, rest: readonly string[]] {
  for (const prefix of prefixes) {
    const rest = words.slice(prefix.length);
    if (startsWith(words, prefix) && !vocabulary.has(prefix[0] ?? "") && verbIn(rest.join("_"), vocabulary))
      return [prefix.join("_"), rest];
  }
  return ["", words];
}

/** Fewest tools that must share a word before it is a prefix. */
const MIN_SHARING = 3;

/** The word that begins at least half of the names, nearly always with a verb and a noun behind it; empty without one. */
function leadingPrefix(
  names: readonly (readonly string[])[],
  vocabulary: ReadonlyMap<string, Verb>,
): readonly string[] {
  const [word] = mostFrequent(names.map(([first]) => first ?? "").filter((one) => !vocabulary.has(one)));
  const sharing = names.filter(([first]) => first === word);
  const long = sharing.filter((one) => one.length > 2);
  const isPrefix =
    word !== undefined &&
    sharing.length >= Math.max(MIN_SHARING, names.length / 2) &&
    long.length >= sharing.length * 0.75 &&
    new Set(long.map((one) => one[1])).size > 1;
  return isPrefix ? [word] : [];
}

/** The word between verb and noun in at least half of the names, before several nouns and never alone; empty without one. */
function middlePrefix(names: readonly NameParts[]): readonly string[] {
  const first = names.filter((one) => one.isVerbFirst);
  const [word] = mostFrequent(first.filter(({ nouns }) => nouns.length > 1).map(({ nouns }) => nouns[0] ?? ""));
  if (word === undefined) return [];
  const sharing = first.filter(({ nouns }) => nouns[0] === word && nouns.length > 1);
  const isAlone = names.some(({ nouns }) => nouns.length === 1 && singular(nouns[0] ?? "") === singular(word));
  const nouns = new Set(sharing.map((one) => singular(one.nouns[1] ?? "")));
  const isPrefix = !isAlone && nouns.size >= MIN_SHARING && sharing.length >= Math.max(MIN_SHARING, first.length / 2);
  return isPrefix ? [word] : [];
}

/** Words by their number, the most frequent first, then by code unit. */
function mostFrequent(words: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([word]) => word);
}

function withoutMiddle(one: NameParts, prefixes: readonly (readonly string[])[]): NameParts {
  const prefix = one.isVerbFirst ? prefixes.find((words) => startsWith(one.nouns, words)) : undefined;
  return prefix ? { ...one, nouns: one.nouns.slice(prefix.length), prefix: prefix.join("_") } : one;
}

/** Words that end the nouns of a name. */
export const PREPOSITIONS: ReadonlySet<string> = new Set(
  "about across along as at by for from in into near of on per since to using via with within without".split(" "),
);

/** Splits at the verb, which must be the first or the last word; undefined if it is neither, or if nothing else is left. */
function splitWords(
  tool: string,
  words: readonly string[],
  vocabulary: ReadonlyMap<string, Verb>,
): Omit<NameParts, "prefix"> | undefined {
  const verb = verbIn(words.join("_"), vocabulary);
  const of = (word: string, others: readonly string[], isVerbFirst: boolean) => {
    const cut = others.findIndex((one, i) => i > 0 && PREPOSITIONS.has(one));
    const nouns = cut === -1 ? others : others.slice(0, cut);
    return { tool, verb: word, nouns, tail: others.slice(nouns.length), isVerbFirst };
  };
  const [first = "", last = ""] = [words[0], words.at(-1)];
  if (verb === undefined || verb.by === "noun") return words.length > 1 ? of("", words, false) : undefined;
  if (verb.by === "joint" || (words.length > 1 && first !== verb.word && last !== verb.word)) return undefined;
  if (words.length === 1) return first === verb.word ? of(first, [], true) : undefined;
  return first === verb.word ? of(first, words.slice(1), true) : of(last, words.slice(0, -1), false);
}
