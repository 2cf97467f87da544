/** `run(command)`: passes code through all steps, in order. The steps' own logic is in other modules. */

import { boundedBy, type KeyCheck, refuseKey, whileLive } from "../access/admission.js";
import { withFormerIds } from "../access/former-keys.js";
import type { Keys } from "../access/keys.js";
import { type CallOptions, type Dispatch, inheritedOptions } from "../call/call.js";
import type { AnswerSeal } from "../call/stored-answer.js";
import { canCall } from "../catalog/advice.js";
import type { Project } from "../catalog/project.js";
import type { Limits } from "../config/run-settings.js";
import { sharingCaller } from "../contract/capabilities.js";
import { approvalPatterns } from "../contract/grant.js";
import { isToolFailure, type Logger, type Principal } from "../contract/handler.js";
import { newTraceId } from "../contract/ids.js";
import { jsonSize } from "../contract/json-size.js";
import type { Recorder } from "../contract/recorder.js";
import { scrub } from "../contract/scrub.js";
import { stackOf } from "../contract/thrown.js";
import { countTurn } from "../metrics/operations.js";
import type { LazyState } from "../state/open.js";
import type { CheckAnswer } from "./checked-code.js";
import { busyText, type ConcurrencyLimit, concurrencyLimit } from "./concurrency-limit.js";
import type { RunOrigin } from "./engine/delivery-log.js";
import { faultText } from "./error-text.js";
import { type TextFault, textFault, withNext } from "./fault.js";
import { doneSoFar, finalAnswer } from "./final-answer.js";
import type { AfterRun } from "./kept/after-calls.js";
import { readAfter } from "./kept/after-table.js";
import { carryOn, type HaltedReport, type ResumeOptions } from "./kept/carry-on.js";
import { newOrigin, type OpenRun, openKeptRun } from "./kept/kept-run.js";
import { runSeal } from "./kept/log-text.js";
import { noticesOf } from "./kept/notices.js";
import type { RunTimes } from "./kept/plan-held.js";
import type { EarlierRun } from "./kept/resume.js";
import type { Interpreter, Program } from "./languages/language.js";
import type { OpenLanguage, OpenLanguages } from "./languages/table.js";
import { ownerOf } from "./owner.js";
import type { Previewed, PreviewParts } from "./preview/preview-run.js";
import { programSource } from "./program-source.js";
import { asksForPreview, fieldNote, readCommand, readDemand } from "./read-command.js";
import type { ResultStore } from "./results.js";
import {
  type MadeAnswer,
  type RunReport,
  ranOn,
  runSpanFields,
  spanEndOf,
  spanFailure,
  withNote,
} from "./run-answer.js";
import { runProgress } from "./run-progress.js";
import type { Tools } from "./tool-loader.js";
import { type Visible, visibleOf } from "./visible.js";

/** How a program is run. */
export interface ProgramOptions extends CallOptions {
  /** Only says what it would write; allowed whatever `expose.run_preview` says. */
  readonly isPreview?: true;
}

/** How code is checked. */
interface CheckOptions {
  /** The language of a file. */
  readonly language?: string | undefined;
  readonly limitMs?: number | undefined;
}

/** Runs code of one project. */
export interface Runner extends Visible {
  /** Never rejects, whatever the request contains. */
  run(request: unknown, principal: Principal, options?: ProgramOptions): Promise<RunReport>;
  /**
   * Goes on with a run whose server has ended, or whose calls were decided, for the caller who began it; a run that has
   * ended answers again. Never rejects.
   *
   * @param caller - only runs of this caller, with the same permission; absent: any
   */
  resume(id: string, caller: Principal | undefined, options?: ResumeOptions): Promise<RunReport>;
  /** Checks the types of code without running it. */
  check(command: string, principal: Principal, options?: CheckOptions): Promise<CheckAnswer>;
  /** Declarations of what programs of a caller may use; undefined if no language of the project has any. */
  types(principal: Principal): Promise<string | undefined>;
}

