/** Opens the state database on first use. */

import { inTime, remainingMs } from "./deadline.js";
import { forCaller, LOCK_TIMEOUT_MS, StateFailure } from "./failure.js";
import type { State } from "./open.js";

/** A state database that is opened on first use. */
export interface LazyState {
  /**
   * The database, for a call. A failure to open is not cached, so that the next call tries again.
   *
   * @throws ToolFailure UNAVAILABLE if it does not open, or not before the current deadline
   */
  get(): Promise<State>;
  /**
   * As `get`, for the startup of a process. @throws UsageError if the operator has to act, and the errors of `get`
   */
  open(): Promise<State>;
  /** Closes it if it was opened. */
  close(): Promise<void>;
}

/** Creates the holder; opens nothing yet. */
export function lazyState(openState: () => Promise<State>): LazyState {
  let opening: Promise<State> | undefined;
  const open = (): Promise<State> => {
    opening ??= openState().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    open,
    async get() {
      try {
        return await inTime(open(), remainingMs(LOCK_TIMEOUT_MS), () => new StateFailure("slow"));
      } catch (error) {
        throw forCaller(error);
      }
    },
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}
