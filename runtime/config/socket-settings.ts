/** Settings of the socket transport: its limits (`limits.socket`). */

import type { Filled, SOCKET_LIMITS } from "../contract/config-defaults.js";

/** The part of `toolwright.yaml` that the socket reads. */
export interface SocketConfig {
  readonly limits?: { readonly socket?: Readonly<Partial<Record<keyof typeof SOCKET_LIMITS, number>>> };
}

/** Settings of the socket in force. */
export interface SocketSettings {
  /** Most bytes of one incoming line, and of one outgoing line. */
  readonly lineBytes: number;
  readonly responseBytes: number;
  /** Most open connections, and most of them without a valid key. */
  readonly connections: number;
  readonly strangers: number;
  /** Most concurrent requests on one connection. */
  readonly inFlight: number;
  /** Bad keys within a minute after which a connection is closed. */
  readonly badKeys: number;
  /** Time limit for the first line. */
  readonly firstLineMs: number;
  /** Time without a line or an answer after which a connection is closed. */
  readonly idleMs: number;
  /** Time limit for a client to read what it was sent. */
  readonly stalledMs: number;
  /** Default time limit of a call. */
  readonly timeoutMs: number;
}

/** Maps the configuration to the settings. */
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
