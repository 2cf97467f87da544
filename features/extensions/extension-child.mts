/**
 * The child process of one call of a TypeScript extension tool. It communicates over one pipe, with one JSON text a
 * line; reading blocks, which makes requests for secrets synchronous. It imports only Node's own modules, and then the
 * bundle named in the request.
 */
import { readSync, writeSync } from "node:fs";

interface Request {
  readonly url: string;
  readonly name: string;
  readonly args: readonly unknown[];
  readonly context: { readonly deadline: number };
}

const CHANNEL = 3;
const pause = new Int32Array(new SharedArrayBuffer(4));
const chunk = Buffer.alloc(65_536);
let held = Buffer.alloc(0);

/** Repeats a step while the pipe is not ready; the process at the other end may have ended. */
function retried(step: () => number): number {
  for (;;) {
    try {
      return step();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") process.exit(0);
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

function receive(): unknown {
  for (let end = held.indexOf(10); ; end = held.indexOf(10)) {
    if (end >= 0) {
      const line = held.toString("utf8", 0, end);
      held = held.subarray(end + 1);
      return JSON.parse(line);
    }
    const size = retried(() => readSync(CHANNEL, chunk));
    if (size === 0) process.exit(0);
    held = Buffer.concat([held, chunk.subarray(0, size)]);
  }
}

function send(message: object): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let at = 0; at < bytes.length; ) at += retried(() => writeSync(CHANNEL, bytes, at));
}

const failure = (code: string, message: string): Error =>
  Object.assign(new Error(message), { name: "ToolFailure", code });

function secret(name: string): string {
  send({ t: "secret", name });
  const { value, message } = receive() as { readonly value?: string; readonly message?: string };
  if (value === undefined) throw failure("UNAVAILABLE", message ?? `The secret ${name} is not set.`);
  return value;
}

/** Ends a tool that hangs, in case the parent process no longer does. */
const AFTER_DEADLINE_MS = 1000;

const log = (level: string) => (message: string, fields?: object) => send({ t: "log", level, message, fields });

const { url, name, args, context } = receive() as Request;
const left = Math.max(0, context.deadline - Date.now());
setTimeout(() => process.exit(0), left + AFTER_DEADLINE_MS).unref();
const ctx = {
  ...context,
  signal: AbortSignal.timeout(left),
  secret,
  fetch: async () => {
    throw failure("UNAVAILABLE", "ctx.fetch is not there in an extension tool: use fetch.");
  },
  log: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
  progress: (done: number, total?: number, message?: string) => send({ t: "progress", done, total, message }),
  warn: (warning: string) => send({ t: "warn", warning }),
};

try {
  const tools = (await import(url)) as Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;
  const result = await tools[name]?.(...args, ctx);
  send({ t: "done", result });
} catch (error) {
  const {
    name: kind,
    message,
    stack,
    code,
    details,
  } = error as Error & { readonly code?: unknown; readonly details?: unknown };
  send({ t: "failed", kind, message: String(message ?? error), stack, code, details });
}
process.exit(0);
