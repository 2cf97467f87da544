/**
 * The processes of an engine. A process that has run code of one owner serves no other owner, ever: it serves that
 * owner again, or ends.
 */

import { availableParallelism, totalmem } from "node:os";
import { type IdleTimer, idleTimer } from "./idle-timer.js";
import { createStarter, type PrepareProcess, type Starter } from "./process-starter.js";
import type { RunProcess } from "./run-process.js";

/** A process that has more is replaced. */
const MOST_RESIDENT_BYTES = 600 * 1024 * 1024;
/** Time limit for putting the memory back, which takes 5 ms. */
const RESET_MS = 2000;
/** Time after which a request is worth a process beyond the processors, or the idle process of another owner. */
const PATIENCE_MS = 1000;
/**
 * Time from a request to the start of the next spare process. It would take the processor from the run, and be of no use
 * if the run is the last one.
 */
const REFILL_MS = 250;

/** Settings of a pool. */
export interface PoolSettings {
  readonly prepare: PrepareProcess;
  /** Memory of one process, as a bound of their number. */
  readonly processBytes: number;
  /** Most processes that exist at a time. */
  readonly instances: number;
  /** Runs after which a process is replaced; 1: a new process for each run. */
  readonly instanceRuns: number;
  /** Time after which an idle process ends, in milliseconds. */
  readonly idleMs: number;
}

/** A process that serves one request. */
export interface ProcessLease {
  readonly child: RunProcess;
  /** Tells whether the program waits for the host: meanwhile others may use the processor. */
  waits(isWaiting: boolean): void;
  /**
   * Gives the process back.
   *
   * @param isClean - whether its program ended in order, so that it may take another one; else it is killed
   */
  end(isClean: boolean): void;
}

/** For whom a process is. */
export interface ProcessOwner {
  readonly owner: string;
  /** Whether a program that has a process may wait for this one: it gets one beyond their number if all wait. */
  readonly isInner: boolean;
}

/** A pool of processes. */
export interface ProcessPool {
  /**
   * A process for one request.
   *
   * @param signal - takes the request out of the queue
   * @throws the reason of the signal; Error if no process starts, or the pool is disposed
   */
  take(place: ProcessOwner, signal?: AbortSignal): Promise<ProcessLease>;
  /** Resolves when a process is ready. */
  warm(): Promise<void>;
  dispose(): Promise<void>;
}

/** What a process does; a `spare` has not run code yet. */
type Stage = "starting" | "spare" | "idle" | "running" | "waiting" | "resetting" | "ending";

interface Instance {
  stage: Stage;
  owner: string | undefined;
  runs: number;
  child: RunProcess | undefined;
  /** Resolves once it is ready, or has failed to start. */
  started: Promise<void>;
  readonly idle: IdleTimer;
}

interface Waiter extends ProcessOwner {
  readonly since: number;
  resolve(lease: ProcessLease): void;
  reject(error: unknown): void;
}

interface State extends PoolSettings {
  readonly starter: Starter;
  /** Most processes, as far as the memory has room for them. */
  readonly most: number;
  /** All processes, counted before they have started. */
  readonly all: Set<Instance>;
  readonly queue: Waiter[];
  isOver: boolean;
  refill?: NodeJS.Timeout;
  patience?: NodeJS.Timeout;
}

/** Half of the memory that this process may use is for processes. */
function affordable({ instances, processBytes }: PoolSettings): number {
  // A container may have less than the machine; without a limit it is 0, or more than the machine has.
  const memory = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
  return Math.max(1, Math.min(instances, Math.floor(memory / 2 / processBytes)));
}

/**
 * Creates a pool; starts nothing.
 *
 * @example
 * const lease = await pool.take(owner, signal);
 * lease.child.send(request);
 * lease.end(true);
 */
