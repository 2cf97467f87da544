/** A worker that reads code: started with its first order, kept, and replaced when an order takes too long. */

import { Worker, type WorkerOptions } from "node:worker_threads";
import { codeOf } from "../../../contract/thrown.js";
import { type TextFault, textFault } from "../../fault.js";
import { seconds } from "../../span.js";
import type { Step, Steps, Vocabulary } from "./reading.js";

/** A request to read. */
interface Order<S extends Step = Step> {
  readonly step: S;
  readonly text: string;
  readonly vocabulary: Vocabulary;
}

/** A message to the worker. */
export interface ReadMessage extends Omit<Order, "vocabulary"> {
  /** Identifies the vocabulary, which is sent with the first message that needs it. */
  readonly key: number;
  readonly vocabulary?: Vocabulary;
  /** Vocabularies that no later message uses. */
  readonly forget: readonly number[];
}

/** A slot for a worker, which handles one order at a time. */
export interface ReadingWorker {
  isIdle(): boolean;
  isStarted(): boolean;
  /**
   * Reads, for at most `ms` milliseconds.
   *
   * @throws the reason of the signal if it aborts; an error of the worker
   */
  read<S extends Step>(order: Order<S>, ms: number, signal: AbortSignal): Promise<Steps[S] | TextFault>;
  close(): Promise<void>;
}

/** The parser builds its tree recursively, so that deep nesting needs a large stack. */
const OPTIONS: WorkerOptions = { env: {}, resourceLimits: { maxOldGenerationSizeMb: 768, stackSizeMb: 64 } };
/** Most vocabularies in a worker: there is one for each kind of grant. */
const MAX_VOCABULARIES = 8;

const SHORTEN = "Next: send a shorter program, or several one after the other";

/** The server is closing. */
export const CLOSED: TextFault = textFault("EngineError", "the server is closing");
const TOO_LARGE = textFault("MemoryError", "reading the code needs more memory than it may use", SHORTEN);
const tooSlow = (ms: number): TextFault =>
  textFault("TimeoutError", `reading the code took longer than ${seconds(ms)} (limits.cpu_ms)`, SHORTEN);

/** A running worker, and its vocabularies. */
interface Running {
  readonly worker: Worker;
  readonly keys: Map<Vocabulary, number>;
}

/** Creates a slot whose worker runs this program. */
export function readingWorker(program: string): ReadingWorker {
  let running: Running | undefined;
  let stop: ((why: TextFault) => void) | undefined;
  let last = 0;
  const start = (): Running => {
    const one: Running = { worker: new Worker(program, OPTIONS), keys: new Map() };
    one.worker.on("exit", () => {
      if (running === one) running = undefined;
    });
    return one;
  };
  const kill = async (): Promise<void> => {
    const killed = running?.worker;
    running = undefined;
    await killed?.terminate();
  };
  const read = <S extends Step>(order: Order<S>, ms: number, signal: AbortSignal): Promise<Steps[S] | TextFault> =>
    new Promise((resolve, reject) => {
      running ??= start();
      const { worker, keys } = running;
      const settle = (how: () => void, isLost = false): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
        deafen(worker);
        stop = undefined;
        if (isLost) void kill();
        how();
      };
      stop = (why) => settle(() => resolve(why), true);
      const timer = setTimeout(() => stop?.(tooSlow(ms)), ms);
      const abort = (): void => settle(() => reject(signal.reason), true);
      signal.addEventListener("abort", abort, { once: true });
      worker.once("message", (result: Steps[S]) => settle(() => resolve(result)));
      worker.once("error", (error) => settle(() => (isOutOfMemory(error) ? resolve(TOO_LARGE) : reject(error)), true));
      worker.ref();
      worker.postMessage(messageOf(order, keys, () => ++last));
      if (signal.aborted) abort();
    });
  return {
    isIdle: () => stop === undefined,
    isStarted: () => running !== undefined,
    read,
    close: async () => {
      stop?.(CLOSED);
      await kill();
    },
  };
}

/** Removes the listeners of an order, and lets the process exit while the worker is idle. */
function deafen(worker: Worker): void {
  worker.removeAllListeners("message").removeAllListeners("error");
  worker.on("error", () => undefined);
  worker.unref();
}

/** The message for an order; drops the least recently used vocabulary if there are too many. */
function messageOf(
  { step, text, vocabulary }: Order,
  keys: Map<Vocabulary, number>,
  newKey: () => number,
): ReadMessage {
  const known = keys.get(vocabulary);
  const key = known ?? newKey();
  keys.delete(vocabulary);
  keys.set(vocabulary, key);
  const [oldest] = keys;
  const forget = keys.size > MAX_VOCABULARIES && oldest ? [oldest[1]] : [];
  if (forget.length > 0 && oldest) keys.delete(oldest[0]);
  return { step, text, key, forget, ...(known === undefined ? { vocabulary } : {}) };
}

const isOutOfMemory = (error: unknown): boolean => codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY";
