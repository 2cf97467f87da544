/** How long to wait before a server is tried again. */

/** Shortest and longest wait, in milliseconds. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The waits in force. */
export const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 30_000 };

/**
 * The wait after failures in a row: doubled each time, bounded, and anywhere in its upper half, so that many who wait do not come
 * back at once. None before the first failure.
 *
 * @param random from 0 up to 1
 */
export function waitAfter(failures: number, random: () => number, { firstMs, longestMs }: Backoff = BACKOFF): number {
  if (failures <= 0) return 0;
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(whole * (0.5 + random() / 2));
}
