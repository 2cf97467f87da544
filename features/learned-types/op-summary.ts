/** What is known of the results of one op: a summary for each variant, who called it, and when. Mergeable, as its parts. */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { BOUNDS, type Bounds, mergeSummaries, type Summary } from "./summary.js";

/** Fingerprints that are kept of one op; the smallest, so that every server keeps the same. */
const MAX_CALLS = 256;
/** Callers that are counted. */
const MAX_CALLERS = 64;
/** Variants of an op; with more, all of them are one. */
const MAX_VARIANTS = 8;

/** The variant of ops whose results are not told apart. */
export const ANY = "*";

/** What is known of the results of one op. */
export interface OpSummary {
  /** Calls, including those with the same arguments. */
  readonly calls: number;
  /** Fingerprints of arguments, sorted. */
  readonly args: readonly string[];
  /** First and last day. */
  readonly days: readonly [first: string, last: string];
  /** Number of calls of each caller, whose id is a fingerprint. Calls of the local caller are not counted: it owns the project. */
  readonly callers: ReadonlyMap<string, number>;
  /** Summary by variant: by the values of arguments that are enums or booleans. */
  readonly variants: ReadonlyMap<string, Summary>;
}

/** One call, as a summary. */
export function ofOneCall(
  call: string,
  day: string,
  caller: string | undefined,
  variant: string,
  summary: Summary,
): OpSummary {
  return {
    ...{ calls: 1, args: [call], days: [day, day] },
    callers: new Map(caller === undefined ? [] : [[caller, 1]]),
    variants: new Map([[variant, summary]]),
  };
}

/** Merges two summaries of one op; commutative and associative. */
export function mergeOps(a: OpSummary, b: OpSummary, bounds: Bounds = BOUNDS): OpSummary {
  return {
    calls: a.calls + b.calls,
    args: [...new Set([...a.args, ...b.args])].sort(byCodeUnit).slice(0, MAX_CALLS),
    days: spanOf([...a.days, ...b.days].sort(byCodeUnit)),
    callers: smallest(
      union(a.callers, b.callers, (x, y) => x + y),
      MAX_CALLERS,
    ),
    variants: boundedVariants(
      union(a.variants, b.variants, (x, y) => mergeSummaries(x, y, bounds)),
      bounds,
    ),
  };
}

const spanOf = (days: readonly string[]): OpSummary["days"] => [days[0] ?? "", days.at(-1) ?? ""];

function union<T>(
  a: ReadonlyMap<string, T>,
  b: ReadonlyMap<string, T>,
  merge: (a: T, b: T) => T,
): ReadonlyMap<string, T> {
  const all = new Map(a);
  for (const [name, value] of b) {
    const other = all.get(name);
    all.set(name, other === undefined ? value : merge(other, value));
  }
  return all;
}

const smallest = <T>(all: ReadonlyMap<string, T>, most: number): ReadonlyMap<string, T> =>
  all.size <= most ? all : new Map([...all].sort(([a], [b]) => byCodeUnit(a, b)).slice(0, most));

function boundedVariants(variants: ReadonlyMap<string, Summary>, bounds: Bounds): ReadonlyMap<string, Summary> {
  if (variants.size <= MAX_VARIANTS && !variants.has(ANY)) return variants;
  return new Map([[ANY, mergedVariants(variants, bounds)]]);
}

/** One summary for all variants. */
export const mergedVariants = (variants: ReadonlyMap<string, Summary>, bounds: Bounds = BOUNDS): Summary =>
  [...variants.values()].reduce((a, b) => mergeSummaries(a, b, bounds));
