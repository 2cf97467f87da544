/** Settings of the HTTP transport: authentication (`access.http`) and limits (`limits.http`). */

import type { Filled, HTTP_LIMITS } from "../contract/config-defaults.js";

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
