/** One run on one process: answers its calls, measures its usage, and gives the process back. */

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallFailure, Data, EngineStats, PackTree, RunOutcome, RunRequest } from "../languages/language.js";
import { wellFormed } from "../text-repr.js";
import { type Delivered, type DeliveryLog, deliveryLog } from "./delivery-log.js";
import { HostError, OWN_OP, RUN_ENDED } from "./engine.js";
import type { ProcessLease } from "./process-pool.js";
import { type ProcessWatch, watchProcess } from "./process-watch.js";
import * as say from "./run-messages.js";
import type { FrameKind, RunProcess } from "./run-process.js";

const GRACE_MS = 250;
const LOOK_MS = 100;
/** Allowance beside the Python memory, for texts in transit. */
const ASIDE_BYTES = 192 * 1024 * 1024;
/** Limit for arguments of concurrent calls, as a multiple of the largest result. */
const ARGUMENT_SHARE = 5;
/** Most concurrent timers, beyond one for each call. */
const MAX_TIMERS = 1000;

/** How the process of a language is told of answers. */
export interface ProcessDialect {
  /** The engine, as statistics and stored runs name it. */
  readonly engine: string;
  /** What a run without a free process waits for: `a Python process`. */
  readonly process: string;
  /** The failure of code that has used up the stack of the process. */
  readonly tooDeep: say.RunFailure;
  /** The fields of the message with the value of a call. @throws Error if it cannot be sent */
  value(value: Data): object;
  /**
   * The fields of the message with the failure of a call.
   *
   * @param failure - undefined: a fault of this server, which the program is not told
   */
  failure(failure: CallFailure | undefined, path: readonly string[]): object;
}

interface Session {
  readonly dialect: ProcessDialect;
  readonly request: RunRequest;
  readonly lease: ProcessLease;
  readonly child: RunProcess;
  readonly watch: ProcessWatch;
  readonly started: number;
  readonly calls: AbortController;
  readonly timers: Set<NodeJS.Timeout>;
  readonly log: DeliveryLog;
  readonly end: (outcome: RunOutcome | undefined) => void;
  over: boolean;
  /** Whether the process has said anything. */
  isHeard: boolean;
  hostCalls: number;
  /** Timers that the guest has started; those that have not ended, with when they are due. */
  guestTimers: number;
  readonly openTimers: Map<number, number>;
  /** Answers and ends of timers that the guest was sent. */
  sent: number;
  /** Called when the guest says that it waits. */
  onWaiting: () => void;
  /** Size of the arguments of concurrent calls. */
  argumentBytes: number;
  printedBytes: number;
  late?: { readonly line?: number };
  /** Whether memory was refused. */
  spent: boolean;
  /** CPU time in milliseconds that the child program has measured, once the run has ended in order. */
  cpuMs?: number;
}

/** A pack tree as pairs: an op is null, or false if it is hidden; the op of a pack has the empty name in it. */
type Listed = readonly (readonly [string, Listed | null | false])[];
function listed(tree: PackTree, hidden: ReadonlySet<string> | undefined, before = ""): Listed {
  return [...tree].map(([name, inner]) => {
    const path = name === OWN_OP ? before.slice(0, -1) : `${before}${name}`;
    return [name, inner ? listed(inner, hidden, `${path}.`) : hidden?.has(path) ? false : null];
  });
}

/** The outcome of a run that never got a process. */
export function endedEarly(engine: string, failure: say.RunFailure, started: number): RunOutcome {
  const wallMs = performance.now() - started;
  return { ok: false, ...failure, stats: { engine, wallMs, cpuMs: 0, hostCalls: 0, printedBytes: 0 } };
}

/**
 * Runs a request on a ready process, and gives the process back.
 *
 * @returns undefined if the process ended before it said anything: it may have ended while nobody used it
 */
export function runOn(
  lease: ProcessLease,
  dialect: ProcessDialect,
  request: RunRequest,
  started: number,
): Promise<RunOutcome | undefined> {
  const { child } = lease;
  return new Promise((resolve) => {
    const session: Session = {
      ...{
        dialect,
        request,
        lease,
        child,
        started,
        over: false,
        isHeard: false,
        spent: false,
        hostCalls: 0,
        guestTimers: 0,
        openTimers: new Map(),
        sent: 0,
        onWaiting: () => undefined,
        argumentBytes: 0,
        printedBytes: 0,
      },
      watch: watchProcess(child.pid),
      calls: new AbortController(),
      timers: new Set(),
      log: request.log ?? deliveryLog(),
      end: resolve,
    };
    const { namespace, limits, code, signal } = request;
    signal?.addEventListener("abort", () => fail(session, say.CANCELLED), { signal: session.calls.signal });
    const longest = limits.memoryBytes;
    child.listen({ longest, frame: (body, kind) => take(session, body, kind), exit: () => exited(session) });
    const projects = [...namespace.projects];
    const { seed, startedAt } = request.origin ?? { seed: randomBytes(32).toString("hex"), startedAt: Date.now() };
    child.send({
      now: startedAt,
      t: "run",
      seed,
      code,
      packs: listed(namespace.packs, namespace.hidden),
      projects,
      limits,
    });
    later(session, limits.wallMs - (performance.now() - started), () => fail(session, say.wallUsed(limits)));
    look(session);
  });
}

