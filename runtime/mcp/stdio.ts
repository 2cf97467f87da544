/** The stdio door: one connection, one session; stdout carries the protocol and nothing else. */

import { Console } from "node:console";
import type { Readable, Writable } from "node:stream";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type CallerOf, whoIsThere } from "../access/callers.js";
import { SOCKET_LIMITS } from "../contract/config-defaults.js";
import type { Logger } from "../contract/handler.js";
import type { Gateway } from "../gateway.js";
import type { Live } from "../live.js";
import { repeatedWarning } from "../observe/repeated.js";
import { clip } from "../observe/scrub.js";
import { createSession } from "../session.js";
import { ABORT_MS, type Door } from "./door.js";
import { createFurtherServer, type FurtherTools } from "./further.js";
import { createServer } from "./server.js";
import { stdioTransport } from "./stdio-transport.js";
import { heardOnly } from "./subscriptions.js";
import { type Heard, watchRequests } from "./watch.js";

/** The streams of a door; default: the process's own. */
interface Streams {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
}

/** What the stdio door is opened with. */
export interface StdioOptions extends Streams {
  readonly gateway: Gateway & Partial<Pick<Live, "onSwap">>;
  /** Who calls, asked at each request. */
  readonly principal: CallerOf;
  readonly version: string;
  /** Tools of another process, offered beside those of the gateway. */
  readonly further?: FurtherTools;
}

/** Serves one client; the door ends when its stdin does. */
export function openStdio({ gateway, principal, version, further, ...streams }: StdioOptions): Door {
  const session = createSession();
  const { onSwap } = gateway;
  const view = async () => {
    const who = await whoIsThere(principal);
    return who && gateway.index.view(who.grant);
  };
  const create: Create = async ({ era }) => {
    const more = { ...(onSwap ? { onSwap, subscriptions: era } : {}), ...(further ? { further } : {}) };
    return createServer({ gateway, principal, session, version, isSilent: !(await whoIsThere(principal)), ...more });
  };
  const heard: Heard = (message) => heardOnly(message, view);
  const lineBytes = () => gateway.settings.socket.lineBytes;
  return openServer(create, { ...streams, log: () => gateway.log, lineBytes, heard });
}

/** What a door without a gateway is opened with. */
export interface FurtherStdioOptions extends Streams {
  readonly further: FurtherTools;
  readonly version: string;
  readonly log: Logger;
}

const lineBytes = (): number => DEFAULT_LINE_BYTES;

/** Serves one client with nothing but the tools of another process. */
export const openFurtherStdio = ({ further, version, log, ...streams }: FurtherStdioOptions): Door =>
  openServer(() => createFurtherServer(further, version, log), { ...streams, log: () => log, lineBytes });

/** Bytes of a line where no configuration says otherwise. */
const [DEFAULT_LINE_BYTES] = SOCKET_LIMITS.line_bytes;

/** Makes the server of a connection. */
type Create = Parameters<typeof serveStdio>[0];

interface Serving extends Streams {
  readonly log: () => Logger;
  /** Bytes that a line may have. */
  readonly lineBytes: () => number;
  /** What becomes of a message before it is read; default: nothing. */
  readonly heard?: Heard;
}

function openServer(create: Create, options: Serving): Door {
  const { stdin = process.stdin, stdout = process.stdout, log, lineBytes, heard } = options;
  // What a handler prints must not end up between two messages.
  if (stdout === process.stdout) globalThis.console = new Console(process.stderr, process.stderr);
  const wire = stdioTransport({ stdin, stdout, lineBytes });
  const requests = watchRequests(wire, heard);
  const faults = repeatedWarning(log, "mcp connection");
  const onerror = ({ message }: Error): void => faults.warn({ error: clip(message, MAX_SHOWN_FAULT) });
  const handle = serveStdio(create, { transport: requests.transport, onerror });
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

/** Characters of a fault of a connection that are logged. */
const MAX_SHOWN_FAULT = 300;
