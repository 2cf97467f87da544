/** A run with what keeps it: its calls, their order, and its origin, so that it can be carried on elsewhere. */

import type { CallRecord, RunHooks } from "../../call/call.js";
import { type CanCall, canCall, resumeNext } from "../../catalog/advice.js";
import type { RegistryView } from "../../catalog/registry.js";
import type { BindingOf } from "../../config/op-bindings.js";
import type { PreviewSetting } from "../../config/run-settings.js";
import type { Settings } from "../../config/settings.js";
import { newRunId, randomHex } from "../../contract/ids.js";
import { BACKGROUND_MS, withinStateMs } from "../../state/deadline.js";
import { type DeliveryLog, type RunOrigin, timedLog } from "../engine/delivery-log.js";
import { type Journal, openJournal } from "../engine/journal.js";
import { type TextFault, textFault } from "../fault.js";
import type { Data, HostCall, Namespace, RunOutcome, RunRequest } from "../languages/language.js";
import { countsOfEnded, createPackProxy, newRecord, type PackProxy, type ProxyParts } from "../pack-proxy.js";
import type { RunReport } from "../run-answer.js";
import { type AfterCalls, type AfterRun, MAX_AFTER_CALLS, openAfter, seedOfCalls } from "./after-calls.js";
import type { KeepParts } from "./asking.js";
import { createInnerRuns, divergedError, followInner, type InnerRuns } from "./inner-runs.js";
import { endStoppedProgram, interruptOf } from "./interrupt.js";
import { createKeeper, type Keeper, type RunEnding, type RunFacts } from "./keeper.js";
import { READ_LESS } from "./log-bound.js";
import type { LogSeal } from "./log-text.js";
import { createOutages, type RunOutages } from "./outages.js";
import { type PausedFacts, pausedText } from "./paused-text.js";
import { missingText } from "./permits.js";
import { callPlace } from "./places.js";
import { type RunTimes, timesOf } from "./plan-held.js";
import { createPlanning, type Planning, type PreviewedRun } from "./planning.js";
import { changedOps, type EarlierRun, recordText } from "./resume.js";
import { earlierWaiting, type Halt, RUN_KEEP_MS } from "./run-table.js";
import { type ProgramSource, programAt, type StoredProgram } from "./stored-program.js";

/** What a run is opened with. */
export interface KeptRunParts {
  readonly keep: KeepParts;
  readonly facts: Omit<RunFacts, "id" | "origin" | "can">;
  /** The code, for those who decide about its calls. */
  readonly program: Omit<ProgramSource, "command">;
  readonly proxyParts: Omit<ProxyParts, "record" | "keyPrefix">;
  readonly view: RegistryView;
  readonly signal?: AbortSignal;
  /** URL of the server, for the people who decide; absent if it has none. */
  readonly address?: string | undefined;
  /** Whether a job goes on with the run. */
  readonly isJob?: boolean | undefined;
  /** Settings of ops, which may name those that read titles of what calls are about. */
  readonly ops: Settings["ops"];
  /** Where calls of ops go. */
  readonly bindingOf?: BindingOf | undefined;
  /** The failed run after which a new program goes on. */
  readonly after?: AfterRun | undefined;
  /** Which programs wait with their plans. */
  readonly previewing: PreviewSetting;
  /**
   * Previews the program.
   *
   * @param times that it has read so far
   */
  preview(origin: RunOrigin, times: RunTimes): Promise<PreviewedRun | TextFault>;
}

/** A run that an engine can carry out. */
export interface OpenRun {
  readonly proxy: PackProxy;
  readonly journal: Journal;
  /** What the engine needs to compute the same again. */
  readonly engine: Required<Pick<RunRequest, "origin" | "log" | "signal">>;
  /** A warning about writes that were planned and not made; undefined if there is none. */
  missingText(): string | undefined;
  /**
   * Why the run has no result of its program, although it may have ended: undefined if it has one.
   *
   * @param soFar - says what the program has done, from the counts of its calls that do not wait
   */
  interruption(outcome: RunOutcome, soFar: SoFar): Promise<Interruption | undefined>;
  /** The id of the run, if it has not ended of itself and is kept: it can be resumed. */
  resumable(outcome: RunOutcome): string | undefined;
  /** The calls of the failed run after which it goes on. */
  readonly after: AfterCalls | undefined;
  /** The id of the run after which a corrected program can go on: this one, or the one after which it goes on. Never rejects. */
  correctable(outcome: RunOutcome): Promise<string | undefined>;
  /** Stores the end of the run, and returns its answer. */
  end<T extends RunReport>(outcome: RunOutcome, answer: T): Promise<T & { readonly halted?: Halt }>;
}

