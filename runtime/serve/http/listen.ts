/** Binds addresses with limits on slow clients, and closes the connections in time. */

import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpSettings } from "../../config/transport-settings.js";
import { codeOf } from "../../contract/thrown.js";
import { UsageError } from "../../contract/usage-error.js";
import { inUrl } from "./address.js";
import type { OpenCertificate } from "./certificate.js";

/** Limits on clients. */
export type ClientLimits = Pick<
  HttpSettings,
  "headerMs" | "bodyMs" | "connections" | "keepAliveMs" | "requestsPerConnection"
>;

/** Options of a listening server. */
export interface ListenOptions extends ClientLimits {
  /** Absent: HTTP without TLS. */
  readonly certificate?: OpenCertificate;
  readonly listener: RequestListener;
  readonly onError: (error: Error) => void;
}

/** Bound addresses. */
export interface BoundAddresses {
  readonly port: number;
  /** Applies other limits, also to open connections. */
  limit(limits: ClientLimits): void;
  /** Accepts no more connections and closes the idle ones. */
  stop(): void;
  /** Waits until clients have received what was sent, at most `ms`, and closes every connection. */
  close(ms: number): Promise<void>;
}

/** How often the time limits are checked. */
const CHECK_MS = 1000;

/**
 * Binds a port on the first host, and on those of the others that this machine has.
 *
 * @throws UsageError if the port cannot be bound
 */
export async function listenAt(
  [host, ...others]: readonly [string, ...string[]],
  wanted: number,
  options: ListenOptions,
): Promise<BoundAddresses> {
  const first = await bind(host, wanted, options);
  const { port } = first.address() as AddressInfo;
  const servers = [first];
  try {
    for (const other of others) servers.push(await bind(other, port, options));
  } catch (error) {
    // A port that is free on one host may be in use on another.
    if (!(isAbsent(error) || wanted === 0)) {
      first.close();
      throw error;
    }
  }
  options.certificate?.follow((next) => {
    for (const server of servers) (server as SecureServer).setSecureContext(next);
  });
  let gone: Promise<unknown> = Promise.resolve();
  return {
    port,
    limit(limits) {
      for (const server of servers) limit(server, limits);
    },
    stop() {
      gone = Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
    async close(ms) {
      for (const server of servers) server.closeIdleConnections();
      await Promise.race([gone, sleep(ms, undefined, { ref: false })]);
      for (const server of servers) server.closeAllConnections();
      await gone;
    },
  };
}

/** @throws UsageError with a readable reason; its cause is the system's error */
function bind(host: string, port: number, options: ListenOptions): Promise<Server> {
  const { listener, onError, headerMs, certificate } = options;
  const checks = { connectionsCheckingInterval: Math.min(CHECK_MS, headerMs) };
  const server = certificate
    ? createSecureServer({ ...checks, ...certificate.first, handshakeTimeout: headerMs }, listener)
    : createServer(checks, listener);
  limit(server, options);
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => reject(new UsageError(faultOf(cause, host, port), { cause })));
    server.listen(port, host, () => {
      server.removeAllListeners("error").on("error", onError);
      resolve(server);
    });
  });
}

/** Node reads these limits whenever it checks its connections or accepts one. */
function limit(server: Server, limits: ClientLimits): void {
  const { headerMs, bodyMs, connections, keepAliveMs, requestsPerConnection } = limits;
  server.headersTimeout = headerMs;
  server.requestTimeout = headerMs + bodyMs;
  server.maxConnections = connections;
  server.keepAliveTimeout = keepAliveMs;
  server.maxRequestsPerSocket = requestsPerConnection;
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use: choose another port, or 0 for any that is free",
  EACCES: "needs rights that this process does not have: choose a port over 1023",
  EADDRNOTAVAIL: "is no address of this machine",
};

const faultOf = (error: Error, host: string, port: number): string =>
  `${inUrl(host)}:${port} ${REASONS[String(codeOf(error))] ?? `cannot be bound: ${error.message}`}`;

/** Whether a host is not an address of this machine, as `::1` without IPv6. */
const isAbsent = (error: unknown): boolean =>
  error instanceof UsageError && ["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(String(codeOf(error.cause)));
