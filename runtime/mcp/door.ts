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
