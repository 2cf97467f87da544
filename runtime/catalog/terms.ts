/** The words of a search: which entries hold a word or what stands for it, how much it counts there, and how rare it is. */

import { recentOf } from "../contract/recent.js";
import type { Synonyms } from "../contract/search/synonyms.js";
import { stemsOf, textWords } from "../contract/search/tool-words.js";
import { MAX_IMPACT, numberAt, readNumbers, varintLength, type WordIndex } from "../contract/search/word-index.js";
import { withoutPlural } from "../contract/typo.js";
import { mistypedIn } from "./mistyped.js";

/** An index, some of whose texts are searched. */
export interface SearchedIndex {
  readonly index: WordIndex;
  /** By text: the number of its entry; -1 if it is not searched. */
  readonly entries: Int32Array;
}

/** A word of a query. */
export interface Term {
  readonly word: string;
  readonly stem: string;
  /** How rare it is: it grows with the logarithm of the share of entries that do not hold it. */
  readonly rarity: number;
  /** The stems that stand for it, by number, and what each counts, from 0 to 1. None if no entry holds one. */
  readonly stems: ReadonlyMap<number, number>;
}

/** Entries that hold a word, each once: the first so many. */
export interface Holding {
  readonly entries: Uint32Array;
  /** What the word counts in each, from 0 to 1. */
  readonly impacts: Float64Array;
  readonly size: number;
}

/** The words of entries. */
export interface Terms {
  /** By entry: the numbers of the stems of its title. */
  readonly titles: readonly Uint32Array[];
  /** A word of a query, in lower case and with a stem: itself and the words that stand for it, or those that it may be mistyped for. */
  find(word: string): Term;
  /** The entries that hold a word. The next call may use the arrays again. */
  holding(term: Term): Holding;
  /** How rare a stem is, by number. */
  rarity(stem: number): number;
  /** The text of a stem, by number. */
  text(stem: number): string;
}

/** How rare a word is that no entry holds. */
const UNKNOWN = 1;
/** Stems that a mistyped one may mean. */
const MAX_MEANT = 4;
/** Words that are kept; at one more, all are forgotten. To find what a mistyped one may mean takes longer than the rest of a search. */
const MAX_TERMS = 10_000;
/** Most entries of words that are kept, of words that several stems stand for. */
const MAX_KEPT = 300_000;

/** An index, with numbers of stems that all indexes share. */
interface Part extends SearchedIndex {
  /** By stem of the index: where its postings end. */
  readonly ends: Uint32Array;
  /** By shared number: the number in this index. */
  readonly own: ReadonlyMap<number, number>;
}

/**
 * Reads the words of indexes. How rare a word is depends on the entries that are searched, and on no other text.
 *
 * @param names names and titles of the entries: a mistyped word is compared with their words, too, which have the ending that a stem lacks
 */
export function termsOf(searched: readonly SearchedIndex[], names: readonly string[], synonyms: Synonyms): Terms {
  const count = names.length;
  const numbers = new Map<string, number>();
  const shared = searched.map(({ index }) =>
    Uint32Array.from(index.stems, (stem) => {
      const number = numbers.get(stem) ?? numbers.size;
      numbers.set(stem, number);
      return number;
    }),
  );
  const texts = [...numbers.keys()];
  const room = roomFor(count);
  const parts = searched.map((one, at): Part => partOf(one, shared[at] ?? new Uint32Array(0)));
  const rarities = new Float64Array(numbers.size).fill(Number.NaN);
  /** That of a stem which no entry holds is infinite. */
  const rarity = (stem: number): number => {
    const known = rarities[stem] ?? Number.NaN;
    if (!Number.isNaN(known)) return known;
    const { size } = readHolding(parts, stem, room);
    rarities[stem] = size === 0 ? Number.POSITIVE_INFINITY : Math.log(1 + (count - size + 0.5) / (size + 0.5));
    return rarity(stem);
  };
  const meant = meaning({ numbers, isHeld: (stem) => rarity(stem) < Number.POSITIVE_INFINITY, synonyms, names });
  const known = new Map<string, Term>();
  const make = (word: string): Term => {
    const [stem = ""] = stemsOf([word]);
    const stems = meant(stem, word);
    const own = numbers.get(stem) ?? -1;
    const least = stems.has(own) ? rarity(own) : Math.min(...[...stems.keys()].map(rarity));
    return { word, stem, rarity: stems.size === 0 ? UNKNOWN : least, stems };
  };
  const recentHolding = recentOf<Holding>(MAX_KEPT, ({ size }) => size);
  return {
    titles: titlesOf(searched, shared, count),
    find(word) {
      const term = known.get(word) ?? make(word);
      if (known.size >= MAX_TERMS) known.clear();
      known.set(word, term);
      return term;
    },
    holding: ({ word, stems }) => {
      const [[only, weight] = [-1, 0]] = stems;
      if (stems.size === 1 && weight === 1) return readHolding(parts, only, room);
      return recentHolding(word, () => merged(parts, stems, room));
    },
    rarity,
    text: (stem) => texts[stem] ?? "",
  };
}

/** Where entries are read to, and a number an entry, all 0 before and after. */
interface Room {
  readonly entries: Uint32Array;
  readonly impacts: Float64Array;
  readonly best: Float64Array;
}

