/** What the socket takes from `toolwright.yaml`: how much at once, and for how long (`limits.socket`). */

import type { Filled, SOCKET_LIMITS } from "../contract/config-defaults.js";

/** The part of `toolwright.yaml` that the socket reads. */
export interface SocketConfig {
  readonly limits?: { readonly socket?: Readonly<Partial<Record<keyof typeof SOCKET_LIMITS, number>>> };
}

/** Settings of the socket in force. */
export interface SocketSettings {
  /** Bytes of one line that comes in, and of one that goes out. */
  readonly lineBytes: number;
  readonly responseBytes: number;
  /** Open connections, and how many of them may be without a valid key so far. */
  readonly connections: number;
  readonly strangers: number;
  /** Requests under way at once on one connection. */
  readonly inFlight: number;
  /** Answers about bad keys within a minute, after which a connection is closed. */
  readonly badKeys: number;
  /** Time in which the first line must be there. */
  readonly firstLineMs: number;
  /** Time without a line or an answer after which a connection is closed. */
  readonly idleMs: number;
  /** Time in which a client must have read what it was sent. */
  readonly stalledMs: number;
  /** Time that a call has unless it says otherwise. */
  readonly timeoutMs: number;
}

/** The settings under their names here. */
export function socketSettingsOf({ limits }: Filled<SocketConfig>): SocketSettings {
  const { socket } = limits;
  return {
    lineBytes: socket.line_bytes,
    responseBytes: socket.response_bytes,
    connections: socket.connections,
    strangers: socket.strangers,
    inFlight: socket.in_flight,
    badKeys: socket.bad_keys,
    firstLineMs: socket.first_line_ms,
    idleMs: socket.idle_ms,
    stalledMs: socket.stalled_ms,
    timeoutMs: socket.timeout_ms,
  };
}
