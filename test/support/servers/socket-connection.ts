/** A scriptable client of a socket. */

import { createConnection, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { createSplitter } from "../../../runtime/serve/line-splitter.js";
import type { Json } from "../project.js";

/** One connection. */
export interface RawClient {
  readonly socket: Socket;
  /** Sends bytes as they are, an object as a line. */
  send(what: string | Buffer | object): void;
  /** Sends a request and waits for the answer with its id. */
  ask(method: string, params?: unknown, id?: string | number): Promise<Json>;
  /** The next message that is not the answer to a request. */
  next(): Promise<Json>;
  /** Everything that has come in, as text. */
  text(): string;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  close(): void;
}

/** Connects, and closes after the test. */
export async function connect(path: string): Promise<RawClient> {
  const socket = createConnection(path);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => undefined);
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  onTestFinished(() => void socket.destroy());
  const splitter = createSplitter(() => 100_000_000);
  const asked = new Map<string, (message: Json) => void>();
  const free: Json[] = [];
  const waiting: ((message: Json) => void)[] = [];
  let text = "";
  let ids = 0;
  socket.on("data", (chunk: Buffer) => {
    if (text.length < 1_000_000) text += chunk.toString();
    for (const line of splitter.push(chunk).lines) {
      const message: Json = JSON.parse(line.toString());
      const taker = asked.get(JSON.stringify(message.id)) ?? waiting.shift();
      asked.delete(JSON.stringify(message.id));
      if (taker) taker(message);
      else free.push(message);
    }
  });
  const send: RawClient["send"] = (what) => {
    const isBytes = typeof what === "string" || Buffer.isBuffer(what);
    socket.write(isBytes ? what : `${JSON.stringify(what)}\n`);
  };
  return {
    socket,
    closed,
    send,
    ask: (method, params, id = `ask-${++ids}`) =>
      new Promise((resolve) => {
        asked.set(JSON.stringify(id), resolve);
        send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
      }),
    next: () =>
      new Promise((resolve) => {
        const known = free.shift();
        if (known === undefined) waiting.push(resolve);
        else resolve(known);
      }),
    text: () => text,
    close: () => void socket.destroy(),
  };
}

/** Calls tools with a key. */
export const caller =
  (client: RawClient, api_key: string) =>
  (tool: string, args?: unknown, more: object = {}): Promise<Json> =>
    client.ask("oubliette_call_tool", { api_key, tool, ...(args === undefined ? {} : { arguments: args }), ...more });

/** Longest wait of a test. */
const LONGEST_MS = 60_000;

/** Waits until something holds; fails where it never does. */
export async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  while (!holds()) {
    if (performance.now() > end) throw new Error("it never came to that");
    await sleep(5);
  }
}
