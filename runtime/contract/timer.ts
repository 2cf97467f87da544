/** The bound of the timers of Node. */

/** Longest delay of `setTimeout`, in milliseconds; a timer that is set for longer fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