export function createProcessPool(settings: PoolSettings): ProcessPool {
  const starter = createStarter(settings.prepare);
  const own = { starter, most: affordable(settings), all: new Set<Instance>(), queue: [] };
  const state: State = { ...settings, ...own, isOver: false };
  return {
    take: (place, signal) => take(state, place, signal),
    async warm() {
      const ready = at(state, "spare", "idle");
      for (const one of ready) one.idle.idle();
      if (ready.length === 0) await (at(state, "starting")[0] ?? start(state))?.started;
    },
    async dispose() {
      state.isOver = true;
      clearTimeout(state.refill);
      clearTimeout(state.patience);
      for (const { idle } of state.all) idle.busy();
      for (const { reject } of state.queue.splice(0)) reject(new Error(DISPOSED));
      await state.starter.stop();
    },
  };
}

const DISPOSED = "the engine is disposed";

const at = ({ all }: State, ...stages: readonly Stage[]): readonly Instance[] =>
  [...all].filter(({ stage }) => stages.includes(stage));

function take(state: State, place: ProcessOwner, signal: AbortSignal | undefined): Promise<ProcessLease> {
  return new Promise((resolve, reject) => {
    if (state.isOver) return reject(new Error(DISPOSED));
    const cancel = (): void => {
      leave(state, waiter);
      reject(signal?.reason);
    };
    const settle = (): void => signal?.removeEventListener("abort", cancel);
    const waiter: Waiter = {
      ...place,
      since: performance.now(),
      resolve: (lease) => (settle(), resolve(lease)),
      reject: (error) => (settle(), reject(error)),
    };
    if (signal?.aborted) return cancel();
    signal?.addEventListener("abort", cancel);
    state.queue.push(waiter);
    assign(state);
  });
}

function leave({ queue }: State, waiter: Waiter): void {
  const place = queue.indexOf(waiter);
  if (place >= 0) queue.splice(place, 1);
}

const isImpatient = ({ since }: Waiter): boolean => performance.now() - since >= PATIENCE_MS;
const isOf = (owner: string) => (one: Instance) => one.owner === owner;

/** Gives those that wait what there is for them, and starts processes for others. Called after each change. */
function assign(state: State): void {
  const { queue, all, most } = state;
  if (state.isOver) return;
  favourOldest(state);
  const resetting = [...at(state, "resetting")];
  const waiters = [...queue].filter((waiter) => !isServed(state, waiter, resetting));
  // Those that start or make room will serve one each.
  const coming = at(state, "starting").length + (all.size < most ? 0 : at(state, "ending").length);
  for (const waiter of waiters.slice(coming)) startFor(state, waiter);
  wakeLater(state);
}

/** Whether there is a process for a request, or will be in a moment. */
function isServed(state: State, waiter: Waiter, resetting: Instance[]): boolean {
  const own = at(state, "idle").filter(isOf(waiter.owner)).at(-1);
  const soon = own ? -1 : resetting.findIndex(isOf(waiter.owner));
  if (soon >= 0) return resetting.splice(soon, 1).length > 0;
  const free = own ?? at(state, "spare")[0];
  if (free) give(state, free, waiter);
  return free !== undefined;
}

function startFor(state: State, waiter: Waiter): void {
  const isFull = state.all.size >= state.most;
  // The end of another process may have served it.
  if (!state.queue.includes(waiter) || (isFull && evict(state))) return;
  // All processes wait for answers, which may be that of this program.
  const isStuck = isFull && waiter.isInner && at(state, "waiting").length === state.all.size;
  if (isStuck || (!isFull && isWorthOne(state, waiter))) start(state);
}

/** Looks again when the next request has waited for a while. */
function wakeLater(state: State): void {
  clearTimeout(state.patience);
  const next = state.queue.find((waiter) => !isImpatient(waiter));
  if (!next) return;
  const left = PATIENCE_MS - (performance.now() - next.since);
  state.patience = setTimeout(() => assign(state), Math.ceil(left) + 1).unref();
}

/** More processes than processors only delay programs that compute, but not programs that wait. */
function isWorthOne(state: State, waiter: Waiter): boolean {
  if (state.all.size < availableParallelism()) return true;
  if (isImpatient(waiter)) return at(state, "starting").length === 0;
  return at(state, "running", "starting", "resetting").length === 0;
}

