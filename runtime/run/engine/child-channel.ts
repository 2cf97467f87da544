/**
 * The channel of a child, seen from the child: a pipe for each direction.
 *
 * A child that has asked polls for the answer itself for a moment before it sleeps.
 */

import { readSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { BUSY_POLL_MS, type PollPolicy, pollPolicy } from "../../contract/busy-poll.js";
import { decodeMessage, encodeMessage } from "./child-messages.js";
import { frameReader } from "./frames.js";

/** Its pipes: for messages to it, and for those from it. */
const [FROM_ENGINE, TO_ENGINE] = [3, 4];
/** Bytes that are read at once. */
const READ_BYTES = 65_536;

/** Sends messages. */
export interface Channel {
  /** Sends a message, and returns once it is in the pipe: the step that follows may take seconds. */
  send(message: object): void;
  /** Sends a message that has an answer. */
  ask(message: object): void;
}

/** Ends this process with that of the engine: the thread that would read the end of the channel may be busy for long. */
const WATCH = `setInterval(() => process.ppid === ${process.ppid} || process.kill(process.pid, "SIGKILL"), 500)`;

/** Opens the channel of this process, which ends with it. */
export function openChannel(onMessage: (message: unknown) => void): Channel {
  new Worker(WATCH, { eval: true, env: {} }).unref();
  const input = new Socket({ fd: FROM_ENGINE, readable: true, writable: false });
  const policy = pollPolicy();
  let isAsking = false;
  const read = frameReader({
    frame: (body) => {
      isAsking = false;
      onMessage(decodeMessage(body));
    },
  });
  input.on("data", (part: Buffer) => {
    for (let next: Buffer | undefined = part; next; next = isAsking && policy.next() ? poll(policy) : undefined)
      read(next);
  });
  input.on("error", () => undefined);
  input.on("close", () => process.exit(0));
  const send = (message: object): void => writeAll(encodeMessage(message));
  return {
    send,
    ask(message) {
      send(message);
      isAsking = true;
    },
  };
}

/** Writes all bytes. The pipe is one that blocks, as processes get them. */
function writeAll(bytes: Buffer): void {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(TO_ENGINE, bytes, at);
  } catch {
    // The engine has ended.
    process.exit(0);
  }
}

const buffer = Buffer.allocUnsafeSlow(READ_BYTES);

/** What arrives within the moment; undefined if nothing does. */
function poll({ polled }: PollPolicy): Buffer | undefined {
  const until = performance.now() + BUSY_POLL_MS;
  let count: number | undefined;
  do count = readNow();
  while (count === undefined && performance.now() < until);
  polled(count !== undefined);
  if (count === 0) process.exit(0);
  return count === undefined ? undefined : Buffer.from(buffer.subarray(0, count));
}

/** The bytes that are read into the buffer; undefined if nothing is there. */
function readNow(): number | undefined {
  const { stackTraceLimit } = Error;
  // An empty pipe is an error, whose stack would take longer than the reading.
  Error.stackTraceLimit = 0;
  try {
    return readSync(FROM_ENGINE, buffer);
  } catch {
    return undefined;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
