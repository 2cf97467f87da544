/**
 * A slot for one child of the Monty engine: starts the child, assigns runs to it, kills it if needed, and starts it
 * again.
 */

import { type PolledWaits, polledWaits } from "../../contract/busy-poll.js";
import { isOp } from "../packs.js";
import { type Child, startChild } from "./child-pool.js";
import {
  BUILTIN_EXCEPTIONS,
  type BuiltinException,
  type HostError,
  type LoggedAnswer,
  type PackTree,
} from "./engine.js";
import { type IdleTimer, idleTimer } from "./idle-timer.js";
import type { Job } from "./job.js";
import {
  type Answer,
  addPacks,
  type Call,
  calledTooOften,
  type Failure,
  type FromChild,
  overLimit,
  type ToChild,
} from "./monty-wire.js";
import { type SliceWatch, sliceWatch } from "./slice-watch.js";

/** Times that a run is started again after losing its child. */
const RESTARTS = 2;
/** Consecutive failed starts after which the child counts as unable to start. */
const FAILED_STARTS = 3;

const DIVERGED: Failure = {
  ok: false,
  kind: "runtime",
  pyType: "RuntimeError",
  message: "the code made another call than before",
};

const CRASHED: Failure = { ok: false, kind: "crashed", pyType: "EngineError", message: "the interpreter stopped" };

/** A slot for a child. */
export interface Slot {
  /** Whether it would start a run at once: no other run has the thread, or is about to have it. */
  isFree(): boolean;
  /** Number of its runs. */
  load(): number;
  pid(): number | undefined;
  warm(): Promise<void>;
  give(job: Job): void;
  /** Withdraws a run that ended for a reason the child does not know. */
  withdraw(job: Job): void;
  close(): Promise<void>;
}

interface State {
  readonly program: string;
  readonly jobs: Map<number, Job>;
  readonly host: SlotHost;
  /** Runs that were sent to the child and have neither called nor ended since, in the order in which it takes them. */
  readonly sent: Map<number, Job>;
  child: Child | undefined;
  /** The packs that the child has, with their numbers. */
  packs: Map<PackTree, number>;
  /** The number of the next packs. */
  nextPacks: number;
  /** The run whose code occupies the child. */
  running: Job | undefined;
  /** Whether the child is killed because of the run that occupies it: no other run ends with it. */
  isKilled: boolean;
  ready: (() => void)[];
  isReady: boolean;
  failedStarts: number;
  closed: boolean;
  readonly idle: IdleTimer;
  /** Watches the run that occupies the child. */
  readonly watch: SliceWatch;
  /** Waits for the next call of a run that got an answer: most make it soon. */
  readonly waits: PolledWaits;
  /** Resolves when the child that ended because it was idle is gone. */
  rested: Promise<void> | undefined;
}

/** Callbacks of a slot. */
export interface SlotHost {
  /** Restarts a run that lost its child. */
  again(job: Job): void;
  /** The slot may be free. */
  freed(): void;
}

/** Creates a slot; its child starts with the first run, and ends when it has been idle for a time. */
export function slotOf(program: string, host: SlotHost, idleMs: number): Slot {
  const state: State = {
    program,
    host,
    jobs: new Map(),
    sent: new Map(),
    child: undefined,
    packs: new Map(),
    nextPacks: 0,
    running: undefined,
    isKilled: false,
    ready: [],
    isReady: false,
    failedStarts: 0,
    closed: false,
    idle: idleTimer(idleMs, () => rest(state)),
    watch: sliceWatch((job, why) => {
      job.killedFor = why;
      killChild(state);
    }),
    waits: polledWaits(),
    rested: undefined,
  };
  return {
    isFree: () => state.sent.size === 0,
    load: () => state.jobs.size,
    pid: () => state.child?.pid,
    warm: () => warm(state),
    give: (job) => give(state, job),
    withdraw: (job) => withdraw(state, job),
    close: async () => {
      state.closed = true;
      state.idle.busy();
      const { child, rested } = state;
      child?.kill();
      await Promise.all([child?.gone, rested]);
    },
  };
}

function started(state: State): void {
  if (state.child) return;
  const child = startChild({
    program: state.program,
    onMessage: (message) => void (state.child === child && onMessage(state, message as FromChild)),
    onGone: () => void (state.child === child && onGone(state)),
  });
  state.child = child;
  state.packs = new Map();
}

