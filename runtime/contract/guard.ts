/**
 * Timers and listeners that cannot end the process. An exception in a listener of an event or a timer, or an unhandled rejection,
 * would end it; a guard passes it to the owner of the listener instead, which ends the request or the connection.
 */

/** Wraps a listener of an event, a timer or a stream. */
export type Guard = <A extends readonly unknown[]>(listener: (...args: A) => unknown) => (...args: A) => void;

/** @param fail - called with the exception or the rejection of a listener */
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

/** Longest delay of `setTimeout`, in milliseconds; a timer that is set for longer fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
