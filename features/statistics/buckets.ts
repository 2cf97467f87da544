/** Counts durations in sixteen buckets, from which median and 95th percentile are computed. */

/** Upper bounds in milliseconds; the last bucket has no upper bound. */
export const BUCKET_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000] as const;

/** Number of buckets. */
export const BUCKETS = BUCKET_BOUNDS.length + 1;

/** The bucket of a duration, in milliseconds. */
export function bucketOf(ms: number): number {
  const at = BUCKET_BOUNDS.findIndex((bound) => ms <= bound);
  return at < 0 ? BUCKET_BOUNDS.length : at;
}

/** Number of durations in each bucket. */
export type BucketCounts = readonly number[];

/** Adds counts. */
export const addBuckets = (a: BucketCounts, b: BucketCounts): BucketCounts =>
  Array.from({ length: BUCKETS }, (_, at) => (a[at] ?? 0) + (b[at] ?? 0));

/**
 * The duration that a share of the durations does not exceed, in milliseconds; interpolated in its bucket as if
 * durations were spread evenly.
 *
 * @param longest - the longest of the durations, which the answer does not exceed; infinity if it is unknown
 * @returns null without durations; infinity in the last bucket, which has no upper bound, if `longest` is unknown
 */
export function quantile(counts: BucketCounts, share: number, longest = Number.POSITIVE_INFINITY): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = share * total;
  for (const [at, count] of counts.entries()) {
    if (count > 0 && left <= count) {
      const from = BUCKET_BOUNDS[at - 1] ?? 0;
      const to = Math.min(BUCKET_BOUNDS[at] ?? Number.POSITIVE_INFINITY, longest);
      return Math.min(longest, from + (to - from) * (left / count));
    }
    left -= count;
  }
  return longest;
}
