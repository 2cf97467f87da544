/** Random ids: of traces, and ids that people can read out. */

import { randomBytes } from "node:crypto";

/** Base 32: 32 characters, so that five bits of a random byte select one evenly. */
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** Random bytes that are fetched at once: to get so many takes hardly longer than to get 8. */
const POOL_BYTES = 2048;
let bytes = Buffer.alloc(0);
let used = 0;

/** Takes random bytes; each is given once. */
function take(count: number): Buffer {
  if (count > POOL_BYTES) return randomBytes(count);
  if (used + count > bytes.length) {
    bytes = randomBytes(POOL_BYTES);
    used = 0;
  }
  used += count;
  return bytes.subarray(used - count, used);
}

/** A random id with five bits of randomness per character. */
export const randomId = (length: number): string => Array.from(take(length), (byte) => ALPHABET[byte & 31]).join("");

/** Random bytes, as hexadecimal digits. */
export const randomHex = (count: number): string => take(count).toString("hex");

/** A trace id: `tr_` and 16 hexadecimal digits. */
export const newTraceId = (): string => `tr_${randomHex(8)}`;

/** The id of a run: `run_` and 12 characters. */
export const newRunId = (): string => `run_${randomId(12)}`;
