/** Text that leaves the process: half of a pair of UTF-16 is no character, and many parsers refuse it. */

/** A pair, a half of one, or any other escape. */
const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|.)/gs;
/** Length of `\ud800`. */
const HALF_LENGTH = 6;
const IS_HALF = /^\\u[dD]/;

/** How `JSON.stringify` begins the escape of such a half. */
export const HALF = "\\ud";

/**
 * JSON with U+FFFD in place of every half of a pair.
 *
 * @param json - as `JSON.stringify` writes it
 * @example
 * wellFormedJson('"\\ud800!"'); // '"\ufffd!"'
 */
export const wellFormedJson = (json: string): string =>
  json.includes(HALF)
    ? json.replace(ESCAPES, (one) => (one.length === HALF_LENGTH && IS_HALF.test(one) ? "\ufffd" : one))
    : json;
