/** Random ids: of traces, and ids that people can read out. */

import { randomBytes } from "node:crypto";

/** Base 32: 32 characters, so that five bits of a random byte select one evenly. */
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** A random id with five bits of randomness per character. */
export const randomId = (length: number): string =>
  Array.from(randomBytes(length), (byte) => ALPHABET[byte & 31]).join("");

const TRACE_BYTES = 8;
/** Random bytes for some trace ids: to get 2,048 takes hardly longer than to get 8. */
let bytes = Buffer.alloc(0);
let used = 0;

/** A trace id: `tr_` and 16 hexadecimal digits. */
export function newTraceId(): string {
  if (used === bytes.length) {
    bytes = randomBytes(256 * TRACE_BYTES);
    used = 0;
  }
  const id = bytes.toString("hex", used, used + TRACE_BYTES);
  used += TRACE_BYTES;
  return `tr_${id}`;
}

/** The id of a run: `run_` and 12 characters. */
export const newRunId = (): string => `run_${randomId(12)}`;
