/** Opens a server over a project: the gateway, and the transports that are asked for. */

import { keyCaller } from "../access/callers.js";
import { localPrincipal } from "../gateway/gateway.js";
import type { Start } from "../gateway/open-project.js";
import { type Live, reloadOrThrow } from "../gateway/reloadable-gateway.js";
import { loadSignIn } from "../gateway/sign-in-part.js";
import { requireState, startGateway } from "../gateway/start-gateway.js";
import {
  closeTransports,
  closingOf,
  isStdioAlone,
  type OpenTransports,
  type TransportFlags,
  transportsOf,
} from "./transports.js";

/** A server whose transports are not open yet. */
export interface ProjectServer {
  readonly live: Live;
  /**
   * Opens the state database and the transports. With `stateLater`, and for a client on stdio alone, the transport is
   * first: it ends with an error if the state cannot be used.
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
  /** Whether a client on stdio has its first answer before the state database is opened, which takes a seventh of a start. */
  readonly stateLater?: boolean;
}

/** How long a client on stdio may take for its first message before the state database is opened anyway. */
const FIRST_MESSAGE_MS = 100;

/**
 * Starts the gateway of a server.
 *
 * @throws UsageError for flags that are not valid, and a project that cannot be opened
 */
export async function startServer(
  start: Start,
  flags: TransportFlags,
  { stdioKey, onLog, stateLater }: ServerParts = {},
): Promise<ProjectServer> {
  const { features = [] } = start;
  const socketPart = flags.socket === undefined ? undefined : await features.find(({ socket }) => socket)?.socket?.();
  const open = transportsOf(flags, start.root, socketPart);
  // A key is checked in the state database, before the first answer.
  const isLater = stateLater === true && stdioKey === undefined && isStdioAlone(flags);
  const first = isLater ? firstAnswer() : undefined;
  const live = await startGateway(start, "server", { onLog, stateAfter: first?.answered });
  const principal = () => localPrincipal(live.current().settings);
  const stdio = stdioKey === undefined ? {} : { stdioCaller: keyCaller(live.current, stdioKey) };
  const options = { live, principal, ...stdio, version: start.version, signIn: await loadSignIn(start) };
  return {
    live,
    async open() {
      if (first) return withState(await open({ ...options, onFirst: first.tell }), live, first);
      await requireState(live);
      return open(options);
    },
  };
}

/** The first answer to a client. */
interface FirstAnswer {
  readonly answered: Promise<void>;
  tell(): void;
}

function firstAnswer(): FirstAnswer {
  let tell = (): void => {};
  const answered = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return { answered, tell };
}

/** Transports that end with an error if the state database, which opens after the first answer, cannot be used. */
function withState(opened: OpenTransports, live: Live, { tell }: FirstAnswer): OpenTransports {
  setTimeout(tell, FIRST_MESSAGE_MS).unref();
  const required = requireState(live);
  const never = new Promise<never>(() => {});
  const transports = opened.transports.map((transport) => {
    const ended = transport.ended?.then(async (reason) => {
      tell();
      await required;
      return reason;
    });
    return { ...transport, ended: Promise.race([ended ?? never, required.then(() => never)]) };
  });
  return { ...opened, transports };
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
  const { live, open } = await startServer(start, flags, parts);
  const { transports, ...addresses } = await open().catch(async (error: unknown) => {
    await live.close();
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
    reload: () => reloadOrThrow(live),
    close(graceMs) {
      if (closing) return closing;
      for (const transport of transports) transport.stop();
      closing = closeTransports(transports, {
        ...closingOf(live),
        graceMs: graceMs ?? live.current().settings.http.drain.graceMs,
      }).finally(end);
      return closing;
    },
  };
}
