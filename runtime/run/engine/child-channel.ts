/**
 * The channel of a child, seen from the child: a pipe for each direction.
 *
 * A child that has asked polls for the answer itself for a moment before it sleeps.
 */

import { readSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { BUSY_POLL_MS, type PollBackoff, pollBackoff } from "../../contract/busy-poll.js";
import { decodeMessage, encodeMessage } from "./child-messages.js";
import { frameReader } from "./frames.js";

/** Its pipes: for messages to it, and for those from it. */
const [FROM_ENGINE, TO_ENGINE] = [3, 4];
/** Bytes that are read at once. */
const READ_BYTES = 65_536;
/** Polls in a row, after which the event loop has its turn. */
const MAX_POLLS = 100;
/** On Windows a pipe has no reads that return at once. */
const CAN_POLL = process.platform !== "win32";

/** Sends messages. Those that do not fit into the pipe are sent as the engine reads, in turns of the event loop. */
export interface Channel {
  send(message: object): void;
  /** Sends a message that has an answer. */
  ask(message: object): void;
  /** Sends the last message, and ends this process. */
  end(message: object): void;
}

/** Ends this process with that of the engine: the thread that would read the end of the channel may be busy for long. */
const WATCH = `setInterval(() => process.ppid === ${process.ppid} || process.kill(process.pid, "SIGKILL"), 500)`;

/** Opens the channel of this process, which ends with it. */
export function openChannel(onMessage: (message: unknown) => void): Channel {
  new Worker(WATCH, { eval: true, env: {} }).unref();
  // Reads of this file descriptor return at once from now on.
  const input = new Socket({ fd: FROM_ENGINE, readable: true, writable: false });
  const write = writer();
  const backoff = pollBackoff();
  /** Whether the last message has an answer that has not come. Where programs take turns, it may be that of another. */
  let isAsking = false;
  const read = frameReader({
    frame: (body) => {
      isAsking = false;
      onMessage(decodeMessage(body));
    },
  });
  input.on("data", (part: Buffer) => {
    read(part);
    for (let polls = 0; CAN_POLL && isAsking && polls < MAX_POLLS && backoff.next(); polls++) {
      const next = poll(backoff);
      if (!next) return;
      read(next);
    }
  });
  input.on("error", () => undefined);
  input.on("close", () => process.exit(0));
  return {
    send: (message) => write(message),
    ask(message) {
      write(message);
      isAsking = true;
    },
    end: (message) => write(message, () => process.exit(0)),
  };
}

/** Writes messages: at once as far as there is room in the pipe, so that they leave before a step that takes seconds. */
function writer() {
  const output = new Socket({ fd: TO_ENGINE, readable: false, writable: true });
  // The engine has ended: so does this process, by the end of its input.
  output.on("error", () => undefined);
  return (message: object, written?: () => void): void => {
    const bytes = encodeMessage(message);
    const count = output.writableLength === 0 ? writeNow(bytes) : 0;
    if (count < bytes.length || written) output.write(bytes.subarray(count), written);
  };
}

/** How many bytes there was room for. */
function writeNow(bytes: Buffer): number {
  return atOnce(() => writeSync(TO_ENGINE, bytes)) ?? 0;
}

const buffer = Buffer.allocUnsafeSlow(READ_BYTES);

/** What arrives within the moment; undefined if nothing does. */
function poll({ polled }: PollBackoff): Buffer | undefined {
  const until = performance.now() + BUSY_POLL_MS;
  let count: number | undefined;
  do count = atOnce(() => readSync(FROM_ENGINE, buffer));
  while (count === undefined && performance.now() < until);
  polled(count !== undefined);
  if (count === 0) process.exit(0);
  return count === undefined ? undefined : Buffer.from(buffer.subarray(0, count));
}

/** The count of a read or a write; undefined if the pipe is empty or full, or broken, which its socket finds out. */
function atOnce(step: () => number): number | undefined {
  const { stackTraceLimit } = Error;
  // An empty pipe is an error, whose stack would take longer than the reading.
  Error.stackTraceLimit = 0;
  try {
    return step();
  } catch {
    return undefined;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
