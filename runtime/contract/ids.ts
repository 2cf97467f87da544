/** Random ids: of traces, and ids that people can read out. */

import { randomBytes } from "node:crypto";

/** Base 32: 32 characters, so that five bits of a random byte select one evenly. */
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** A random id with five bits of randomness per character. */
export const randomId = (length: number): string =>
  Array.from(randomBytes(length), (byte) => ALPHABET[byte & 31]).join("");

/** A trace id: `tr_` and 16 hexadecimal digits. */
export const newTraceId = (): string => `tr_${randomBytes(8).toString("hex")}`;

/** The id of a run: `run_` and 12 characters. */
export const newRunId = (): string => `run_${randomId(12)}`;
