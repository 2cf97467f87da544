/** The state database on demand. */

import type { State } from "./open.js";

/** A state database that is opened when first asked for. */
export interface LazyState {
  /** A failure to open is forgotten, so that the next call tries again. */
  get(): Promise<State>;
  /** Closes it if it was opened. */
  close(): Promise<void>;
}

/** Nothing is opened yet. */
export function lazyState(open: () => Promise<State>): LazyState {
  let opening: Promise<State> | undefined;
  return {
    get() {
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}
