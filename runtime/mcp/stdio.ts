/** The stdio door: one connection, one session; stdout carries the protocol and nothing else. Rules: `architecture.md`, The runtime. */

import { Console } from "node:console";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Principal } from "../contract/handler.js";
import type { Gateway } from "../gateway.js";
import type { Live } from "../live.js";
import { createSession } from "../session.js";
import { createServer } from "./server.js";
import { watchRequests } from "./watch.js";

/** What the stdio door is opened with. */
export interface StdioOptions {
  readonly gateway: Gateway & Partial<Pick<Live, "onSwap">>;
  /** Who calls, asked at each request. */
  readonly principal: () => Principal;
  readonly version: string;
  /** Default: the process's own. */
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  /** How long running calls may go on after the end; default 5 s. */
  readonly graceMs?: number;
}

const GRACE_MS = 5000;
/** How long aborted calls get to roll back before the state is closed under them. */
const ABORT_MS = 500;

/**
 * Serves one client until stdin ends or SIGTERM or SIGINT arrives, then winds down; resolves when everything is closed.
 *
 * Nothing new is accepted, running calls get 5 s, the rest is aborted, the state is closed. A second signal ends the process at once.
 */
export async function serveOnStdio(options: StdioOptions): Promise<void> {
  const { gateway, principal, version, stdin = process.stdin, stdout = process.stdout } = options;
  // What a handler prints must not end up between two messages.
  if (stdout === process.stdout) globalThis.console = new Console(process.stderr, process.stderr);
  const session = createSession();
  const { onSwap } = gateway;
  // The SDK drops running calls when its input ends; behind this stream the end comes when we say so.
  const input = new PassThrough();
  const requests = watchRequests(new StdioServerTransport(input, stdout));
  const onerror = (error: Error): void => gateway.log.warn("mcp connection", { error: error.message });
  const handle = serveStdio(
    () => createServer({ gateway, principal, session, version, ...(onSwap ? { onSwap } : {}) }),
    {
      transport: requests.transport,
      onerror,
    },
  );
  const reason = await ended(stdin, input, requests.closed);
  gateway.log.info("ending", { reason });
  const grace = options.graceMs ?? GRACE_MS;
  if (!(await requests.idle(grace))) gateway.log.warn("calls aborted", { after_ms: grace });
  await handle.close();
  await requests.idle(ABORT_MS);
  await gateway.close();
}

/** Forwards stdin until it ends, a signal asks for the end, or the connection closes by itself; says which. */
function ended(stdin: Readable, input: PassThrough, closed: Promise<void>): Promise<string> {
  return new Promise((resolve) => {
    const end = (reason: string): void => {
      // Without our listeners the next signal has its default effect, which is the end of the process.
      process.removeListener("SIGTERM", onSignal);
      process.removeListener("SIGINT", onSignal);
      stdin.removeListener("data", forward);
      stdin.pause();
      resolve(reason);
    };
    const onSignal = (signal: string): void => end(signal);
    const forward = (chunk: Buffer): void => void input.write(chunk);
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
    stdin.on("data", forward);
    // What was written just before the end is still on its way through the stream.
    stdin.once("end", () => setImmediate(() => end("end of stdin")));
    stdin.once("error", () => end("stdin failed"));
    void closed.then(() => end("connection closed"));
  });
}
