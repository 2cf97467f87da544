/** Reads a caught value, which may be anything: its message, stack and code, or the value as an `Error`. */

/**
 * The message of a caught value.
 *
 * @param error - an `Error`, or any other value
 * @returns the error's message, or the value as text
 * @example
 * messageOf(new Error("no such file")); // "no such file"
 * messageOf(7); // "7"
 */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The stack of a caught value, for the log. */
export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** The code of a caught error, such as `ENOENT` of the system or the number of a JSON-RPC error; undefined without one. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

/** The caught value itself if it is an `Error`, or an `Error` with the value as its message. */
export const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
