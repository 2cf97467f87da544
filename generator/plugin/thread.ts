/** A thread that runs one plugin: its code cannot block the build, end the process or write to standard output. */

import { Worker } from "node:worker_threads";
import { err } from "../../runtime/contract/terminal.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import type { Place, Report } from "../core/diagnostic.js";
import { type PluginReply, type PluginRequest, PROGRAM } from "./worker-program.js";

/** Time limit for loading a plugin, and for each of its calls, in milliseconds. */
export const PLUGIN_MS = 30_000;
/** Memory of the thread of a plugin, in MB. */
const MAX_MEMORY_MB = 1024;
/** Longest result of a call, in characters. */
const MAX_RESULT_LENGTH = 67_108_864;

/** What a plugin may ask for during a call. */
type ReadFile = (file: string) => string | undefined;

/** A thread with a plugin. It handles one request at a time. */
export interface PluginThread {
  /**
   * Sends a request.
   *
   * @returns the result as plain data
   * @throws Error saying why there is no result: the plugin threw, took too long, or gave no JSON
   */
  readonly send: (request: Exclude<PluginRequest, { answer: number }>, read?: ReadFile) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** A plugin that runs in its thread. */
export interface Loaded {
  /** As `plugins` names it. */
  readonly specifier: string;
  readonly thread: PluginThread;
  /** Place of its entry under `plugins`. */
  readonly place: Place;
  readonly report: Report;
}

/** Longest part of a plugin's own message that is shown. */
const MAX_REASON_LENGTH = 500;

/** First line of the message of an error. */
export const reasonOf = (error: unknown): string =>
  (
    messageOf(error)
      .split("\n")
      .find((line) => line.trim() !== "") ?? "it gives no reason"
  ).slice(0, MAX_REASON_LENGTH);

/** Starts a thread. */
export function startThread(ms: number = PLUGIN_MS): PluginThread {
  const worker = new Worker(PROGRAM, {
    eval: true,
    stdout: true,
    stderr: true,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  // Standard output is for results that programs read.
  for (const stream of [worker.stdout, worker.stderr]) stream.setEncoding("utf8").on("data", err);
  worker.on("error", () => undefined);
  let ended: string | undefined;
  let last: Promise<unknown> = Promise.resolve();
  worker.once("exit", () => (ended ??= "it ended its thread"));
  const send: PluginThread["send"] = (request, read) => {
    const next = last.then(async () => {
      if (ended !== undefined) throw new Error(ended);
      return resultOf(await exchange(worker, request, { ms, read: read ?? (() => undefined) }));
    });
    last = next.catch((error: unknown) => {
      if (error instanceof TooSlow) ended = messageOf(error);
    });
    return next;
  };
  return { send, close: async () => void (await worker.terminate()) };
}

/** The plugin did not answer in time; its thread is stopped. */
class TooSlow extends Error {}

interface Exchange {
  readonly ms: number;
  readonly read: ReadFile;
}

function exchange(worker: Worker, request: PluginRequest, { ms, read }: Exchange): Promise<PluginReply> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      act();
    };
    const onMessage = (reply: PluginReply): void => {
      if ("ask" in reply) worker.postMessage({ answer: reply.ask, text: read(reply.file) });
      else settle(() => resolve(reply));
    };
    const onError = (error: Error): void => settle(() => reject(new Error(faultOf(error))));
    const onExit = (): void => settle(() => reject(new Error("it ended its thread")));
    const timer = setTimeout(() => {
      settle(() => reject(new TooSlow(`it did not end within ${ms / 1000} seconds`)));
      void worker.terminate();
    }, ms);
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    worker.postMessage(request);
  });
}

const faultOf = (error: Error): string =>
  "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"
    ? `it needs more than ${MAX_MEMORY_MB} MB of memory`
    : messageOf(error);

function resultOf(reply: PluginReply): unknown {
  if ("fault" in reply) throw new Error(reply.fault);
  const { result } = reply as { readonly result: string | undefined };
  if (result === undefined) return undefined;
  if (result.length > MAX_RESULT_LENGTH) throw new Error(`its result has more than ${MAX_RESULT_LENGTH} characters`);
  return JSON.parse(result);
}
