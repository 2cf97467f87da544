/** Finds the nearest name for "did you mean" in diagnostics, help and exec. */

import { byCodeUnit } from "./canonical.js";
import { spend } from "./work-budget.js";

/** Names longer than this are not compared letter by letter: the cost grows with the square. */
const MAX_COMPARED_LENGTH = 128;
/** Pairs of letters that are compared for a unit of work, and units to look at a candidate. */
const PAIRS_PER_UNIT = 10;
const CANDIDATE_WORK = 1;

/** Rows of the table of distances, kept: a name may be compared with thousands. */
const ROWS = [0, 1, 2].map(() => new Uint8Array(MAX_COMPARED_LENGTH + 1));

/**
 * Edit distance with transpositions counting 1 (optimal string alignment). A text over 128 characters is at the
 * largest distance possible.
 */
export function editDistance(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length > MAX_COMPARED_LENGTH || b.length > MAX_COMPARED_LENGTH) return Math.max(a.length, b.length);
  return tableDistance(...withoutCommonEnds(a, b));
}

/** Two texts without the letters that both begin and end with: these add nothing to the distance. */
function withoutCommonEnds(a: string, b: string): readonly [string, string] {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  let end = 0;
  while (end < most - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) end++;
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}

function tableDistance(a: string, b: string): number {
  spend((a.length * b.length) / PAIRS_PER_UNIT);
  let [row, above, before] = ROWS as [Uint8Array, Uint8Array, Uint8Array];
  for (let j = 0; j <= b.length; j++) above[j] = j;
  for (let i = 1; i <= a.length; i++) {
    fillRow(row, a, b, i, above, before);
    [row, above, before] = [before, row, above];
  }
  return above[b.length] ?? 0;
}

/** Row `i` of the table: distances of the first `i` letters of `a` to every beginning of `b`, from the two rows above. */
function fillRow(row: Uint8Array, a: string, b: string, i: number, above: Uint8Array, before: Uint8Array): void {
  row[0] = i;
  const left = a.charCodeAt(i - 1);
  for (let j = 1; j <= b.length; j++) {
    const right = b.charCodeAt(j - 1);
    const cost = left === right ? 0 : 1;
    const edited = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + cost);
    const isSwap = i > 1 && j > 1 && left === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === right;
    row[j] = isSwap ? Math.min(edited, (before[j - 2] ?? 0) + 1) : edited;
  }
}

/** Length from which a name may have two letters wrong: with two others, a shorter one is another word. */
const MIN_TWO_WRONG = 5;

/** Most edits between a name and one that is suggested for it: at least half of the letters of both are the same, in order. */
const mostEdits = (length: number): number => Math.max(length < MIN_TWO_WRONG ? 1 : 2, Math.floor(length / 3));

/**
 * The candidate nearest to `name` within a third of its length (at least 2 edits, 1 in names of up to 4 letters), letter case ignored;
 * else undefined.
 *
 * @example
 * closest("descripton", ["description", "title"]); // "description"
 */
export function closest(name: string, candidates: Iterable<string>): string | undefined {
  const folded = name.toLowerCase();
  let best: { name: string; distance: number } | undefined;
  for (const candidate of candidates) {
    spend(CANDIDATE_WORK);
    const most = mostEdits(Math.max(name.length, candidate.length));
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
