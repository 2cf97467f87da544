/**
 * Answers `run`. When the program waits for a person, the answer names the calls and what to do; a client that can ask
 * its user is asked: in the older protocols during the call, in the newer one by the answer, which it repeats with its
 * responses and the state of the run. What is true is in the database: a state only says which questions were asked.
 */

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallOptions } from "../call/call.js";
import type { InputRequired } from "../call/client-access.js";
import { isObject } from "../contract/json.js";
import type { JsonObject } from "../contract/registry.js";
import { type PausedRun, pausedObject } from "../gateway/caller-runs.js";
import type { PausedFacts } from "../run/kept/paused-text.js";
import type { RunReport } from "../run/run-answer.js";
import { growingReport } from "../run/run-progress.js";
import type { GatewayToolAnswer, GatewayToolCall } from "./gateway-tool-call.js";
import { PATIENCE_MS } from "./mcp/client-capabilities.js";
import { type Answers, decisionsIn, isForClient, opensPage, type Question, questionsOf } from "./run-questions.js";
import { takesTasks, taskOf } from "./task.js";

/** How long a client of the older protocols is asked: with forms, and with the page only. Many end a call after 60 s. */
const FORM_MS = 300_000;
const PAGE_MS = 30_000;
/** How long a call waits for a decision after its user has opened the page, and for a server that works on the run. */
const DECISION_MS = 20_000;
const BUSY_MS = 45_000;
const LOOK_MS = 500;
const BEAT_MS = 1000;
/** Times that a client is asked in one call: clients give up after as many. */
const MAX_ROUNDS = 10;

/** How far a run has come: it has answered, or it waits; `isStill`: for what the client was asked before. */
type Step = { readonly report: RunReport } | { readonly paused: PausedRun; readonly isStill: boolean };

interface Asking extends Pick<GatewayToolCall, "gateway" | "principal"> {
  readonly hooks: CallOptions;
}

/** Answers a call of `run`, or goes on with the run that it has begun. */
export async function answerRun(call: GatewayToolCall): Promise<GatewayToolAnswer> {
  const { gateway, principal, input } = call;
  const { inputRequired } = call.single;
  const asking: Asking = { gateway, principal, hooks: steady(call.hooks) };
  const { inputResponses, requestState } = inputRequired?.given ?? {};
  if (inputResponses === undefined && requestState === undefined) {
    const step = await stepOf(asking, await gateway.run(input, principal, asking.hooks));
    if (!inputRequired) return askedDirectly(asking, step);
    return (await asTask(asking, step, inputRequired)) ?? askedByAnswer(asking, step, inputRequired, 1);
  }
  const state = stateIn(requestState);
  // Without its state, a call would begin the program again.
  if (!state || !(await gateway.callerRuns.useUp(state.nonce, PATIENCE_MS, principal))) {
    inputRequired?.end({ kind: "refused" });
    return { value: "", isError: true };
  }
  const answers = isObject(inputResponses) ? inputResponses : undefined;
  const step = await goOn(asking, { id: state.run_id, facts: state.facts }, state.approval_ids, answers ?? {});
  if ("report" in step || !step.isStill || !answers) return askedByAnswer(asking, step, inputRequired, state.round + 1);
  return pausedAnswer(asking, step.paused);
}

/** Seconds since the call began, whichever part of it reports them: progress only grows. */
const steady = (hooks: CallOptions): CallOptions =>
  hooks.progress ? { ...hooks, progress: growingReport(hooks.progress) } : hooks;

async function stepOf({ gateway, principal }: Asking, report: RunReport): Promise<Step> {
  // Without the database, the text of the report says all that is known.
  const find = (id: string) => gateway.callerRuns.paused(id, principal, report.pausedFacts).catch(() => undefined);
  const paused = report.paused === undefined ? undefined : await find(report.paused);
  return paused ? { paused, isStill: false } : { report };
}

/** Decides what the answers of a client decide, and goes on with the run when nothing waits any more. */
async function goOn(
  asking: Asking,
  { id, facts }: Pick<PausedRun, "id" | "facts">,
  asked: readonly string[],
  answers: Answers,
): Promise<Step> {
  const { gateway, principal, hooks } = asking;
  const { callerRuns } = gateway;
  const before = await callerRuns.paused(id, principal);
  if (before) await callerRuns.decide(id, answersOf(before, asked, answers), principal);
  const paused = await whileItWaits(asking, { id, facts }, opensPage(answers) ? DECISION_MS : 0);
  if (paused) return { paused, isStill: paused.waiting.some((call) => asked.includes(call.id)) };
  return afterPause(await stepOf(asking, await gateway.resume(id, principal, { ...hooks, waitMs: BUSY_MS })), facts);
}

/** A step with the notes that were made before the pause that it follows. */
function afterPause(step: Step, before: PausedFacts | undefined): Step {
  const notes = before?.notes;
  if (notes === undefined) return step;
  const withNotes = <T extends Pick<PausedFacts, "notes">>(one: T): T => ({
    ...one,
    notes: one.notes === undefined ? notes : `${notes}\n${one.notes}`,
  });
  if ("report" in step) return { report: withNotes(step.report) };
  return { ...step, paused: { ...step.paused, facts: withNotes(step.paused.facts ?? {}) } };
}

