/** Times and durations for people. */

/** `14:03:59`. */
export const timeOf = (at: number): string => new Date(at).toLocaleTimeString("en-GB");
