/** Durations in sixteen buckets, from which a median and a 95th percentile are read. */

/** Upper bounds in milliseconds; the last bucket has none. */
const BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000] as const;

/** How many buckets there are. */
export const BUCKETS = BOUNDS.length + 1;

/** The bucket of a duration, in milliseconds. */
export function bucketOf(ms: number): number {
  const at = BOUNDS.findIndex((bound) => ms <= bound);
  return at < 0 ? BOUNDS.length : at;
}
