/**
 * Reads code: short code at once, long code in a worker, which is ended when the code takes too long.
 *
 * Reading is linear, but correct code of 256 KB takes a second, and text that is not Python several: other requests
 * must not wait for that.
 */

import { recentOf } from "../../../contract/recent.js";
import { concurrencyLimit } from "../../concurrency-limit.js";
import { programPath } from "../../engine/program.js";
import { type TextFault, textFault } from "../../fault.js";
import { seconds } from "../../span.js";
import type { ReadBounds } from "../language.js";
import type { readQuickly as ReadQuickly, Step, Steps, Vocabulary } from "./reading.js";
import { CLOSED, type ReadingWorker, readingWorker } from "./reading-workers.js";

/** Reads code. */
export interface Reader {
  /** Runs one step. A fault gives the reason of a failure: time, memory, or the client. */
  read<S extends Step>(
    step: S,
    text: string,
    vocabulary: Vocabulary,
    bounds: ReadBounds,
  ): Promise<Steps[S] | TextFault>;
  /** Ends the workers; readings in progress fail. */
  close(): Promise<void>;
}

/** Longest code, in characters, that is read at once, and the time limit of its parser, in milliseconds. */
const SHORT_LENGTH = 2048;
const SHORT_MS = 5;

/** Two, so that one hard piece of code does not block all others. */
const WORKERS = 2;

const CANCELLED = textFault("CancelledError", "the client cancelled the run");
const tooLate = (ms: number): TextFault =>
  textFault(
    "TimeoutError",
    `the run took longer than ${seconds(ms)} (limits.wall_ms) while its code waited to be read`,
    "Next: send the code again later",
  );

/** Short codes whose reading is kept, for each vocabulary. */
const MAX_KEPT = 16;

/** Reads short code, or gives what was read of it before; undefined if that takes too long. */
function shortReader() {
  const kept = new WeakMap<Vocabulary, ReturnType<typeof recentOf<Steps[Step] | undefined>>>();
  return <S extends Step>(step: S, text: string, vocabulary: Vocabulary, read: typeof ReadQuickly) => {
    const recent = kept.get(vocabulary) ?? recentOf<Steps[Step] | undefined>(MAX_KEPT);
    kept.set(vocabulary, recent);
    return recent(`${step}\n${text}`, () => read(step, text, vocabulary, SHORT_MS)) as Steps[S] | undefined;
  };
}

/** Makes a reader; its workers start with the first long code, and stay. */
export function createReader(): Reader {
  const quicklyRead = shortReader();
  const gate = concurrencyLimit(WORKERS);
  let workers: readonly ReadingWorker[] | undefined;
  let closed = false;
  const open = async (): Promise<readonly ReadingWorker[]> => {
    const program = workers ? "" : await programPath("reading-worker", "../languages/python/engine");
    workers ??= Array.from({ length: WORKERS }, () => readingWorker(program));
    return workers;
  };
  return {
    read: async (step, text, vocabulary, { limits, signal, caller }) => {
      // The grammar is loaded with the first code.
      const { readQuickly } = await import("./reading.js");
      const quick = text.length > SHORT_LENGTH ? undefined : quicklyRead(step, text, vocabulary, readQuickly);
      if (quick) return quick;
      const late = AbortSignal.timeout(limits.wallMs);
      const over = signal ? AbortSignal.any([signal, late]) : late;
      const work = async () => {
        const idle = (await open()).filter((one) => one.isIdle());
        const worker = idle.find((one) => one.isStarted()) ?? idle[0];
        return closed || !worker ? CLOSED : worker.read({ step, text, vocabulary }, limits.cpuMs, over);
      };
      try {
        return await gate.pass(work, over, caller);
      } catch (error) {
        if (signal?.aborted) return CANCELLED;
        if (late.aborted) return tooLate(limits.wallMs);
        throw error;
      }
    },
    close: async () => {
      closed = true;
      await Promise.all((workers ?? []).map((one) => one.close()));
    },
  };
}
