/** Keys of services: read from the secrets, and kept out of what a service answers. */

import { type Context, fail } from "../contract/handler.js";

/** What a header can carry. */
const PRINTABLE = /^[\x21-\x7e]+$/;
/** A shorter key could be any word of an answer. */
const SHORTEST = 8;

/**
 * The value of a key, fit for a header.
 *
 * @throws ToolFailure UNAVAILABLE naming the secret, when it is not set or no header can carry it
 */
export function keyOf(ctx: Context, secret: string): string {
  const key = ctx.secret(secret).trim();
  return PRINTABLE.test(key)
    ? key
    : fail("UNAVAILABLE", `The secret ${secret} is no key: it holds blanks.`, { secret });
}

/** Text without the key, should a service repeat it. */
export const withoutKey = (text: string, key: string): string =>
  key.length < SHORTEST ? text : text.replaceAll(key, "***");
