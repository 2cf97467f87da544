/**
 * Runs jobs: each by one worker at a time, of all servers that share the database. A worker leases a job and prolongs the
 * lease while it works. If its process ends, another worker takes the job over when the lease ends. A failed job is
 * tried again after a pause, and is a dead letter after its last attempt.
 */

import { AsyncResource } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { type Backoff, waitAfter } from "../contract/backoff.js";
import type { Logger, Transaction } from "../contract/handler.js";
import { clip, scrub } from "../contract/scrub.js";
import { messageOf } from "../contract/thrown.js";
import { isMeasured } from "../metrics/metrics.js";
import { recordJobs } from "../metrics/operations.js";
import { BACKGROUND_MS, untilDone, withinStateMs } from "./deadline.js";
import {
  addJob,
  claimJobs,
  countJobs,
  dropUnusedJobs,
  endJob,
  failJob,
  keepLeases,
  type LeasedJob,
  LeaseLost,
  nextJobMs,
  releaseJob,
} from "./job-table.js";
import type { State } from "./open.js";

/** A job that runs. */
export interface RunningJob {
  readonly id: string;
  readonly payload: unknown;
  readonly state: State;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Aborted when the lease has ended, or the worker stops. The work should then reject soon. */
  readonly signal: AbortSignal;
}

/** Writes what a job does to the database, in the transaction that ends the job: once, or not at all. */
export type Effects = (tx: Transaction) => Promise<unknown>;

/** The work of a kind of jobs. It may run again after a crash: what must happen once belongs in its {@link Effects}. */
export type JobWork = (job: RunningJob) => Promise<Effects | undefined>;

/** How often a recurring job runs. */
export interface Schedule {
  readonly everyMs: number;
  /** Time until the first run; default 0. */
  readonly delayMs?: number;
}

/** The worker of a server. {@link addJob} adds a job. */
export interface Jobs {
  /**
   * Sets the work of a kind. With a schedule it is a recurring job, which one of the servers runs each time.
   *
   * @returns a function that ends this
   */
  handle(kind: string, work: JobWork, schedule?: Schedule): () => void;
  /** Begins to run jobs of this database; only the first call counts. */
  use(state: State): void;
  /** Aborts running jobs and waits for them, at most two seconds; those that are not done are given back. */
  stop(): Promise<void>;
}

/** Dependencies of {@link createJobs}. */
export interface JobsParts {
  readonly log: Logger;
  /** Jobs at the same time; default 4. */
  readonly parallel?: number;
  /** Time after which the jobs of a crashed server are taken over; default 30 s. */
  readonly leaseMs?: number;
  /** Pauses between attempts; default 1 s, doubled each time up to an hour. */
  readonly backoff?: Backoff;
}

const PARALLEL = 4;
const LEASE_MS = 30_000;
const BACKOFF: Backoff = { firstMs: 1000, longestMs: 3_600_000 };
/** Longest time between two looks for jobs: jobs that other processes add are found then, if no message arrives. */
const POLL_MS = 5000;
const UNPUSHED_POLL_MS = 1000;
/** Shortest time between two counts of the jobs. */
const MEASURE_MS = 1000;
/** Shortest time between two looks. */
const MIN_WAIT_MS = 5;
/** Pause after the database failed. */
const AGAIN_MS = 1000;
/** How long the end waits for running jobs. */
const STOP_MS = 2000;
/** Time limit of a statement. */
const STATEMENT_MS = 5000;
/** Longest error that is stored, in characters. */
const MAX_ERROR_LENGTH = 500;

/** A kind with its work. */
interface Handler {
  readonly work: JobWork;
  readonly schedule: Schedule | undefined;
  /** Whether the recurring job was added. */
  isAdded: boolean;
}

/** A job under way. */
interface Running {
  readonly job: LeasedJob;
  readonly abort: AbortController;
  /** Until when the lease holds at least, of `performance.now()`. */
  until: number;
}

/** State of a worker. */
interface Worker extends Required<JobsParts> {
  readonly state: State;
  /** Identifies this worker in the rows that it has leased. */
  readonly owner: string;
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly running: Map<string, Running>;
  /** Aborted by `stop`. */
  readonly ended: AbortController;
  /** When jobs were counted, of `performance.now()`. */
  measuredAt: number;
}

/** Key of a recurring job: there is one of each kind. */
const RECURRING = "recurring";

