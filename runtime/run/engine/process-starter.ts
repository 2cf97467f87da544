/** Starts processes that run programs, again where one does not get ready. */

import { type ProcessSetup, type RunProcess, startProcess } from "./run-process.js";

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
  start(): Promise<RunProcess>;
  /** Ends all processes that it has started; resolves when they have ended. Others cannot be started. */
  stop(): Promise<void>;
}

/** Makes what processes need, and says how each is started. Called again if one does not get ready. */
export type PrepareProcess = (stop: AbortSignal) => Promise<ProcessSetup>;

/**
 * Creates a starter; starts nothing.
 *
 * @example
 * const starter = createStarter(preparePython(".onetool/cache"));
 * const child = await starter.start();
 */
export function createStarter(prepare: PrepareProcess): Starter {
  const alive = new Set<RunProcess>();
  const stop = new AbortController();
  let prepared: Promise<ProcessSetup> | undefined;
  const attempt = async (from: Promise<ProcessSetup>): Promise<RunProcess> => {
    const child = startProcess(await from);
    alive.add(child);
    void child.ended.then(() => alive.delete(child));
    if (stop.signal.aborted) child.kill();
    return readyOne(child);
  };
  const start = async (attempts: number): Promise<RunProcess> => {
    if (stop.signal.aborted) throw new Error("the engine is disposed");
    prepared ??= prepare(stop.signal);
    const from = prepared;
    try {
      return await attempt(from);
    } catch (error) {
      if (attempts === 1) throw error;
      // The process may have been killed, or what it needs may be damaged: it is checked again, and made anew if needed.
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

function readyOne(child: RunProcess): Promise<RunProcess> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill(), READY_MS);
    child.listen({
      frame() {
        clearTimeout(timer);
        resolve(child);
      },
      exit() {
        clearTimeout(timer);
        reject(new Error("the interpreter did not start"));
      },
    });
  });
}
