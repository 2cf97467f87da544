/**
 * A stdio transport that ends its whole process group. The SDK's transport ends only its direct child, so descendants
 * (`npx` starts a shell, which starts the server) would keep running.
 */

import type { ChildProcessWithoutNullStreams as Child } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { unmarked } from "../contract/exact-number.js";
import { guardBy } from "../contract/guard.js";
import { idAtEdge, passedBound, UPSTREAM_BOUNDS } from "../contract/json-survey.js";
import { messageOf } from "../contract/thrown.js";
import { inTurns, nextTurn } from "../contract/turn.js";
import { wellFormedJson } from "../contract/well-formed.js";
import { BROKEN_OFF, tooHard } from "./answer-bound.js";
import type { Deviation } from "./deviations.js";
import { guardProcesses } from "./guardian.js";
import { lineReader } from "./lines.js";
import { PendingRequests, parsedMessages, spreadAnswers } from "./messages.js";

/** The command and its limits. */
export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Longest message in bytes. */
  readonly messageBytes: number;
  /** Time limit of each step of the shutdown: end of input, then SIGTERM, then SIGKILL. */
  readonly graceMs: number;
  /** Called for each answer that breaks the protocol and is read. */
  readonly deviates?: (what: Deviation) => void;
}

/** The transport with the state of its process. */
export interface ProcessTransport extends Transport {
  /** The end of its standard error. */
  stderr(): string;
  /** The first lines of its standard output that are not messages. */
  strays(): readonly string[];
  /** Which limit it exceeded, if it was ended for that. */
  fault(): string | undefined;
  /** When it last wrote to its standard output, by `performance.now()`. */
  heardAt(): number;
  /** How it ended by itself: "exit code 1", "signal SIGSEGV"; `undefined` while it runs. */
  ended(): string | undefined;
}

const STDERR_TAIL = 8_192;
const LAST_WORDS_MS = 200;
/** Kept longer than they are shown, since a truncated secret cannot be detected. */
const STRAYS = { count: 3, length: 4_000 } as const;
const WINDOWS = process.platform === "win32";

/** Signals the whole group; whether any process of it exists. */
function signalGroup(child: Child, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return WINDOWS ? child.exitCode === null && child.kill(signal) : process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}

/** Ends a process group step by step, as long as a process of it remains. */
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

/** Limits for unsolicited messages and lines that are not messages: a burst, then a rate per second. */
const UNASKED = { atOnce: 20_000, perSecond: 2_000 } as const;

/** Counts unsolicited lines; too many are an error. */
function budget(): () => void {
  let left: number = UNASKED.atOnce;
  let last = performance.now();
  return () => {
    const now = performance.now();
    left = Math.min(UNASKED.atOnce, left + ((now - last) * UNASKED.perSecond) / 1_000) - 1;
    last = now;
    if (left < 0) throw new Error("it floods its standard output with unsolicited messages");
  };
}

/** State of a process. */
interface Known {
  readonly strays: string[];
  stderr: string;
  readonly pending: PendingRequests;
  heardAt: number;
  ended?: string;
  fault?: string;
  /** Whether this side ends the process. */
  isClosing?: boolean;
}

/** Running children; they are ended when this process exits. */
const running = new Set<Child>();
const endAll = (): void => {
  for (const child of running) signalGroup(child, "SIGKILL");
};

/** Resolves once the guardian knows the child. */
function keep(child: Child): Promise<void> {
  if (running.size === 0) process.once("exit", endAll);
  running.add(child);
  return guardRunning();
}

const guardRunning = (): Promise<void> =>
  guardProcesses([...running].flatMap(({ pid }) => (pid === undefined ? [] : [pid])));

function forget(child: Child): void {
  if (child.pid !== undefined && running.delete(child)) void guardRunning();
  if (running.size === 0) process.off("exit", endAll);
}

