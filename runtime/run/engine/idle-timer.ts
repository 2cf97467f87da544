/** Ends processes that nothing has used for a while; what needs one later starts another. */

/** Time after which an idle process of an engine ends: a program that comes within it does not wait for a start. */
export const IDLE_MS = 60_000;

/** A timer of something that is busy or idle. It does not keep this process running. */
export interface IdleTimer {
  /** It is in use: the time stops. */
  busy(): void;
  /** It is idle from now on. */
  idle(): void;
}

/** Makes a timer that calls `end` when something has been idle for a time. */
export function idleTimer(ms: number, end: () => void): IdleTimer {
  let timer: NodeJS.Timeout | undefined;
  const busy = (): void => clearTimeout(timer);
  const idle = (): void => {
    busy();
    timer = setTimeout(end, ms).unref();
  };
  return { busy, idle };
}