function later(session: Session, ms: number, step: () => void): void {
  const timer = setTimeout(
    () => {
      session.timers.delete(timer);
      step();
    },
    Math.max(0, ms),
  );
  session.timers.add(timer);
}

function stats({ dialect, started, watch, hostCalls, printedBytes, cpuMs = watch.cpuMs() }: Session): EngineStats {
  const wallMs = performance.now() - started;
  return { engine: dialect.engine, wallMs, cpuMs, hostCalls, printedBytes };
}

/** @param isClean - whether the process may run another program */
function finish(session: Session, outcome: RunOutcome | undefined, isClean = false): void {
  if (session.over) return;
  session.over = true;
  for (const timer of session.timers) clearTimeout(timer);
  session.lease.end(isClean);
  session.calls.abort(RUN_ENDED);
  session.onWaiting();
  session.end(outcome);
}

function fail(session: Session, failure: say.RunFailure): void {
  if (!session.over) finish(session, { ok: false, ...failure, stats: stats(session) });
}

function exited(session: Session): void {
  const { late, request, isHeard } = session;
  if (isHeard) fail(session, late === undefined ? say.CRASHED : { ...say.cpuUsed(request.limits), ...late });
  else finish(session, undefined);
}

function look(session: Session): void {
  const { watch, request, late } = session;
  const { limits } = request;
  const left = limits.cpuMs + GRACE_MS - watch.cpuMs();
  if (left <= 0) fail(session, { ...say.cpuUsed(limits), ...late });
  else if (watch.grownBytes() > limits.memoryBytes + ASIDE_BYTES) fail(session, say.memoryUsed(limits));
  else later(session, Math.min(left, LOOK_MS), () => look(session));
}

function take(session: Session, body: Buffer, kind: FrameKind): void {
  if (session.over) return;
  session.isHeard = true;
  try {
    const message = say.parseFrame(kind === "d" ? measured(session, body) : body);
    if (kind === "r" || (kind === "d" && message.t !== "done")) throw new Error("no message of a run");
    (STEPS[message.t] as (session: Session, message: say.ProcessMessage) => void)(session, message);
  } catch {
    fail(session, say.CRASHED);
  }
}

/** The last message of a run, which follows its CPU time. */
function measured(session: Session, body: Buffer): Buffer {
  const end = body.indexOf("\n");
  session.cpuMs = Number(body.subarray(0, end));
  return body.subarray(end + 1);
}

type Steps = {
  readonly [T in say.ProcessMessage["t"]]: (session: Session, message: Extract<say.ProcessMessage, { t: T }>) => void;
};

const STEPS: Steps = {
  call,
  print: (session, { text }) => print(session, wellFormed(text)),
  timer(session, { id, ms }) {
    if (session.timers.size > session.request.limits.hostCalls + MAX_TIMERS) return fail(session, say.CRASHED);
    const timer = ++session.guestTimers;
    session.watch.waits(true);
    session.lease.waits(true);
    const due = performance.now() + ms;
    session.openTimers.set(timer, due);
    const end = (): void => {
      // From here on it waits for nothing but its turn in the log.
      session.openTimers.delete(timer);
      deliver(session, { timer }, { id, tick: true });
    };
    later(session, session.log.endedBefore(timer) ? 0 : ms, end);
  },
  late(session, { line }) {
    session.late = line === undefined ? { ...session.late } : { line };
  },
  waiting(session) {
    session.onWaiting();
  },
  spent(session) {
    session.spent = true;
  },
  dead(session, { why }) {
    const { late, request, dialect } = session;
    const known: Readonly<Record<string, say.RunFailure>> = {
      memory: say.memoryUsed(request.limits),
      late: { ...say.cpuUsed(request.limits), ...late },
      recursion: dialect.tooDeep,
      arguments: say.ARGUMENTS_TOO_LARGE,
    };
    fail(session, Object.hasOwn(known, why) ? (known[why] as say.RunFailure) : say.CRASHED);
  },
  done(session, { body }) {
    const outcome = say.runOutcome(body, session.request.limits, stats(session));
    const spent = limitUsed(session);
    const isSaid = !outcome.ok && (outcome.kind === "timeout" || outcome.kind === "memory");
    if (spent && !isSaid) fail(session, spent);
    else finish(session, outcome, session.cpuMs !== undefined && !spent && !isSaid);
  },
};

