/** Escapes, unescapes and splits the parts of a JSON Pointer (RFC 6901), the texts between its slashes. */

/**
 * A key as a part of a JSON Pointer.
 *
 * @param key - the key in an object, or the index in an array
 * @returns the part, with `~` and `/` escaped
 * @example
 * escapePointer("a/b"); // "a~1b"
 */
export const escapePointer = (key: string | number): string => String(key).replaceAll("~", "~0").replaceAll("/", "~1");

/**
 * The key that a part of a JSON Pointer names.
 *
 * @param part - the text between two slashes
 * @returns the key, with `~1` and `~0` decoded
 * @example
 * unescapePointer("a~1b"); // "a/b"
 */
export const unescapePointer = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");

/**
 * The keys that a JSON Pointer names, from the outermost.
 *
 * @param pointer - empty for the whole value
 * @returns the unescaped parts
 * @example
 * pointerParts("/properties/a~1b"); // ["properties", "a/b"]
 */
export const pointerParts = (pointer: string): readonly string[] => pointer.split("/").slice(1).map(unescapePointer);
