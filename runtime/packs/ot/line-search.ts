/** Searches lines with a caller's regular expression within a time limit, in a worker thread that can be terminated. */

import { Worker } from "node:worker_threads";
import { type Signal, ToolFailure } from "../../contract/handler.js";
import { textRepr } from "../../run/python-text.js";
import { valueError } from "./info.js";

const LIMIT_MS = 1000;

/**
 * Reports its start, so that starting the thread does not count. Compiling the pattern does, since it may be slow too.
 */
const PROGRAM = `
const { parentPort, workerData: { lines, pattern } } = require("node:worker_threads");
parentPort.postMessage("started");
try {
  const expression = new RegExp(pattern, "iu");
  parentPort.postMessage({ found: lines.flatMap((line, at) => (expression.test(line) ? [at] : [])) });
} catch (error) {
  parentPort.postMessage({ invalid: String(error.message) });
}
`;

type Message = "started" | { readonly found: readonly number[] } | { readonly invalid: string };

/**
 * Indexes of the lines that match a pattern, ignoring case.
 *
 * @throws ToolFailure for an invalid pattern, and for one that takes too long
 */
export function matchingLines(lines: readonly string[], pattern: string, signal: Signal): Promise<readonly number[]> {
  const worker = new Worker(PROGRAM, { eval: true, env: {}, execArgv: [], workerData: { lines, pattern } });
  const caller = signal as AbortSignal;
  return new Promise<readonly number[]>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const settle = (action: () => void): void => {
      clearTimeout(timer);
      caller.removeEventListener("abort", leave);
      void worker.terminate();
      action();
    };
    const leave = (): void => settle(() => reject(caller.reason));
    caller.addEventListener("abort", leave, { once: true });
    worker.on("message", (message: Message) => {
      if (message === "started") timer = setTimeout(() => settle(() => reject(tooLong())), LIMIT_MS);
      else if ("found" in message) settle(() => resolve(message.found));
      else settle(() => reject(invalid(pattern, message.invalid)));
    });
    worker.on("error", (error) => settle(() => reject(error)));
  });
}

function invalid(pattern: string, message: string): unknown {
  const reason = message.slice(message.lastIndexOf(`/iu: `) + 5) || "it is no regular expression";
  try {
    return valueError(`invalid search pattern ${textRepr(pattern)}: ${reason}`);
  } catch (error) {
    return error;
  }
}

const tooLong = (): ToolFailure =>
  new ToolFailure("TIMEOUT", "search pattern took longer than 1 s", { exception: "TimeoutError" });
