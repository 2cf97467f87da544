/** A pool of loaded Python processes, each for a single run. */
import { idleTimer } from "../idle-timer.js";
import { type PythonProcess, startProcess } from "./process.js";
import { locatePrograms, snapshotFor } from "./snapshot.js";

/** Time limit for loading a process, which takes 0.5 s on an idle machine. */
const READY_MS = 60_000;
const ATTEMPTS = 3;
/**
 * Time from a request to the start of the next idle process. It would take the processor from the run, and be of no use
 * if the run is the last one.
 */
const REFILL_MS = 250;

/** A pool of ready processes. */
export interface Pool {
  /** A process for a single use; the caller must end it. */
  take(): Promise<PythonProcess>;
  /** Resolves when the idle processes are ready. */
  warm(): Promise<void>;
  dispose(): Promise<void>;
}

interface Prepared {
  start(): PythonProcess;
}

interface State {
  readonly cacheDir: string;
  readonly waiting: Promise<PythonProcess>[];
  readonly alive: Set<PythonProcess>;
  prepared: Promise<Prepared> | undefined;
  readonly stop: AbortController;
}

/** A pool that keeps `size` processes ready after a request, until none has come for a time. */
export function createPool(cacheDir: string, size: number, idleMs: number): Pool {
  const state: State = { cacheDir, waiting: [], alive: new Set(), prepared: undefined, stop: new AbortController() };
  const fill = () => {
    while (!state.stop.signal.aborted && state.waiting.length < size) add(state);
  };
  let refill: NodeJS.Timeout | undefined;
  const idle = idleTimer(idleMs, () => {
    for (const one of state.waiting.splice(0))
      one.then(
        ({ kill }) => kill(),
        () => undefined,
      );
  });
  const fillLater = () => {
    clearTimeout(refill);
    refill = setTimeout(fill, REFILL_MS).unref();
  };
  return {
    async take() {
      if (state.stop.signal.aborted) throw new Error("the engine is disposed");
      const taken = state.waiting.shift() ?? ready(state);
      const child = await taken;
      child.hold(true);
      fillLater();
      idle.idle();
      return child;
    },
    async warm() {
      fill();
      idle.idle();
      await Promise.all(state.waiting);
    },
    async dispose() {
      state.stop.abort();
      clearTimeout(refill);
      idle.busy();
      end(state);
      await Promise.allSettled([state.prepared, ...state.waiting]);
      end(state);
      await Promise.all([...state.alive].map(({ ended }) => ended));
    },
  };
}

function end({ alive }: State): void {
  for (const child of alive) {
    child.hold(true);
    child.kill();
  }
}

/** Adds an idle process. One that dies or fails while idle is dropped, and the next request starts another. */
function add(state: State): void {
  const starting = ready(state);
  const drop = () => {
    const at = state.waiting.indexOf(starting);
    if (at >= 0) state.waiting.splice(at, 1);
  };
  state.waiting.push(starting);
  starting.then((child) => {
    child.hold(false);
    child.listen({ frame() {}, exit: drop });
  }, drop);
}

async function prepare({ cacheDir, stop }: State): Promise<Prepared> {
  const programs = await locatePrograms();
  const snapshot = await snapshotFor(programs, cacheDir, stop.signal);
  return { start: () => startProcess(programs, snapshot) };
}

async function ready(state: State): Promise<PythonProcess> {
  for (let attempt = 1; ; attempt++) {
    state.prepared ??= prepare(state);
    const { prepared } = state;
    try {
      return await started(state, (await prepared).start());
    } catch (error) {
      if (attempt === ATTEMPTS || state.stop.signal.aborted) throw error;
      // The process may have been killed, or the snapshot may be damaged: it is checked again, and made anew if
      // needed.
      if (state.prepared === prepared) state.prepared = undefined;
    }
  }
}

function started(state: State, child: PythonProcess): Promise<PythonProcess> {
  state.alive.add(child);
  void child.ended.then(() => state.alive.delete(child));
  return new Promise((resolve, reject) => {
    if (state.stop.signal.aborted) child.kill();
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
