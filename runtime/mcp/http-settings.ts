/** What the HTTP door takes from `toolwright.yaml`: who may call (`access.http`), and how much at once (`limits.http`). */

/** Whether HTTP callers need a key: auto, only off loopback; keys, always; none, never. */
export type HttpAccess = "auto" | "keys" | "none";

/** Default and ceiling of each of `limits.http`. */
const HTTP_LIMITS = {
  body_bytes: [4_194_304, 67_108_864],
  in_flight: [256, 4096],
  connections: [1024, 65_536],
  header_ms: [10_000, 120_000],
  body_ms: [30_000, 600_000],
} as const satisfies Readonly<Record<string, readonly [preset: number, ceiling: number]>>;

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

/** Fills in defaults; a value over its ceiling is the ceiling. */
export function httpSettingsOf({ access, limits }: HttpConfig): HttpSettings {
  const limit = (name: keyof typeof HTTP_LIMITS): number => {
    const [preset, ceiling] = HTTP_LIMITS[name];
    return Math.min(limits?.http?.[name] ?? preset, ceiling);
  };
  return {
    access: access?.http ?? "auto",
    bodyBytes: limit("body_bytes"),
    inFlight: limit("in_flight"),
    connections: limit("connections"),
    headerMs: limit("header_ms"),
    bodyMs: limit("body_ms"),
  };
}
