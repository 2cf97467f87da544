/**
 * The channel of a child, seen from the child: a pipe for each direction.
 *
 * A child that has asked looks for the answer for a moment before it sleeps. To wake a process takes longer than most
 * calls of tools.
 */

import { readSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { decodeMessage, encodeMessage } from "./child-messages.js";
import { frameReader } from "./frames.js";

/** Its pipes: for messages to it, and for those from it. */
const [FROM_ENGINE, TO_ENGINE] = [3, 4];
/** Time for which it looks for an answer, in milliseconds: little more than it takes to be woken. */
const LOOK_MS = 0.1;
/** Most messages for whose answers it does not look after looks that found nothing. */
const MOST_SKIPPED = 31;
/** Bytes that are read at once. */
const READ_BYTES = 65_536;

/** Sends messages. */
export interface Channel {
  /** Sends a message, and returns once it is in the pipe: the step that follows may take seconds. */
  send(message: object): void;
  /** Sends a message that has an answer. */
  ask(message: object): void;
}

/** Opens the channel of this process, which ends with it. */
export function openChannel(onMessage: (message: unknown) => void): Channel {
  const input = new Socket({ fd: FROM_ENGINE, readable: true, writable: false });
  const looks = looksOf();
  let isAsking = false;
  const read = frameReader({
    longest: () => Number.POSITIVE_INFINITY,
    tooLong: () => undefined,
    frame: (body) => {
      isAsking = false;
      onMessage(decodeMessage(body));
    },
  });
  input.on("data", (part: Buffer) => {
    for (let next: Buffer | undefined = part; next; next = isAsking ? looks.next() : undefined) read(next);
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

/** Looks for answers, less often while they take longer than the moment. */
function looksOf() {
  let skipped = 0;
  let left = 0;
  return {
    /** What arrives within the moment; undefined if nothing does. */
    next(): Buffer | undefined {
      left -= 1;
      if (left >= 0) return undefined;
      const found = look();
      skipped = found ? 0 : Math.min(2 * skipped + 1, MOST_SKIPPED);
      left = skipped;
      return found;
    },
  };
}

/** What arrives within the moment; undefined if nothing does. */
function look(): Buffer | undefined {
  const until = performance.now() + LOOK_MS;
  do {
    const count = readNow();
    if (count === 0) process.exit(0);
    if (count !== undefined) return Buffer.from(buffer.subarray(0, count));
  } while (performance.now() < until);
  return undefined;
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
