/** Settings of transports: HTTP (`access.http`, `limits.http`), the socket (`limits.socket`), and the rate limit of keys (`access.rate`). */

import type { Filled, HTTP_LIMITS, SOCKET_LIMITS } from "../contract/config-defaults.js";

/** Whether HTTP callers need a key: `auto`, only off loopback; `keys`, always; `none`, never. */
export type HttpAccess = "auto" | "keys" | "none";

/** The part of `toolwright.yaml` that the HTTP transport reads. */
export interface HttpConfig {
  readonly access?: { readonly http?: HttpAccess };
  readonly limits?: { readonly http?: Readonly<Partial<Record<keyof typeof HTTP_LIMITS, number>>> };
}

/** Settings of the HTTP transport in force. */
export interface HttpSettings {
  readonly access: HttpAccess;
  /** Most bytes of one request's body. */
  readonly bodyBytes: number;
  /** Requests under way at once; each message of a batch counts. */
  readonly inFlight: number;
  /** Open connections, idle ones included. */
  readonly connections: number;
  /** Time limits for the headers of a request and, after them, for its body. */
  readonly headerMs: number;
  readonly bodyMs: number;
}

/** Maps the configuration to the settings. */
export function httpSettingsOf({ access, limits }: Filled<HttpConfig>): HttpSettings {
  const { body_bytes, in_flight, connections, header_ms, body_ms } = limits.http;
  return {
    access: access.http,
    bodyBytes: body_bytes,
    inFlight: in_flight,
    connections,
    headerMs: header_ms,
    bodyMs: body_ms,
  };
}

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

/** `access.rate`. */
export interface RateSettings {
  /** Calls that a key may make in one burst. */
  readonly burst: number;
  /** Calls that are added to the allowance each second. */
  readonly perSecond: number;
}
