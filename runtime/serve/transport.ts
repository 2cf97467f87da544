/** How a transport shuts down: how long aborted calls have, and when nothing is under way. */

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
