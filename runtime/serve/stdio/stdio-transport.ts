/**
 * The stdio transport of messages, one per line. It replaces the SDK's own transport, which ends the process at a line
 * longer than its buffer, parses messages of any nesting depth, and leaves unreadable requests unanswered.
 */

import type { Readable, Writable } from "node:stream";
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import { unmarked } from "../../contract/exact-number.js";
import { isObject, own } from "../../contract/json.js";
import { boundText, idAtEdge, isId, MESSAGE_BOUNDS, passedBound } from "../../contract/json-survey.js";
import { parseMessage } from "../../contract/read-json.js";
import { errorOf } from "../../contract/thrown.js";
import { inTurns, MESSAGES_A_TURN } from "../../contract/turn.js";
import { wellFormedJson } from "../../contract/well-formed.js";
import { createSplitter } from "../line-splitter.js";

/** Options of the transport. */
export interface StdioTransportOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Largest line in bytes. */
  readonly lineBytes: () => number;
  /** Called once the first line is written. */
  readonly onFirst?: (() => void) | undefined;
}

/** The transport. */
export interface StdioTransport extends Transport {
  /** Stops reading. */
  pause(): void;
}

const INVALID_REQUEST = -32_600;

/** A line that is not a valid message. */
class LineFault extends Error {
  override readonly name = "LineFault";
  /** The id of the invalid request, as JSON text; `null` where it is not known. */
  readonly id: string | undefined;
  /** @param id - undefined for a line that is not answered */
  constructor(message: string, id?: string) {
    super(message);
    this.id = id;
  }
}

function answerOf({ id, message }: LineFault): string | undefined {
  return id === undefined
    ? undefined
    : `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code: INVALID_REQUEST, message })}}`;
}

/** Takes the lines of a chunk, perhaps thousands, in several turns of the event loop. */
async function takeInTurns(stdin: Readable, lines: readonly Buffer[], take: (line: Buffer) => void): Promise<void> {
  stdin.pause();
  await inTurns(lines, take, MESSAGES_A_TURN);
  // Nobody listens any more once the transport has stopped reading.
  if (stdin.listenerCount("data") > 0) stdin.resume();
}

/** Writes lines; those of one turn of the event loop together, since each write is a system call. */
function lineWriter(stdout: Writable, onFirst: (() => void) | undefined) {
  let turn: NodeJS.Immediate | undefined;
  let first = onFirst;
  const flush = (): void => {
    if (turn === undefined) return;
    clearImmediate(turn);
    turn = undefined;
    stdout.uncork();
  };
  const write = (line: string): Promise<void> =>
    new Promise((resolve, reject) => {
      if (turn === undefined) {
        stdout.cork();
        turn = setImmediate(flush);
      }
      stdout.write(`${wellFormedJson(line)}\n`, (error) => {
        first?.();
        first = undefined;
        if (error) reject(error);
        else resolve();
      });
    });
  return { write, flush };
}

/** Creates the transport. Reading begins at `start`; the end of stdin does not close it. */
export function stdioTransport({ stdin, stdout, lineBytes, onFirst }: StdioTransportOptions): StdioTransport {
  const splitter = createSplitter(lineBytes, "skip");
  const out = lineWriter(stdout, onFirst);
  let isClosed = false;
  const write = (line: string): Promise<void> =>
    isClosed ? Promise.reject(new Error("the connection is closed")) : out.write(line);
  const report = (error: unknown): void => {
    transport.onerror?.(errorOf(error));
    const answer = error instanceof LineFault ? answerOf(error) : undefined;
    if (answer !== undefined) write(answer).catch(() => undefined);
  };
  const take = (line: Buffer): void => {
    try {
      transport.onmessage?.(messageOf(valueIn(line)));
    } catch (error) {
      report(error);
    }
  };
  const read = (chunk: Buffer): void => {
    const { lines, skipped = [] } = splitter.push(chunk);
    for (const ends of skipped)
      report(new LineFault(`A line may have ${lineBytes()} bytes at most.`, idAtEdge(ends) ?? "null"));
    if (lines.length > 1) takeInTurns(stdin, lines, take).catch(failed);
    else lines.forEach(take);
  };
  const failed = (error: Error): void => {
    transport.onerror?.(error);
    void transport.close();
  };
  const transport: StdioTransport = {
    async start() {
      stdin.on("data", read);
      stdout.on("error", failed);
    },
    send: (message) => write(unmarked(JSON.stringify(message))),
    pause() {
      stdin.removeListener("data", read);
      stdin.pause();
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      out.flush();
      transport.pause();
      transport.onclose?.();
    },
  };
  return transport;
}

/** @throws LineFault for a line that is not JSON within its bounds */
function valueIn(line: Buffer): unknown {
  const passed = passedBound(line, MESSAGE_BOUNDS);
  if (passed) throw new LineFault(`The message ${boundText(passed, MESSAGE_BOUNDS)}.`, idAtEdge(line));
  return parsed(line.toString("utf8").replace(/^\ufeff/, ""));
}

/** @throws LineFault for an invalid message */
function messageOf(value: unknown): JSONRPCMessage {
  const id = isObject(value) ? own(value, "id") : undefined;
  if (id !== undefined && !isId(id)) throw new LineFault("An id is a string or a number that is finite.");
  try {
    return parseJSONRPCMessage(value);
  } catch {
    const isRequest = isObject(value) && Object.hasOwn(value, "method") && id !== undefined;
    throw new LineFault("The line is not a message of JSON-RPC 2.0.", isRequest ? JSON.stringify(id) : undefined);
  }
}

function parsed(text: string): unknown {
  try {
    return parseMessage(text);
  } catch {
    throw new LineFault("The line is not JSON.");
  }
}
