/**
 * The index of the search: which texts contain a stem, and how much it counts there. Its postings stay bytes, of which a search reads
 * those of its words, so that an index is loaded as fast as its file is read.
 */

import { LEARNED_FIELD } from "../learned-words.js";
import { type IndexedText, stemsOf, textWords, type WordFields } from "./tool-words.js";

/** An index of texts. Numbers are variable-length: seven bits a byte, the lowest first, the eighth bit set in all bytes but the last. */
export interface WordIndex {
  /** How many texts it holds. */
  readonly texts: number;
  /** In the order in which they were found. */
  readonly stems: readonly string[];
  /** By stem: how many bytes of `postings` it has. */
  readonly sizes: Uint8Array;
  /** By stem: its texts ascending, each as the distance from the one before, and the impact of the stem as one byte. */
  readonly postings: Uint8Array;
  /** By text: how many different stems its title has, and their numbers. */
  readonly titles: Uint8Array;
}

/** What a field counts: its weight, the share of it that depends on the length, and the length that is usual. */
interface Field {
  readonly weight: number;
  readonly share: number;
  readonly usual: number;
}

/** Usual lengths are constants and no averages, so that what a tool counts depends on no other. */
const FIELDS: readonly (readonly [keyof WordFields, Field])[] = [
  ["title", { weight: 3, share: 0.3, usual: 5 }],
  ["name", { weight: 3, share: 0.3, usual: 5 }],
  ["description", { weight: 1, share: 0.6, usual: 40 }],
  ["args", { weight: 1.2, share: 0.7, usual: 40 }],
  ["values", { weight: 1.5, share: 0.8, usual: 12 }],
];

/** Occurrences in a field that count, how soon more of them stop to count, and the impact of all that there could be, as a byte. */
const MAX_COUNT = 4;
const SATURATION = 1.2;
export const MAX_IMPACT = 255;

/** Indexes texts. */
export function indexWords(texts: readonly IndexedText[]): WordIndex {
  const stemsIn = stemReader();
  const numbers = new Map<string, number>();
  const lists: Postings[] = [];
  const titles: number[] = [];
  texts.forEach((fields, text) => {
    for (const [stem, sum] of sumsOf(fields, stemsIn)) {
      const number = numbers.get(stem) ?? numbers.size;
      numbers.set(stem, number);
      lists[number] ??= { bytes: [], last: 0 };
      add(lists[number], text, impactOf(sum));
    }
    const title = new Set(stemsIn(fields.title));
    write(titles, title.size);
    for (const stem of title) write(titles, numbers.get(stem) ?? 0);
  });
  const sizes: number[] = [];
  for (const { bytes } of lists) write(sizes, bytes.length);
  return {
    texts: texts.length,
    stems: [...numbers.keys()],
    sizes: Buffer.from(sizes),
    postings: Buffer.concat(lists.map(({ bytes }) => Uint8Array.from(bytes))),
    titles: Buffer.from(titles),
  };
}

/** Reads the stems of texts, in their order. It remembers every name: the same few recur. */
function stemReader(): (text: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  const stemsIn = (name: string): readonly string[] => {
    const stems = known.get(name) ?? stemsOf(textWords(name));
    known.set(name, stems);
    return stems;
  };
  return (text) => text.split(/[^\p{L}\p{N}]+/u).flatMap(stemsIn);
}

/** What each stem counts in the fields of a text together. */
function sumsOf(fields: IndexedText, stemsIn: (text: string) => readonly string[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [name, { weight, share, usual }] of FIELDS) {
    const counts = new Map<string, number>();
    for (const stem of stemsIn(fields[name])) counts.set(stem, (counts.get(stem) ?? 0) + 1);
    const length = 1 - share + (share * counts.size) / usual;
    for (const [stem, count] of counts)
      sums.set(stem, (sums.get(stem) ?? 0) + (weight * Math.min(count, MAX_COUNT)) / length);
  }
  for (const [stem, weight] of fields.learned ?? []) sums.set(stem, (sums.get(stem) ?? 0) + LEARNED_FIELD * weight);
  return sums;
}

/** The impact of what a stem counts in the fields of a text together, from 0 to 1. */
export const shareOf = (sum: number): number => sum / (SATURATION + sum);

/** What a stem counts in a text, from 1 to {@link MAX_IMPACT}. */
const impactOf = (sum: number): number => Math.max(1, Math.round((MAX_IMPACT * sum) / (SATURATION + sum)));

/** Postings of a stem, and their last text. */
interface Postings {
  readonly bytes: number[];
  last: number;
}

function add(to: Postings, text: number, impact: number): void {
  write(to.bytes, text - to.last);
  to.bytes.push(impact);
  to.last = text;
}

function write(bytes: number[], number: number): void {
  let rest = number;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  bytes.push(rest);
}

/** Numbers of variable length, one after another. */
export function readNumbers(bytes: Uint8Array): Uint32Array {
  const numbers = new Uint32Array(bytes.length);
  let count = 0;
  for (let at = 0; at < bytes.length; count++) {
    const number = numberAt(bytes, at);
    numbers[count] = number;
    at += varintLength(number);
  }
  return numbers.slice(0, count);
}

/** The number of variable length that begins at a place. */
export function numberAt(bytes: Uint8Array, start: number): number {
  let at = start;
  let byte = bytes[at] ?? 0;
  let number = byte & 127;
  for (let shift = 7; byte > 127; shift += 7) {
    byte = bytes[++at] ?? 0;
    number |= (byte & 127) << shift;
  }
  return number;
}

/** How many bytes a number of variable length has. */
export function varintLength(number: number): number {
  let count = 1;
  for (let rest = number >>> 7; rest > 0; rest >>>= 7) count++;
  return count;
}
