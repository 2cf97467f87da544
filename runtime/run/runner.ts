/** `run(command)`: passes Python through all steps, in order. The steps' own logic is in other modules. */

import { type KeyCheck, refuseKey, whileLive } from "../access/admission.js";
import { type CallOptions, type Dispatch, inheritedOptions } from "../call/call.js";
import type { SpanFields } from "../call/recent-spans.js";
import type { SpanEnd, SpanFailure } from "../call/span.js";
import type { Project } from "../catalog/project.js";
import { type RegistryView, withoutHiddenNames } from "../catalog/registry.js";
import { isToolFailure, type Principal } from "../contract/handler.js";
import { newTraceId } from "../contract/ids.js";
import { scrub } from "../contract/scrub.js";
import type { Snippet } from "../contract/snippet.js";
import { stackOf } from "../contract/thrown.js";
import { countTurn } from "../metrics/operations.js";
import { jsonSize } from "../stats/recorded.js";
import type { Recorder } from "../stats/recorder.js";
import { type ConcurrencyLimit, concurrencyLimit } from "./concurrency-limit.js";
import type { RunOutcome } from "./engine/engine.js";
import { failureText, faultText, isWorthChecking } from "./error-text.js";
import { type TextFault, textFault } from "./fault.js";
import { type Finished, formatValue, joinReply, withoutNewlines } from "./format.js";
import type { LazyEngines } from "./lazy-engines.js";
import { followAliases } from "./names.js";
import { createPackProxy, type PackProxy } from "./pack-proxy.js";
import { checkableCode, commandOf, readCommand } from "./read-command.js";
import { type ResultStore, replyOf } from "./results.js";
import type { RewrittenCode } from "./rewrite.js";
import { failureOf, fieldsOf, type RunAnswer, type RunReport, ranOn } from "./run-answer.js";
import { isFailureSanitized, isSanitized, newBoundary, redacted } from "./sanitize.js";
import { createToolLoader, type ToolLoader, type Tools } from "./tool-loader.js";
import { type CodeFinding, checkTypes } from "./type-check.js";

/** The result of a type check. */
export type CheckAnswer =
  /** The code could not be read: the text gives the reason. */
  | { readonly kind: "fault"; readonly text: string }
  | { readonly kind: "checked"; readonly findings: readonly CheckedLine[] };

/** A finding with its line of code. */
export interface CheckedLine extends CodeFinding {
  readonly code: string;
}

/** Runs code of one project. */
export interface Runner {
  /** Never rejects, whatever the request contains. */
  run(request: unknown, principal: Principal, options?: CallOptions): Promise<RunReport>;
  /** Checks the types of code without running it. */
  check(command: string, principal: Principal): Promise<CheckAnswer>;
  readonly loader: ToolLoader;
  /** The snippets that the caller may see. */
  snippets(principal: Principal): Promise<ReadonlyMap<string, Snippet>>;
}

/** Dependencies of a runner. */
export interface RunnerParts {
  readonly project: Project;
  readonly dispatch: Pick<Dispatch, "dispatch" | "index" | "inSpan">;
  readonly keys: KeyCheck;
  readonly clock: () => number;
  /** Closed by their creator. */
  readonly engines: LazyEngines;
  /** Limits concurrent runs. */
  readonly gate: ConcurrencyLimit;
  /** Where large results are kept. */
  readonly results: ResultStore;
  /** Absent if statistics are switched off. */
  readonly recorder?: Recorder;
}

/** Services that all runs share. */
interface Services extends RunnerParts {
  readonly loader: ToolLoader;
  snippets: Runner["snippets"];
}

/** Makes the runner of a gateway. Starts nothing before the first run. */
export function createRunner(parts: RunnerParts): Runner {
  const { root, settings } = parts.project;
  const services: Services = {
    ...parts,
    loader: createToolLoader(root, parts.dispatch.index, settings),
    snippets: snippetsOf(parts, () => void parts.results.clean()),
  };
  return {
    run: (request, principal, options = {}) => recordedRun(services, request, principal, options),
    check: (command, principal) => checkAnswer(services, command, principal),
    loader: services.loader,
    snippets: services.snippets,
  };
}

