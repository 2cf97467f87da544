/** Writes spans of time in messages. */

/** A time in messages about limits: `10 s`. */
export const seconds = (ms: number): string => `${ms / 1000} s`;