/** What the answers of a client decide about calls that it was asked about in forms. */
export const answersOf = ({ waiting }: PausedRun, asked: readonly string[], answers: Answers) =>
  decisionsIn(
    answers,
    waiting.filter((call) => asked.includes(call.id) && isForClient(call)).map(({ id }) => id),
  );

/** Answers with a task, if the run waits and the client takes tasks. */
async function asTask(asking: Asking, step: Step, inputRequired: InputRequired) {
  const { gateway, principal } = asking;
  if ("report" in step || !takesTasks(inputRequired.capabilities)) return undefined;
  const run = await gateway.callerRuns.find(step.paused.id, principal);
  if (!run) return undefined;
  inputRequired.end({ kind: "task", task: taskOf(run, step.paused, step.paused.can) });
  return pausedAnswer(asking, step.paused);
}

/** Waits at most a while for the decisions about a run; what waits then. */
async function whileItWaits(
  { gateway, principal, hooks }: Asking,
  { id, facts }: Pick<PausedRun, "id" | "facts">,
  ms: number,
) {
  const end = performance.now() + ms;
  for (;;) {
    const paused = await gateway.callerRuns.paused(id, principal, facts);
    if (!paused || performance.now() >= end || hooks.signal?.aborted) return paused;
    hooks.progress?.(0);
    await sleep(LOOK_MS, undefined, hooks.signal ? { signal: hooks.signal } : {}).catch(() => undefined);
  }
}

/**
 * Asks a client of the newer protocol by the answer.
 *
 * @param round - how often it is asked in this call, from 1
 */
function askedByAnswer(
  asking: Asking,
  step: Step,
  inputRequired: InputRequired | undefined,
  round: number,
): GatewayToolAnswer {
  if ("report" in step) return reportAnswer(step.report);
  const { paused } = step;
  const questions = round > MAX_ROUNDS ? [] : questionsOf(paused, inputRequired);
  const { id: run_id, facts } = paused;
  const state: RunState = { run_id, approval_ids: questionIds(paused), nonce: randomUUID(), round, facts };
  if (questions.length > 0)
    inputRequired?.end({
      kind: "asks",
      inputRequests: Object.fromEntries(questions.map(({ key, request }) => [key, request])),
      requestState: JSON.stringify(state),
    });
  return pausedAnswer(asking, paused);
}

/** The ids of the questions about a run. */
export const questionIds = ({ waiting }: PausedRun): readonly string[] => waiting.map(({ id }) => id);

/** What a client of the newer protocol sends back. */
interface RunState {
  readonly run_id: string;
  /** The questions that were asked. */
  readonly approval_ids: readonly string[];
  /** It is good for one call. */
  readonly nonce: string;
  readonly round: number;
  /** What was said of the run. */
  readonly facts?: PausedFacts | undefined;
}

/** The state that a client sends back. It was sealed, so its form is ours. */
const stateIn = (given: unknown): RunState | undefined =>
  typeof given === "string" ? (JSON.parse(given) as RunState) : undefined;

/** Asks a client of the older protocols during the call, as long as it answers. */
async function askedDirectly(asking: Asking, first: Step): Promise<GatewayToolAnswer> {
  let step = first;
  for (let round = 0; round < MAX_ROUNDS && "paused" in step && !step.isStill; round++) {
    const { paused } = step;
    const questions = questionsOf(paused, asking.hooks.forward);
    if (questions.length === 0) break;
    step = await goOn(asking, paused, questionIds(paused), await answersTo(questions, asking.hooks));
  }
  return "report" in step ? reportAnswer(step.report) : pausedAnswer(asking, step.paused);
}

/** Asks one question after the other; one that is refused or not answered in time has no answer. */
async function answersTo(questions: readonly Question[], { forward, signal, progress }: CallOptions): Promise<Answers> {
  const limit = AbortSignal.timeout(questions.some(({ kind }) => kind === "form") ? FORM_MS : PAGE_MS);
  const until = signal ? AbortSignal.any([signal, limit]) : limit;
  const beat = progress && setInterval(() => progress(0), BEAT_MS);
  const answers: Record<string, unknown> = {};
  try {
    for (const { key, kind, request } of questions) {
      if (until.aborted) break;
      const params = kind === "page" ? { ...request.params, elicitationId: randomUUID() } : request.params;
      answers[key] = await forward?.request({ ...request, params }, until).catch(() => undefined);
    }
  } finally {
    clearInterval(beat);
  }
  return answers;
}

const reportAnswer = ({ text, isError, notes, plan }: RunReport): GatewayToolAnswer => ({
  value: text,
  isError,
  ...(notes === undefined ? {} : { notes }),
  ...(plan ? { structured: { plan: plan as unknown as JsonObject } } : {}),
});

/** The answer of a run that waits, as text and as an object. Links of its calls are left out: the text shows none. */
function pausedAnswer({ hooks }: Asking, paused: PausedRun): GatewayToolAnswer {
  const notes = paused.facts?.notes;
  return {
    value: hooks.textWithoutBytes?.(paused.text) ?? paused.text,
    isError: true,
    ...(notes === undefined ? {} : { notes }),
    structured: pausedObject(paused),
  };
}
