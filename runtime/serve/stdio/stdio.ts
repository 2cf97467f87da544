/** The stdio transport: one connection, one session; stdout carries the protocol only. */

import type { Readable, Writable } from "node:stream";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type CallerOf, currentPrincipal } from "../../access/callers.js";
import { startSession } from "../../catalog/session.js";
import type { Logger } from "../../contract/handler.js";
import { clip } from "../../contract/scrub.js";
import { CONFIG_DEFAULTS } from "../../contract/settings/project-settings.js";
import { consoleOnError } from "../../contract/terminal.js";
import type { OpenTransport } from "../../gateway/open-transport.js";
import type { Live } from "../../gateway/reloadable-gateway.js";
import type { ServedTools } from "../gateway-tools.js";
import { type Heard, watchRequests } from "../mcp/pending-requests.js";
import type { PlainServer } from "../mcp/plain-server.js";
import { createRemoteServer, type RemoteTools } from "../mcp/remote-tools.js";
import { createServer } from "../mcp/server.js";
import { heardOnly, pagesShownTo } from "../mcp/subscriptions.js";
import { ABORT_MS } from "../transport.js";
import { stdioTransport } from "./stdio-transport.js";

/** The streams of a transport; default: those of the process. */
interface Streams {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
}

/** Options of the stdio transport. */
export interface StdioOptions extends Streams, ServedTools {
  readonly live: Live;
  /** The caller, resolved at each request. */
  readonly principal: CallerOf;
  readonly version: string;
  /** Remote tools, offered besides those of the gateway. */
  readonly remoteTools?: RemoteTools;
  /** Called once the first answer is written, and when the client sends anything but `initialize`. */
  readonly onFirst?: () => void;
}

/** Serves one client; ends when stdin does. */
export function openStdio(options: StdioOptions): OpenTransport {
  const { live, principal, version, remoteTools, gatewayTools, onFirst, ...streams } = options;
  const session = startSession();
  const shown = async () => {
    const who = await currentPrincipal(principal);
    return who && pagesShownTo(live.current(), who.grant);
  };
  const create: Serving["create"] = async ({ era }) => {
    const more = {
      isModern: era === "modern",
      ...{ isLasting: true, subscriptions: era },
      ...(remoteTools ? { remoteTools } : {}),
      ...(gatewayTools ? { gatewayTools } : {}),
    };
    const isSilent = !(await currentPrincipal(principal));
    return createServer({ live, principal, session, version, isSilent, ...more });
  };
  const heard: Heard = (message) => {
    if (onFirst && !("method" in message && message.method === "initialize")) onFirst();
    return heardOnly(message, shown);
  };
  const lineBytes = () => live.current().settings.socket.lineBytes;
  return openServer({ create, ...streams, log: () => live.current().log, lineBytes, heard, onFirst });
}

/** Options of a transport without a gateway. */
export interface RemoteStdioOptions extends Streams {
  readonly remoteTools: RemoteTools;
  readonly version: string;
  readonly log: Logger;
}

const lineBytes = (): number => DEFAULT_LINE_BYTES;

/** Serves one client with remote tools only. */
export const openRemoteStdio = ({ remoteTools, version, log, ...streams }: RemoteStdioOptions): OpenTransport =>
  openServer({
    create: ({ era }) => createRemoteServer({ remoteTools, version, log, isModern: era === "modern" }),
    ...streams,
    log: () => log,
    lineBytes,
  });

/** Largest line in bytes without a configuration. */
const DEFAULT_LINE_BYTES = CONFIG_DEFAULTS.limits.socket.line_bytes;

interface Serving extends Streams {
  /** Creates the server of a connection. */
  readonly create: (...given: Parameters<Parameters<typeof serveStdio>[0]>) => PlainServer | Promise<PlainServer>;
  readonly log: () => Logger;
  /** Largest line in bytes. */
  readonly lineBytes: () => number;
  /** Transforms a message before it is read; default: unchanged. */
  readonly heard?: Heard;
  /** Called once the first answer is written. */
  readonly onFirst?: (() => void) | undefined;
}

function openServer(options: Serving): OpenTransport {
  const { create, stdin = process.stdin, stdout = process.stdout, log, lineBytes, heard, onFirst } = options;
  // Output of a handler must not appear between two messages.
  if (stdout === process.stdout) consoleOnError();
  const wire = stdioTransport({ stdin, stdout, lineBytes, onFirst });
  const requests = watchRequests(wire, heard);
  const faults = repeatedWarning(log, "mcp connection");
  const onerror = ({ message }: Error): void => faults.warn({ error: clip(message, MAX_SHOWN_FAULT) });
  const opened: Serving["create"] = async (given) => {
    const server = await create(given);
    // From then on the client has its session: a call needs nothing of what the SDK does before it hands a message over.
    const initialized = (): void => {
      server.oninitialized = () => undefined;
      server.answerOn(requests.transport);
    };
    if (given.era === "legacy") server.oninitialized = initialized;
    return server;
  };
  const handle = serveStdio(opened, { transport: requests.transport, onerror });
  const ended = new Promise<string>((resolve) => {
    // What was written just before the end is still being read.
    stdin.once("end", () => setImmediate(() => resolve("end of stdin")));
    stdin.once("error", () => resolve("stdin failed"));
    void requests.closed.then(() => resolve("connection closed"));
  });
  return {
    ended,
    stop: wire.pause,
    idle: requests.idle,
    async close() {
      await handle.close();
      await requests.idle(ABORT_MS);
      faults.end();
    },
  };
}

/** Characters of a connection fault that are logged. */
const MAX_SHOWN_FAULT = 300;

/** Logs or counts a warning. */
export interface RepeatedWarning {
  warn(fields: Readonly<Record<string, string>>): void;
  /** Logs the pending count and stops. */
  end(): void;
}

/** Warnings that are logged one by one, and how often the count of the others is logged. */
const WARNINGS_BETWEEN_COUNTS = 5;
const SUMMARY_MS = 60_000;

/** Starts without warnings. */
export function repeatedWarning(log: () => Logger, message: string, summaryMs = SUMMARY_MS): RepeatedWarning {
  let total = 0;
  let counted = 0;
  let timer: NodeJS.Timeout | undefined;
  const summarize = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (counted > 0) log().warn(`${message}: more of them, not logged one by one`, { count: counted, total });
    counted = 0;
  };
  return {
    warn(fields) {
      total++;
      if (total <= WARNINGS_BETWEEN_COUNTS) return log().warn(message, fields);
      counted++;
      timer ??= setTimeout(summarize, summaryMs).unref();
    },
    end: summarize,
  };
}
