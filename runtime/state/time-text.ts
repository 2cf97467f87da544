/** Times in the form of the state database: ISO 8601 in UTC. */

/** Length of the part of a time that identifies its hour. */
export const HOUR_LENGTH = "2026-11-22T05".length;

/** A time as stored in rows. */
export const iso = (ms: number): string => new Date(ms).toISOString();

/** The hour of a time, by which statistics are summed: `2026-11-22T05`. */
export const hourOf = (ms: number): string => iso(ms).slice(0, HOUR_LENGTH);