/** Why a run has no result: it was stopped, it waits, or its code made other calls than the run that it goes on with. */
interface Interruption extends Partial<Pick<RunReport, "text" | "paused" | "pausedFacts" | "notes">> {
  readonly fault: TextFault;
}

/** What a program has done when it pauses. */
type SoFar = (counts: ReadonlyMap<string, number>) => Pick<PausedFacts, "written" | "notes">;

const PAUSED = textFault("Paused", "the program waits for approvals");
function cannotPause(why: string, { written = [] }: PausedFacts): TextFault {
  const next = written.length === 0 ? READ_LESS : `do not send these calls again: ${READ_LESS}`;
  return textFault("RuntimeError", `the program cannot pause for an approval: ${why}`, ...written, `Next: ${next}`);
}
const STOPPED = textFault("CancelledError", "the run was stopped");
const takenOver = (id: string, can: CanCall): TextFault =>
  textFault(
    "RuntimeError",
    "another server goes on with the program",
    `Next: ${resumeNext(id, "gives its answer", can)}`,
  );
const awayTooLong = (id: string, can: CanCall): TextFault =>
  textFault(
    "TimeoutError",
    "the state database did not answer in the time of the program",
    `Next: ${resumeNext(id, "goes on where it was", can)}`,
  );
const DIVERGED = textFault(
  "RuntimeError",
  "the program made other calls than before, so it was stopped. Nothing was changed since",
  "Next: toolwright runs show, then runs drop",
);

const OTHER_ENGINE = textFault(
  "RuntimeError",
  "stale: the run began on an engine that this version does not have. Restart it or stop it",
  "Nothing was changed since",
  "Next: toolwright runs show, then runs drop",
);

/** What is said of a program that made other calls than before. */
const otherCalls = (earlier: EarlierRun, { engine }: Pick<RunFacts, "engine">): TextFault =>
  earlier.engine === engine ? DIVERGED : OTHER_ENGINE;

/** The seed and the start of a new program. */
export const newOrigin = (): RunOrigin => ({ seed: randomHex(32), startedAt: Date.now() });

