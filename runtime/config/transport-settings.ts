/** Settings of transports: HTTP (`public_url`, `http`, `access.http`, `limits.http`), the socket (`limits.socket`), and the rate limit of keys (`access.rate`). */

import ipaddr from "ipaddr.js";
import { onLine } from "../contract/message-text.js";
import type { FilledConfig, WrittenConfig } from "../contract/settings/project-settings.js";
import { UsageError } from "../contract/usage-error.js";
import type { SignInReader, SignInSettings } from "./sign-in-settings.js";

/** Whether HTTP callers need a key: `auto`, only off loopback; `keys`, always; `none`, never. */
export type HttpAccess = FilledConfig["access"]["http"];

/** Who may read `/metrics`: no caller, callers with a key (and the local caller, where no key is needed), or every caller. */
export type MetricsAccess = FilledConfig["metrics"];

/** The keys that the HTTP transport reads. */
type HttpKeys = "access" | "http" | "limits" | "metrics" | "public_url";

/** The part of `toolwright.yaml` that the HTTP transport reads. */
export type HttpConfig = Pick<WrittenConfig, HttpKeys>;

/** Settings of the HTTP transport in force. */
export interface HttpSettings {
  readonly access: HttpAccess;
  readonly metrics: MetricsAccess;
  /** Most bytes of one request's body. */
  readonly bodyBytes: number;
  /** Requests under way at once; each message of a batch counts. */
  readonly inFlight: number;
  /** Open connections, idle ones included. */
  readonly connections: number;
  /** Time limits for the headers of a request and, after them, for its body. */
  readonly headerMs: number;
  readonly bodyMs: number;
  /** Time without a request after which a connection is closed, and most requests of one connection. */
  readonly keepAliveMs: number;
  readonly requestsPerConnection: number;
  /** The URL at which clients reach the server; absent: that of the address it listens on. */
  readonly publicUrl?: URL;
  /** Host names that requests may use beside those of the address, in the form that URLs have. */
  readonly allowedHosts: readonly string[];
  /** Addresses and networks of proxies, whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly Network[];
  readonly drain: {
    /** How long `/readyz` answers 503 before the server accepts nothing more. */
    readonly delayMs: number;
    /** How long calls may go on after that. */
    readonly graceMs: number;
  };
  /** Sign-in beside keys, if it is configured. */
  readonly signIn?: SignInSettings;
  /** Files of the certificate and its private key, paths from the root of the project; absent: HTTP without TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A network: its address and the number of bits that are the same in it. */
export type Network = readonly [address: string, bits: number];

/** The place of a value in the configuration, for messages. */
type PlaceOf = (...path: readonly (string | number)[]) => string;

/**
 * Maps the configuration to the settings.
 *
 * @param reader - of sign-in, which a feature has
 * @throws UsageError for a URL, a host, a network or a pair of files that cannot be used
 */
export function httpSettingsOf(
  { access, limits, metrics, public_url, http }: Pick<FilledConfig, HttpKeys>,
  placeOf: PlaceOf = () => "toolwright.yaml",
  reader?: Pick<SignInReader, "settingsOf">,
): HttpSettings {
  const { body_bytes, in_flight, connections, header_ms, body_ms, keep_alive_ms, requests_per_connection } =
    limits.http;
  const { drain, tls } = http;
  if ((tls.cert === "") !== (tls.key === ""))
    throw new UsageError(`${placeOf("http", "tls")} http.tls needs both cert and key: name both files, or none`);
  const publicUrl = publicUrlOf(public_url, placeOf);
  const signIn = reader?.settingsOf(access, placeOf);
  return {
    access: access.http,
    metrics,
    bodyBytes: body_bytes,
    inFlight: in_flight,
    connections,
    headerMs: header_ms,
    bodyMs: body_ms,
    keepAliveMs: keep_alive_ms,
    requestsPerConnection: requests_per_connection,
    ...(publicUrl ? { publicUrl } : {}),
    ...(signIn ? { signIn } : {}),
    allowedHosts: [
      ...(publicUrl ? [publicUrl.hostname] : []),
      ...http.allowed_hosts.map((host, i) => hostOf(host, () => placeOf("http", "allowed_hosts", i))),
    ],
    trustedProxies: http.trusted_proxies.map((text, i) => networkOf(text, () => placeOf("http", "trusted_proxies", i))),
    drain: { delayMs: drain.delay_ms, graceMs: drain.grace_ms },
    ...(tls.cert === "" ? {} : { tls: { cert: tls.cert, key: tls.key } }),
  };
}

function publicUrlOf(text: string, placeOf: PlaceOf): URL | undefined {
  if (text === "") return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && url.username + url.password + url.search + url.hash === "" && url.pathname === "/";
  if (!url || !isPlain || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `${placeOf("public_url")} public_url must be an http or https URL without user, path, query and fragment, such as https://tools.example.com, not ${shown(text)}`,
    );
  return url;
}

/** A host name or address as URLs have it: lower case, punycode, IPv6 in brackets. */
function hostOf(text: string, place: () => string): string {
  const written = text.includes(":") && !text.startsWith("[") ? `[${text}]` : text;
  const url = URL.canParse(`http://${written}`) ? new URL(`http://${written}`) : undefined;
  // A part beside the host, such as a port or a path, would never be compared with anything.
  if (url && /^[^/?#@*\\\s]+$/.test(text) && !written.includes("]:")) return url.hostname;
  throw new UsageError(
    `${place()} http.allowed_hosts takes host names without scheme, port and wildcards, such as tools.example.com, not ${shown(text)}`,
  );
}

function networkOf(text: string, place: () => string): Network {
  if (ipaddr.isValidCIDR(text)) {
    const [address, bits] = ipaddr.parseCIDR(text);
    return [address.toString(), bits];
  }
  if (ipaddr.isValid(text) && /[.:]/.test(text)) {
    const address = ipaddr.parse(text);
    return [address.toString(), address.kind() === "ipv4" ? 32 : 128];
  }
  throw new UsageError(
    `${place()} http.trusted_proxies takes addresses and networks, such as 10.0.0.0/8 or ::1, not ${shown(text)}`,
  );
}

/** A value in a message. */
const shown = (text: string): string => JSON.stringify(onLine(text));

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
export function socketSettingsOf({ limits }: Pick<FilledConfig, "limits">): SocketSettings {
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
