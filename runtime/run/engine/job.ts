/** One run as its engine sees it: what it used, who waits for it, and how it ends, once. */

import type { RunOutcome, RunRequest } from "./engine.js";
import type { End, Failure } from "./monty-wire.js";

/** A run that is under way. */
export interface Job {
  readonly id: number;
  readonly request: RunRequest;
  /** Aborted when the run ends, whatever the reason. */
  readonly calls: AbortController;
  /** Held back to the end, since a run that starts again must not print twice. */
  printed: string[];
  cpuMs: number;
  hostCalls: number;
  /** Calls that were asked for, of names that nobody has too. */
  asked: number;
  restarts: number;
  over: boolean;
  /** Why its child is being killed. */
  killedFor?: Failure;
  /** Stops what looks after it while its code runs. */
  unwatch?: () => void;
  /** Ends the run; later calls do nothing. */
  end(end: End): void;
}

/** Opens a run; its outcome is there once somebody ends it. */
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
    asked: 0,
    restarts: 0,
    over: false,
    end: (end) => {
      if (job.over) return;
      job.over = true;
      job.calls.abort();
      const text = job.printed.join("");
      if (text !== "") request.onPrint(text);
      const { cpuMs, hostCalls } = job;
      const wallMs = performance.now() - begun;
      resolve({ ...end, stats: { engine, wallMs, cpuMs, hostCalls, printedBytes: Buffer.byteLength(text) } });
    },
  };
  return { job, outcome };
}

/** Calls back when the run takes too long or the client gives up; returns how to stop that. */
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