/** Dependencies of a runner. */
export interface RunnerParts {
  readonly project: Project;
  readonly dispatch: Pick<Dispatch, "dispatch" | "index" | "inSpan">;
  /** `list`: to find the keys that a key has replaced. */
  readonly keys: KeyCheck & Partial<Pick<Keys, "list">>;
  readonly clock: () => number;
  readonly state: Pick<LazyState, "get">;
  readonly log: Logger;
  /** Closed by their creator. */
  readonly languages: OpenLanguages;
  /** Limits concurrent runs. */
  readonly gate: ConcurrencyLimit;
  /** Where large results are kept. */
  readonly results: ResultStore;
  /** Opens the answers of the ledger; absent: they are in clear. */
  readonly answerSeal?: AnswerSeal | undefined;
  /** Absent if statistics are switched off. */
  readonly recorder?: Recorder | undefined;
}

/** Services that all runs share. */
interface Services extends RunnerParts, Visible {}

/** Makes the runner of a gateway. Starts nothing before the first run. */
export function createRunner(parts: RunnerParts, visible: Visible = visibleOf(parts)): Runner {
  const services: Services = { ...parts, ...visible };
  return {
    run: (request, principal, options = {}) => recordedRun(services, request, principal, options),
    resume: async (id, caller, options = {}) => {
      const lasting = caller && (await withFormerIds(services.keys, caller));
      return carryOn(services, id, lasting, options, (command, principal, given) =>
        recordedRun(services, { command }, principal, given),
      );
    },
    check: (command, principal, options) => checkAnswer(services, command, principal, options),
    types: (principal) => typesOf(services, principal),
    ...visible,
  };
}

const refusal = (fault: TextFault): MadeAnswer => ({ text: faultText(fault), isError: true, calls: 0, failure: fault });

/** Records every run and gives it a span, including runs that never started. */
async function recordedRun(
  services: Services,
  request: unknown,
  principal: Principal,
  options: RunOptions,
): Promise<HaltedReport> {
  const started = performance.now();
  const trace_id = newTraceId();
  const isOffered = services.project.settings.run.preview !== "never";
  const isPreview = options.isPreview === true || (isOffered && asksForPreview(request) === true);
  const span = { name: "run", traceId: trace_id, principal, parent: options.span, isRun: true } as const;
  const made = await services.dispatch.inSpan(
    span,
    (own) => admitted(services, request, principal, { ...options, span: own }, trace_id),
    spanEndOf,
  );
  const { calls, failure: _, fields: __, language, isRefused, ...rest } = made;
  const answer = withNote(rest, fieldNote(request));
  if (isPreview) return answer;
  services.recorder?.run({
    at: services.clock(),
    // A pause is no failure.
    ...(answer.isError && answer.paused === undefined ? { code: "FAILED" } : {}),
    ms: performance.now() - started,
    chars_in: jsonSize(request),
    chars_out: answer.text.length,
    ...{ calls, language, isRefused },
    trace_id,
    caller: principal.id,
    client: options.client ?? "",
  });
  if (calls > 1) services.recorder?.add("extra_calls", calls - 1);
  return answer;
}

/** Refuses callers without a live key, and ends the run when the key dies. */
async function admitted(
  services: Services,
  request: unknown,
  principal: Principal,
  options: RunOptions,
  traceId: string,
): Promise<MadeAnswer> {
  try {
    const keys = boundedBy(services.keys, () => services.project.settings.run.limits.wallMs);
    return await whileLive(keys, principal, options.signal, async (signal) => {
      const made = await queued(services, request, principal, { ...options, signal }, traceId);
      return made.isError && signal?.aborted && !options.signal?.aborted ? refuseKey() : made;
    });
  } catch (error) {
    if (!isToolFailure(error)) return ownFault(traceId, error);
    const halted = error.code === "UNAUTHENTICATED" ? { halted: "refused" as const } : {};
    return { ...refusal(textFault(error.code, error.message)), ...halted };
  }
}

