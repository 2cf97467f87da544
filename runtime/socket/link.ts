/** The client's end of the socket: one connection after the other to the same path, made anew for as long as it takes. */

import { createConnection, type Socket } from "node:net";
import { type Guard, guardBy } from "../contract/guard.js";
import type { Logger } from "../contract/handler.js";
import { boundText, idAtEdge, passedBound, UPSTREAM_BOUNDS } from "../contract/json-survey.js";
import { onLine } from "../contract/on-line.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import { isObject } from "../json.js";
import { parseMessage } from "../mcp/exact-message.js";
import { createSplitter, decodeLine, encodeMessage, METHODS, RPC, type RpcRequest } from "./protocol.js";
import { isRequestError, RequestError } from "./request-error.js";
import { createRequests, type RequestOptions, type Requests } from "./requests.js";

/** Times of a link, in milliseconds. */
export interface LinkTimes {
  /** For making a connection. */
  readonly connectMs: number;
  /** First and longest wait before the next connection. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** Silence after which the other side is asked whether it is there, and the time it has to say so. */
  readonly silenceMs: number;
  readonly pingMs: number;
}

/** The times in force. */
export const LINK_TIMES: LinkTimes = {
  ...{ connectMs: 5_000, firstMs: 100, longestMs: 5_000 },
  ...{ silenceMs: 240_000, pingMs: 10_000 },
};

/** What a link is made with. */
export interface LinkOptions {
  readonly path: string;
  readonly log: Logger;
  readonly times?: LinkTimes;
  /** Called after each connection that was made. */
  readonly onOpen: () => void;
  readonly onNotification: (method: string, params: JsonObject) => void;
}

/** A connection that comes back. */
export interface Link {
  /**
   * Sends a request and waits for its answer.
   *
   * @throws RequestError for an error as the answer, and UNAVAILABLE at once where there is no connection or it ends
   */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown>;
  /** Sends a notification, if there is a connection. */
  notify(method: string, params: JsonObject): void;
  /** Waits for a connection, at most `ms`; whether there is one. */
  connected(ms: number): Promise<boolean>;
  /** Gives up the present connection for another one. */
  drop(why: string): void;
  /** Ends it for good. */
  close(): void;
}

/** Bytes of one answer. Longer than the server's limit: what it says counts. */
const LONGEST_ANSWER = 17 * 2 ** 20;
/** Bytes of one request, and of what the other side has not read yet. */
const LONGEST_REQUEST = 4 * 2 ** 20;
const MOST_UNREAD = 16 * 2 ** 20;

/** The wait before the next connection, after failures in a row: doubled, bounded, a fifth up or down. */
export function waitBefore(failures: number, random: () => number, { firstMs, longestMs }: LinkTimes): number {
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(failures, 30));
  return Math.round(whole * (0.8 + 0.4 * random()));
}

/** What is known of a link. */
interface Known {
  readonly options: LinkOptions;
  readonly times: LinkTimes;
  /** The open connection. */
  open?: { readonly socket: Socket; readonly requests: Requests } | undefined;
  /** The connection, open or being made. */
  socket?: Socket;
  retry?: NodeJS.Timeout;
  /** In a row, without one answer between them. */
  failures: number;
  isClosed: boolean;
  readonly waiters: Set<() => void>;
}

/** Starts to connect, and goes on until it is closed. */
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
  encodeMessage({ jsonrpc: "2.0", ...message } satisfies RpcRequest);

async function request({ open }: Known, method: string, params: JsonObject, how: RequestOptions): Promise<unknown> {
  const refuse = (code: "UNAVAILABLE" | "CANCELLED" | "VALIDATION_ERROR", why: string): never => {
    throw new RequestError(code, why, { sent: false });
  };
  if (how.signal?.aborted) return refuse("CANCELLED", "the call was cancelled");
  if (!open) return refuse("UNAVAILABLE", "there is no connection to the server");
  if (open.socket.writableLength > MOST_UNREAD)
    return refuse("UNAVAILABLE", "the server does not read what it is sent");
  // The id has at most 16 digits.
  if (Buffer.byteLength(lineOf({ id: 1e15, method, params })) > LONGEST_REQUEST)
    return refuse("VALIDATION_ERROR", `the arguments are larger than a request may be, ${LONGEST_REQUEST} bytes`);
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
  const guard = guardBy((error) => socket.destroy(error instanceof Error ? error : new Error(String(error))));
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

/** The next connection follows after a while, since the failure of one says nothing of the one after it. */
function ended(known: Known, why: string): void {
  const { options, times, open } = known;
  known.open = undefined;
  open?.requests.end(why);
  if (known.isClosed) {
    for (const tell of [...known.waiters]) tell();
    return;
  }
  const wait = waitBefore(known.failures, Math.random, times);
  // Once for each time that the server is away, which may be long.
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

/** Reads what arrives: answers go to who waits for them, notifications to the owner of the link; the rest is left lying. */
function listen(known: Known, socket: Socket, requests: Requests, guard: Guard): void {
  const { log, onNotification } = known.options;
  const splitter = createSplitter(() => LONGEST_ANSWER);
  let strays = 0;
  const refuse = (line: Buffer, message: string): void => {
    const id = idAtEdge(line);
    const isTaken = id !== undefined && requests.answer({ id: JSON.parse(id), error: { code: RPC.internal, message } });
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
    else if (requests.answer(message)) known.failures = 0;
    // Late answers are not worth a line each.
    else if (strays++ === 0) log.debug("the server sent what nobody waits for");
  };
  const read = (chunk: Buffer): void => {
    const { lines, isOver } = splitter.push(chunk);
    for (const line of lines) receive(line);
    if (isOver) socket.destroy(new Error("the server sent a line that is too long"));
  };
  socket.on("data", guard(read));
}

/** The server has ids of its own for what it asks us, so a request of it is never an answer; there are none that we know. */
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
