/** What the HTTP door takes from `toolwright.yaml`: who may call (`access.http`), and how much at once (`limits.http`). */

import type { Filled, HTTP_LIMITS } from "../contract/config-defaults.js";

/** Whether HTTP callers need a key: auto, only off loopback; keys, always; none, never. */
export type HttpAccess = "auto" | "keys" | "none";

/** The part of `toolwright.yaml` that the HTTP door reads. */
export interface HttpConfig {
  readonly access?: { readonly http?: HttpAccess };
  readonly limits?: { readonly http?: Readonly<Partial<Record<keyof typeof HTTP_LIMITS, number>>> };
}

/** Settings of the HTTP door in force. */
export interface HttpSettings {
  readonly access: HttpAccess;
  /** Bytes of one request's body. */
  readonly bodyBytes: number;
  /** Requests under way at once; each message of a batch counts. */
  readonly inFlight: number;
  /** Open connections, idle ones included. */
  readonly connections: number;
  /** Time in which the headers of a request must be there, and after them its body. */
  readonly headerMs: number;
  readonly bodyMs: number;
}

/** The settings under their names here. */
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