async function queued(
  services: Services,
  request: unknown,
  principal: Principal,
  given: RunOptions,
  traceId: string,
): Promise<MadeAnswer> {
  const { runs, queue, preview } = services.project.settings.run;
  const demand = readDemand(request, preview !== "never", services.languages.label);
  if (demand.kind === "fault") return refusal(demand);
  const { after, language } = demand;
  const opened = await services.languages.forCommand(demand.command, language);
  if ("kind" in opened) return refusal(opened);
  const { command } = opened;
  const options = { ...given, after, language, ...(demand.isPreview ? { isPreview: true as const } : {}) };
  // It is within the turn of the program that resumes it.
  if (options.run) return runCode(services, command, principal, { ...options, progress: undefined });
  // One key cannot use all concurrent runs, nor fill the queue.
  const caller = sharingCaller(principal);
  if (!services.gate.hasRoom(queue, caller)) {
    const busy = busyText(services.gate, caller, { runs, queue, noun: ["run", "runs"] });
    return refusal(textFault("BusyError", busy, "Next: send the code again later"));
  }
  const progress = runProgress(options);
  try {
    const turn = countTurn(() => runCode(services, command, principal, { ...options, progress: progress?.report }));
    return await services.gate.pass(turn.work, options.signal, caller).finally(turn.end);
  } catch (error) {
    if (options.signal?.aborted) return refusal(textFault("CancelledError", "the client cancelled the run"));
    return ownFault(traceId, error);
  } finally {
    progress?.end();
  }
}

function ownFault(traceId: string, error: unknown): MadeAnswer {
  const stack = scrub(stackOf(error));
  const answer = refusal(textFault("EngineError", `the run failed; see the log under ${traceId}`));
  return { ...answer, failure: { type: "EngineError", isOurs: true, message: scrub(String(error)), stack } };
}

const MEND = "Next: correct `aliases` in toolwright.yaml";

/** What a run is given; `earlier` if it goes on with a run that another process began. */
interface RunOptions extends ResumeOptions, ProgramOptions {
  readonly earlier?: EarlierRun;
  /** The id of the failed run after which its program goes on. */
  readonly after?: string | undefined;
  /** The language that the request names. */
  readonly language?: string | undefined;
}

async function runCode(
  services: Services,
  command: string,
  principal: Principal,
  options: RunOptions,
): Promise<MadeAnswer> {
  const opened = await services.languages.forCommand(command);
  if ("kind" in opened) return refusal(opened);
  return {
    language: opened.language.name,
    ...(await runOn(services, opened, command, principal, options)),
  };
}

async function runOn(
  services: Services,
  reader: OpenLanguage,
  command: string,
  principal: Principal,
  options: RunOptions,
): Promise<MadeAnswer> {
  const tools = services.loader.toolsFor(principal);
  const { signal, language: asked } = options;
  const ready = await readyCode(services, reader, { command, principal, tools, signal, asked });
  if (ready.kind === "fault") return { ...refusal(ready), isRefused: true, halted: "stale" };
  const { circle } = services.loader;
  if (circle) return refusal(textFault("ConfigurationError", `aliases lead in a circle: ${circle.join(", ")}`, MEND));
  const { program, limits } = ready;
  const language = program.language.name;
  // That of a snippet may be another one than that of its call.
  const { interpreter: engine } = await services.languages.named(language);
  await engine.ready();
  const after = options.after === undefined ? undefined : await failedRun(services, options.after, principal);
  if (after && "kind" in after) return refusal(after);
  const started = { command, principal, tools, program, options, engine, after };
  if (options.isPreview) return previewed(services, started, limits);
  const run = openRun(services, started, limits);
  if ("kind" in run) return { ...refusal(run), halted: "stale" };
  const { proxy, journal } = run;
  const printed: string[] = [];
  const { namespace } = journal;
  const onPrint = (text: string): void => void printed.push(text);
  const outcome = await engine
    .run({ owner: ownerOf(principal), code: program.code, namespace, limits, onPrint, ...run.engine })
    .finally(journal.close);
  const { textWithoutBytes } = options;
  const findings = () => findingsOf(services, engine, { ...started, signal });
  const misread = () => services.languages.misread(command, language, asked);
  const ended = { services, ...started, run, printed: printed.join(""), textWithoutBytes, findings, misread };
  const interruption = await run.interruption(outcome, (counts) => doneSoFar(ended, counts));
  if (interruption) {
    const { fault, ...told } = interruption;
    return run.end(outcome, { ...refusal(fault), ...told });
  }
  const missing = run.missingText();
  const final = await finalAnswer(ended, outcome);
  const answer = missing === undefined ? final : { ...final, text: `${final.text}\n${missing}` };
  return run.end(outcome, {
    ...answer,
    language,
    calls: [...proxy.calls.values()].reduce((sum, one) => sum + one, 0),
    fields: runSpanFields(outcome, proxy),
    ranOn: ranOn(outcome),
    ...(!outcome.ok && outcome.kind === "syntax" ? { isRefused: true as const } : {}),
    ...spanFailure(outcome, answer.isError),
  });
}

