/** Finds the nearest name for "did you mean" in diagnostics, help and exec. */

import { byCodeUnit } from "./canonical.js";

/** Names longer than this are not compared letter by letter: the cost grows with the square. */
const MAX_COMPARED_LENGTH = 128;

/**
 * Edit distance with transpositions counting 1 (optimal string alignment). A text over 128 characters is at the
 * largest distance possible.
 */
export function editDistance(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length > MAX_COMPARED_LENGTH || b.length > MAX_COMPARED_LENGTH) return Math.max(a.length, b.length);
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = nextRow(a, b, i, above, before);
    before = above;
    above = row;
  }
  return above[b.length] ?? 0;
}

/** Row `i` of the table: distances of the first `i` letters of `a` to every beginning of `b`, from the two rows above. */
function nextRow(
  a: string,
  b: string,
  i: number,
  above: readonly number[],
  before: readonly number[],
): readonly number[] {
  const row = [i];
  for (let j = 1; j <= b.length; j++) {
    const cost = a[i - 1] === b[j - 1] ? 0 : 1;
    const edited = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + cost);
    const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
    row.push(isSwap ? Math.min(edited, (before[j - 2] ?? 0) + 1) : edited);
  }
  return row;
}

/**
 * The candidate nearest to `name` within a third of its length (at least 2 edits), letter case ignored; else undefined.
 *
 * @example
 * closest("descripton", ["description", "title"]); // "description"
 */
export function closest(name: string, candidates: Iterable<string>): string | undefined {
  const folded = name.toLowerCase();
  let best: { name: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const most = Math.max(2, Math.floor(Math.max(name.length, candidate.length) / 3));
    // Two texts are at least as far apart as their lengths.
    if (Math.abs(name.length - candidate.length) > most) continue;
    const distance = editDistance(folded, candidate.toLowerCase());
    if (distance > most) continue;
    if (distance >= Math.min(name.length, candidate.length)) continue;
    if (!best || distance < best.distance || (distance === best.distance && byCodeUnit(candidate, best.name) < 0))
      best = { name: candidate, distance };
  }
  return best?.name;
}
