/** The CPython engine: pyodide in isolated processes, one for each run. */

import * as say from "./cpython/messages.js";
import { createPool } from "./cpython/pool.js";
import type { PythonProcess } from "./cpython/process.js";
import { endedEarly, runOn } from "./cpython/session.js";
import type { Engine, RunOutcome, RunRequest } from "./engine.js";
import { IDLE_MS } from "./idle-timer.js";

/** Options of the engine. */
export interface CPythonOptions {
  /** Folder for the memory snapshot (31 MB), created if missing and private to its owner. */
  readonly cacheDir: string;
  /** Idle processes ready for a run, about 200 MB each; default: 1. They start with `warm` or the first run. */
  readonly waiting?: number;
  /** Time without a run after which idle processes end, in milliseconds; default: a minute. */
  readonly idleMs?: number;
}

/** The CPython engine. */
export interface CPython extends Engine {
  /** Makes the snapshot and starts the idle processes, in the background. */
  warm(): Promise<void>;
}

/** Creates the engine; starts nothing. */
export function createCPython({ cacheDir, waiting = 1, idleMs = IDLE_MS }: CPythonOptions): CPython {
  const pool = createPool(cacheDir, waiting, idleMs);
  return {
    id: "cpython",
    warm: () => pool.warm(),
    run: (request) => run(() => pool.take(), request),
    dispose: () => pool.dispose(),
  };
}

async function run(take: () => Promise<PythonProcess>, request: RunRequest): Promise<RunOutcome> {
  const started = performance.now();
  const { signal, limits } = request;
  if (signal?.aborted) return endedEarly(say.CANCELLED, started);
  const taking = take();
  const child = await beforeItStarts(taking, request);
  if ("kind" in child) {
    // The process is too late for this run.
    taking.then(
      (late) => late.kill(),
      () => {},
    );
    return endedEarly(child, started);
  }
  if (performance.now() - started < limits.wallMs) return runOn(child, request, started);
  child.kill();
  return endedEarly(say.wallUsed(limits), started);
}

/** The process, or why the run ends before one is ready. */
function beforeItStarts(
  taking: Promise<PythonProcess>,
  { signal, limits }: RunRequest,
): Promise<PythonProcess | say.Failure> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle(say.wallUsed(limits)), limits.wallMs);
    const cancel = () => settle(say.CANCELLED);
    const settle = (end: PythonProcess | say.Failure) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      resolve(end);
    };
    signal?.addEventListener("abort", cancel);
    taking.then(settle, () => settle(say.CRASHED));
  });
}