/** The failed run after which a program of its caller goes on; or why none can. */
async function failedRun(services: Services, id: string, principal: Principal): Promise<AfterRun | TextFault> {
  const { state, keys, clock, answerSeal, dispatch } = services;
  const caller = await withFormerIds(keys, principal);
  const open = await state.get();
  const parts = {
    seal: await runSeal(open),
    answerSeal,
    now: clock(),
    can: canCall(dispatch.index.view(principal.grant)),
  };
  return open.transaction("read", (tx) => readAfter(tx, id, caller, parts));
}

/** Previews a program. */
async function previewOf(
  services: Services,
  started: Started,
  given: Pick<PreviewParts, "limits" | "origin" | "times">,
): Promise<Previewed | TextFault> {
  const { previewRun } = await import("./preview/preview-run.js");
  const { program, engine, principal, options, after } = started;
  const view = services.dispatch.index.view(principal.grant);
  return previewRun({
    ...given,
    ...{ state: services.state, engine, program, after: after ?? options.earlier?.after },
    proxyParts: proxyPartsOf(services, started),
    signal: options.signal,
    isOp: (path) => view.exact(path) !== undefined,
  });
}

/** The plan of a program, as the answer to its run. */
async function previewed(services: Services, started: Started, limits: Limits): Promise<MadeAnswer> {
  const { planText } = await import("./preview/plan-text.js");
  const made = await previewOf(services, started, { limits, origin: started.after?.origin ?? newOrigin() });
  if ("kind" in made) return refusal(made);
  const { plan } = made;
  return { text: planText(plan), isError: plan.error !== undefined, plan, calls: 0 };
}

const NO_ANSWER =
  "The check gave no answer in time, so nothing is known of this code. Check it again, or a part of it.";

async function checkAnswer(
  services: Services,
  command: string,
  principal: Principal,
  { language, limitMs }: CheckOptions = {},
): Promise<CheckAnswer> {
  const tools = services.loader.toolsFor(principal);
  const opened = await services.languages.forCommand(command, language);
  if ("kind" in opened) return { kind: "fault", text: faultText(opened) };
  const ready = await readyCode(services, opened, { command: opened.command, principal, tools, asked: language });
  if (ready.kind === "fault") return { kind: "fault", text: faultText(ready) };
  const { program } = ready;
  const { interpreter } = await services.languages.named(program.language.name);
  const findings = await findingsOf(services, interpreter, { program, tools, principal, limitMs });
  if (!findings) return { kind: "fault", text: (await interpreter.whyUnchecked()) ?? NO_ANSWER };
  const lines = findings.length === 0 ? [] : program.source.split("\n");
  return { kind: "checked", findings: findings.map((one) => ({ ...one, code: lines[one.line - 1]?.trim() ?? "" })) };
}

async function typesOf({ languages, loader }: Services, principal: Principal): Promise<string | undefined> {
  for (const name of languages.names) {
    const { interpreter } = await languages.named(name);
    if (interpreter.types) return interpreter.types(loader.toolsFor(principal));
  }
  return undefined;
}

