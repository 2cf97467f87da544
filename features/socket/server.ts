/** The socket transport: JSON-RPC over a Unix domain socket, with a key in every request. */

import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { guardBy } from "../../runtime/contract/guard.js";
import { stackOf } from "../../runtime/contract/thrown.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import type { OpenTransport } from "../../runtime/gateway/open-transport.js";
import type { Live } from "../../runtime/gateway/reloadable-gateway.js";
import { SERVED_TOOLS, type ServedTools } from "../../runtime/serve/gateway-tools.js";
import { ABORT_MS, createIdling } from "../../runtime/serve/transport.js";
import { type SocketConnection, serveConnection } from "./connection.js";
import { METHODS, messageLine } from "./protocol.js";
import { toolFault } from "./rpc-fault.js";
import { makeSocketFile } from "./socket-file.js";
import { type CallerTools, callerToolsOf, checkCallerId } from "./wire-tools.js";

/** Options of the socket transport. */
export interface SocketOptions extends ServedTools {
  readonly live: Live;
  /** The project root; the default folder of the socket is created there like the rest of `.onetool/`. */
  readonly root: string;
  /** Absolute path of the socket. */
  readonly path: string;
  /** The pack whose ops are listed as tools; default: `oubliette`. */
  readonly pack?: string;
  /** Tools of the program that embeds the server. */
  readonly callerTools?: CallerTools;
}

/** The default pack. */
const PACK = "oubliette";
/** Suggested wait when there are too many connections. */
const RETRY_MS = 1000;

/**
 * Creates the socket file and serves.
 *
 * @throws UsageError if the file cannot or must not be created
 */
export async function openSocket(options: SocketOptions): Promise<OpenTransport> {
  const { live, callerTools, root, path } = options;
  const { log } = live.current();
  if (callerTools) checkCallerId(callerTools);
  const room = createRoom(options);
  const server = createServer((socket) => {
    const failed = (error: unknown): void => {
      log.error("socket connection failed", { error: stackOf(error) });
      socket.destroy();
    };
    guardBy(failed)(() => room.enter(socket))();
  });
  const file = await makeSocketFile(root, path, (at) => listen(server, at)).catch((error: unknown) => {
    server.close();
    throw error;
  });
  server.on("error", (error) => log.error("socket", { error: error.message }));
  const guard = guardBy((error) => log.error("socket notice failed", { error: stackOf(error) }));
  const stopTelling = [live.onSwap(guard(room.tellOfChange)), callerTools?.onChange?.(guard(room.tellOfCallerTools))];
  const gone = new Promise<void>((resolve) => server.once("close", () => resolve()));
  return {
    stop() {
      room.stop();
      server.close();
    },
    idle: room.idle,
    async close() {
      for (const stop of stopTelling) stop?.();
      room.abort();
      await room.idle(ABORT_MS);
      room.close();
      server.close();
      await Promise.race([gone, sleep(ABORT_MS, undefined, { ref: false })]);
      room.destroy();
      await file.remove();
    },
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => reject(new UsageError(`${path} cannot be bound: ${error.message}`));
    server.once("error", failed);
    server.listen(path, () => {
      server.removeListener("error", failed);
      resolve();
    });
  });
}

/** The open connections. */
function createRoom(options: SocketOptions) {
  const { live, callerTools, pack = PACK, gatewayTools = SERVED_TOOLS } = options;
  const open = new Map<Socket, SocketConnection>();
  const idling = createIdling(() => [...open.values()].every((one) => one.isQuiet()));
  let isEnding = false;
  let { version } = live.current().index;
  const all = (tell: (connection: SocketConnection) => void): void => {
    for (const connection of open.values()) tell(connection);
  };
  const tellTools = (connection: SocketConnection | undefined): void => {
    if (callerTools) connection?.notify(METHODS.callerTools, callerToolsOf(callerTools));
  };
  const serve = (socket: Socket): void => {
    const settings = () => live.current().settings.socket;
    const greeted = () => tellTools(open.get(socket));
    const service = { live, callerTools, gatewayTools, pack, settings, isEnding: () => isEnding };
    open.set(socket, serveConnection(socket, { ...service, greeted, quiet: idling.look }));
    socket.once("close", () => {
      open.delete(socket);
      idling.look();
    });
  };
  return {
    enter(socket: Socket): void {
      const refused = isFull([...open.values()], live.current().settings.socket);
      if (isEnding) socket.destroy();
      else if (refused === undefined) serve(socket);
      else turnAway(socket, refused);
    },
    tellOfChange(): void {
      const { version: registry_version } = live.current().index;
      if (registry_version === version) return;
      version = registry_version;
      all((one) => (one.hasListed() ? one.notify(METHODS.changed, { registry_version }) : undefined));
    },
    tellOfCallerTools: () => all((one) => (one.isGreeted() ? tellTools(one) : undefined)),
    stop(): void {
      isEnding = true;
    },
    idle: idling.idle,
    abort: () => all((one) => one.abort()),
    close: () => all((one) => one.close()),
    destroy() {
      for (const socket of open.keys()) socket.destroy();
    },
  };
}

/** Why another connection is refused, or `undefined`. */
function isFull(
  open: readonly SocketConnection[],
  { connections, strangers }: { readonly connections: number; readonly strangers: number },
): string | undefined {
  if (open.length >= connections) return `There are ${connections} connections already.`;
  const unknown = open.filter((one) => one.isStranger()).length;
  return unknown >= strangers ? `There are ${strangers} connections without a key already.` : undefined;
}

function turnAway(socket: Socket, why: string): void {
  const error = toolFault("RATE_LIMITED", why, { retry_after_ms: RETRY_MS }).rpc;
  socket.on("error", () => undefined).resume();
  socket.end(messageLine({ jsonrpc: "2.0", id: null, error }));
  setTimeout(() => socket.destroy(), RETRY_MS).unref();
}