/** Snippets without those that name an op the caller may not see. The file is read once per build. */
function snippetsOf({ project, dispatch: { index } }: RunnerParts, atFirst: () => void): Runner["snippets"] {
  let all: Promise<ReadonlyMap<string, Snippet>> | undefined;
  const followed = followAliases(project.settings.aliases);
  const aliases = followed.kind === "aliases" ? followed.aliases : project.settings.aliases;
  const named = { tools: index.registry.tools, aliases };
  const textOf = ({ body, description = "" }: Snippet): string => `${description}\n${body}`;
  const seen = new WeakMap<RegistryView, ReadonlyMap<string, Snippet>>();
  return async ({ grant }) => {
    if (!all) atFirst();
    all ??= project.snippets();
    const view = index.view(grant);
    const known = seen.get(view) ?? withoutHiddenNames(await all, textOf, named, view);
    seen.set(view, known);
    return known;
  };
}

const refusal = (fault: TextFault): Made => ({ text: faultText(fault), isError: true, calls: 0, failure: fault });

/** Records every run and gives it a span, including runs that never started. */
async function recordedRun(
  services: Services,
  request: unknown,
  principal: Principal,
  options: CallOptions,
): Promise<RunReport> {
  const started = performance.now();
  const trace_id = newTraceId();
  const { text, isError, calls, ranOn } = await services.dispatch.inSpan(
    { name: "run", traceId: trace_id, principal, parent: options.span, isRun: true },
    (span) => admitted(services, request, principal, { ...options, span }, trace_id),
    endOf,
  );
  services.recorder?.run({
    at: services.clock(),
    ...(isError ? { code: "FAILED" } : {}),
    ms: performance.now() - started,
    chars_in: jsonSize(request),
    chars_out: text.length,
    calls,
    trace_id,
    caller: principal.id,
    client: options.client ?? "",
  });
  if (calls > 1) services.recorder?.add("extra_calls", calls - 1);
  return { text, isError, ...(ranOn ? { ranOn } : {}) };
}

/** An answer, with facts about the run. */
interface Made extends RunReport {
  /** Number of calls that it made. */
  readonly calls: number;
  readonly failure?: SpanFailure;
  readonly fields?: SpanFields;
}

/** The message of an exception may quote code and data, so it is only logged at level `debug`. */
function endOf({ failure, fields = {} }: Made): SpanEnd {
  if (!failure || failure.isOurs) return { failure, fields };
  const { type, message = "" } = failure;
  return { failure: { type }, fields, detail: () => (message === "" ? {} : { error: scrub(message) }) };
}

/** Refuses callers without a live key, and ends the run when the key dies. */
async function admitted(
  services: Services,
  request: unknown,
  principal: Principal,
  options: CallOptions,
  traceId: string,
): Promise<Made> {
  try {
    return await whileLive(services.keys, principal, options.signal, async (signal) => {
      const made = await queued(services, request, principal, { ...options, signal }, traceId);
      return made.isError && signal?.aborted && !options.signal?.aborted ? refuseKey() : made;
    });
  } catch (error) {
    if (!isToolFailure(error)) return ownFault(traceId, error);
    return refusal(textFault(error.code, error.message));
  }
}

async function queued(
  services: Services,
  request: unknown,
  principal: Principal,
  options: CallOptions,
  traceId: string,
): Promise<Made> {
  const { runs, queue } = services.project.settings.run;
  const command = commandOf(request);
  if (typeof command !== "string") return refusal(command);
  // One key cannot use all concurrent runs, nor fill the queue.
  const caller = callerOf(principal);
  if (!services.gate.hasRoom(queue, caller))
    return refusal(
      textFault("BusyError", `${runs} runs are under way and ${queue} wait`, "Next: send the code again later"),
    );
  const beat = heartbeat(options);
  try {
    const turn = countTurn(() => runCode(services, command, principal, options));
    return await services.gate.pass(turn.work, options.signal, caller).finally(turn.end);
  } catch (error) {
    if (options.signal?.aborted) return refusal(textFault("CancelledError", "the client cancelled the run"));
    return ownFault(traceId, error);
  } finally {
    clearInterval(beat);
  }
}