/** Opens a run, a new one or one that goes on; or says why it cannot go on. */
export function openKeptRun(parts: KeptRunParts, earlier?: EarlierRun): OpenRun | TextFault {
  const changed = earlier && whyStale(parts, earlier);
  if (changed !== undefined) return textFault("RuntimeError", `${changed} since the run began`, STALE);
  const { facts, view, keep } = parts;
  const can = canCall(view);
  const { id, origin, seed, record, about, after } = identityOf(earlier, parts.after);
  const log = logOf(earlier, after);
  const inner = innerRunsOf({ ...origin, seed }, log, earlier);
  const outages = createOutages(keep);
  const given = {
    isPlanned: mayBePlanned(parts, earlier),
    seed,
    owner: earlier?.owner,
    inner,
    outages,
    earlier: after,
  };
  const proxy = proxyOf({ ...parts.proxyParts, earlier: after, record, keyPrefix: `${id}:` }, () => keeper, given);
  const interrupt = interruptOf(parts.signal);
  const { signal, isStopped } = interrupt;
  const { watch, stoppable, stoppedText } = endStoppedProgram(keep, id, earlier !== undefined, interrupt);
  const { journal, settled } = followed(proxy.namespace, signal, earlier, inner);
  const planning = planningOf(parts, origin, { log, inner }, earlier);
  const progress = {
    ...{ journal, planning, inner, signal, settled, after, deliveries: log, pause: interrupt.pause },
    record: (seal: LogSeal) => recordText(record, inner.called, view, parts.bindingOf, { ...about, seal, after }),
  };
  const keeper = stoppable(createKeeper(keep, { ...facts, can, id, origin }, progress, earlier?.driver));
  // The same code would stop the interpreter again: it is corrected as after any failure.
  const isEnd = (outcome: RunOutcome): boolean =>
    isWhole(outcome) || (earlier?.hasCrashed === true && isCrash(outcome));
  const correcting = correctionOf(id, { keeper, journal, record, after, isEnd });
  const isPaused = (outcome: RunOutcome): boolean => interrupt.isPaused() && !isStopped() && !isEnd(outcome);
  return {
    ...{ proxy, journal, after, correctable: correcting.find },
    engine: { origin, log, signal },
    missingText: () => missingText(planning?.known()),
    async interruption(outcome, soFar) {
      const stopped = await stoppedText();
      if (stopped !== undefined) return { fault: STOPPED, text: stopped };
      if (isPaused(outcome)) return pausing({ id, keeper, about, record, journal }, parts, soFar);
      const fault = await lostTo({ id, can }, keeper, outages, outcome);
      if (fault) return { fault };
      return earlier && hasDiverged(journal, outcome, inner) ? { fault: otherCalls(earlier, facts) } : undefined;
    },
    resumable: (outcome) => (!isEnd(outcome) && keeper.isBegun() ? id : undefined),
    async end(outcome, answer) {
      watch.end();
      interrupt.release();
      const isDiverged = earlier !== undefined && (journal.hasDiverged() || inner.hasDiverged());
      const ends = {
        isEnd: isEnd(outcome),
        isPaused: isPaused(outcome),
        isStopped: isStopped(),
        isAway: outages.isEnd(),
      };
      const ending = endingOf(outcome, answer, { ...ends, isDiverged, isJob: parts.isJob });
      await keeper.end({ ...ending, isCorrectable: correcting.isFound() && ending.status === "failed" });
      return ending.halted === undefined ? answer : { ...answer, halted: ending.halted };
    },
  };
}

/** The order of what reaches the program, and the times that it reads: those of its plan, or of the failed run. */
function logOf(earlier: EarlierRun | undefined, after: AfterCalls | undefined): DeliveryLog {
  const planned = earlier?.planned?.plan.times.own;
  return timedLog(earlier?.deliveries, (nth) => planned?.[nth] ?? after?.time(nth));
}

interface CorrectedParts extends Pick<PausingRun, "keeper" | "journal" | "record"> {
  readonly after: AfterCalls | undefined;
  /** Whether a run has ended that does not go on. */
  isEnd(outcome: RunOutcome): boolean;
}

/** Finds the run after which a corrected program can go on: this one, or the failed one if nothing was written since. */
function correctionOf(id: string, { keeper, journal, record, after, isEnd }: CorrectedParts) {
  let isFound = false;
  return {
    async find(outcome: RunOutcome): Promise<string | undefined> {
      if (!keeper.isBegun()) return after?.id;
      if (!isEnd(outcome) || countedCalls(journal, record, after) > MAX_AFTER_CALLS) return undefined;
      isFound = (await keeper.whyNotKept()) === undefined && keeper.isStored();
      return isFound ? id : undefined;
    },
    isFound: () => isFound,
  };
}

/** What a run that goes on has from its beginning; new for a new one. */
function identityOf(earlier: EarlierRun | undefined, failed: AfterRun | undefined) {
  const own = earlier ? earlier.after : failed;
  const after = own && openAfter(own, earlier?.calls);
  // What a corrected program computes is what the failed one has computed, as far as their code is the same.
  const origin = earlier?.origin ?? failed?.origin ?? newOrigin();
  const record = { ...newRecord(), called: new Set(failed?.called), foreign: new Set(failed?.foreign) };
  return {
    ...{ origin, after, record: earlier?.record ?? record, seed: seedOfCalls(origin, after) },
    id: earlier?.driver.id ?? newRunId(),
    about: { titles: new Map(earlier?.titles), program: earlier?.program },
  };
}

/** Whether writes of a run may have to be those of a plan. */
const mayBePlanned = ({ previewing }: KeptRunParts, earlier: EarlierRun | undefined): boolean =>
  earlier?.planned !== undefined || previewing !== "never";