/** Creates the transport; the process starts when a client connects. */
export function processTransport(options: ProcessOptions): ProcessTransport {
  const known: Known = {
    strays: [],
    stderr: "",
    heardAt: 0,
    pending: new PendingRequests(options.deviates ?? (() => undefined)),
  };
  let child: Child | undefined;
  let closing: Promise<void> | undefined;
  const end = async (one: Child): Promise<void> => {
    await reap(one, options.graceMs);
    forget(one);
    for (const stream of [one.stdin, one.stdout, one.stderr]) stream.destroy();
  };

  const transport: ProcessTransport = {
    stderr: () => known.stderr,
    strays: () => known.strays,
    ended: () => known.ended,
    fault: () => known.fault,
    heardAt: () => known.heardAt,
    start: async () => {
      const started = await launch(options, (chunk) => {
        known.stderr = tailOf(known.stderr + chunk.toString("utf8"));
      });
      if (closing) {
        await end(started);
        throw new Error("the server was closed while it started");
      }
      child = started;
      listen(child, known, transport, options.messageBytes);
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        if (!child || closing) return reject(new Error("the server is not running"));
        known.pending.sent(message);
        child.stdin.write(`${wellFormedJson(unmarked(JSON.stringify(message)))}\n`, () => resolve());
      }),
    close: () => {
      known.isClosing = true;
      closing ??= (child ? end(child) : Promise.resolve()).then(() => transport.onclose?.());
      return closing;
    },
  };
  return transport;
}

/** The last complete lines: a cut line may contain half a secret. */
function tailOf(text: string): string {
  if (text.length <= STDERR_TAIL) return text;
  const tail = text.slice(-STDERR_TAIL);
  const end = tail.indexOf("\n");
  return end === -1 ? "" : tail.slice(end + 1);
}

/** A longer line is checked in one turn of the event loop, and parsed in another. */
const LONG_LINE_BYTES = 100_000;

/** Passes on the messages in chunks of output, a few milliseconds of work in each turn of the event loop. */
function messageListener(known: Known, transport: ProcessTransport, limit: number): (chunk: Buffer) => Promise<void> {
  const spend = budget();
  const deliver = (message: JSONRPCMessage): void => {
    const more = known.pending.received(message);
    transport.onmessage?.(message);
    for (const one of more) deliver(one);
  };
  const refuse = (edge: Buffer, message: string): boolean => {
    const id: unknown = JSON.parse(idAtEdge(edge) ?? "null");
    if (!known.pending.has(id)) return false;
    deliver({ jsonrpc: "2.0", id, error: { code: BROKEN_OFF, message } });
    return true;
  };
  const spread = spreadAnswers(known.pending);
  const receive = async (line: string): Promise<void> => {
    const messages = await parsedMessages(line, known.pending);
    if (messages.length === 0) {
      spend();
      spread(line).forEach(deliver);
    }
    for (const message of messages) {
      // An answer was asked for; of what comes by itself there may be any amount.
      if ("method" in message) spend();
      deliver(message);
    }
    if (messages.length === 0 && line.trim() !== "" && known.strays.length < STRAYS.count)
      known.strays.push(line.slice(0, STRAYS.length));
  };
  const lines = lineReader(limit, refuse);
  return (chunk) =>
    inTurns(lines(chunk), async (line) => {
      const passed = passedBound(line, UPSTREAM_BOUNDS);
      if (line.length > LONG_LINE_BYTES) await nextTurn();
      if (!passed) await receive(line.toString("utf8"));
      else if (!refuse(line, tooHard(passed))) throw new Error(tooHard(passed));
    });
}