/** Begins to count the time for which the child is idle, or stops counting. */
function countIdle({ child, jobs, sent, idle }: State): void {
  if (child && jobs.size === 0 && sent.size === 0) idle.idle();
  else idle.busy();
}

/** Ends an idle child. It is forgotten at once, so that a run that comes now starts another. */
function rest(state: State): void {
  const { child } = state;
  if (!child || !state.isReady || state.jobs.size > 0 || state.sent.size > 0) return;
  Object.assign(state, { child: undefined, isReady: false, rested: child.gone });
  child.kill();
}

function warm(state: State): Promise<void> {
  if (state.closed) return Promise.resolve();
  started(state);
  if (state.isReady) return Promise.resolve();
  return new Promise((resolve) => state.ready.push(resolve));
}

function tell(state: State, message: ToChild): boolean {
  return state.child?.send(message) ?? true;
}

function give(state: State, job: Job): void {
  if (state.closed) {
    job.end(CRASHED);
    return;
  }
  started(state);
  state.jobs.set(job.id, job);
  state.sent.set(job.id, job);
  countIdle(state);
  const { code, namespace, limits } = job.request;
  const packs = sentPacks(state, namespace.packs);
  if (tell(state, { kind: "run", id: job.id, code, packs, projects: namespace.projects, limits })) {
    watchNext(state);
    return;
  }
  state.jobs.delete(job.id);
  state.sent.delete(job.id);
  countIdle(state);
  job.end(CRASHED);
}

/** The number of packs, which are sent to the child if it does not have them. */
function sentPacks(state: State, packs: PackTree): number {
  const known = state.packs.get(packs);
  if (known !== undefined) return known;
  const id = state.nextPacks++;
  tell(state, { kind: "packs", id, packs });
  addPacks(state.packs, packs, id);
  return id;
}

function withdraw(state: State, job: Job): void {
  if (!state.jobs.delete(job.id)) return;
  tell(state, { kind: "drop", id: job.id });
  if (state.running === job) killIdler(state);
  countIdle(state);
}

/**
 * Kills a child that has no runs with calls, because a kill would affect those; without them waiting for the watchdog
 * gains nothing.
 */
function killIdler(state: State): void {
  if (![...state.jobs.values()].some((one) => one.hostCalls > 0)) killChild(state);
}

function killChild(state: State): void {
  state.isKilled = true;
  state.child?.kill();
}

function onMessage(state: State, message: FromChild): void {
  state.waits.end();
  if (message.kind === "ready") onReady(state);
  else if (message.kind !== "checked") onReport(state, message);
}

function onReport(state: State, report: Exclude<FromChild, { readonly kind: "ready" | "checked" }>): void {
  const job = state.jobs.get(report.id);
  if (report.kind === "print") {
    job?.printed.push(report.text);
    return;
  }
  // The report of a withdrawn run only means that the child is free again.
  if (state.running?.id === report.id) {
    state.running = undefined;
    state.watch.end();
  }
  const wasSent = state.sent.delete(report.id);
  if (job) ON[report.kind](state, job, report as never);
  watchNext(state);
  if (wasSent) state.host.freed();
  if (report.kind === "done") countIdle(state);
}

/** Watches the run whose code has the thread now: the child takes runs and answers in the order in which they were sent. */
function watchNext(state: State): void {
  const [next] = state.isReady ? state.sent.values() : [];
  if (!next || state.running || state.isKilled) return;
  state.running = next;
  // Withdrawn before its code began.
  if (!state.jobs.has(next.id)) killIdler(state);
  else state.watch.begin(next, state.child?.pid);
}

type Report<Kind> = Extract<FromChild, { readonly kind: Kind }>;

const ON = {
  call: (state: State, job: Job, call: Report<"call">) => {
    job.cpuMs = call.cpuMs;
    void answerCalls(state, job, [...call.made, call]).then((answer) => {
      if (!answer || job.over || state.jobs.get(job.id) !== job) return;
      state.sent.set(job.id, job);
      job.ahead = aheadOf(job);
      if (!tell(state, { kind: "answer", id: job.id, answer, ahead: job.ahead })) {
        job.ahead = [];
        const message = `${call.path.join(".")} returned what cannot be sent`;
        tell(state, { kind: "answer", id: job.id, answer: raise("RuntimeError", message), ahead: [] });
      }
      state.waits.begin();
      watchNext(state);
    });
  },
  done: (state: State, job: Job, { end, cpuMs, made }: Report<"done">) => {
    state.jobs.delete(job.id);
    job.cpuMs = cpuMs;
    if (made.length === 0) job.end(end);
    else void answerCalls(state, job, made).then(() => job.end(end));
  },
};

