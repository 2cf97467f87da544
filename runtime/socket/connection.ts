/** One connection: lines in, answers out as they are ready, and what it may do at once. Rules: `access.md` 4, limits. */

import type { Socket } from "node:net";
import { createSession, remember, type Session } from "../session.js";
import type { Asking } from "./answers.js";
import { type Answered, type Calls, type CallsOptions, createCalls, type Send } from "./calls.js";
import { type Message, NO_ID, readMessage, type WireId } from "./message.js";
import { createOutbox } from "./outbox.js";
import { createSplitter, encodeMessage, METHODS, RPC } from "./protocol.js";
import { toolFault } from "./rpc-fault.js";
import type { SocketSettings } from "./socket-settings.js";

/** What a connection is served with. */
export interface ConnectionOptions extends Omit<CallsOptions, keyof Asking | "send"> {
  /** Is told that the first line is there. */
  readonly greeted: () => void;
}

/** An open connection. */
export interface Connection {
  /** Whether no valid key was shown so far. */
  isStranger(): boolean;
  isGreeted(): boolean;
  isQuiet(): boolean;
  /** Whether tools were listed so far. */
  hasListed(): boolean;
  notify(method: string, params: object): void;
  /** Aborts what is under way. */
  abort(): void;
  /** Closes it once everything has gone out. */
  close(): void;
}

/** Bad keys are counted over so long. */
const WINDOW_MS = 60_000;
/** Keys of which a connection remembers what was read with them. */
const MOST_SESSIONS = 64;

/** Serves a client until it goes away. */
export function serveConnection(socket: Socket, options: ConnectionOptions): Connection {
  const { gateway, settings, greeted } = options;
  const outbox = createOutbox(socket, settings);
  const bad = badKeys(() => settings().badKeys);
  const client = acquaintance();
  const clock = idleClock(socket, settings(), () => calls.isQuiet());
  let isClosing = false;
  const close = (): void => {
    if (isClosing) return;
    isClosing = true;
    calls.abort();
    outbox.finish();
  };
  const send = (id: WireId, answered: Answered): void => {
    if (isClosing) return;
    clock.beat();
    outbox.send(lineOf(id, answered, settings().responseBytes));
    if ("error" in answered && answered.error.code === RPC.unauthenticated && bad.isTooMany()) close();
  };
  const calls = createCalls({ ...options, ...client.asking, send });
  readLines(socket, settings().lineBytes, send, close, (line) => {
    if (isClosing) return;
    if (clock.beat()) greeted();
    take(readMessage(line), calls, send);
  });
  socket.once("end", close);
  socket.once("close", calls.abort);
  socket.on("error", (error) => gateway.log.debug("socket connection", { error: error.message }));
  return {
    isStranger: client.isStranger,
    isGreeted: clock.isGreeted,
    isQuiet: calls.isQuiet,
    hasListed: client.hasListed,
    notify(method, params) {
      if (!isClosing) outbox.send(Buffer.from(encodeMessage({ jsonrpc: "2.0", method, params })));
    },
    abort: calls.abort,
    close,
  };
}

/** Hands over lines until one is too long. */
function readLines(socket: Socket, most: number, send: Send, close: () => void, take: (line: Buffer) => void): void {
  const splitter = createSplitter(most);
  socket.on("data", (chunk: Buffer) => {
    const { lines, isOver } = splitter.push(chunk);
    socket.cork();
    for (const line of lines) take(line);
    if (isOver) send(NO_ID, { error: { code: RPC.request, message: `A line may have ${most} bytes at most.` } });
    socket.uncork();
    if (isOver) close();
  });
}

function take(message: Message, calls: Calls, send: Send): void {
  if (message.kind === "fault") send(message.id, { error: message.error });
  else if (message.kind === "request") calls.begin(message.id, message.method, message.params);
  else if (message.kind === "notification" && message.method === METHODS.cancel) calls.cancel(message.params);
}

/** What is known of a client. */
function acquaintance() {
  const sessions = new Map<string, Session>();
  let isStranger = true;
  let hasListed = false;
  return {
    isStranger: () => isStranger,
    hasListed: () => hasListed,
    asking: {
      known(): void {
        isStranger = false;
      },
      listed(): void {
        hasListed = true;
      },
      /** A session for each key: what one key has read is not another's to see. */
      session(keyId: string): Session {
        const session = sessions.get(keyId) ?? createSession();
        remember(sessions, keyId, session, MOST_SESSIONS);
        return session;
      },
    },
  };
}

/** The line of an answer; of one that is too large, an error. */
function lineOf(id: WireId, answered: Answered, most: number): Buffer {
  const line = Buffer.from(`{"jsonrpc":"2.0","id":${id},${JSON.stringify(answered).slice(1)}\n`);
  if (line.length <= most || "error" in answered) return line;
  const message = `The call was carried out, but its answer has ${line.length} bytes and may have ${most}. Do not repeat it as it is.`;
  return lineOf(id, { error: toolFault("INTERNAL", message).rpc }, most);
}

/** Whether one more bad key is one too many. */
function badKeys(most: () => number) {
  const times: number[] = [];
  return {
    isTooMany(): boolean {
      const now = performance.now();
      times.push(now);
      while ((times[0] ?? now) < now - WINDOW_MS) times.shift();
      return times.length >= most();
    },
  };
}

/** Cuts off who does not say anything in time, and later who has not said anything for long. */
function idleClock(socket: Socket, { firstLineMs, idleMs }: SocketSettings, isQuiet: () => boolean) {
  let isGreeted = false;
  const silent = (): void => {
    // Who waits for an answer has reason to be silent.
    if (isGreeted && !isQuiet()) timer = setTimeout(silent, idleMs);
    else socket.destroy();
  };
  let timer = setTimeout(silent, firstLineMs);
  socket.once("close", () => clearTimeout(timer));
  return {
    isGreeted: () => isGreeted,
    /** Something was said; whether for the first time. */
    beat(): boolean {
      const isFirst = !isGreeted;
      isGreeted = true;
      if (!isFirst) timer.refresh();
      else {
        clearTimeout(timer);
        timer = setTimeout(silent, idleMs);
      }
      return isFirst;
    },
  };
}
