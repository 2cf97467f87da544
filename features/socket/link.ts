/** The client side of the socket: connects to one path and reconnects after each failure, with backoff. */

import { createConnection, type Socket } from "node:net";
import { type Guard, guardBy } from "../../runtime/contract/guard.js";
import type { Logger } from "../../runtime/contract/handler.js";
import { isObject } from "../../runtime/contract/json.js";
import { boundText, idAtEdge, passedBound, UPSTREAM_BOUNDS } from "../../runtime/contract/json-survey.js";
import { onLine } from "../../runtime/contract/message-text.js";
import { parseMessage } from "../../runtime/contract/read-json.js";
import type { JsonObject, JsonValue } from "../../runtime/contract/registry.js";
import { errorOf } from "../../runtime/contract/thrown.js";
import { createSplitter } from "../../runtime/serve/line-splitter.js";
import { decodeLine, METHODS, messageLine, RPC, type RpcRequest } from "./protocol.js";
import { createRequests, isRequestError, RequestError, type Requests, type SocketRequestOptions } from "./requests.js";

/** Times of a link, in milliseconds. */
export interface LinkTimes {
  /** Timeout of a connection attempt. */
  readonly connectMs: number;
  /** First and longest wait before a reconnect. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** Idle time before a ping, and the time limit of its answer. */
  readonly silenceMs: number;
  readonly pingMs: number;
}

/** Default times. */
export const LINK_TIMES: LinkTimes = {
  ...{ connectMs: 5_000, firstMs: 100, longestMs: 5_000 },
  ...{ silenceMs: 240_000, pingMs: 10_000 },
};

/** Options of a link. */
export interface LinkOptions {
  readonly path: string;
  readonly log: Logger;
  readonly times?: LinkTimes;
  /** Called after each successful connection. */
  readonly onOpen: () => void;
  readonly onNotification: (method: string, params: JsonObject) => void;
}

/** A connection that is restored after failures. */
export interface Link {
  /**
   * Sends a request and waits for its answer.
   *
   * @throws RequestError for an error answer; UNAVAILABLE immediately if there is no connection, or when it ends
   */
  request(method: string, params: JsonObject, options: SocketRequestOptions): Promise<unknown>;
  /** Sends a notification; does nothing without a connection. */
  notify(method: string, params: JsonObject): void;
  /** Waits for a connection, at most `ms`; whether there is one. */
  connected(ms: number): Promise<boolean>;
  /** Closes the current connection; a new one follows. */
  drop(why: string): void;
  /** Closes the link for good. */
  close(): void;
}

/** Largest answer in bytes. It is above the server's own limit, so that the server's limit applies. */
const MAX_ANSWER_BYTES = 17 * 2 ** 20;
/** Largest request in bytes, and the largest number of bytes that the server has not read yet. */
const MAX_REQUEST_BYTES = 4 * 2 ** 20;
const MAX_UNREAD_BYTES = 16 * 2 ** 20;

/** The wait before a reconnect: doubled after each failure, bounded, with a jitter of 20 %. */
export function waitBefore(failures: number, random: () => number, { firstMs, longestMs }: LinkTimes): number {
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(failures, 30));
  return Math.round(whole * (0.8 + 0.4 * random()));
}

/** State of a link. */
interface Known {
  readonly options: LinkOptions;
  readonly times: LinkTimes;
  /** The open connection. */
  open?: { readonly socket: Socket; readonly requests: Requests } | undefined;
  /** The connection, open or being opened. */
  socket?: Socket;
  retry?: NodeJS.Timeout;
  /** Failures in a row without an answer between them. */
  failures: number;
  isClosed: boolean;
  readonly waiters: Set<() => void>;
}

/** Starts to connect, and reconnects until it is closed. */
export function createLink(options: LinkOptions): Link {
  const known: Known = {
    ...{ options, times: options.times ?? LINK_TIMES },
    ...{ failures: 0, isClosed: false, waiters: new Set() },
  };
  connect(known);
  return {
    request: (method, params, how) => request(known, method, params, how),
    notify: (method, params) => void known.open?.socket.write(lineOf({ method, params })),
    connected: (ms) => connected(known, ms),
    drop: (why) => void known.socket?.destroy(new Error(why)),
    close() {
      known.isClosed = true;
      clearTimeout(known.retry);
      known.socket?.destroy();
    },
  };
}

const lineOf = (message: Omit<RpcRequest, "jsonrpc">): string =>
  messageLine({ jsonrpc: "2.0", ...message } satisfies RpcRequest);

