/**
 * The index of `ot.help`: which texts contain a stem, in which field and how often. Its postings stay bytes, of which a search reads those
 * of its words, so that an index is loaded as fast as its file is read.
 */

import { createWordReader, WORD_FIELDS, type WordFields } from "./entry-words.js";

/**
 * An index of texts. The place of a field is the index of its text times the number of fields, plus the number of the field. All numbers
 * are variable-length: seven bits a byte, the lowest first, the eighth bit set in all bytes but the last.
 */
export interface WordIndex {
  /** How many texts it holds. */
  readonly texts: number;
  /** In the order in which they were found. */
  readonly stems: readonly string[];
  /** By place: how many different words are written in the field. */
  readonly lengths: Uint8Array;
  /** By stem: how many bytes of `postings` it has. */
  readonly sizes: Uint8Array;
  /** By stem: its places ascending, each as the distance from the one before, and how often the field contains it. */
  readonly postings: Uint8Array;
}

/** Indexes texts. */
export function indexWords(texts: readonly WordFields[]): WordIndex {
  const { read, stems } = createWordReader();
  const lengths: number[] = [];
  const lists: Postings[] = [];
  texts.forEach((fields, text) => {
    read(fields).forEach(({ length, counts }, field) => {
      write(lengths, length);
      for (const [stem, count] of counts) {
        lists[stem] ??= { bytes: [], last: 0 };
        add(lists[stem], text * WORD_FIELDS.length + field, count);
      }
    });
  });
  const sizes: number[] = [];
  for (const { bytes } of lists) write(sizes, bytes.length);
  return {
    texts: texts.length,
    stems,
    lengths: Buffer.from(lengths),
    sizes: Buffer.from(sizes),
    postings: Buffer.concat(lists.map(({ bytes }) => Uint8Array.from(bytes))),
  };
}

/** Postings of a stem, and their last place. */
interface Postings {
  readonly bytes: number[];
  last: number;
}

function add(to: Postings, place: number, count: number): void {
  write(to.bytes, place - to.last);
  write(to.bytes, count);
  to.last = place;
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
    at += bytesOf(number);
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
export function bytesOf(number: number): number {
  let count = 1;
  for (let rest = number >>> 7; rest > 0; rest >>>= 7) count++;
  return count;
}
