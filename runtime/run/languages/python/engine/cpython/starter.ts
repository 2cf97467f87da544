/** Starts Python processes from the memory snapshot, which is made on first use. */

import { type PythonProcess, startProcess } from "./process.js";
import { locatePrograms, snapshotFor } from "./snapshot.js";

/** Time limit for loading a process, which takes 0.5 s on an idle machine. */
const READY_MS = 60_000;
const ATTEMPTS = 3;

/** Starts processes. */
export interface Starter {
  /**
   * A process that is ready for a request.
   *
   * @throws Error if none starts in three attempts, or the starter was stopped
   */
  start(): Promise<PythonProcess>;
  /** Ends all processes that it has started; resolves when they have ended. Others cannot be started. */
  stop(): Promise<void>;
}

/**
 * Creates a starter; starts nothing.
 *
 * @param cacheDir - folder for the memory snapshot
 * @example
 * const starter = createStarter(".onetool/cache");
 * const child = await starter.start();
 */
export function createStarter(cacheDir: string): Starter {
  const alive = new Set<PythonProcess>();
  const stop = new AbortController();
  let prepared: Promise<() => PythonProcess> | undefined;
  const prepare = async (): Promise<() => PythonProcess> => {
    const programs = await locatePrograms();
    const snapshot = await snapshotFor(programs, cacheDir, stop.signal);
    return () => startProcess(programs, snapshot);
  };
  const attempt = async (from: Promise<() => PythonProcess>): Promise<PythonProcess> => {
    const child = (await from)();
    alive.add(child);
    void child.ended.then(() => alive.delete(child));
    if (stop.signal.aborted) child.kill();
    return readyOne(child);
  };
  const start = async (attempts: number): Promise<PythonProcess> => {
    if (stop.signal.aborted) throw new Error("the engine is disposed");
    prepared ??= prepare();
    const from = prepared;
    try {
      return await attempt(from);
    } catch (error) {
      if (attempts === 1) throw error;
      // The process may have been killed, or the snapshot may be damaged: it is checked again, and made anew if needed.
      if (prepared === from) prepared = undefined;
      return start(attempts - 1);
    }
  };
  return {
    start: () => start(ATTEMPTS),
    async stop() {
      stop.abort();
      await prepared?.catch(() => undefined);
      for (const child of alive) {
        child.hold(true);
        child.kill();
      }
      await Promise.all([...alive].map(({ ended }) => ended));
    },
  };
}

function readyOne(child: PythonProcess): Promise<PythonProcess> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill(), READY_MS);
    child.listen({
      frame() {
        clearTimeout(timer);
        resolve(child);
      },
      exit() {
        clearTimeout(timer);
        reject(new Error("the Python interpreter did not start"));
      },
    });
  });
}
