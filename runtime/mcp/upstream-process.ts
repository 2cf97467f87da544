/**
 * A stdio transport whose whole process group ends with it. The SDK's own ends the one child that it started, and what
 * that has started (`npx` starts a shell, which starts the server) would outlive us.
 */

import type { ChildProcessWithoutNullStreams as Child } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { unmarked } from "../contract/exact-number.js";
import { guardBy } from "../contract/guard.js";
import { boundText, passedBound, UPSTREAM_BOUNDS } from "../contract/json-survey.js";
import { messageOf } from "../contract/message-of.js";
import { parseMessage } from "./exact-message.js";
import { guardProcesses } from "./upstream-guardian.js";

/** What is started, and within which bounds. */
export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Longest message, in bytes. */
  readonly messageBytes: number;
  /** How long each step of the ending may take: end of input, then SIGTERM, then SIGKILL. */
  readonly graceMs: number;
}

/** The transport, and what is known of its process. */
export interface ProcessTransport extends Transport {
  /** The end of what it wrote to its standard error. */
  stderr(): string;
  /** The first lines on its standard output that are no messages. */
  strays(): readonly string[];
  /** Why we ended it, where it broke a bound. */
  fault(): string | undefined;
  /** How it ended by itself: "exit code 1", "signal SIGSEGV"; undefined while it runs. */
  ended(): string | undefined;
}

const STDERR_TAIL = 8_192;
const LAST_WORDS_MS = 200;
/** Kept longer than they are shown: a secret that is cut in two is not found. */
const STRAYS = { count: 3, length: 4_000 } as const;
const WINDOWS = process.platform === "win32";

/** Signals the whole group; whether anybody was there to hear it. */
function signalGroup(child: Child, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return WINDOWS ? child.exitCode === null && child.kill(signal) : process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}

/** Ends a process group: a step at a time, each only if somebody is still there. */
async function reap(child: Child, graceMs: number): Promise<void> {
  const gone = async (): Promise<boolean> => {
    for (const until = performance.now() + graceMs; performance.now() < until; await sleep(10))
      if (!signalGroup(child, 0)) return true;
    return false;
  };
  child.stdin.end();
  if (await gone()) return;
  signalGroup(child, "SIGTERM");
  if (await gone()) return;
  signalGroup(child, "SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** Cuts a stream into lines; what is longer than `limit`, or holds more than a message may, is an error. */
function lines(limit: number, onLine: (line: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  return (chunk) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const line = Buffer.concat([...parts, rest.subarray(0, end)]);
      if (line.length > limit) throw new Error(`it sent a message of more than ${limit} bytes`);
      const passed = passedBound(line, UPSTREAM_BOUNDS);
      if (passed) throw new Error(`it sent a message that ${boundText(passed, UPSTREAM_BOUNDS)}`);
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
      onLine(line.toString("utf8"));
    }
    parts.push(rest);
    length += rest.length;
    if (length > limit) throw new Error(`it sent a message of more than ${limit} bytes`);
  };
}

/** Messages that nobody asked for, and lines that are none: how many at once, and how many a second after that. */
const UNASKED = { atOnce: 20_000, perSecond: 2_000 } as const;

/** Counts what comes unasked; too much of it is an error. */
function budget(): () => void {
  let left: number = UNASKED.atOnce;
  let last = performance.now();
  return () => {
    const now = performance.now();
    left = Math.min(UNASKED.atOnce, left + ((now - last) * UNASKED.perSecond) / 1_000) - 1;
    last = now;
    if (left < 0) throw new Error("it floods its standard output with messages that nobody asked for");
  };
}

/** What is known of a process so far. */
interface Known {
  readonly strays: string[];
  stderr: string;
  ended?: string;
  fault?: string;
}

/** Children of this process that nobody has ended so far; should it exit, they go with it. */
const running = new Set<Child>();
const endAll = (): void => {
  for (const child of running) signalGroup(child, "SIGKILL");
};

function keep(child: Child): void {
  if (running.size === 0) process.once("exit", endAll);
  running.add(child);
  guardRunning();
}

const guardRunning = (): void => guardProcesses([...running].flatMap(({ pid }) => (pid === undefined ? [] : [pid])));

function forget(child: Child | undefined): void {
  if (child?.pid !== undefined && running.delete(child)) guardRunning();
  if (running.size === 0) process.off("exit", endAll);
}

/** Makes the transport; the process is started when a client connects. */
export function processTransport(options: ProcessOptions): ProcessTransport {
  const known: Known = { strays: [], stderr: "" };
  let child: Child | undefined;
  let closing: Promise<void> | undefined;

  const transport: ProcessTransport = {
    stderr: () => known.stderr,
    strays: () => known.strays,
    ended: () => known.ended,
    fault: () => known.fault,
    start: async () => {
      child = await launch(options);
      keep(child);
      listen(child, known, transport, options.messageBytes);
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        if (!child || closing) reject(new Error("the server is not running"));
        else child.stdin.write(`${unmarked(JSON.stringify(message))}\n`, () => resolve());
      }),
    close: () => {
      closing ??= (child ? reap(child, options.graceMs) : Promise.resolve()).then(() => {
        forget(child);
        for (const stream of [child?.stdin, child?.stdout, child?.stderr]) stream?.destroy();
        transport.onclose?.();
      });
      return closing;
    },
  };
  return transport;
}

