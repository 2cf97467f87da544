/** Error codes of authorization servers. */

/** Longest code that is repeated, in characters. */
const MAX_LENGTH = 60;

/**
 * An error code that may be shown: words of small letters, as all that are registered. Anything else may quote the
 * request, with its tokens.
 *
 * @returns undefined if the value is no such code
 *
 * @example
 * oauthErrorCode("invalid_grant"); // "invalid_grant"
 */
export const oauthErrorCode = (value: unknown): string | undefined =>
  typeof value === "string" && value.length <= MAX_LENGTH && /^[a-z]+(?:_[a-z]+)*$/.test(value) ? value : undefined;
