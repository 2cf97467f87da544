/** A way into the gateway, as the process that serves it sees it: until when it is open, and how it ends. */

/** An open door. */
export interface Door {
  /** Resolves with the reason when its only client has gone; absent where there may be many. */
  readonly ended?: Promise<string>;
  /** Accepts nothing new. */
  stop(): void;
  /** Waits until no call is under way, at most `ms`; whether that was reached. */
  idle(ms: number): Promise<boolean>;
  /** Aborts what is still under way, gives it {@link ABORT_MS} to end, and closes. */
  close(): Promise<void>;
}

/** How long aborted calls get to roll back and to answer before the state is closed under them. */
export const ABORT_MS = 500;

/** Waiting until nothing is under way. */
export interface Idling {
  /** Waits, at most `ms`; whether that was reached. */
  idle(ms: number): Promise<boolean>;
  /** Looks whether it is reached; to be called when something has ended. */
  look(): void;
}

/** @param isIdle whether nothing is under way */
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