/**
 * Executes the calls of a report, of which the child has answers of all that are in `job.ahead`. Returns the answer of the last;
 * undefined if the run has ended because of one.
 */
async function answerCalls(state: State, job: Job, calls: readonly Call[]): Promise<Answer | undefined> {
  const most = job.request.limits.hostCalls;
  const stop = (why: Failure): undefined => {
    withdraw(state, job);
    job.end(why);
  };
  let last: Answer | undefined;
  for (const [i, call] of calls.entries()) {
    job.asked += 1;
    if (job.asked > most) return stop(overLimit(calledTooOften(most)));
    last = await answerCall(job, call);
    const given = job.ahead[i];
    if (given && !isSame(given, last)) return stop(DIVERGED);
  }
  return last;
}

/** The calls whose answers a child gets at once: a message of them is read without a break. */
const AHEAD = { calls: 500, length: 500_000 };

/** The answers to the next calls, as far as they are known. */
function aheadOf({ request }: Job): readonly Answer[] {
  const known = request.namespace.known?.(AHEAD) ?? [];
  const end = known.findIndex((one) => "error" in one && !isHostError(one.error));
  return (end === -1 ? known : known.slice(0, end)).map(knownAnswer);
}

const knownAnswer = (one: LoggedAnswer): Answer =>
  "value" in one ? { kind: "value", value: one.value } : raised(one.error as HostError);

/** Whether a call got the answer that its child has: the same object, because both are from the journal. */
const isSame = (given: Answer, made: Answer): boolean =>
  given.kind === "value"
    ? made.kind === "value" && Object.is(given.value, made.value)
    : made.kind === "error" && given.pyType === made.pyType && given.message === made.message;

function onReady(state: State): void {
  state.isReady = true;
  state.failedStarts = 0;
  for (const resolve of state.ready.splice(0)) resolve();
  watchNext(state);
  countIdle(state);
}

/** Ends the run that was executing; the others restart unless they have made calls. */
function onGone(state: State): void {
  const { running } = state;
  const lost = [...state.jobs.values()];
  state.failedStarts = state.isReady ? 0 : state.failedStarts + 1;
  Object.assign(state, { child: undefined, running: undefined, isKilled: false, isReady: false });
  state.jobs.clear();
  state.sent.clear();
  const cannotStart = state.failedStarts >= FAILED_STARTS;
  state.watch.end();
  if (!state.closed && !cannotStart) started(state);
  else for (const resolve of state.ready.splice(0)) resolve();
  for (const job of lost) {
    const again = job !== running && job.hostCalls === 0 && job.restarts < RESTARTS && !state.closed && !cannotStart;
    if (!again) job.end(job.killedFor ?? CRASHED);
    else restart(state, job);
  }
  state.host.freed();
}

function restart(state: State, job: Job): void {
  job.printed = [];
  job.cpuMs = 0;
  job.restarts += 1;
  state.host.again(job);
}

const UNKNOWN_NAME_ERRORS: ReadonlySet<string> = new Set(["AttributeError", "NameError"]);
const KNOWN: ReadonlySet<string> = new Set(BUILTIN_EXCEPTIONS);

/** Whether a thrown value is a {@link HostError}, from this copy of the package or another. */
export const isHostError = (value: unknown): value is HostError => value instanceof Error && value.name === "HostError";

/** Executes one call; never throws. */
async function answerCall(job: Job, { path, args, kwargs }: Call): Promise<Answer> {
  job.hostCalls += 1;
  try {
    const value = await job.request.namespace.call({ path, args, kwargs, signal: job.calls.signal });
    return { kind: "value", value };
  } catch (error) {
    if (!isHostError(error)) return raise("RuntimeError", `${path.join(".")} failed`);
    // No op has this name, so the call does not count.
    if (UNKNOWN_NAME_ERRORS.has(error.pyType) && !isOp(job.request.namespace.packs, path)) job.hostCalls -= 1;
    return raised(error);
  }
}

const raised = ({ pyType, message }: HostError): Answer => raise(KNOWN.has(pyType) ? pyType : "RuntimeError", message);

const raise = (pyType: BuiltinException, message: string): Answer => ({ kind: "error", pyType, message });
