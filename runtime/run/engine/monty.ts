/**
 * The Monty engine: distributes runs over a few children, and enforces the limits that a child cannot
 * enforce itself.
 */

import { seconds } from "../span.js";
import { type Child, startChild } from "./child-pool.js";
import type { CodeDiagnostic, Engine, RunOutcome, RunRequest } from "./engine.js";
import { IDLE_MS, idleTimer } from "./idle-timer.js";
import { type Job, openJob, watchJob } from "./job.js";
import { firstLack } from "./monty-features.js";
import { guarded } from "./monty-guards.js";
import { type Slot, type SlotHost, slotOf } from "./monty-slot.js";
import type { Failure, FromChild } from "./monty-wire.js";
import { programPath } from "./program.js";

/** Children; two, so that one busy run does not block all others. */
const CHILDREN = 2;

/** The engine, with methods for tests and `doctor`. */
export interface MontyEngine extends Engine {
  check(code: string, stubs: string, limitMs?: number): Promise<readonly CodeDiagnostic[] | undefined>;
  readonly id: "monty";
  /** Starts the first child, so that the first run does not wait for it. */
  warm(): Promise<void>;
  /** Ids of its running processes. */
  pids(): readonly number[];
}

const CANCELLED: Failure = {
  ok: false,
  kind: "cancelled",
  pyType: "CancelledError",
  message: "the client cancelled the run",
};

const CLOSED: Failure = { ok: false, kind: "crashed", pyType: "EngineError", message: "the engine was closed" };

const tooLong = (wallMs: number): Failure => ({
  ok: false,
  kind: "timeout",
  pyType: "TimeoutError",
  message: `the run took longer than ${seconds(wallMs)}`,
});

/** The free slot with the fewest runs. */
const freeOf = (all: readonly Slot[]): Slot | undefined =>
  all.filter((one) => one.isFree()).sort((a, b) => a.load() - b.load())[0];

/** Runs that wait for a slot, and the slots of the others. */
interface Queue extends SlotHost {
  add(job: Job): void;
  withdraw(job: Job): void;
  forget(job: Job): void;
}

/** Assigns a run when a slot can start it, and not before: an assigned run stays in its slot. */
function queueOf(slots: () => readonly Slot[]): Queue {
  const owners = new Map<Job, Slot>();
  const waiting: Job[] = [];
  const handOut = (): void => {
    for (let slot = freeOf(slots()); slot && waiting.length > 0; slot = freeOf(slots())) {
      const job = waiting.shift();
      if (!job || job.over) continue;
      owners.set(job, slot);
      slot.give(job);
    }
  };
  return {
    add: (job) => {
      waiting.push(job);
      handOut();
    },
    again: (job) => {
      waiting.unshift(job);
      handOut();
    },
    freed: handOut,
    withdraw: (job) => owners.get(job)?.withdraw(job),
    forget: (job) => void owners.delete(job),
  };
}

/** Options of the engine. */
export interface MontyOptions {
  /** Most children; default: 2. */
  readonly children?: number;
  /** Time after which an idle child ends, in milliseconds; default: a minute. */
  readonly idleMs?: number;
}

/** Creates an engine; children start with the first runs, end when they are idle, and start again when they are needed. */
export function createMonty({ children = CHILDREN, idleMs = IDLE_MS }: MontyOptions = {}): MontyEngine {
  const checker = montyChecker(idleMs);
  const running = new Set<Job>();
  let slots: readonly Slot[] | undefined;
  let closed = false;
  let last = 0;
  const queue = queueOf(() => slots ?? []);
  const open = async (): Promise<readonly Slot[]> => {
    const program = slots ? "" : await programPath("monty-child");
    slots ??= Array.from({ length: children }, () => slotOf(program, queue, idleMs));
    return slots;
  };
  const run = async (request: RunRequest): Promise<RunOutcome> => {
    const { job, outcome } = openJob("monty", ++last, { ...request, code: request.checked ?? guarded(request.code) });
    running.add(job);
    const unwatch = watchJob(job, (why) => {
      job.end(why === "timeout" ? tooLong(request.limits.wallMs) : CANCELLED);
      queue.withdraw(job);
    });
    try {
      await open();
      if (closed) job.end(CLOSED);
      queue.add(job);
      return await outcome;
    } finally {
      unwatch();
      queue.forget(job);
      running.delete(job);
    }
  };
  const dispose = async (): Promise<void> => {
    closed = true;
    for (const job of running) job.end(CLOSED);
    await Promise.all([checker.close(), ...(slots ?? []).map((one) => one.close())]);
  };
  return {
    id: "monty",
    supports: (facts) => firstLack(facts) ?? true,
    check: checker.check,
    run,
    warm: () => open().then(([first]) => (closed ? undefined : first?.warm())),
    pids: () => [checker, ...(slots ?? [])].flatMap((one) => one.pid() ?? []),
    dispose,
  };
}

/** Time limit of a check beside a run, whose answer waits for it. */
const CHECK_MS = 3000;

/** Checks code against stubs. */
export interface Checker {
  /** Undefined without an answer within the time. */
  check(code: string, stubs: string, limitMs?: number): Promise<readonly CodeDiagnostic[] | undefined>;
  pid(): number | undefined;
  close(): Promise<void>;
}

/** A checker whose child starts with the first check, and ends when it has been idle for a time. */
export function montyChecker(idleMs = IDLE_MS): Checker {
  const waiting = new Map<number, (found: readonly CodeDiagnostic[] | undefined) => void>();
  let child: Child | undefined;
  let last = 0;
  let closed = false;
  let rested: Promise<void> | undefined;
  const idle = idleTimer(idleMs, () => {
    child?.kill();
    rested = child?.gone;
    child = undefined;
  });
  const lost = (): void => {
    child = undefined;
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  };
  const onMessage = (message: unknown): void => {
    const report = message as FromChild;
    if (report.kind === "checked") waiting.get(report.id)?.(report.found);
  };
  const check: Checker["check"] = async (code, stubs, limitMs = CHECK_MS) => {
    const program = await programPath("monty-child");
    if (closed) return undefined;
    idle.busy();
    const own = child ?? startChild({ program, onMessage, onGone: () => void (child === own && lost()) });
    child = own;
    const { kill, send } = own;
    const id = ++last;
    return new Promise((resolve) => {
      const timer = setTimeout(kill, limitMs);
      waiting.set(id, (found) => {
        clearTimeout(timer);
        waiting.delete(id);
        if (waiting.size === 0) idle.idle();
        resolve(found);
      });
      send({ kind: "check", id, code, stubs });
    });
  };
  const close = async (): Promise<void> => {
    closed = true;
    idle.busy();
    child?.kill();
    await Promise.all([child?.gone, rested]);
  };
  return { check, pid: () => child?.pid, close };
}