/** Interval of progress reports, in milliseconds: clients time out a call without them. */
const BEAT_MS = 1000;

/** Reports the seconds of a run as progress, while it waits and works. */
function heartbeat({ progress }: CallOptions): NodeJS.Timeout | undefined {
  const started = performance.now();
  return progress && setInterval(() => progress(Math.round((performance.now() - started) / 1000)), BEAT_MS);
}

function ownFault(traceId: string, error: unknown): Made {
  const stack = scrub(stackOf(error));
  const answer = refusal(textFault("EngineError", `the run failed; see the log under ${traceId}`));
  return { ...answer, failure: { type: "EngineError", isOurs: true, message: scrub(String(error)), stack } };
}

const MEND = "Next: correct `aliases` in toolwright.yaml";

async function runCode(services: Services, command: string, principal: Principal, options: CallOptions): Promise<Made> {
  const tools = services.loader.toolsFor(principal);
  const ready = await readyCode(services, { command, principal, tools, signal: options.signal });
  if (ready.kind === "fault") return refusal(ready);
  const { circle } = services.loader;
  if (circle) return refusal(textFault("ConfigurationError", `aliases lead in a circle: ${circle.join(", ")}`, MEND));
  const { rewritten, limits } = ready;
  const proxy = proxyOf(services, { principal, tools, rewritten, options });
  const printed: string[] = [];
  const { router, monty } = await services.engines.get();
  const request = {
    code: rewritten.code,
    namespace: proxy.namespace,
    limits,
    ...(options.signal ? { signal: options.signal } : {}),
    onPrint: (text: string) => void printed.push(text),
  };
  const outcome = await router.run(request, rewritten.facts);
  const { signal } = options;
  const run: Ended = { services, principal, tools, rewritten, proxy, printed: printed.join(""), signal };
  const answer = await (outcome.ok ? success(run, outcome) : failure(run, outcome));
  return {
    ...answer,
    calls: [...proxy.calls.values()].reduce((sum, one) => sum + one, 0),
    fields: fieldsOf(outcome, proxy),
    ranOn: ranOn(outcome, services.project.settings.run.engine, monty.supports(rewritten.facts)),
    ...failureOf(outcome, answer.isError),
  };
}

async function checkAnswer(services: Services, command: string, principal: Principal): Promise<CheckAnswer> {
  const tools = services.loader.toolsFor(principal);
  const ready = await readyCode(services, { command, principal, tools });
  if (ready.kind === "fault") return { kind: "fault", text: faultText(ready) };
  const { rewritten } = ready;
  const findings = await findingsOf({ services, rewritten, tools, principal });
  const lines = findings.length === 0 ? [] : rewritten.source.split("\n");
  return { kind: "checked", findings: findings.map((one) => ({ ...one, code: lines[one.line - 1]?.trim() ?? "" })) };
}

/** The caller whose code is read, and the cancellation. */
interface Asked {
  readonly principal: Principal;
  readonly tools: Tools;
  readonly signal?: AbortSignal | undefined;
}

const callerOf = ({ kind, id }: Principal): string | undefined => (kind === "key" ? id : undefined);

async function findingsOf({ services, rewritten, ...asked }: Asked & { services: Services; rewritten: RewrittenCode }) {
  const { engines, project } = services;
  const { principal, tools, signal } = asked;
  const bounds = { signal, caller: callerOf(principal) };
  const parts = { reader: engines.reader, tools, limits: project.settings.run.limits, bounds };
  const code = await checkableCode(rewritten, parts);
  return code === undefined ? [] : checkTypes(code, rewritten, tools, (await engines.get()).monty.check);
}

/** Reads a command: wrapping, snippets, names and result. */
async function readyCode(services: Services, { command, principal, tools, signal }: Asked & { command: string }) {
  const { codeBytes, limits } = services.project.settings.run;
  const { reader } = services.engines;
  const snippets = await services.snippets(principal);
  const bounds = { signal, caller: callerOf(principal) };
  return readCommand({ command, reader, tools, snippets, codeBytes, limits, bounds });
}

/** A run with its caller and tools. */
interface Started {
  readonly principal: Principal;
  readonly tools: Tools;
  readonly rewritten: RewrittenCode;
  readonly options: CallOptions;
}

