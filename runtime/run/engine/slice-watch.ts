/**
 * Watches the slices of the programs of one child: the time from an answer, or the start, to the next call. Monty
 * enforces its limits itself; a slice that exceeds them by far is stuck in a step that does not look at them.
 */

import { type Watch, watchProcess } from "./cpython/watch.js";
import type { Job } from "./job.js";
import { type Failure, outOfMemory, outOfTime } from "./monty-wire.js";

/** Grace period beyond the CPU limit that Monty enforces itself; the next check ends the child. */
const KILL_AFTER_MS = 250;
/** Interval of the checks of a busy child. */
const LOOK_MS = 100;
/** Allowance of a slice beside the memory that Monty counts, for texts in transit. */
const ASIDE_BYTES = 256_000_000;

/** The watch of one child. */
export interface SliceWatch {
  /** The code of a run has the thread of the process. */
  begin(job: Job, pid: number | undefined): void;
  end(): void;
}

interface Slice {
  readonly job: Job;
  readonly pid: number | undefined;
  /** When it has taken too long. */
  readonly until: number;
  /** Made at the first check, because most slices are over by then. */
  watch?: Watch;
}

/** The limit that a slice exceeds. */
function excessOf(slice: Slice): Failure | undefined {
  const { job, pid, until } = slice;
  const { cpuMs, memoryBytes } = job.request.limits;
  if (performance.now() > until) return outOfTime(cpuMs);
  if (pid !== undefined) slice.watch ??= watchProcess(pid);
  const grown = slice.watch?.grownBytes() ?? 0;
  return grown > memoryBytes + ASIDE_BYTES ? outOfMemory(memoryBytes) : undefined;
}

/**
 * Makes the watch. Its timer goes on from slice to slice, since to start and stop one takes longer than many slices.
 *
 * @param kill - ends the child, whose slice exceeds a limit
 */
export function sliceWatch(kill: (job: Job, why: Failure) => void): SliceWatch {
  let slice: Slice | undefined;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const why = slice && excessOf(slice);
    if (slice && why) kill(slice.job, why);
    if (slice && !why) return;
    slice = undefined;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    begin(job, pid) {
      const left = Math.max(0, job.request.limits.cpuMs - job.cpuMs);
      slice = { job, pid, until: performance.now() + left + KILL_AFTER_MS };
      timer ??= setInterval(look, LOOK_MS).unref();
    },
    end() {
      slice = undefined;
    },
  };
}
