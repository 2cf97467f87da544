/**
 * Listeners that cannot end the process. What a listener of an event or a timer throws, and the rejection of a promise that is not awaited,
 * would end it; here it goes to the one who owns the listener, who ends the request or the connection.
 */

/** Wraps a listener of an event, a timer or a stream. */
export type Guard = <A extends readonly unknown[]>(listener: (...args: A) => unknown) => (...args: A) => void;

/** @param fail - hears what a listener throws, or rejects with */
export const guardBy =
  (fail: (error: unknown) => void): Guard =>
  (listener) =>
  (...args) => {
    try {
      const made = listener(...args);
      if (made instanceof Promise) made.catch(fail);
    } catch (error) {
      fail(error);
    }
  };

/** The stack of what was thrown, for the log. */
export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
