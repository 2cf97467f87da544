/** API keys of external services: read from the secrets, and removed from answers. */

import { type Context, fail } from "../contract/handler.js";

/** Characters that a header can carry. */
const PRINTABLE = /^[\x21-\x7e]+$/;
/** Shortest key that is removed: a shorter one could be any word of an answer. */
const SHORTEST = 8;

/**
 * The value of a key, checked for use in a header.
 *
 * @throws ToolFailure UNAVAILABLE naming the secret, if it is not set or no header can carry it
 */
export function keyOf(ctx: Context, secret: string): string {
  const key = ctx.secret(secret).trim();
  return PRINTABLE.test(key)
    ? key
    : fail("UNAVAILABLE", `The secret ${secret} is not a valid key: it contains spaces or non-ASCII characters.`, {
        secret,
      });
}

/** Removes the key from a text in which a service repeats it. */
export const withoutKey = (text: string, key: string): string =>
  key.length < SHORTEST ? text : text.replaceAll(key, "***");
