/** Previews a program: runs all of it in transactions that are rolled back, and says what it would write. */

import type { RunHooks } from "../../call/call.js";
import type { ApprovalRule } from "../../config/approval-settings.js";
import { isToolFailure } from "../../contract/handler.js";
import { isObject, own } from "../../contract/json.js";
import type { JsonValue } from "../../contract/registry.js";
import { messageOf } from "../../contract/thrown.js";
import type { LazyState } from "../../state/open.js";
import type { Trial } from "../../state/trial.js";
import { type DeliveryLog, type RunOrigin, timedLog } from "../engine/delivery-log.js";
import { type Journal, openJournal } from "../engine/journal.js";
import { type TextFault, textFault } from "../fault.js";
import { type AfterRun, openAfter, seedOfCalls } from "../kept/after-calls.js";
import { createInnerRuns, followInner, type InnerRuns } from "../kept/inner-runs.js";
import { type RunTimes, timesOf } from "../kept/plan-held.js";
import type { Interpreter, Program, RunOutcome, RunRequest } from "../languages/language.js";
import { ownerOf } from "../owner.js";
import { createPackProxy, type ProxyParts } from "../pack-proxy.js";
import { type Exactness, type Plan, planDigest } from "./plan.js";
import { type Assumed, createPreviewRecorder, type PreviewRecorder } from "./recorder.js";

/** What is previewed, and with what. */
export interface PreviewParts {
  readonly state: Pick<LazyState, "get">;
  readonly engine: Pick<Interpreter, "run">;
  readonly program: Program;
  readonly limits: RunRequest["limits"];
  readonly origin: RunOrigin;
  readonly proxyParts: Omit<ProxyParts, "record" | "keyPrefix">;
  readonly signal: AbortSignal | undefined;
  /** The times that the program reads with its first answers; default: none. */
  readonly times?: RunTimes | undefined;
  /** The failed run after which the program goes on. */
  readonly after?: AfterRun | undefined;
  /** Whether a path is that of an op. */
  isOp(path: string): boolean;
}

/** What a preview gives. */
export interface Previewed {
  readonly plan: Plan;
  readonly times: RunTimes;
  /** The rules that ask about its writes. */
  readonly rules: readonly ApprovalRule[];
}

/** The beginning of the keys of its calls, which are stored nowhere. */
const KEY_PREFIX = "preview:";

/** Previews a program; returns why it cannot be, or its plan. */
export async function previewRun(parts: PreviewParts): Promise<Previewed | TextFault> {
  const stop = new AbortController();
  const times = parts.times?.own ?? parts.after?.times;
  const log = timedLog([], (nth) => times?.[nth]);
  const { journal, recorder, inner, end } = beginPreview(parts, log, stop);
  const { engine, program, limits, origin } = parts;
  const { namespace } = journal;
  const signal = parts.signal ? AbortSignal.any([parts.signal, stop.signal]) : stop.signal;
  try {
    const owner = ownerOf(parts.proxyParts.principal);
    const request = { owner, code: program.code, namespace, limits, onPrint: () => undefined };
    const outcome = await engine.run({ ...request, origin, log, signal });
    if (stop.signal.aborted) return refused(stop.signal.reason);
    if (!outcome.ok && outcome.kind === "cancelled") return textFault("CancelledError", "the client cancelled the run");
    return { plan: planOf(parts, recorder, outcome), times: timesOf(log, inner), rules: recorder.rules() };
  } finally {
    await end();
  }
}

const refused = (reason: unknown): TextFault =>
  textFault("PreviewError", messageOf(reason), "Nothing was changed.", "Next: preview a shorter program");