async function request(
  { open }: Known,
  method: string,
  params: JsonObject,
  how: SocketRequestOptions,
): Promise<unknown> {
  const refuse = (code: "UNAVAILABLE" | "CANCELLED" | "VALIDATION_ERROR", why: string): never => {
    throw new RequestError(code, why, { sent: false });
  };
  if (how.signal?.aborted) return refuse("CANCELLED", "the call was cancelled");
  if (!open) return refuse("UNAVAILABLE", "there is no connection to the server");
  if (open.socket.writableLength > MAX_UNREAD_BYTES)
    return refuse("UNAVAILABLE", "the server does not read what it is sent");
  // An id has at most 16 digits.
  if (Buffer.byteLength(lineOf({ id: 1e15, method, params })) > MAX_REQUEST_BYTES)
    return refuse("VALIDATION_ERROR", `the arguments are larger than a request may be, ${MAX_REQUEST_BYTES} bytes`);
  return open.requests.begin((id) => void open.socket.write(lineOf({ id, method, params })), how);
}

function connected(known: Known, ms: number): Promise<boolean> {
  if (known.open || known.isClosed) return Promise.resolve(known.open !== undefined);
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      known.waiters.delete(finish);
      resolve(known.open !== undefined);
    };
    const timer = setTimeout(finish, ms);
    known.waiters.add(finish);
  });
}

function connect(known: Known): void {
  const { options, times } = known;
  const socket = createConnection(options.path);
  let why = "the connection to the server ended";
  const slow = setTimeout(() => socket.destroy(new Error("no connection in time")), times.connectMs);
  const guard = guardBy((error) => socket.destroy(errorOf(error)));
  known.socket = socket;
  socket.once(
    "connect",
    guard(() => {
      clearTimeout(slow);
      opened(known, socket, guard);
    }),
  );
  socket.on("error", (error) => {
    why = `${why}: ${error.message}`;
  });
  socket.once("close", () => {
    clearTimeout(slow);
    ended(known, why);
  });
}

function opened(known: Known, socket: Socket, guard: Guard): void {
  const { options, times } = known;
  const requests = createRequests();
  known.open = { socket, requests };
  listen(known, socket, requests, guard);
  socket.setTimeout(
    times.silenceMs,
    guard(() => ping(known, socket)),
  );
  for (const tell of [...known.waiters]) tell();
  options.log.debug("connected", { path: options.path });
  options.onOpen();
}

/** Schedules the next connection. */
function ended(known: Known, why: string): void {
  const { options, times, open } = known;
  known.open = undefined;
  open?.requests.end(why);
  if (known.isClosed) {
    for (const tell of [...known.waiters]) tell();
    return;
  }
  const wait = waitBefore(known.failures, Math.random, times);
  // Logged once per outage, which may be long.
  if (known.failures === 0) options.log.warn(`${onLine(why)}; trying again`, { path: options.path });
  known.failures++;
  known.retry = setTimeout(() => connect(known), wait);
}

async function ping(known: Known, socket: Socket): Promise<void> {
  try {
    await request(known, METHODS.ping, {}, { timeoutMs: known.times.pingMs });
  } catch (error) {
    if (isRequestError(error) && error.rpc === undefined) socket.destroy(new Error("the server is silent"));
  }
}

/** Routes answers to the pending requests and notifications to the owner of the link; ignores everything else. */
function listen(known: Known, socket: Socket, requests: Requests, guard: Guard): void {
  const { log, onNotification } = known.options;
  const splitter = createSplitter(() => MAX_ANSWER_BYTES);
  let strays = 0;
  const refuse = (line: Buffer, message: string): void => {
    const id = idAtEdge(line);
    const isTaken = id !== undefined && requests.settle({ id: JSON.parse(id), error: { code: RPC.internal, message } });
    if (!isTaken) log.debug(`the server sent what is not read: ${message}`);
  };
  const receive = (line: Buffer): void => {
    const passed = passedBound(line, UPSTREAM_BOUNDS);
    if (passed) {
      refuse(line, `the answer ${boundText(passed, UPSTREAM_BOUNDS)}`);
      return;
    }
    const message = parsed(line);
    if (!isObject(message)) return;
    if ("method" in message) heard(message, onNotification);
    else if (requests.settle(message)) known.failures = 0;
    // Only the first late answer is logged.
    else if (strays++ === 0) log.debug("the server sent an answer to no pending request");
  };
  const read = (chunk: Buffer): void => {
    const { lines, isOver } = splitter.push(chunk);
    for (const line of lines) receive(line);
    if (isOver) socket.destroy(new Error("the server sent a line that is too long"));
  };
  socket.on("data", guard(read));
}

/** Passes on notifications. Requests of the server have ids of their own and are ignored, since none is supported. */
function heard({ id, method, params = {} }: JsonObject, tell: LinkOptions["onNotification"]): void {
  if (id === undefined && typeof method === "string" && isObject(params)) tell(method, params);
}

function parsed(line: Buffer): JsonValue | undefined {
  try {
    return parseMessage(decodeLine(line) ?? "") as JsonValue;
  } catch {
    return undefined;
  }
}