/** The caller whose code is read, and the cancellation. */
interface Asked {
  readonly principal: Principal;
  readonly tools: Tools;
  readonly signal?: AbortSignal | undefined;
}

interface ToCheck extends Asked {
  readonly program: Program;
  readonly limitMs?: number | undefined;
}

/** Undefined if the checker gives no answer. */
function findingsOf({ project }: Services, interpreter: Interpreter, asked: ToCheck) {
  const { program, tools, principal, signal, limitMs } = asked;
  const bounds = { limits: project.settings.run.limits, signal, caller: sharingCaller(principal) };
  return interpreter.check(program, tools, bounds, limitMs);
}

/** Reads a command: wrapping, snippets, names and result. */
async function readyCode(
  services: Services,
  { interpreter: reader, language }: OpenLanguage,
  { command, principal, tools, signal, asked }: Asked & { command: string; asked: string | undefined },
) {
  const { codeBytes, allLanguages, limits } = services.project.settings.run;
  const snippets = await services.snippets(principal);
  const bounds = { signal, caller: sharingCaller(principal) };
  const { languages } = services;
  const ready = await readCommand({
    command,
    reader,
    tools,
    snippets,
    languages,
    codeBytes,
    allLanguages,
    limits,
    bounds,
  });
  if (ready.kind !== "fault" || !MISREAD.has(ready.type)) return ready;
  const misread = await languages.misread(command, language.name, asked);
  return misread ? withNext(ready, misread.advice) : ready;
}

/** Faults of code that may be in another language. */
const MISREAD: ReadonlySet<string> = new Set(["SyntaxError", "ReferenceError"]);

/** A run with its caller and tools. */
interface Started {
  readonly command: string;
  readonly principal: Principal;
  readonly tools: Tools;
  readonly program: Program;
  readonly options: RunOptions;
  readonly engine: Interpreter;
  /** The failed run after which it goes on. */
  readonly after: AfterRun | undefined;
}

/** Opens the calls of a run and what keeps them; or says why an earlier run cannot go on. */
function openRun(services: Services, started: Started, limits: Limits): OpenRun | TextFault {
  const { command, principal, program, options, engine, after } = started;
  const { settings } = services.project;
  const proxyParts = proxyPartsOf(services, started);
  const view = services.dispatch.index.view(principal.grant);
  const facts = { command, principal, engine: engine.engine, codeHash: program.codeHash() };
  const { isJob, signal } = options;
  const more = { address: settings.http.publicUrl?.href, ...(signal ? { signal } : {}) };
  const keep = { ...services, notices: noticesOf(settings) };
  const { bindingOf, ops } = settings;
  const preview = (origin: RunOrigin, times: RunTimes) => previewOf(services, started, { limits, origin, times });
  // Without rules, no write needs a plan because of them.
  const hasRules = settings.approvals.length > 0 || approvalPatterns(principal.grant).length > 0;
  const isFree = settings.run.preview === "writes" && !hasRules;
  const planning = { previewing: isFree ? ("never" as const) : settings.run.preview, preview };
  const parts = { keep, facts, proxyParts, view, isJob, bindingOf, ops, after, ...planning, ...more };
  return openKeptRun({ ...parts, program: programSource(program) }, options.earlier);
}

/** What the calls of a program are made with. */
function proxyPartsOf(services: Services, { principal, tools, program, options }: Started) {
  const { settings } = services.project;
  return {
    dispatch: services.dispatch,
    principal,
    options: { ...inheritedOptions(options), progress: options.progress },
    texts: program.language.texts,
    ambiguous: program.ambiguous,
    packs: tools.packsFor(program.code),
    hidden: tools.hidden,
    projects: tools.projects,
    gate: concurrencyLimit(settings.parallelCalls),
    limitMs: (op: string) => settings.ops.get(op)?.deadline_ms ?? settings.callTimeoutMs,
  };
}
