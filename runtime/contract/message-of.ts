/**
 * The message of a thrown value.
 *
 * @param error - the caught value: an `Error`, or any other value
 * @returns the error's message, or the value as text
 * @example
 * messageOf(new Error("no such file")); // "no such file"
 * messageOf(7); // "7"
 */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
