/** Groups characters into classes that the sets of a pattern do not distinguish. */

import type { Ranges } from "./syntax.js";

/** The classes of a pattern's characters. */
export interface Alphabet {
  readonly size: number;
  /** The class of a code point. */
  readonly classOf: (codePoint: number) => number;
  /** Whether a set has the characters of a class. */
  readonly has: (set: number, characterClass: number) => boolean;
}

/** Divides all code points into as few classes as the sets need. */
export function alphabetOf(sets: readonly Ranges[]): Alphabet {
  const bounds = [...new Set([0, ...sets.flat().flatMap(([from, to]) => [from, to + 1])])].sort((a, b) => a - b);
  const bySignature = new Map<string, number>();
  const inside: (readonly boolean[])[] = [];
  const cursors = sets.map(() => 0);
  const classAt = bounds.map((bound) => {
    const signature = sets.map((ranges, set) => {
      while ((ranges[cursors[set] as number]?.[1] ?? Number.POSITIVE_INFINITY) < bound) (cursors[set] as number)++;
      return (ranges[cursors[set] as number]?.[0] ?? Number.POSITIVE_INFINITY) <= bound;
    });
    const key = signature.map(Number).join("");
    if (!bySignature.has(key)) bySignature.set(key, inside.push(signature) - 1);
    return bySignature.get(key) as number;
  });
  const ascii = Uint16Array.from({ length: 128 }, (_, code) => classAt[lastAtMost(bounds, code)] as number);
  return {
    size: inside.length,
    classOf: (code) => (code < 128 ? (ascii[code] as number) : (classAt[lastAtMost(bounds, code)] as number)),
    has: (set, characterClass) => inside[characterClass]?.[set] === true,
  };
}

/** Index of the last bound that is not above a code point. */
function lastAtMost(bounds: readonly number[], code: number): number {
  let low = 0;
  let high = bounds.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((bounds[middle] as number) <= code) low = middle;
    else high = middle - 1;
  }
  return low;
}
