/** One socket connection: reads lines, sends answers as they are ready, and applies the limits of the connection. */

import type { Socket } from "node:net";
import { rememberNewest, type Session, startSession } from "../../runtime/catalog/session.js";
import type { SocketSettings } from "../../runtime/config/transport-settings.js";
import { writeJson } from "../../runtime/contract/exact-number.js";
import { type Guard, guardBy } from "../../runtime/contract/guard.js";
import type { Logger, Principal } from "../../runtime/contract/handler.js";
import { stackOf } from "../../runtime/contract/thrown.js";
import { inTurns, MESSAGES_A_TURN } from "../../runtime/contract/turn.js";
import { createSplitter } from "../../runtime/serve/line-splitter.js";
import type { RequestSupport } from "./answers.js";
import { type Calls, type CallsOptions, createCalls, type RpcReply, type Send } from "./calls.js";
import { NO_ID, type ParsedLine, parseLine, type WireId } from "./message.js";
import { createOutbox, type Outbox } from "./outbox.js";
import { METHODS, messageLine, RPC } from "./protocol.js";
import { toolFault } from "./rpc-fault.js";

/** Options of a connection. */
export interface SocketConnectionOptions extends Omit<CallsOptions, keyof RequestSupport | "send" | "guard"> {
  /** Called when the first line has arrived. */
  readonly greeted: () => void;
}

/** An open connection. */
export interface SocketConnection {
  /** Whether no valid key was received so far. */
  isStranger(): boolean;
  isGreeted(): boolean;
  isQuiet(): boolean;
  /** Whether tools were listed so far. */
  hasListed(): boolean;
  notify(method: string, params: object): void;
  /** Aborts the calls under way. */
  abort(): void;
  /** Closes it after everything has been sent. */
  close(): void;
}

/** Largest line in bytes before a valid key was received, unless the configured limit is lower. */
const STRANGER_LINE_BYTES = 65_536;
/** Period over which bad keys are counted. */
const WINDOW_MS = 60_000;
/** Number of keys for which a connection keeps a session. */
const MAX_SESSIONS = 64;

/** Serves a client until it disconnects. */
export function serveConnection(socket: Socket, options: SocketConnectionOptions): SocketConnection {
  const { live, settings, greeted } = options;
  const { log } = live.current();
  const outbox = createOutbox(socket, settings);
  const bad = badKeys(() => settings().badKeys);
  const client = acquaintance(outbox.hold);
  let isClosing = false;
  const guard = guardBy((error) => failed(socket, log, error));
  const clock = idleClock(socket, settings(), () => calls.isQuiet(), guard);
  const close = (): void => {
    if (isClosing) return;
    isClosing = true;
    calls.abort();
    outbox.finish();
  };
  const send = (id: WireId, answered: RpcReply): void => {
    if (isClosing) return;
    clock.beat();
    outbox.send(lineOf(id, answered, settings().responseBytes));
    if ("error" in answered && answered.error.code === RPC.unauthenticated && bad.isTooMany()) close();
  };
  const calls = createCalls({ ...options, ...client.asking, send, guard });
  const bounds = lineBounds(settings, client.isStranger);
  readLines(
    socket,
    { most: bounds.bytes, hold: outbox.hold, guard },
    {
      line(line) {
        if (isClosing || socket.destroyed) return;
        if (clock.beat()) greeted();
        take(parseLine(line), calls, send);
      },
      tooLong() {
        send(NO_ID, { error: { code: RPC.request, message: bounds.text() } });
        close();
      },
    },
  );
  socket.once("end", guard(close));
  socket.once("close", guard(calls.abort));
  socket.on("error", (error) => log.debug("socket connection", { error: error.message }));
  return {
    isStranger: client.isStranger,
    isGreeted: clock.isGreeted,
    ...{ isQuiet: calls.isQuiet, hasListed: client.hasListed },
    notify(method, params) {
      if (!isClosing) outbox.send(Buffer.from(messageLine({ jsonrpc: "2.0", method, params })));
    },
    abort: calls.abort,
    close,
  };
}