const roomFor = (count: number): Room => ({
  entries: new Uint32Array(count),
  impacts: new Float64Array(count),
  best: new Float64Array(count),
});

function partOf({ index, entries }: SearchedIndex, shared: Uint32Array): Part {
  const ends = readNumbers(index.sizes);
  for (let stem = 1; stem < ends.length; stem++) ends[stem] = (ends[stem] ?? 0) + (ends[stem - 1] ?? 0);
  return { index, entries, ends, own: new Map([...shared].map((number, own) => [number, own])) };
}

/** By entry: the numbers of the stems of its title. */
function titlesOf(searched: readonly SearchedIndex[], shared: readonly Uint32Array[], count: number): Uint32Array[] {
  const titles = Array.from({ length: count }, () => new Uint32Array(0));
  searched.forEach(({ index, entries }, part) => {
    const numbers = readNumbers(index.titles);
    let at = 0;
    for (const entry of entries) {
      const end = at + 1 + (numbers[at] ?? 0);
      if (entry >= 0) titles[entry] = numbers.slice(at + 1, end).map((own) => shared[part]?.[own] ?? 0);
      at = end;
    }
  });
  return titles;
}

/** What the meaning of a stem is read from. */
interface Meaning {
  readonly numbers: ReadonlyMap<string, number>;
  /** Whether an entry holds a stem. */
  readonly isHeld: (stem: number) => boolean;
  readonly synonyms: Synonyms;
  readonly names: readonly string[];
}

/** Finds the stems that stand for one, among those that entries hold: itself, its synonyms; else, those that it may be mistyped for. */
function meaning({ numbers, isHeld, synonyms, names }: Meaning) {
  const known = [...numbers.keys()];
  const mistyped = mistypedFor(numbers, names, isHeld);
  return (stem: string, word: string): ReadonlyMap<number, number> => {
    const stems = new Map<number, number>();
    const add = (number: number | undefined, weight: number): boolean => {
      if (number === undefined || !isHeld(number)) return false;
      stems.set(number, Math.max(weight, stems.get(number) ?? 0));
      return true;
    };
    const addWith = (word: string, weight: number): boolean => {
      for (const [other, share] of synonyms.get(word) ?? []) add(numbers.get(other), weight * share);
      return add(numbers.get(word), weight);
    };
    if (addWith(stem, 1)) return stems;
    const near = [...mistyped(stem, word)];
    for (const [number, weight] of near.slice(0, MAX_MEANT)) addWith(known[number] ?? "", weight);
    return stems;
  };
}

/** Finds the stems that a mistyped word may mean, the nearest first: those like its stem, and those of words in names and titles like it. */
function mistypedFor(stems: ReadonlyMap<string, number>, names: readonly string[], isHeld: (stem: number) => boolean) {
  const meant = new Map<string, number>();
  let near: ReturnType<typeof mistypedIn> | undefined;
  return (stem: string, word: string): ReadonlyMap<number, number> => {
    near ??= mistypedIn(spellings());
    const all = [...new Set([stem, withoutPlural(word)])].flatMap(near);
    const found = new Map<number, number>();
    for (const [other, weight] of all.sort(([one, a], [two, b]) => b - a || (one < two ? -1 : 1))) {
      const number = meant.get(other) ?? 0;
      if (!found.has(number)) found.set(number, weight);
    }
    return found;
  };

  function spellings(): readonly string[] {
    for (const word of new Set(names.flatMap(textWords))) {
      const number = stems.get(stemsOf([word])[0] ?? "");
      if (number !== undefined) meant.set(withoutPlural(word), number);
    }
    // A stem of hidden texts alone may be a word of another one.
    for (const [stem, number] of stems) if (isHeld(number)) meant.set(stem, number);
    return [...meant.keys()];
  }
}

/** Reads the entries that hold a stem. */
function readHolding(parts: readonly Part[], stem: number, { entries, impacts }: Room): Holding {
  let size = 0;
  for (const { index, entries: searched, ends, own } of parts) {
    const number = own.get(stem);
    if (number === undefined) continue;
    const end = ends[number] ?? 0;
    let text = 0;
    for (let at = number === 0 ? 0 : (ends[number - 1] ?? 0); at < end; at++) {
      const distance = numberAt(index.postings, at);
      at += varintLength(distance);
      text += distance;
      const entry = searched[text] ?? -1;
      if (entry < 0) continue;
      entries[size] = entry;
      impacts[size++] = (index.postings[at] ?? 0) / MAX_IMPACT;
    }
  }
  return { entries, impacts, size };
}

/** The entries that hold one of some stems, and what the best of these counts in each. */
function merged(parts: readonly Part[], stems: ReadonlyMap<number, number>, room: Room): Holding {
  const { best } = room;
  const found: number[] = [];
  for (const [stem, weight] of stems) {
    const { entries, impacts, size } = readHolding(parts, stem, room);
    for (let at = 0; at < size; at++) {
      const entry = entries[at] ?? 0;
      const known = best[entry] ?? 0;
      if (known === 0) found.push(entry);
      best[entry] = Math.max(known, weight * (impacts[at] ?? 0));
    }
  }
  const impacts = Float64Array.from(found, (entry) => best[entry] ?? 0);
  for (const entry of found) best[entry] = 0;
  return { entries: Uint32Array.from(found), impacts, size: found.length };
}
