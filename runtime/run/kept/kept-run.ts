/** A run with what keeps it: its calls, their order, and its origin, so that it can be carried on elsewhere. */

import { randomBytes } from "node:crypto";
import type { RunHooks } from "../../call/call.js";
import type { RegistryView } from "../../catalog/registry.js";
import type { BindingOf } from "../../config/op-bindings.js";
import { isToolFailure } from "../../contract/handler.js";
import { newRunId } from "../../contract/ids.js";
import { deliveryLog } from "../engine/delivery-log.js";
import type { HostCall, Namespace, RunOutcome, RunRequest, Value } from "../engine/engine.js";
import { type Journal, openJournal } from "../engine/journal.js";
import { type TextFault, textFault } from "../fault.js";
import { createPackProxy, newRecord, type PackProxy, type ProxyParts } from "../pack-proxy.js";
import type { RunReport } from "../run-answer.js";
import { createKeeper, type Ending, type Keeper, type KeepParts, placeOf, type RunFacts } from "./keeper.js";
import { pausedText } from "./paused-text.js";
import { changedOps, type EarlierRun, recordText } from "./resume.js";
import { type Halt, RUN_KEEP_MS } from "./run-table.js";
import { watchStop } from "./stop.js";

/** What a run is opened with. */
export interface KeptRunParts {
  readonly keep: KeepParts;
  readonly facts: Omit<RunFacts, "id" | "origin">;
  readonly proxyParts: Omit<ProxyParts, "record" | "keyPrefix">;
  readonly view: RegistryView;
  readonly signal?: AbortSignal;
  /** URL of the server, for the people who decide; absent if it has none. */
  readonly address?: string | undefined;
  /** Whether a job goes on with the run. */
  readonly isJob?: boolean | undefined;
  /** Where calls of ops go. */
  readonly bindingOf?: BindingOf | undefined;
}

/** A run that an engine can carry out. */
export interface OpenRun {
  readonly proxy: PackProxy;
  readonly journal: Journal;
  /** What the engine needs to compute the same again. */
  readonly engine: Required<Pick<RunRequest, "origin" | "log" | "signal">> & { readonly engine: EarlierRun["engine"] };
  /** What the caller is told if the program has paused. */
  paused(outcome: RunOutcome): Required<Pick<RunReport, "text" | "paused">> | undefined;
  /** What the caller is told if the run was stopped, also while it ended by itself. */
  stoppedText(): Promise<string | undefined>;
  /** Whether the code made other calls than the run that it goes on with. */
  hasDiverged(outcome: RunOutcome): boolean;
  /** Stores the end of the run, and returns its answer. */
  end<T extends RunReport>(outcome: RunOutcome, answer: T): Promise<T & { readonly halted?: Halt }>;
}

/** The refusal of a run whose code made other calls. */
export const DIVERGED: TextFault = textFault(
  "RuntimeError",
  "the program made other calls than before, so it was stopped. Nothing was changed since",
  "Next: toolwright runs show, then runs drop",
);

/** Opens a run, a new one or one that goes on; or says why it cannot go on. */
export function openKeptRun(parts: KeptRunParts, earlier?: EarlierRun): OpenRun | TextFault {
  const changed = earlier && whyStale(parts, earlier);
  if (changed !== undefined) return textFault("RuntimeError", `${changed} since the run began`, STALE);
  const { proxyParts, facts, view, keep } = parts;
  const id = earlier?.driver.id ?? newRunId();
  const origin = earlier?.origin ?? { seed: randomBytes(32).toString("hex"), startedAt: Date.now() };
  const record = earlier?.record ?? newRecord();
  // The proxy asks the keeper at the first write, which is after both are made.
  const hooks = hooksOf(() => keeper, { isNested: proxyParts.options.run !== undefined });
  const options = { ...proxyParts.options, run: hooks };
  const proxy = createPackProxy({ ...proxyParts, options, record, keyPrefix: `${id}:` });
  const pause = new AbortController();
  const { stop, watch, stoppable, stoppedText } = stopping(keep, id, earlier !== undefined);
  const signal = AbortSignal.any([...(parts.signal ? [parts.signal] : []), pause.signal, stop.signal]);
  const { namespace, settled } = followed(proxy.namespace);
  const journal = openJournal({ namespace, signal }, earlier?.calls);
  const log = deliveryLog(earlier?.deliveries);
  const progress = {
    journal,
    deliveries: log,
    record: () => recordText(record, view, parts.bindingOf),
    signal,
    settled,
    pause: () => pause.abort(),
  };
  const keeper = stoppable(createKeeper(keep, { ...facts, id, origin }, progress, earlier?.driver));
  const isPaused = (outcome: RunOutcome): boolean => pause.signal.aborted && !stop.signal.aborted && !isWhole(outcome);
  return {
    proxy,
    journal,
    engine: { origin, log, signal, engine: facts.engine as EarlierRun["engine"] },
    paused: (outcome) => (isPaused(outcome) ? { paused: id, text: textOf(id, keeper, parts.address) } : undefined),
    stoppedText,
    hasDiverged: (outcome) =>
      earlier !== undefined && isWhole(outcome) && (journal.hasDiverged() || journal.left() > 0),
    async end(outcome, answer) {
      watch.end();
      const isDiverged = earlier !== undefined && journal.hasDiverged();
      const isStopped = stop.signal.aborted;
      const { isJob } = parts;
      const ending = endingOf(outcome, answer, { isDiverged, isPaused: isPaused(outcome), isStopped, isJob });
      await keeper.end(ending);
      return ending.halted === undefined ? answer : { ...answer, halted: ending.halted };
    },
  };
}