/** Closes a connection after an internal fault; closing aborts its calls. */
function failed(socket: Socket, log: Logger, error: unknown): void {
  log.error("socket connection failed", { error: stackOf(error) });
  socket.destroy();
}

/** Largest line in bytes at this time, and the error text for a longer one. */
function lineBounds(settings: () => SocketSettings, isStranger: () => boolean) {
  const bytes = (): number => Math.min(isStranger() ? STRANGER_LINE_BYTES : Infinity, settings().lineBytes);
  const until = (): string => (isStranger() ? " before a valid key was shown" : "");
  return { bytes, text: (): string => `A line may have ${bytes()} bytes at most${until()}.` };
}

/** How lines are read. */
interface Reading {
  /** Largest line in bytes at this time. */
  readonly most: () => number;
  readonly hold: Outbox["hold"];
  readonly guard: Guard;
}

interface LineTakers {
  line(line: Buffer): void;
  tooLong(): void;
}

/** Passes on lines until one is too long, those of a chunk in several turns of the event loop: there may be thousands. */
function readLines(socket: Socket, { most, hold, guard }: Reading, takers: LineTakers): void {
  const splitter = createSplitter(most);
  const takeLine = (line: Buffer): void => {
    // Answers to the lines of a turn go out together.
    socket.cork();
    process.nextTick(() => socket.uncork());
    takers.line(line);
  };
  const read = async (chunk: Buffer): Promise<void> => {
    const { lines, isOver } = splitter.push(chunk);
    const release = lines.length > 1 ? hold() : () => undefined;
    try {
      await inTurns(lines, takeLine, MESSAGES_A_TURN);
      if (isOver) takers.tooLong();
    } finally {
      release();
    }
  };
  socket.on("data", guard(read));
}

function take(message: ParsedLine, calls: Calls, send: Send): void {
  if (message.kind === "fault") send(message.id, { error: message.error });
  else if (message.kind === "request") calls.begin(message.id, message.method, message.params);
  else if (message.kind === "notification" && message.method === METHODS.cancel) calls.cancel(message.params);
}

/** What the connection knows about its client. */
function acquaintance(hold: () => () => void) {
  const sessions = new Map<string, Session>();
  let isStranger = true;
  let hasListed = false;
  return {
    isStranger: () => isStranger,
    hasListed: () => hasListed,
    asking: {
      async verifying(check: () => Promise<Principal | undefined>): Promise<Principal | undefined> {
        // The next lines may be longer than allowed without a key, so reading waits until the key is verified.
        const release = isStranger ? hold() : () => undefined;
        try {
          const principal = await check();
          if (principal) isStranger = false;
          return principal;
        } finally {
          release();
        }
      },
      listed(): void {
        hasListed = true;
      },
      /** One session per key: a key must not see what another one has read. */
      session(keyId: string): Session {
        const session = sessions.get(keyId) ?? startSession();
        rememberNewest(sessions, keyId, session, MAX_SESSIONS);
        return session;
      },
    },
  };
}

/** Serializes an answer; an answer that is too large becomes an error. */
function lineOf(id: WireId, answered: RpcReply, most: number): Buffer {
  const line = Buffer.from(`{"jsonrpc":"2.0","id":${id},${writeJson(answered).slice(1)}\n`);
  if (line.length <= most || "error" in answered) return line;
  const message = `The call was carried out, but its answer has ${line.length} bytes and may have ${most}. Do not repeat it as it is.`;
  return lineOf(id, { error: toolFault("INTERNAL", message).rpc }, most);
}

/** Whether one more bad key exceeds the limit. */
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

/** Closes a connection that sends no first line in time, or that is idle for too long afterwards. */
function idleClock(socket: Socket, { firstLineMs, idleMs }: SocketSettings, isQuiet: () => boolean, guard: Guard) {
  let isGreeted = false;
  const silent = guard((): void => {
    // A client that waits for an answer may be silent.
    if (isGreeted && !isQuiet()) timer = setTimeout(silent, idleMs);
    else socket.destroy();
  });
  let timer = setTimeout(silent, firstLineMs);
  socket.once("close", () => clearTimeout(timer));
  return {
    isGreeted: () => isGreeted,
    /** Records activity; whether it is the first. */
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
