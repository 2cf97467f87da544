/** The stdio door: one connection, one session; stdout carries the protocol and nothing else. Rules: `architecture.md`, The runtime. */

import { Console } from "node:console";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { type CallerOf, whoIsThere } from "../access/callers.js";
import type { Logger } from "../contract/handler.js";
import type { Gateway } from "../gateway.js";
import type { Live } from "../live.js";
import { createSession } from "../session.js";
import { ABORT_MS, type Door } from "./door.js";
import { createFurtherServer, type FurtherTools } from "./further.js";
import { createServer } from "./server.js";
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
  return openServer(create, { ...streams, log: () => gateway.log, heard });
}

/** What a door without a gateway is opened with. */
export interface FurtherStdioOptions extends Streams {
  readonly further: FurtherTools;
  readonly version: string;
  readonly log: Logger;
}

/** Serves one client with nothing but the tools of another process. */
export const openFurtherStdio = ({ further, version, log, ...streams }: FurtherStdioOptions): Door =>
  openServer(() => createFurtherServer(further, version, log), { ...streams, log: () => log });

/** Makes the server of a connection. */
type Create = Parameters<typeof serveStdio>[0];

interface Serving extends Streams {
  readonly log: () => Logger;
  /** What becomes of a message before it is read; default: nothing. */
  readonly heard?: Heard;
}

function openServer(create: Create, options: Serving): Door {
  const { stdin = process.stdin, stdout = process.stdout, log, heard } = options;
  // What a handler prints must not end up between two messages.
  if (stdout === process.stdout) globalThis.console = new Console(process.stderr, process.stderr);
  // The SDK drops running calls when its input ends; behind this stream the end comes when we say so.
  const input = new PassThrough();
  const requests = watchRequests(new StdioServerTransport(input, stdout), heard);
  const onerror = (error: Error): void => log().warn("mcp connection", { error: error.message });
  const handle = serveStdio(create, { transport: requests.transport, onerror });
  return {
    ...forwarded(stdin, input, requests.closed),
    idle: requests.idle,
    async close() {
      await handle.close();
      await requests.idle(ABORT_MS);
    },
  };
}

/** Forwards stdin until it is stopped; says when it has ended or the connection has closed by itself. */
function forwarded(stdin: Readable, input: PassThrough, closed: Promise<void>): Required<Pick<Door, "ended" | "stop">> {
  const forward = (chunk: Buffer): void => void input.write(chunk);
  const ended = new Promise<string>((resolve) => {
    stdin.on("data", forward);
    // What was written just before the end is still on its way through the stream.
    stdin.once("end", () => setImmediate(() => resolve("end of stdin")));
    stdin.once("error", () => resolve("stdin failed"));
    void closed.then(() => resolve("connection closed"));
  });
  const stop = (): void => {
    stdin.removeListener("data", forward);
    stdin.pause();
  };
  return { ended, stop };
}
