/** The state database on demand. */

import { inTime, remainingMs } from "./deadline.js";
import { forCaller, LOCK_TIMEOUT_MS, StateFailure } from "./failure.js";
import type { State } from "./open.js";

/** A state database that is opened when first asked for. */
export interface LazyState {
  /**
   * The database, for a call. A failure to open is forgotten, so that the next call tries again.
   *
   * @throws ToolFailure UNAVAILABLE where it does not open, or not before the deadline of the work around it
   */
  get(): Promise<State>;
  /** As `get`, for the start of a process. @throws UsageError where a person has to act, and what `get` throws */
  open(): Promise<State>;
  /** Closes it if it was opened. */
  close(): Promise<void>;
}

/** Nothing is opened yet. */
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