/** Ends an idle process, if there is one: its owner needs it less than another, for whom there is no room. */
function evict(state: State): boolean {
  const [idle] = at(state, "idle");
  if (idle) end(state, idle);
  return idle !== undefined;
}

/** Whose process becomes idle may have many requests: these must not keep out the request that waits longest. */
function favourOldest(state: State): void {
  const [oldest] = state.queue;
  if (!oldest || !isImpatient(oldest) || state.all.size < state.most) return;
  if (at(state, "spare", "starting", "ending").length > 0) return;
  if (!at(state, "idle", "resetting").some(isOf(oldest.owner))) evict(state);
}

function start(state: State): Instance {
  const one: Instance = {
    ...{ stage: "starting", owner: undefined, runs: 0, child: undefined, started: Promise.resolve() },
    idle: idleTimer(state.idleMs, () => end(state, one)),
  };
  state.all.add(one);
  one.started = state.starter.start().then(
    (child) => {
      one.child = child;
      rest(state, one, "spare");
    },
    (error: unknown) => {
      state.queue.shift()?.reject(error);
      gone(state, one);
    },
  );
  return one;
}

function rest(state: State, one: Instance, stage: "spare" | "idle"): void {
  // It is being killed, and must keep this process running until it has ended.
  if (state.isOver) return;
  one.stage = stage;
  one.child?.hold(false);
  one.idle.idle();
  one.child?.listen({ frame: () => end(state, one), exit: () => gone(state, one) });
  assign(state);
}

function end(state: State, one: Instance): void {
  one.stage = "ending";
  one.idle.busy();
  one.child?.listen({ frame() {}, exit: () => gone(state, one) });
  one.child?.kill();
}

function gone(state: State, one: Instance): void {
  one.idle.busy();
  state.all.delete(one);
  assign(state);
}

/** Starts a spare process soon, unless one of these stages makes it superfluous. */
function refillLater(state: State, ...stages: readonly Stage[]): void {
  clearTimeout(state.refill);
  const fill = (): void => {
    const isNeeded = state.queue.length === 0 && at(state, "spare", "starting", ...stages).length === 0;
    if (isNeeded && !state.isOver && state.all.size < state.most) start(state);
  };
  state.refill = setTimeout(fill, REFILL_MS).unref();
}

function give(state: State, one: Instance, waiter: Waiter): void {
  const { child } = one;
  if (!child) return;
  leave(state, waiter);
  // Where several owners come, the next one does not wait for the start of a process.
  if (one.owner === undefined && [...state.all].some(({ owner }) => owner !== undefined && owner !== waiter.owner))
    refillLater(state);
  one.owner = waiter.owner;
  one.stage = "running";
  one.runs++;
  one.idle.busy();
  child.hold(true);
  const isRunning = (): boolean => one.stage === "running" || one.stage === "waiting";
  waiter.resolve({
    child,
    waits(isWaiting) {
      if (isRunning()) one.stage = isWaiting ? "waiting" : "running";
      if (isWaiting && state.queue.length > 0) assign(state);
    },
    end(isClean) {
      if (!isRunning()) return;
      if (isClean && one.runs < state.instanceRuns && !state.isOver) reset(state, one, child);
      else replace(state, one);
    },
  });
}

function replace(state: State, one: Instance): void {
  end(state, one);
  refillLater(state, "idle", "resetting");
}

/** What the child program says once everything is put back. */
interface Ready {
  readonly isReused: boolean;
  readonly rss: number;
}

function reset(state: State, one: Instance, child: RunProcess): void {
  one.stage = "resetting";
  child.hold(false);
  const timer = setTimeout(() => replace(state, one), RESET_MS).unref();
  child.listen({
    frame(body, kind) {
      clearTimeout(timer);
      if (kind !== "r") return replace(state, one);
      const { isReused, rss } = JSON.parse(body.toString("utf8")) as Ready;
      if (isReused && rss <= MOST_RESIDENT_BYTES) rest(state, one, "idle");
      else replace(state, one);
    },
    exit() {
      clearTimeout(timer);
      replace(state, one);
    },
  });
  child.send({ t: "reset" });
}