/** The calls of the log of a run, with those that tools have made, and with those that are left of the failed run. */
const countedCalls = ({ calls }: Journal, { counts }: CallRecord, after: AfterCalls | undefined): number =>
  Math.max(
    calls.length,
    [...counts.values()].reduce((sum, one) => sum + one, 0),
  ) +
  (after?.leftCalls().length ?? 0) +
  (after?.left().length ?? 0);

/** The plan of a run: of a new one, of one that is held to it, or of one that has not written yet. */
function planningOf(
  { previewing: setting, preview, view }: KeptRunParts,
  origin: RunOrigin,
  { log, inner }: { readonly log: DeliveryLog; readonly inner: InnerRuns },
  earlier: EarlierRun | undefined,
): Planning | undefined {
  const isWrite = (op: string): boolean => view.exact(op)?.kind === "write";
  return createPlanning({
    setting,
    preview: () => preview(origin, timesOf(log, inner)),
    stored: earlier?.planned,
    hasWritten: earlier?.calls.some(({ op, answer }) => answer !== undefined && isWrite(op)) ?? false,
  });
}

/** The programs of tools that the run calls. */
function innerRunsOf(origin: RunOrigin, log: DeliveryLog, earlier: EarlierRun | undefined): InnerRuns {
  return createInnerRuns({
    origin,
    log,
    earlier: earlier?.inner,
    times: earlier?.planned?.plan.times.inner,
    called: earlier && Object.keys(earlier.ops),
  });
}

/** The proxy asks the keeper at the first write, which is after both are made. */
function proxyOf(parts: ProxyParts, keeper: () => Keeper, { inner, ...given }: Given): PackProxy {
  const isNested = parts.options.run !== undefined;
  const run = followInner(hooksOf(keeper, { isNested, ...given }), inner);
  return createPackProxy({ ...parts, options: { ...parts.options, run } });
}

/** What a run is opened with. */
interface Given extends Pick<RunHooks, "seed" | "isPlanned" | "owner" | "outages" | "earlier"> {
  readonly inner: InnerRuns;
}

const hooksOf = (keeper: () => Keeper, given: Omit<Given, "inner"> & Pick<RunHooks, "isNested">): RunHooks => ({
  ...given,
  answered: (call, result) => keeper().answered?.(call, result),
  keepMs: RUN_KEEP_MS,
  beforeWrite: () => keeper().beforeWrite(),
  begin: (key) => keeper().begin(key),
  wasAsked: (key) => keeper().wasAsked(key),
  permit: (asked) => keeper().permit(asked),
  outcomeUnknown: (asked) => keeper().outcomeUnknown(asked),
});

/** The journal of a run, and whether its code makes no further call before one is answered. */
function followed(namespace: Namespace, signal: AbortSignal, earlier: EarlierRun | undefined, inner: InnerRuns) {
  let settled: HostCall["settled"];
  const call = async (one: HostCall): Promise<Data> => {
    if (inner.hasDiverged()) throw divergedError();
    settled = one.settled;
    return namespace.call(one);
  };
  const journal = openJournal({ namespace: { ...namespace, call }, signal }, earlier?.calls);
  return { journal, settled: async () => settled?.() };
}

/** Whether the code made other calls than before, or ended before it made all of them. */
const hasDiverged = (journal: Journal, outcome: RunOutcome, inner: InnerRuns): boolean =>
  isWhole(outcome) && (journal.hasDiverged() || inner.hasDiverged() || (isOwn(outcome) && journal.left() > 0));

/** What a program has lost: the run, to another server, or its time, to an outage; undefined if neither. */
async function lostTo(
  { id, can }: { readonly id: string; readonly can: CanCall },
  keeper: Keeper,
  outages: RunOutages,
  outcome: RunOutcome,
): Promise<TextFault | undefined> {
  if (keeper.isTaken()) return takenOver(id, can);
  return (await outages.haveEnded(outcome, keeper.isBegun())) ? awayTooLong(id, can) : undefined;
}

interface PausingRun {
  readonly id: string;
  readonly keeper: Keeper;
  /** What is stored with the run, to which its pause adds. */
  readonly about: { readonly titles: Map<string, string>; program: StoredProgram | undefined };
  readonly record: CallRecord;
  readonly journal: Journal;
}