/** Creates the worker of a process. It does nothing before {@link Jobs.use}. */
export function createJobs(parts: JobsParts): Jobs {
  const { log, parallel = PARALLEL, leaseMs = LEASE_MS, backoff = BACKOFF } = parts;
  const handlers = new Map<string, Handler>();
  const ended = new AbortController();
  let begun: { readonly look: () => void; stop(): Promise<void> } | undefined;
  return {
    handle(kind, work, schedule) {
      const handler = { work, schedule, isAdded: false };
      handlers.set(kind, handler);
      begun?.look();
      return () => {
        if (handlers.get(kind) === handler) handlers.delete(kind);
      };
    },
    use(state) {
      if (begun || ended.signal.aborted) return;
      const settings = { log, parallel, leaseMs, backoff };
      begun = work({
        ...settings,
        state,
        owner: randomUUID(),
        handlers,
        running: new Map(),
        ended,
        measuredAt: -MEASURE_MS,
      });
    },
    async stop() {
      if (begun) await begun.stop();
      else ended.abort();
    },
  };
}

/** Looks for jobs at once, when a message arrives, when one is due, and when a running one has ended. */
function work(worker: Worker) {
  const { state, ended, leaseMs } = worker;
  const starter = createStarter(worker, () => loop.look());
  const loop = createLoop(worker, () => lookOnce(worker, starter.start));
  const beat = setInterval(() => void keep(worker), leaseMs / 3).unref();
  const unheard = [state.notifier.on("jobs", loop.look), state.notifier.onGap(loop.look)];
  withinStateMs(STATEMENT_MS, () => dropUnusedJobs(state)).catch(() => undefined);
  loop.look();
  const idle = async (): Promise<void> => {
    await loop.last();
    await starter.all();
  };
  return {
    look: loop.look,
    async stop() {
      for (const stop of unheard) stop();
      ended.abort(new Error("the server ends"));
      await untilDone(idle(), STOP_MS);
      clearInterval(beat);
    },
  };
}

/** Starts jobs, and looks for others when one has ended. */
function createStarter(worker: Worker, look: () => void) {
  const { running, ended } = worker;
  const under = new Set<Promise<void>>();
  ended.signal.addEventListener("abort", () => {
    for (const { abort } of running.values()) abort.abort(ended.signal.reason);
  });
  return {
    all: () => Promise.all(under),
    start(job: LeasedJob, until: number): void {
      const one: Running = { job, abort: new AbortController(), until };
      if (ended.signal.aborted) one.abort.abort(ended.signal.reason);
      // The lease of an earlier run in this process has ended.
      running.get(job.id)?.abort.abort(new LeaseLost(job));
      running.set(job.id, one);
      const done = runOne(worker, one).finally(() => {
        if (running.get(job.id) === one) running.delete(job.id);
        under.delete(done);
        look();
      });
      under.add(done);
    },
  };
}

/** Takes due jobs; returns the time until the next look. */
async function lookOnce(worker: Worker, start: (job: LeasedJob, until: number) => void): Promise<number> {
  const { state, handlers, running, parallel, leaseMs } = worker;
  await measure(worker);
  await addRecurring(worker);
  const kinds = [...handlers.keys()];
  const limit = parallel - running.size;
  if (kinds.length === 0 || limit <= 0) return POLL_MS;
  const until = performance.now() + leaseMs;
  const found = await withinStateMs(STATEMENT_MS, () => claimJobs(state, { ...worker, kinds, limit }));
  for (const job of found) start(job, until);
  if (found.length === limit) return POLL_MS;
  const next = (await withinStateMs(STATEMENT_MS, () => nextJobMs(state, kinds))) ?? POLL_MS;
  return Math.max(MIN_WAIT_MS, Math.min(next, state.notifier.isPushed() ? POLL_MS : UNPUSHED_POLL_MS));
}

/** Records how many jobs there are: before each look, if anybody reads metrics, and at most every {@link MEASURE_MS}. */
async function measure(worker: Worker): Promise<void> {
  if (!isMeasured() || performance.now() - worker.measuredAt < MEASURE_MS) return;
  worker.measuredAt = performance.now();
  try {
    const { jobsBy, delayMs } = await withinStateMs(STATEMENT_MS, () => countJobs(worker.state));
    recordJobs(jobsBy, delayMs);
  } catch (error) {
    worker.log.debug("jobs are not counted", { error: messageOf(error) });
  }
}