const hooksOf = (keeper: () => Keeper, given: Pick<RunHooks, "isNested">): RunHooks => ({
  ...given,
  keepMs: RUN_KEEP_MS,
  beforeWrite: () => keeper().beforeWrite(),
  begin: (key) => keeper().begin(key),
  wasAsked: (key) => keeper().wasAsked(key),
  permit: (asked) => keeper().permit(asked),
  outcomeUnknown: (asked) => keeper().outcomeUnknown(asked),
});

/** A namespace, and whether the code that calls it makes no further call before one is answered. */
function followed(namespace: Namespace) {
  let settled: HostCall["settled"];
  const call = (one: HostCall): Promise<Value> => {
    settled = one.settled;
    return namespace.call(one);
  };
  return { namespace: { ...namespace, call }, settled: async () => settled?.() };
}

const textOf = (id: string, { waiting }: Pick<Keeper, "waiting">, address: string | undefined): string =>
  pausedText(
    id,
    waiting.map((one) => ({ ...one, call: placeOf(one) })),
    address,
  );

/** Ends a program whose run is stopped. */
function stopping(keep: KeepParts, id: string, isStored: boolean) {
  const stop = new AbortController();
  const watch = watchStop(keep, id, (text) => stop.abort(text));
  if (isStored) watch.begin();
  const unlessStopped = async <T>(step: () => Promise<T>): Promise<T> => {
    watch.begin();
    try {
      return await step();
    } catch (error) {
      // The row has refused the write: the program ends before it hears of that.
      if (isToolFailure(error) && error.code === "CONFLICT") await watch.look();
      throw error;
    }
  };
  const stoppable = (keeper: Keeper): Keeper => ({
    ...keeper,
    beforeWrite: () => unlessStopped(keeper.beforeWrite),
    permit: (asked) => unlessStopped(() => keeper.permit(asked)),
    outcomeUnknown: (asked) => unlessStopped(() => keeper.outcomeUnknown(asked)),
  });
  const stoppedText = async (): Promise<string | undefined> => {
    await watch.lookAgain();
    return stop.signal.aborted ? String(stop.signal.reason) : undefined;
  };
  return { stop, watch, stoppable, stoppedText };
}

interface Manner {
  readonly isStopped: boolean;
  readonly isDiverged: boolean;
  readonly isPaused: boolean;
  readonly isJob: boolean | undefined;
}

/** How a run ends. A job that ends with its server leaves the run to another one. */
function endingOf(
  outcome: RunOutcome,
  { text, isError }: RunReport,
  { isDiverged, isPaused, isStopped, isJob }: Manner,
): Ending {
  // Its row has ended already.
  if (isStopped) return { status: "failed", text };
  if (isDiverged) return { status: "interrupted", text, halted: "diverged" };
  if (isWhole(outcome)) return { status: isError ? "failed" : "done", text };
  if (isPaused) return { status: "interrupted", text };
  if (!outcome.ok && outcome.kind === "crashed") return { status: "interrupted", text, halted: "crashed" };
  return { status: "interrupted", text, halted: isJob ? undefined : "cancelled" };
}

const STALE = "Next: restore it and resume again, or toolwright runs drop";

function whyStale({ facts, view, bindingOf }: KeptRunParts, earlier: EarlierRun): string | undefined {
  const changed = changedOps(earlier, view, bindingOf);
  if (changed.length > 0) return `${changed.join(", ")} changed`;
  return facts.codeHash === earlier.codeHash ? undefined : "the code reads differently";
}

/** Whether the program itself ended: it was not cancelled, nor did its interpreter stop. */
const isWhole = (outcome: RunOutcome): boolean =>
  outcome.ok || (outcome.kind !== "cancelled" && outcome.kind !== "crashed");
