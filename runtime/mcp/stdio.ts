/** The stdio door: one connection, one session; stdout carries the protocol and nothing else. Rules: `architecture.md`, The runtime. */

import { Console } from "node:console";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { type CallerOf, orNobody } from "../access/callers.js";
import type { Gateway } from "../gateway.js";
import type { Live } from "../live.js";
import { createSession } from "../session.js";
import { ABORT_MS, type Door } from "./door.js";
import { createServer } from "./server.js";
import { heardOnly } from "./subscriptions.js";
import { watchRequests } from "./watch.js";

/** What the stdio door is opened with. */
export interface StdioOptions {
  readonly gateway: Gateway & Partial<Pick<Live, "onSwap">>;
  /** Who calls, asked at each request. */
  readonly principal: CallerOf;
  readonly version: string;
  /** Default: the process's own. */
  readonly stdin?: Readable;
  readonly stdout?: Writable;
}

/** Serves one client; the door ends when its stdin does. */
export function openStdio(options: StdioOptions): Door {
  const { gateway, principal, version, stdin = process.stdin, stdout = process.stdout } = options;
  // What a handler prints must not end up between two messages.
  if (stdout === process.stdout) globalThis.console = new Console(process.stderr, process.stderr);
  const session = createSession();
  const { onSwap } = gateway;
  // The SDK drops running calls when its input ends; behind this stream the end comes when we say so.
  const input = new PassThrough();
  const nobodyIfBad = () => orNobody(() => principal(0)).catch(() => undefined);
  const view = async () => {
    const who = await nobodyIfBad();
    return who && gateway.index.view(who.grant);
  };
  const requests = watchRequests(new StdioServerTransport(input, stdout), (message) => heardOnly(message, view));
  const onerror = (error: Error): void => gateway.log.warn("mcp connection", { error: error.message });
  const handle = serveStdio(
    async ({ era }) => {
      const subscriptions = onSwap ? { onSwap, subscriptions: era } : {};
      return createServer({ gateway, principal, session, version, isSilent: !(await nobodyIfBad()), ...subscriptions });
    },
    {
      transport: requests.transport,
      onerror,
    },
  );
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
