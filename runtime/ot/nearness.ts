/** How near short texts are to a query that may be mistyped: exact, beginning, part, or by fuse.js. */

import type Fuse from "fuse.js";
import type { IFuseOptions } from "fuse.js";

/** A longer query is a sentence, in which no name is mistyped. */
const LONGEST = 32;

const EXACT = 1;
const PREFIX = 0.9;
const SUBSTRING = 0.8;
/** Below every sure match; a match that is half wrong is worth much less than half. */
const FUZZY = 0.75;

const OPTIONS: IFuseOptions<string> = {
  includeScore: true,
  ignoreLocation: true,
  ignoreFieldNorm: true,
  threshold: 0.4,
};

/** Scores over 0 and up to 1 of the texts that are near to a query, by index. */
export type Nearness = (query: string) => ReadonlyMap<number, number>;

/** Makes texts ready to be compared with queries. */
export async function nearnessOf(texts: readonly string[]): Promise<Nearness> {
  const { default: Engine } = await import("fuse.js");
  const lower = texts.map((text) => text.toLowerCase());
  let fuse: Fuse<string> | undefined;
  return (query) => {
    const wanted = query.toLowerCase().trim();
    const scores = new Map<number, number>();
    if (wanted === "" || wanted.length > LONGEST) return scores;
    fuse ??= new Engine(lower, OPTIONS);
    for (const { refIndex, score = 1 } of fuse.search(wanted)) scores.set(refIndex, FUZZY * (1 - score) ** 2);
    lower.forEach((text, at) => {
      if (text.includes(wanted)) scores.set(at, sure(text, wanted));
    });
    return scores;
  };
}

function sure(text: string, wanted: string): number {
  if (text === wanted) return EXACT;
  return text.startsWith(wanted) ? PREFIX : SUBSTRING;
}