/** Repeats a step when it is wanted, and after the time that it returns. */
function createLoop({ ended: { signal }, log }: Worker, step: () => Promise<number>) {
  let [isLooking, isWanted] = [false, false];
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    let waitMs = AGAIN_MS;
    while (isWanted && !signal.aborted) {
      isWanted = false;
      waitMs = await step().catch((error: unknown) => {
        log.debug("jobs are not read", { error: messageOf(error) });
        return AGAIN_MS;
      });
    }
    isLooking = false;
    if (!signal.aborted) timer = setTimeout(look, waitMs).unref();
  };
  // Bound to this context: the deadline of a call that adds a job is not that of the jobs.
  const look = AsyncResource.bind((): void => {
    isWanted = true;
    if (isLooking) return;
    isLooking = true;
    clearTimeout(timer);
    last = run();
  });
  signal.addEventListener("abort", () => clearTimeout(timer));
  return { look, last: () => last };
}

/** Adds the recurring jobs whose handlers are new. */
async function addRecurring({ state, handlers }: Worker): Promise<void> {
  const added = [...handlers].filter(([, { schedule, isAdded }]) => schedule && !isAdded);
  if (added.length === 0) return;
  await withinStateMs(STATEMENT_MS, () =>
    state.transaction("write", async (tx) => {
      for (const [kind, { schedule }] of added) await addJob(state, tx, { kind, key: RECURRING, ...schedule });
    }),
  );
  for (const [, handler] of added) handler.isAdded = true;
}

/** Prolongs the leases of running jobs, and aborts those that have lost theirs. */
async function keep({ state, owner, running, leaseMs, log }: Worker): Promise<void> {
  const all = [...running.values()];
  if (all.length === 0) return;
  const until = performance.now() + leaseMs;
  const ids = all.map(({ job }) => job.id);
  const kept = await withinStateMs(leaseMs / 3, () => keepLeases(state, owner, ids, leaseMs)).catch(
    (error: unknown) => {
      log.debug("leases of jobs are not prolonged", { error: messageOf(error) });
      return undefined;
    },
  );
  for (const one of all) {
    const isKept = kept?.get(one.job.id) === one.job.fence;
    if (isKept) one.until = until;
    // Without an answer the lease holds until its time is over; the next beat may come too late to see that.
    const isLost = kept ? !isKept : one.until < performance.now() + leaseMs / 3;
    if (isLost && running.get(one.job.id) === one) one.abort.abort(new LeaseLost(one.job));
  }
}

/** Runs one job to its end, its failure or its release. Never rejects. */
async function runOne(worker: Worker, { job, abort }: Running): Promise<void> {
  const { state, handlers, ended, log } = worker;
  try {
    if (job.attempts > job.max_attempts) throw new Error("the process that ran it ended during each attempt");
    const handler = handlers.get(job.kind);
    // The lease may have been given while the worker was stopping.
    if (!handler || ended.signal.aborted) return await withinStateMs(BACKGROUND_MS, () => releaseJob(state, job));
    const { id, attempts: attempt } = job;
    const payload: unknown = JSON.parse(job.payload);
    const effects = await handler.work({ id, payload, state, attempt, signal: abort.signal });
    await withinStateMs(BACKGROUND_MS, () => endJob(state, job, effects));
  } catch (error) {
    const isReleased = ended.signal.aborted && abort.signal.aborted;
    const after = isReleased ? releaseJob(state, job) : fail(worker, job, error);
    await withinStateMs(BACKGROUND_MS, () => after).catch((why: unknown) =>
      // Another attempt begins when the lease ends.
      log.warn(`the end of the job ${job.kind} is not stored`, { job: job.id, error: messageOf(why) }),
    );
  }
}

/** Logs a failure, and stores it. */
async function fail({ state, backoff, log }: Worker, job: LeasedJob, error: unknown): Promise<void> {
  const told = { job: job.id, attempt: job.attempts, error: clip(scrub(messageOf(error)), MAX_ERROR_LENGTH) };
  if (error instanceof LeaseLost) {
    log.warn(`the job ${job.kind} took longer than its lease, and runs again`, told);
    return;
  }
  const waitMs = waitAfter(job.attempts, Math.random, backoff);
  if ((await failJob(state, job, told.error, waitMs)) === "waits") log.warn(`the job ${job.kind} has failed`, told);
  else
    log.error(`the job ${job.kind} is a dead letter: correct the cause, then "toolwright jobs retry ${job.id}"`, told);
}
