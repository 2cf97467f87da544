/** Backoff between attempts: of a connection to a server, of a job. */

/** Shortest and longest wait, in milliseconds. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Default waits. */
export const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 30_000 };

/**
 * The wait after failures in a row: doubled each time, bounded, and random in its upper half, so that clients do not
 * reconnect simultaneously. Zero before the first failure.
 *
 * @param random - returns a number from 0 up to 1
 */
export function waitAfter(failures: number, random: () => number, { firstMs, longestMs }: Backoff = BACKOFF): number {
  if (failures <= 0) return 0;
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(whole * (0.5 + random() / 2));
}
