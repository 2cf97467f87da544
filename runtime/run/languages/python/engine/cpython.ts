/** The CPython engine: pyodide in isolated processes, whose memory is put back after each run. */

import { IDLE_MS } from "../../../engine/idle-timer.js";
import { createProcessPool, type ProcessOwner, type ProcessPool } from "../../../engine/process-pool.js";
import type { RunOutcome, RunRequest } from "../../language.js";
import * as say from "./cpython/messages.js";
import { endedEarly, runOn } from "./cpython/session.js";
import { preparePython } from "./cpython/snapshot.js";

/** Memory of one process. */
const PROCESS_BYTES = 200_000_000;

/** Options of the engine. */
export interface CPythonOptions {
  /** Folder for the memory snapshot (31 MB), created if missing and private to its owner. */
  readonly cacheDir: string;
  /** Most processes, about 200 MB each; default: 8. Half of the memory bounds them too. */
  readonly instances?: number;
  /** Runs after which a process is replaced; default: 1000. */
  readonly instanceRuns?: number;
  /** Time without a run after which a process ends, in milliseconds; default: a minute. */
  readonly idleMs?: number;
}

/** The CPython engine. */
export interface CPython {
  readonly id: "cpython";
  run(request: RunRequest): Promise<RunOutcome>;
  /** Ends the processes; later runs fail. */
  dispose(): Promise<void>;
  /** Makes the snapshot and starts the first process, in the background. */
  warm(): Promise<void>;
}

/** Creates the engine; starts nothing. */
export function createCPython({
  cacheDir,
  instances = 8,
  instanceRuns = 1000,
  idleMs = IDLE_MS,
}: CPythonOptions): CPython {
  const pool = createProcessPool({
    ...{ prepare: preparePython(cacheDir), processBytes: PROCESS_BYTES },
    ...{ instances, instanceRuns, idleMs },
  });
  return {
    id: "cpython",
    warm: () => pool.warm(),
    run: (request) => run(pool, request),
    dispose: () => pool.dispose(),
  };
}

/** The memory of a process may have grown as far as its runs were allowed, and others may be allowed less. */
function placeOf({ owner, limits, isInner = false }: Pick<RunRequest, "owner" | "limits" | "isInner">): ProcessOwner {
  return { owner: `${limits.memoryBytes} ${owner}`, isInner };
}

async function run(pool: ProcessPool, request: RunRequest): Promise<RunOutcome> {
  const started = performance.now();
  const { signal, limits } = request;
  if (signal?.aborted) return endedEarly(say.CANCELLED, started);
  const stop = new AbortController();
  const cancel = (): void => stop.abort(say.CANCELLED);
  const timer = setTimeout(() => stop.abort(say.noProcess(limits)), limits.wallMs);
  signal?.addEventListener("abort", cancel);
  try {
    const attempt = async () => runOn(await pool.take(placeOf(request), stop.signal), request, started);
    // A process that has said nothing has called nothing, so the program may begin again.
    return (await attempt()) ?? (await attempt()) ?? endedEarly(say.CRASHED, started);
  } catch {
    return endedEarly(stop.signal.aborted ? (stop.signal.reason as say.RunFailure) : say.CRASHED, started);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}
