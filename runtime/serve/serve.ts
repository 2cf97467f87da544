/** Opens a server over a project: the gateway, and the transports that are asked for. */

import { keyCaller } from "../access/callers.js";
import { localPrincipal } from "../gateway/gateway.js";
import type { Start } from "../gateway/open-project.js";
import { type Live, reloadOrThrow } from "../gateway/reloadable-gateway.js";
import { requireState, startGateway } from "../gateway/start-gateway.js";
import { closeTransports, type OpenTransports, type TransportFlags, transportsOf } from "./transports.js";

/** A server whose transports are not open yet. */
export interface ProjectServer {
  readonly gateway: Live;
  /**
   * Opens the state database and the transports.
   *
   * @throws UsageError for a state, an address or a path that cannot be used; the gateway is still open
   */
  open(): Promise<OpenTransports>;
}

/** Options of a server beside its flags. */
export interface ServerParts {
  /** The key of the caller over stdio; default: the local caller. */
  readonly stdioKey?: string | undefined;
  /** Receives the log, a line of JSON each; default: as `log` of the configuration says. */
  readonly onLog?: ((line: string) => void) | undefined;
}

/**
 * Starts the gateway of a server.
 *
 * @throws UsageError for flags that are not valid, and a project that cannot be opened
 */
export async function startServer(
  start: Start,
  flags: TransportFlags,
  { stdioKey, onLog }: ServerParts = {},
): Promise<ProjectServer> {
  const open = transportsOf(flags, start.root);
  const gateway = await startGateway(start, "server", onLog);
  const principal = () => localPrincipal(gateway.settings);
  const stdio = stdioKey === undefined ? {} : { stdioCaller: keyCaller(gateway, stdioKey) };
  return {
    gateway,
    async open() {
      await requireState(gateway);
      return open({ gateway, principal, ...stdio, version: start.version });
    },
  };
}

/**
 * A server in a program.
 *
 * @example
 * const server = await serve({ http: 0 });
 * console.log(server.url); // http://127.0.0.1:41234/mcp
 * await server.close();
 */
export interface Server {
  /** Address of the MCP endpoint, if it serves over HTTP. */
  readonly url?: string;
  /** Path of the socket, if it serves on one. */
  readonly socket?: string;
  /** Resolves when the client on stdio has disconnected, and when the server is closed. */
  readonly ended: Promise<void>;
  /**
   * Reads configuration and `generated/` again, as `ot.reload()` and SIGHUP do.
   *
   * @throws UsageError with the reason; nothing has changed then
   */
  reload(): Promise<void>;
  /**
   * Accepts nothing new, waits for the calls under way, aborts the rest, and closes. A second call does nothing.
   *
   * @param graceMs - how long calls may go on; default: `http.drain.grace_ms`
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Starts a server and opens its transports.
 *
 * @throws UsageError as {@link startServer} and {@link ProjectServer.open}; nothing is left open
 */
export async function openServer(start: Start, flags: TransportFlags, parts?: ServerParts): Promise<Server> {
  const { gateway, open } = await startServer(start, flags, parts);
  const { transports, ...addresses } = await open().catch(async (error: unknown) => {
    await gateway.close();
    throw error;
  });
  let closing: Promise<void> | undefined;
  let end = (): void => {};
  const closed = new Promise<void>((resolve) => {
    end = resolve;
  });
  const disconnected = transports.flatMap(({ ended }) => (ended ? [ended.then(() => undefined)] : []));
  return {
    ...addresses,
    ended: Promise.race([closed, ...disconnected]),
    reload: () => reloadOrThrow(gateway),
    close(graceMs) {
      if (closing) return closing;
      for (const transport of transports) transport.stop();
      closing = closeTransports(transports, {
        gateway,
        graceMs: graceMs ?? gateway.settings.http.drain.graceMs,
      }).finally(end);
      return closing;
    },
  };
}
