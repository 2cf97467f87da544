/** Random ids that people can read out: lower case, and no digit that looks like a letter. */

import { randomBytes } from "node:crypto";

/** Base 32: 32 characters, so that five bits of a random byte select one evenly. */
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** A random id with five bits of randomness per character. */
export const randomId = (length: number): string =>
  Array.from(randomBytes(length), (byte) => ALPHABET[byte & 31]).join("");
