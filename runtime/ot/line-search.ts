/** Lines that fit a regular expression of the caller's, within a time limit: in a thread of its own, which can be ended. */

import { Worker } from "node:worker_threads";
import { type Signal, ToolFailure } from "../contract/handler.js";
import { textRepr } from "../run/python-text.js";
import { valueError } from "./info.js";

const LIMIT_MS = 1000;

/** Tells when it is about to search, since a thread takes its time to start. */
const PROGRAM = `
const { parentPort, workerData: { lines, pattern } } = require("node:worker_threads");
const expression = new RegExp(pattern, "iu");
parentPort.postMessage("started");
parentPort.postMessage(lines.flatMap((line, at) => (expression.test(line) ? [at] : [])));
`;

/**
 * Indexes of the lines that a pattern fits, letter case ignored.
 *
 * @throws ToolFailure for a pattern that is none, and for one that takes too long
 */
export function matchingLines(lines: readonly string[], pattern: string, signal: Signal): Promise<readonly number[]> {
  check(pattern);
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
    worker.on("message", (found: "started" | readonly number[]) => {
      if (found === "started") timer = setTimeout(() => settle(() => reject(tooLong())), LIMIT_MS);
      else settle(() => resolve(found));
    });
    worker.on("error", (error) => settle(() => reject(error)));
  });
}

function check(pattern: string): void {
  try {
    new RegExp(pattern, "iu");
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    const reason = message.slice(message.lastIndexOf(`/iu: `) + 5) || "it is no regular expression";
    valueError(`invalid search pattern ${textRepr(pattern)}: ${reason}`);
  }
}

const tooLong = (): ToolFailure =>
  new ToolFailure("TIMEOUT", "search pattern took longer than 1 s", { exception: "TimeoutError" });
