/** The interface of a transport, as the process that serves it sees it: when it has ended, and how to shut it down. */

/** An open transport. */
export interface OpenTransport {
  /**
   * Resolves with the reason when its only client has disconnected, rejects if nothing can be served after all; absent if it
   * serves many.
   */
  readonly ended?: Promise<string>;
  /** Tells balancers that it will stop, and waits while they send requests elsewhere; `undefined` without such a wait. */
  drain?(): Promise<void> | undefined;
  /** Stops accepting. */
  stop(): void;
  /** Waits until no call is under way, at most `ms`; whether that was reached. */
  idle(ms: number): Promise<boolean>;
  /** Aborts the calls under way, waits {@link ABORT_MS} for them, and closes. */
  close(): Promise<void>;
}

/** Time for aborted calls to roll back and answer before the state is closed. */
export const ABORT_MS = 500;

/** Waits until nothing is under way. */
export interface Idling {
  /** Waits, at most `ms`; whether that was reached. */
  idle(ms: number): Promise<boolean>;
  /** Checks whether it is reached; call it when something has ended. */
  look(): void;
}

/** @param isIdle - whether nothing is under way */
export function createIdling(isIdle: () => boolean): Idling {
  const waiting = new Set<() => void>();
  return {
    look() {
      if (isIdle()) for (const finish of waiting) finish();
    },
    idle: (ms) =>
      new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(limit);
          waiting.delete(finish);
          resolve(isIdle());
        };
        const limit = setTimeout(finish, ms);
        waiting.add(finish);
        if (isIdle()) finish();
      }),
  };
}
