/** The state of a server's connection, for those who look at it. */

import type { UpstreamError } from "./upstream-error.js";

/** The state of a server. */
export interface ConnectionStanding {
  /** `idle`: not needed so far, or not recently; a server with `lazy: false` is never idle. */
  readonly state: "connected" | "idle" | "disconnected";
  /** Why it is not connected. */
  readonly error?: UpstreamError;
  /** Milliseconds until the next attempt. */
  readonly retryMs?: number;
}

/** A failure of a server, and when it happened, in ms since the epoch. */
export interface ServerFault {
  readonly error: UpstreamError;
  readonly at: number;
}

/** What a connection knows of itself. */
interface Known {
  readonly live?: unknown;
  readonly failure?: UpstreamError | undefined;
  /** By `performance.now()`. */
  readonly retryAt: number;
}

/**
 * The state of a connection.
 *
 * @param isEager - whether it is to stay open
 */
export function connectionStanding({ live, failure, retryAt }: Known, isEager: boolean): ConnectionStanding {
  if (live) return { state: "connected" };
  if (!failure) return { state: isEager ? "disconnected" : "idle" };
  return { state: "disconnected", error: failure, retryMs: Math.max(0, Math.round(retryAt - performance.now())) };
}
