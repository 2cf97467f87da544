/** Escapes and unescapes one part of a JSON Pointer (RFC 6901), the text between two slashes. */

/**
 * A key as a part of a JSON Pointer.
 *
 * @param key - the key of an object, or the place in a list
 * @returns the part, with `~` and `/` escaped
 * @example
 * escapePointer("a/b"); // "a~1b"
 */
export const escapePointer = (key: string | number): string => String(key).replaceAll("~", "~0").replaceAll("/", "~1");

/**
 * The key that a part of a JSON Pointer names.
 *
 * @param part - what stands between two slashes
 * @returns the key, with `~1` and `~0` undone
 * @example
 * unescapePointer("a~1b"); // "a/b"
 */
export const unescapePointer = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");