/** The last whole lines: what is left of a cut line may be half a secret. */
function tailOf(text: string): string {
  if (text.length <= STDERR_TAIL) return text;
  const tail = text.slice(-STDERR_TAIL);
  const end = tail.indexOf("\n");
  return end === -1 ? "" : tail.slice(end + 1);
}

/** Hears what a process says, and that it ends. */
function listen(child: Child, known: Known, transport: ProcessTransport, messageBytes: number): void {
  const spend = budget();
  const receive = lines(messageBytes, (line) => {
    const message = messageIn(line);
    // An answer was asked for; of what comes by itself there may be any amount.
    if (!message || "method" in message) spend();
    if (message) transport.onmessage?.(message);
    else if (line.trim() !== "" && known.strays.length < STRAYS.count) known.strays.push(line.slice(0, STRAYS.length));
  });
  child.stderr.on("data", (chunk: Buffer) => {
    known.stderr = tailOf(known.stderr + chunk.toString("utf8"));
  });
  const guard = guardBy((error) => {
    known.fault ??= messageOf(error);
    transport.close().catch(() => undefined);
  });
  const read = (chunk: Buffer): void => {
    if (known.fault === undefined) receive(chunk);
  };
  child.stdout.on("data", guard(read));
  // It may be gone before it has read what we wrote; "close" says so.
  child.stdin.on("error", () => undefined);
  child.once("exit", (code, signal) => {
    known.ended = signal === null ? `exit code ${code}` : `signal ${signal}`;
    // "close" waits for whoever inherited the pipes, which may be for ever.
    setTimeout(guard(transport.close), LAST_WORDS_MS).unref();
  });
  child.once("close", guard(transport.close));
}

/** Starts the process as the leader of a group of its own. Rejects where there is no such command. */
async function launch({ command, args, env, cwd }: ProcessOptions): Promise<Child> {
  const { default: spawn } = await import("cross-spawn");
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      cwd,
      env,
      stdio: "pipe",
      shell: false,
      windowsHide: true,
      detached: !WINDOWS,
    }) as Child;
    child.once("error", reject);
    child.once("spawn", () => {
      child.off("error", reject);
      child.on("error", () => undefined);
      resolve(child);
    });
  });
}

/** The message of a line; undefined for anything else, such as a log line of a server that does not know better. */
function messageIn(line: string): JSONRPCMessage | undefined {
  try {
    const value = parseMessage(line);
    if (!isObject(value) || value["jsonrpc"] !== "2.0") return undefined;
    if (typeof value["method"] === "string" || isObject(value["result"])) return value as unknown as JSONRPCMessage;
    return answerOf(value);
  } catch {
    return undefined;
  }
}

/** JSON-RPC's code for an internal error. */
const INTERNAL_ERROR = -32603;

/**
 * An answer that is an error, in the form that the SDK takes. It drops errors whose code is no integer or whose message is no text, and
 * the request would wait for its time limit.
 */
function answerOf({ id, error }: Readonly<Record<string, unknown>>): JSONRPCMessage | undefined {
  if (error === undefined || (typeof id !== "number" && typeof id !== "string")) return undefined;
  const { code, message, data } = isObject(error) ? error : {};
  const isCode = Number.isSafeInteger(code);
  const text = typeof message === "string" ? message : "it answered with neither a result nor an error of JSON-RPC";
  const sent = { code: isCode ? (code as number) : INTERNAL_ERROR, message: text, ...(data !== undefined && { data }) };
  return { jsonrpc: "2.0", id, error: sent };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
