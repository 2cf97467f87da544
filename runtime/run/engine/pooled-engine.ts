/** An engine whose programs run in processes of a pool. */

import type { RunOutcome, RunRequest } from "../languages/language.js";
import { createProcessPool, type PoolSettings, type ProcessOwner, type ProcessPool } from "./process-pool.js";
import * as say from "./run-messages.js";
import { endedEarly, type ProcessDialect, runOn } from "./run-session.js";

/** Runs programs of one language. */
export interface PooledEngine {
  run(request: RunRequest): Promise<RunOutcome>;
  /** Starts the first process, in the background, with what it needs. */
  warm(): Promise<void>;
  /** Ends the processes; later runs fail. */
  dispose(): Promise<void>;
}

/** Creates an engine; starts nothing. */
export function createPooledEngine(settings: PoolSettings, dialect: ProcessDialect): PooledEngine {
  const pool = createProcessPool(settings);
  return {
    warm: () => pool.warm(),
    run: (request) => run(pool, dialect, request),
    dispose: () => pool.dispose(),
  };
}

/** The memory of a process may have grown as far as its runs were allowed, and others may be allowed less. */
function placeOf({ owner, limits, isInner = false }: Pick<RunRequest, "owner" | "limits" | "isInner">): ProcessOwner {
  return { owner: `${limits.memoryBytes} ${owner}`, isInner };
}

async function run(pool: ProcessPool, dialect: ProcessDialect, request: RunRequest): Promise<RunOutcome> {
  const started = performance.now();
  const { signal, limits } = request;
  if (signal?.aborted) return endedEarly(dialect.engine, say.CANCELLED, started);
  const stop = new AbortController();
  const cancel = (): void => stop.abort(say.CANCELLED);
  const timer = setTimeout(() => stop.abort(say.noProcess(limits, dialect.process)), limits.wallMs);
  signal?.addEventListener("abort", cancel);
  try {
    const attempt = async () => runOn(await pool.take(placeOf(request), stop.signal), dialect, request, started);
    // A process that has said nothing has called nothing, so the program may begin again.
    return (await attempt()) ?? (await attempt()) ?? endedEarly(dialect.engine, say.CRASHED, started);
  } catch {
    return endedEarly(
      dialect.engine,
      stop.signal.aborted ? (stop.signal.reason as say.RunFailure) : say.CRASHED,
      started,
    );
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}