/** The data of a preview: opened by the first call that needs it. */
function openData(state: PreviewParts["state"], stop: AbortController) {
  let opening: Promise<Trial> | undefined;
  let isClosed = false;
  const open = async (): Promise<Trial> => {
    const trial = await (await state.get()).trial();
    trial.signal.addEventListener("abort", () => isClosed || stop.abort(trial.signal.reason), { once: true });
    return trial;
  };
  return {
    async get(): Promise<Trial> {
      opening ??= open().catch((error: unknown) => {
        // The program cannot do anything about it.
        stop.abort(isToolFailure(error) ? error : new Error("the state database cannot be opened"));
        throw error;
      });
      return opening;
    },
    async close() {
      isClosed = true;
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

/** What the code of a preview runs with. */
interface OpenPreview {
  readonly recorder: PreviewRecorder;
  readonly journal: Journal;
  readonly inner: InnerRuns;
  /** Ends its calls, and undoes what they did. */
  end(): Promise<void>;
}

function beginPreview(parts: PreviewParts, log: DeliveryLog, stop: AbortController): OpenPreview {
  const { origin, proxyParts, program, state, signal, times } = parts;
  const recorder = createPreviewRecorder(program.code, (why) => stop.abort(new Error(`the plan is too large: ${why}`)));
  const data = openData(state, stop);
  const after = parts.after && openAfter({ ...parts.after, progress: { ...parts.after.progress, ...NOTHING_TAKEN } });
  const seed = seedOfCalls(origin, after);
  const inner = createInnerRuns({ origin: { ...origin, seed }, log, times: times?.inner });
  const hooks: RunHooks = {
    keepMs: 0,
    isNested: true,
    ...{ seed, earlier: after },
    preview: { ...recorder, data: data.get },
    begin: recorder.begin,
    beforeWrite: async () => undefined,
    wasAsked: () => false,
    permit: async () => undefined,
    outcomeUnknown: never,
  };
  const options = { ...proxyParts.options, attach: undefined, run: followInner(hooks, inner) };
  const proxy = createPackProxy({ ...proxyParts, earlier: after, options, keyPrefix: KEY_PREFIX });
  const ends = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const journal = openJournal({ namespace: proxy.namespace, signal: ends });
  const end = async (): Promise<void> => {
    journal.close();
    await data.close();
  };
  return { recorder, journal, inner, end };
}

/** A preview begins anew. */
const NOTHING_TAKEN = { taken: [], isLive: false, isChanged: false };

const never = (): never => {
  throw new Error("no call of a preview has an unknown outcome");
};

function planOf({ program, isOp }: PreviewParts, recorder: PreviewRecorder, outcome: RunOutcome): Plan {
  const entries = recorder.entries();
  const partialFrom = partialFromOf({ program, isOp }, recorder, outcome);
  const exactness: Exactness =
    partialFrom !== undefined ? "partial" : entries.some((one) => one.is_assumed) ? "assumed" : "exact";
  return {
    entries,
    digest: planDigest(entries),
    exactness,
    ...(partialFrom === undefined ? {} : { partial_from: partialFrom }),
    reads: recorder.calls() - entries.length,
    ...(outcome.ok ? {} : { error: recorder.named(errorText(outcome)) }),
  };
}

const errorText = ({ name, message }: Extract<RunOutcome, { readonly ok: false }>): string =>
  message === "" ? name : `${name}: ${message}`;

/** The number of the first entry that may be another one: what follows an assumed answer that the program looks at. */
function partialFromOf(
  { program, isOp }: Pick<PreviewParts, "program" | "isOp">,
  recorder: PreviewRecorder,
  outcome: RunOutcome,
): number | undefined {
  const { assumed } = recorder;
  const [first] = [...assumed].map(({ place }) => place).sort((a, b) => ordinalOf(a) - ordinalOf(b));
  if (first === undefined) return undefined;
  // Answers within a tool are seen by its code.
  const isDirect = assumed.every(({ place }) => !place.includes("."));
  const opsOf = (some: readonly Assumed[]) => new Set(some.map(({ op }) => op));
  const untracked = opsOf(assumed.filter(({ isTracked }) => !isTracked));
  const has = (op: string, member: string): boolean =>
    assumed.every((one) => one.op !== op || hasMember(one.answer, member.split(".")));
  const isPassedOn = program.forwards(opsOf(assumed), isOp, has) && program.forwards(untracked, () => false, has);
  if (outcome.ok && isDirect && isPassedOn) return undefined;
  return recorder.entries().filter(({ place }) => ordinalOf(place) <= ordinalOf(first)).length + 1;
}

const hasMember = (value: JsonValue | undefined, [name, ...rest]: readonly string[]): boolean =>
  name === undefined ? value !== undefined : isObject(value) && hasMember(own(value, name) as JsonValue, rest);

const ordinalOf = (place: string): number => Number(place.split(".")[0]);