/** Reads the output of a process and handles its end. */
function listen(child: Child, known: Known, transport: ProcessTransport, messageBytes: number): void {
  const receive = messageListener(known, transport, messageBytes);
  const guard = guardBy((error) => {
    known.fault ??= messageOf(error);
    transport.close().catch(() => undefined);
  });
  const read = async (chunk: Buffer): Promise<void> => {
    if (known.fault !== undefined) return;
    known.heardAt = performance.now();
    child.stdout.pause();
    await receive(chunk);
    child.stdout.resume();
  };
  child.stdout.on("data", guard(read));
  // A process that ends closes its pipes, too; one that goes on cannot be used any more.
  const deaf = (pipe: string): void => {
    const end = guard(() => {
      if (known.isClosing || known.ended !== undefined) return;
      known.fault = `it has closed its standard ${pipe}, and goes on running`;
      return transport.close();
    });
    setTimeout(end, LAST_WORDS_MS).unref();
  };
  child.stdout.once("end", () => deaf("output"));
  child.stdin.once("error", () => deaf("input")).on("error", () => undefined);
  const exited = (code: number | null, signal: NodeJS.Signals | null): void => {
    known.ended = signal === null ? `exit code ${code}` : `signal ${signal}`;
    // "close" waits for every process that inherited the pipes, possibly forever. Where the timer is late, the pipes are
    // read before `setImmediate`.
    setTimeout(() => setImmediate(guard(transport.close)), LAST_WORDS_MS).unref();
  };
  // It may have ended before the listeners were added.
  if (child.exitCode !== null || child.signalCode !== null) exited(child.exitCode, child.signalCode);
  else child.once("exit", exited);
  child.once("close", guard(transport.close));
}

/**
 * Shell script that starts a process only after the guardian knows its group, so that a kill of this process at any
 * time leaves nothing running. File descriptor 3 connects it to this process: its end cancels the start, and the script
 * reports a missing command on it.
 */
const GATE = [
  "read -r go <&3 || exit 1",
  'command -v "$0" >/dev/null 2>&1 || { echo missing >&3; exit 127; }',
  'exec "$0" "$@" 3>&-',
].join("\n");

/** Missing in small container images. */
const SHELL = "/bin/sh";
/** Variables that a shell adds, and others that it changes. */
const ADDED = ["PWD", "OLDPWD", "SHLVL", "_"];
const CHANGED = new Set([...ADDED, "IFS", "OPTIND", "PPID", "UID", "EUID"]);
/** Names that a shell passes on; it drops others. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The command behind the gate; `undefined` without a shell, or if a shell would alter the environment. */
function gated({ command, args, env }: ProcessOptions): Pick<ProcessOptions, "command" | "args"> | undefined {
  const isKept = Object.keys(env).every((name) => SHELL_NAME.test(name) && !CHANGED.has(name));
  if (WINDOWS || !isKept || !existsSync(SHELL)) return undefined;
  return { command: SHELL, args: ["-c", `unset ${ADDED.join(" ")}\n${GATE}`, command, ...args] };
}

/** Starts the process as the leader of its own group, which the guardian knows. Rejects for a missing command. */
async function launch(options: ProcessOptions, onComplaint: (chunk: Buffer) => void): Promise<Child> {
  const { default: spawn } = await import("cross-spawn");
  const behind = gated(options);
  const { command, args } = behind ?? options;
  const child = spawn(command, [...args], {
    cwd: options.cwd,
    env: options.env,
    stdio: behind ? ["pipe", "pipe", "pipe", "pipe"] : "pipe",
    shell: false,
    windowsHide: true,
    detached: !WINDOWS,
  }) as Child;
  // At once: Node discards what nobody reads when the process ends.
  child.stderr?.on("data", onComplaint);
  // Before anything else is waited for: from here on, killing this process also ends the child.
  const guarded = child.pid === undefined ? undefined : keep(child);
  await new Promise<void>((resolve, reject) => child.once("error", reject).once("spawn", resolve));
  child.on("error", () => undefined);
  await guarded;
  if (behind && (await isMissing(child))) {
    forget(child);
    throw Object.assign(new Error(`spawn ${options.command} ENOENT`), { code: "ENOENT" });
  }
  return child;
}

/** Opens the gate; whether the command is missing. */
async function isMissing(child: Child): Promise<boolean> {
  const gate = child.stdio[3] as Duplex;
  let said = "";
  gate.on("error", () => undefined).on("data", (chunk: Buffer) => (said += chunk.toString("latin1")));
  gate.write("\n");
  await new Promise<void>((resolve) => gate.once("close", resolve));
  return said !== "";
}
