/** Durations as people write them: a whole number and a unit, such as `90d`. */

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The milliseconds of a duration; undefined for any other text.
 *
 * @example
 * durationMs("6h"); // 21600000
 */
export function durationMs(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,12})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit] ?? Number.NaN);
}

/** Shortest and longest `snapshot.every` of a server. */
const [MIN_EVERY_MS, MAX_EVERY_MS] = [60_000, 365 * 86_400_000];

/** The milliseconds of `snapshot.every`; undefined if it is no duration from 1m to 365d. */
export function snapshotEveryMs(text: string): number | undefined {
  const ms = durationMs(text);
  return ms !== undefined && ms >= MIN_EVERY_MS && ms <= MAX_EVERY_MS ? ms : undefined;
}
