/** The state of one run in an engine: its usage and its single outcome. */

import { RUN_ENDED, type RunOutcome, type RunRequest } from "./engine.js";
import type { Answer, End, Failure } from "./monty-wire.js";

/** A running run. */
export interface Job {
  readonly id: number;
  readonly request: RunRequest;
  /** Aborted when a run that has made calls ends, for any reason. */
  readonly calls: AbortController;
  /** Buffered until the end, because a restarted run must not print twice. */
  printed: string[];
  cpuMs: number;
  hostCalls: number;
  /** Answers that its child has of calls that it has not reported, in their order. */
  ahead: readonly Answer[];
  /** Requested calls, including calls of unknown names. */
  asked: number;
  restarts: number;
  over: boolean;
  /** Why its child is being killed. */
  killedFor?: Failure;
  /** Ends the run; later calls do nothing. */
  end(end: End): void;
}

/** Opens a run; its outcome resolves when `end` is called. */
export function openJob(engine: string, id: number, request: RunRequest): { job: Job; outcome: Promise<RunOutcome> } {
  const begun = performance.now();
  let resolve: (outcome: RunOutcome) => void = () => undefined;
  const outcome = new Promise<RunOutcome>((settle) => {
    resolve = settle;
  });
  const job: Job = {
    id,
    request,
    calls: new AbortController(),
    printed: [],
    cpuMs: 0,
    hostCalls: 0,
    ahead: [],
    asked: 0,
    restarts: 0,
    over: false,
    end: (end) => {
      if (job.over) return;
      job.over = true;
      if (job.asked > 0) job.calls.abort(RUN_ENDED);
      const text = job.printed.join("");
      if (text !== "") request.onPrint(text);
      const { cpuMs, hostCalls } = job;
      const wallMs = performance.now() - begun;
      resolve({ ...end, stats: { engine, wallMs, cpuMs, hostCalls, printedBytes: Buffer.byteLength(text) } });
    },
  };
  return { job, outcome };
}

/** Calls `stop` when the run takes too long or the client cancels; returns a function that ends the watch. */
export function watchJob(
  { request: { limits, signal } }: Job,
  stop: (why: "timeout" | "cancelled") => void,
): () => void {
  const cancel = (): void => stop("cancelled");
  const timer = setTimeout(() => stop("timeout"), limits.wallMs);
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) cancel();
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  };
}