/** The limit that the run has exceeded: the run fails even if its code caught the exception. */
function limitUsed({ late, spent, request }: Session): say.RunFailure | undefined {
  if (late !== undefined) return { ...say.cpuUsed(request.limits), ...late };
  return spent ? say.memoryUsed(request.limits) : undefined;
}

function print(session: Session, text: string): void {
  const { request } = session;
  const left = request.limits.printBytes - session.printedBytes;
  const bytes = Buffer.from(text);
  session.printedBytes += Math.min(bytes.length, left);
  if (bytes.length <= left) request.onPrint(text);
  else {
    request.onPrint(
      bytes
        .subarray(0, left)
        .toString("utf8")
        .replace(/\uFFFD$/, ""),
    );
    fail(session, say.printedTooMuch(request.limits));
  }
}

/** Sends a reply when it is its turn in the log. A run that has ended logs nothing more: its end cancels the calls under way. */
function deliver(session: Session, what: Delivered, reply: Readonly<Record<string, unknown>>): void {
  if (!session.over) session.log.ready(what, (now) => answer(session, { now, ...reply }));
}

function answer(session: Session, reply: Readonly<Record<string, unknown>>): void {
  if (session.over) return;
  session.watch.waits(false);
  session.sent++;
  session.lease.waits(session.hostCalls + session.guestTimers > session.sent);
  session.child.send(reply);
  const { limits } = session.request;
  // Unread answers pile up in this process; the guest could hold no more than half of its memory limit.
  if (session.child.unread() > limits.memoryBytes / 2) fail(session, say.memoryUsed(limits));
}

function call(
  session: Session,
  { id, path, args, kwargs, omitted, line, bytes }: Extract<say.ProcessMessage, { t: "call" }>,
): void {
  const { dialect, request } = session;
  const { namespace, limits } = request;
  const place = line === undefined ? {} : { line };
  const spent = limitUsed(session);
  if (spent) {
    fail(session, { ...spent, ...place });
    return;
  }
  if (session.hostCalls >= limits.hostCalls) {
    fail(session, { ...say.calledTooOften(limits), ...place });
    return;
  }
  session.argumentBytes += bytes;
  if (session.argumentBytes > limits.resultBytes * ARGUMENT_SHARE) {
    fail(session, { ...say.ARGUMENTS_TOO_LARGE, ...place });
    return;
  }
  const number = ++session.hostCalls;
  const settled = (reply: Readonly<Record<string, unknown>>) => {
    session.argumentBytes -= bytes;
    deliver(session, { call: number }, reply);
  };
  session.watch.waits(true);
  session.lease.waits(true);
  const asked = async () =>
    dialect.value(
      await namespace.call({
        path,
        positional: args,
        named: kwargs,
        omitted,
        settled: () => settledNow(session),
        ...place,
        signal: session.calls.signal,
      }),
    );
  asked().then(
    (fields) => settled({ id, ...fields }),
    (error: unknown) =>
      settled({ id, ...dialect.failure(error instanceof HostError ? error.failure : undefined, path) }),
  );
}

/** How long it is waited for the end of timers: code that sleeps for a moment may make further calls. */
const SETTLE_MS = 250;
/** How long it is waited for timers that are due: on a busy machine their ends come late, and code may begin more of them. */
const LATE_MS = 5000;
const NEXT_LOOK_MS = 5;

/** What the guest has asked for, and what it was sent: a call may follow an answer that is on its way. */
const eventsOf = ({ hostCalls, guestTimers, sent }: Session): number => hostCalls + guestTimers + sent;

/** Waits until the guest has received all answers, has done what follows, and waits for others. */
async function settledNow(session: Session): Promise<void> {
  const began = performance.now();
  const patient = began + SETTLE_MS;
  while (!session.over) {
    const seen = eventsOf(session);
    await new Promise<void>((resolve) => {
      session.onWaiting = resolve;
      session.child.send({ t: "waiting" });
    });
    const isQuiet = seen === eventsOf(session);
    const now = performance.now();
    const until = now > began + LATE_MS ? patient : Math.max(patient, now);
    const isSoon = [...session.openTimers.values()].some((due) => due <= until);
    if (isQuiet && !isSoon && (session.openTimers.size === 0 || now > patient)) return;
    if (isQuiet) await sleep(NEXT_LOOK_MS);
  }
}
