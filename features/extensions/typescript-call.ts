/** Calls TypeScript extension tools, each call in its own process, which ends with the call or at its deadline. */

import { type ChildProcess, spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import {
  type Context,
  type ErrorCode,
  type Handler,
  type Logger,
  ToolFailure,
} from "../../runtime/contract/handler.js";
import type { FunctionCall, JsonObject } from "../../runtime/contract/registry.js";
import { errorOf } from "../../runtime/contract/thrown.js";
import { soleProgram } from "../../runtime/run/engine/program.js";

/** Parameters of a call. */
export interface TypeScriptParts {
  readonly root: string;
  /** Address of the bundle. */
  readonly url: string;
  readonly call: FunctionCall;
  /** Bytes of a result. */
  readonly resultBytes: number;
}

/** Environment variables that a child inherits; it requests secrets one by one. */
const INHERITED = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "SystemRoot", "TEMP", "TERM", "TMPDIR", "USER"];

/** The handler of one function. */
export function typescriptHandler(parts: TypeScriptParts): Handler<JsonObject, unknown> {
  return async (args, ctx) => {
    const { call, root, url } = parts;
    const program = await soleProgram("extension-child", CHILD, import.meta.url);
    const env = Object.fromEntries(INHERITED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
    const child = spawn(process.execPath, [program], {
      env,
      cwd: root,
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      windowsHide: true,
    });
    const given = call.positional?.map((one) => (Object.hasOwn(args, one) ? args[one] : undefined)) ?? [args];
    const { principal, deadline, traceId, idempotencyKey } = ctx;
    const context = { principal, deadline, traceId, idempotencyKey };
    return answerOf(child, { url, name: call.export, args: given, context }, ctx, parts.resultBytes);
  };
}

/** Runs a call; in any case the process has ended afterwards. */
async function answerOf(child: ChildProcess, request: object, ctx: Context, most: number): Promise<unknown> {
  const pipe = child.stdio[3] as Duplex;
  const signal = ctx.signal as AbortSignal;
  const kill = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", () => reject(new Error("the process of the tool ended without an answer")));
      pipe.on("error", () => undefined);
      readLines(pipe, most, (line) => {
        if (line === undefined) return reject(new Error(`the tool's answer is larger than ${most} bytes`));
        take(line, { ctx, reply: (value) => pipe.write(`${JSON.stringify(value)}\n`), resolve, reject });
      });
      pipe.write(`${JSON.stringify(request)}\n`);
    });
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
    pipe.destroy();
  }
}

/** Calls `take` with every line, and once with undefined if a line is longer than `most`. */
function readLines(pipe: Duplex, most: number, take: (line: string | undefined) => void): void {
  const decoder = new StringDecoder("utf8");
  let parts: string[] = [];
  let held = 0;
  pipe.on("data", (bytes: Buffer) => {
    const [first = "", ...rest] = decoder.write(bytes).split("\n");
    parts.push(first);
    held += bytes.length;
    for (const next of rest) {
      take(parts.join(""));
      parts = [next];
      held = next.length;
    }
    if (held > most) take(undefined);
  });
}

/** What a message of the child may use. */
interface Answering {
  readonly ctx: Context;
  reply(value: object): void;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

type Fields = Readonly<Record<string, unknown>>;

const LEVELS: readonly (keyof Logger)[] = ["debug", "info", "warn", "error"];

const MESSAGES: Readonly<Record<string, (message: Fields, one: Answering) => void>> = {
  done: ({ result = null }, { resolve }) => resolve(result),
  failed: (message, { reject }) => reject(failureOf(message)),
  secret: ({ name }, { ctx, reply }) => {
    try {
      reply({ value: ctx.secret(String(name)) });
    } catch (error) {
      reply({ message: error instanceof Error ? error.message : "" });
    }
  },
  log: ({ level, message, fields }, { ctx }) => {
    const known = LEVELS.find((one) => one === level) ?? "info";
    ctx.log[known](String(message), typeof fields === "object" && fields !== null ? fields : {});
  },
  progress: ({ done, total, message }, { ctx }) =>
    ctx.progress(
      Number(done),
      total === undefined ? undefined : Number(total),
      typeof message === "string" ? message : undefined,
    ),
  warn: ({ warning }, { ctx }) => ctx.warn(String(warning)),
};

function take(line: string, one: Answering): void {
  try {
    const message = JSON.parse(line) as Fields;
    const known = Object.hasOwn(MESSAGES, String(message["t"])) ? MESSAGES[String(message["t"])] : undefined;
    known?.(message, one);
  } catch (error) {
    one.reject(errorOf(error));
  }
}

/** A ToolFailure of the tool keeps its code; any other error is shown in the log only. */
function failureOf({ kind, message, stack, code, details }: Fields): Error {
  if (kind === "ToolFailure")
    return new ToolFailure(
      code as ErrorCode,
      String(message),
      typeof details === "object" ? (details ?? undefined) : undefined,
    );
  return Object.assign(new Error(String(message)), typeof stack === "string" ? { stack } : {});
}

const CHILD = ["./extension-child.mjs", "./extension-child.mts"];
