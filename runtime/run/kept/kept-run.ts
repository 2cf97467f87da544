/** A run with what keeps it: its calls, their order, and its origin, so that it can be carried on elsewhere. */

import { randomBytes } from "node:crypto";
import type { RunHooks } from "../../call/call.js";
import type { RegistryView } from "../../catalog/registry.js";
import type { BindingOf } from "../../config/op-bindings.js";
import type { PreviewSetting } from "../../config/run-settings.js";
import { newRunId } from "../../contract/ids.js";
import { type DeliveryLog, type RunOrigin, timedLog } from "../engine/delivery-log.js";
import type { RunOutcome, RunRequest } from "../engine/engine.js";
import { type Journal, openJournal } from "../engine/journal.js";
import { type TextFault, textFault } from "../fault.js";
import { createPackProxy, newRecord, type PackProxy, type ProxyParts } from "../pack-proxy.js";
import type { RunReport } from "../run-answer.js";
import type { KeepParts } from "./asking.js";
import { createKeeper, type Ending, type Keeper, type RunFacts } from "./keeper.js";
import { pausedText } from "./paused-text.js";
import { missingText } from "./permits.js";
import { createPlanning, type Planning, type PreviewedRun } from "./planning.js";
import { changedOps, type EarlierRun, recordText } from "./resume.js";
import { type Halt, RUN_KEEP_MS } from "./run-table.js";

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
  /** Which programs wait with their plans. */
  readonly previewing: PreviewSetting;
  /**
   * Previews the program.
   *
   * @param times that it has read so far
   */
  preview(origin: RunOrigin, times: readonly number[]): Promise<PreviewedRun | TextFault>;
}

/** A run that an engine can carry out. */
export interface OpenRun {
  readonly proxy: PackProxy;
  readonly journal: Journal;
  /** What the engine needs to compute the same again. */
  readonly engine: Required<Pick<RunRequest, "origin" | "log" | "signal">> & { readonly engine: EarlierRun["engine"] };
  /** What the caller is told if the program has paused. */
  pausedText(outcome: RunOutcome): string | undefined;
  /** A warning about writes that were planned and not made; undefined if there is none. */
  missingText(): string | undefined;
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

/** The seed and the start of a new program. */
export const newOrigin = (): RunOrigin => ({ seed: randomBytes(32).toString("hex"), startedAt: Date.now() });

/** Opens a run, a new one or one that goes on; or says why it cannot go on. */
export function openKeptRun(parts: KeptRunParts, earlier?: EarlierRun): OpenRun | TextFault {
  const changed = earlier && whyStale(parts, earlier);
  if (changed !== undefined) return textFault("RuntimeError", `${changed} since the run began`, STALE);
  const { proxyParts, facts, view, keep } = parts;
  const id = earlier?.driver.id ?? newRunId();
  const origin = earlier?.origin ?? newOrigin();
  const record = earlier?.record ?? newRecord();
  // The proxy asks the keeper at the first write, which is after both are made.
  const isNested = proxyParts.options.run !== undefined;
  const isPlanned = earlier?.planned !== undefined || parts.previewing !== "never";
  const options = { ...proxyParts.options, run: hooksOf(() => keeper, { isNested, isPlanned, seed: origin.seed }) };
  const proxy = createPackProxy({ ...proxyParts, options, record, keyPrefix: `${id}:` });
  const pause = new AbortController();
  const signal = parts.signal ? AbortSignal.any([parts.signal, pause.signal]) : pause.signal;
  const journal = openJournal({ namespace: proxy.namespace, signal }, earlier?.calls);
  const log = timedLog(earlier?.deliveries, earlier?.planned?.plan.times);
  const planning = planningOf(parts, origin, log, earlier);
  const progress = {
    ...{ journal, planning },
    deliveries: log,
    record: () => recordText(record, view, parts.bindingOf),
    signal,
    pause: () => pause.abort(),
  };
  const keeper = createKeeper(keep, { ...facts, id, origin }, progress, earlier?.driver);
  const isPaused = (outcome: RunOutcome): boolean => pause.signal.aborted && !isWhole(outcome);
  return {
    proxy,
    journal,
    engine: { origin, log, signal, engine: facts.engine as EarlierRun["engine"] },
    missingText: () => missingText(planning?.known()),
    pausedText: (outcome) => (isPaused(outcome) ? pausedText(id, keeper.waiting, parts.address) : undefined),
    hasDiverged: (outcome) =>
      earlier !== undefined && isWhole(outcome) && (journal.hasDiverged() || journal.left() > 0),
    async end(outcome, answer) {
      const isDiverged = earlier !== undefined && journal.hasDiverged();
      const ending = endingOf(outcome, answer, { isDiverged, isPaused: isPaused(outcome), isJob: parts.isJob });
      await keeper.end(ending);
      return ending.halted === undefined ? answer : { ...answer, halted: ending.halted };
    },
  };
}

/** The plan of a run: of a new one, of one that is held to it, or of one that has not written yet. */
function planningOf(
  { previewing: setting, preview, view }: KeptRunParts,
  origin: RunOrigin,
  log: DeliveryLog,
  earlier: EarlierRun | undefined,
): Planning | undefined {
  const isWrite = (op: string): boolean => view.exact(op)?.kind === "write";
  return createPlanning({
    setting,
    preview: () =>
      preview(
        origin,
        log.deliveries.map(({ now }) => now),
      ),
    stored: earlier?.planned,
    hasWritten: earlier?.calls.some(({ op, answer }) => answer !== undefined && isWrite(op)) ?? false,
  });
}

const hooksOf = (keeper: () => Keeper, given: Pick<RunHooks, "isNested" | "seed" | "isPlanned">): RunHooks => ({
  ...given,
  answered: (call, result) => keeper().answered?.(call, result),
  keepMs: RUN_KEEP_MS,
  beforeWrite: () => keeper().beforeWrite(),
  begin: (key) => keeper().begin(key),
  wasAsked: (key) => keeper().wasAsked(key),
  permit: (asked) => keeper().permit(asked),
  outcomeUnknown: (asked) => keeper().outcomeUnknown(asked),
});

interface Manner {
  readonly isDiverged: boolean;
  readonly isPaused: boolean;
  readonly isJob: boolean | undefined;
}

/** How a run ends. A job that ends with its server leaves the run to another one. */
function endingOf(outcome: RunOutcome, { text, isError }: RunReport, { isDiverged, isPaused, isJob }: Manner): Ending {
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
