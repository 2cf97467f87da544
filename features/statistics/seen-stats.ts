/** What the console shows of statistics. */

import type { Stats } from "../../runtime/contract/statistics.js";
import type { BucketCounts } from "./buckets.js";
import type { HourCalls } from "./report/figures.js";

/** The figures of `ot.stats` with data for charts. */
export interface SeenStats extends Stats {
  /** When they were read, in ms since the epoch. */
  readonly now: number;
  /** Hours with calls, ascending. */
  readonly hours: readonly HourCalls[];
  /** Distribution of durations by op. */
  readonly durations: readonly (readonly [op: string, counts: BucketCounts])[];
  /** The longest duration by op, in milliseconds; absent where it is not known. */
  readonly longest: readonly (readonly [op: string, ms: number])[];
}