function proxyOf({ project, dispatch }: Services, { principal, tools, rewritten, options }: Started): PackProxy {
  const { settings } = project;
  return createPackProxy({
    dispatch,
    principal,
    options: inheritedOptions(options),
    ambiguous: rewritten.ambiguous,
    packs: tools.packsFor(rewritten.code),
    hidden: tools.hidden,
    projects: tools.projects,
    gate: concurrencyLimit(settings.parallelCalls),
    limitMs: (op) => settings.ops.get(op)?.deadline_ms ?? settings.callTimeoutMs,
  });
}

/** A finished run. */
interface Ended {
  readonly services: Services;
  readonly principal: Principal;
  readonly tools: Tools;
  readonly rewritten: RewrittenCode;
  readonly proxy: PackProxy;
  readonly printed: string;
  readonly signal: AbortSignal | undefined;
}

async function success(
  { services, principal, rewritten, proxy, printed }: Ended,
  outcome: Finished,
): Promise<RunAnswer> {
  const { run } = services.project.settings;
  const { lastCall } = rewritten.facts;
  const value = await formatValue(outcome, { depth: run.limits.resultDepth, isOt: lastCall?.[0] === "ot" });
  const whole = joinReply(printed, value);
  const sources = foreignSources(services, proxy);
  const sanitized = isSanitized(outcome.sanitize, sources);
  const final = {
    text: sanitized ? redacted(whole) : whole,
    ...(sanitized ? { boundary: newBoundary(sources) } : {}),
    tool: toolOf(lastCall, proxy),
    caller: principal.id,
  };
  const reply = await replyOf(services.results, final, run.output);
  if (reply.kind === "stored") services.recorder?.add("stored_bytes", reply.meta.size_bytes - reply.text.length);
  return { text: reply.text, isError: value?.startsWith(ERROR_MESSAGE) === true && callsOt(proxy) };
}

/** Prefix of an error text from ops of `ot`; as the value of a run it makes the run fail. */
const ERROR_MESSAGE = "Error: ";

const callsOt = ({ called }: PackProxy): boolean => [...called].some((op) => op.startsWith("ot."));

/** The ops from which untrusted text came: called ones in settings, via `ot.batch` too, and of stored results. */
function foreignSources({ project }: Services, { called, calls, foreign }: PackProxy): readonly string[] {
  const asking = [...called, ...calls.keys()].filter(project.settings.run.sanitizes);
  return [...new Set([...asking, ...foreign])];
}

/** The op that a result comes from: that of the final call, else the last one called. */
function toolOf(lastCall: readonly string[] | undefined, proxy: PackProxy): string {
  const final = lastCall?.join(".");
  return final !== undefined && proxy.calls.has(final) ? final : (proxy.last() ?? "run");
}

/** The answer to a failed run. Output is bounded like a result; the error text is only redacted. */
async function failure(ended: Ended, outcome: RunOutcome & { readonly ok: false }): Promise<RunAnswer> {
  const { services, principal, tools, rewritten, proxy, printed } = ended;
  const findings = isWorthChecking(outcome) ? await findingsOf(ended) : [];
  const sources = foreignSources(services, proxy);
  const sanitized = isFailureSanitized(rewritten.source, sources);
  const clean = sanitized ? redacted : (text: string) => text;
  const text = clean(failureText(outcome, { rewritten, proxy, ops: tools.listed, findings }));
  const output = clean(withoutNewlines(printed));
  if (output === "") return { text, isError: true };
  const settings = services.project.settings.run.output;
  const room = Math.max(1, settings.maxInlineSize - Buffer.byteLength(text));
  const limits = settings.maxInlineSize === 0 ? settings : { ...settings, maxInlineSize: room };
  const boundary = sanitized ? { boundary: newBoundary(sources) } : {};
  const final = { text: output, ...boundary, tool: proxy.last() ?? "run", caller: principal.id };
  const reply = await replyOf(services.results, final, limits);
  const before = reply.kind === "stored" ? `Output: ot.result(handle='${reply.meta.handle}')` : reply.text;
  return { text: `${before}\n${text}`, isError: true };
}