/** The answer of a program that pauses; or why it fails instead. */
async function pausing(
  { id, keeper: { whyNotKept, waiting }, about, record, journal }: PausingRun,
  { keep, address, facts, program, proxyParts, ops, view }: KeptRunParts,
  soFar: SoFar,
): Promise<Interruption> {
  // Read at each pause, and stored with what else is new.
  const { callTitles } = await import("./call-titles.js");
  const read = await callTitles(waiting, proxyParts.dispatch, facts.principal, ops);
  for (const [place, title] of read) about.titles.set(place, title);
  about.program = programAt({ ...program, command: facts.command }, waiting, journal.calls);
  const why = await whyNotKept();
  const done = soFar(countsAtPause(record, journal.calls));
  if (why !== undefined) return { fault: cannotPause(why, done) };
  const pausedFacts = { ...done, earlier: await earlierOf(keep, id) };
  const named = waiting.map((one) => ({ ...one, call: callPlace(one), title: about.titles.get(callPlace(one)) }));
  const { notes } = done;
  const text = pausedText(id, named, { address, can: canCall(view) }, pausedFacts);
  return { fault: PAUSED, paused: id, pausedFacts, text, ...(notes === undefined ? {} : { notes }) };
}

/** How often each op was called, without the calls that wait: calls within these have ended. */
function countsAtPause(record: CallRecord, calls: Journal["calls"]): ReadonlyMap<string, number> {
  const counts = new Map(countsOfEnded(record));
  for (const [ordinal, ops] of record.underWay) {
    const own = calls[Number(ordinal) - 1]?.op;
    for (const op of ops[0] === own ? ops.slice(1) : ops) counts.set(op, (counts.get(op) ?? 0) + 1);
  }
  return counts;
}

/** The run of the same program that waits already; undefined if there is none, and without the database. */
async function earlierOf({ state, clock }: KeepParts, id: string): Promise<string | undefined> {
  try {
    const open = await state.get();
    return await withinStateMs(BACKGROUND_MS, () => open.transaction("read", (tx) => earlierWaiting(tx, id, clock())));
  } catch {
    return undefined;
  }
}

interface Manner {
  readonly isEnd: boolean;
  readonly isStopped: boolean;
  readonly isDiverged: boolean;
  readonly isPaused: boolean;
  readonly isAway: boolean;
  readonly isJob: boolean | undefined;
}

/** How a run ends. A job that ends with its server leaves the run to another one. */
function endingOf(
  outcome: RunOutcome,
  { text, isError, paused }: RunReport,
  { isDiverged, isEnd, isPaused, isStopped, isAway, isJob }: Manner,
): RunEnding {
  // Its row has ended already.
  if (isStopped) return { status: "failed", text };
  if (isDiverged) return { status: "interrupted", text, halted: "diverged" };
  if (isAway) return { status: "interrupted", text, halted: isJob ? undefined : "outage" };
  if (isEnd) return { status: isError ? "failed" : "done", text };
  if (isPaused) return { status: paused === undefined ? "failed" : "interrupted", text };
  if (!outcome.ok && outcome.kind === "crashed") return { status: "interrupted", text, halted: "crashed" };
  return { status: "interrupted", text, halted: isJob ? undefined : "cancelled" };
}

const STALE = "Next: restore it and resume again, or toolwright runs drop";

function whyStale({ facts, view, bindingOf }: KeptRunParts, earlier: EarlierRun): string | undefined {
  const changed = changedOps(earlier, view, bindingOf);
  if (changed.length > 0) return `${changed.join(", ")} changed`;
  return facts.codeHash === earlier.codeHash ? undefined : "the code reads differently";
}

/** Whether the code ended by itself: a limit may end it before it has made all calls of before. */
const isOwn = (outcome: RunOutcome): boolean => outcome.ok || outcome.kind === "runtime" || outcome.kind === "syntax";

/** Whether the program itself ended: it was not cancelled, nor did its interpreter stop. */
const isWhole = (outcome: RunOutcome): boolean =>
  outcome.ok || (outcome.kind !== "cancelled" && outcome.kind !== "crashed");

/** Whether the interpreter stopped, not whether none was free. */
const isCrash = (outcome: RunOutcome): boolean =>
  !outcome.ok && outcome.kind === "crashed" && outcome.name === "EngineError";
