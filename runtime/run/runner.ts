/** `run(command)`: takes Python through every step, in order, and answers with one text. The steps' own logic is elsewhere. */

import { type KeyCheck, refuseKey, whileLive } from "../access/admission.js";
import { withoutUnseen } from "../access/unseen.js";
import { isToolFailure, type Principal } from "../contract/handler.js";
import { type CallHooks, inherited, newTraceId } from "../dispatch/job.js";
import type { Dispatch } from "../dispatch.js";
import { scrub } from "../observe/scrub.js";
import type { SpanEnd, SpanFailure, SpanFields } from "../observe/span.js";
import type { RegistryView } from "../registry.js";
import type { Project } from "../settings.js";
import type { Recorder } from "../stats/recorder.js";
import { jsonSize } from "../stats/size.js";
import type { RunOutcome } from "./engine/engine.js";
import type { LazyEngines } from "./engines.js";
import { failureText, faultText, isWorthChecking } from "./error-text.js";
import { type TextFault, textFault } from "./fault.js";
import { type Finished, formatValue, joinReply, withoutNewlines } from "./format.js";
import { type Gate, gateOf } from "./gate.js";
import { followAliases } from "./names.js";
import { createPackProxy, type PackProxy } from "./pack-proxy.js";
import { checkableCode, readCommand } from "./read-command.js";
import { cleanResults, replyOf } from "./results.js";
import type { RewrittenCode } from "./rewrite.js";
import { isFailureSanitized, isSanitized, newBoundary, redacted } from "./sanitize.js";
import type { Snippet } from "./snippets.js";
import { createToolLoader, type ToolLoader, type Tools } from "./tool-loader.js";
import { type CodeFinding, checkTypes } from "./type-check.js";

/** The answer to a run. */
export interface RunAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** What a type check found. */
export type CheckAnswer =
  /** The code could not be read: the text says why. */
  | { readonly kind: "fault"; readonly text: string }
  | { readonly kind: "checked"; readonly findings: readonly CheckedLine[] };

/** A finding, and the line that it is about. */
export interface CheckedLine extends CodeFinding {
  readonly code: string;
}

/** Runs code over one project. */
export interface Runner {
  /** Never rejects on what a caller sends. */
  run(request: unknown, principal: Principal, hooks?: CallHooks): Promise<RunAnswer>;
  /** Checks the types of code, and executes none of it. */
  check(command: string, principal: Principal): Promise<CheckAnswer>;
  readonly loader: ToolLoader;
  /** Those that the caller may see. */
  snippets(principal: Principal): Promise<ReadonlyMap<string, Snippet>>;
}

/** What a runner is made of. */
export interface RunnerParts {
  readonly project: Project;
  readonly dispatch: Pick<Dispatch, "dispatch" | "index" | "inSpan">;
  readonly keys: KeyCheck;
  readonly clock: () => number;
  /** Closed by who made them. */
  readonly engines: LazyEngines;
  /** Bounds the runs that are under way at once. */
  readonly gate: Gate;
  /** Absent where statistics are switched off. */
  readonly recorder?: Recorder;
}

/** What all runs share. */
interface Kit extends RunnerParts {
  readonly loader: ToolLoader;
  snippets: Runner["snippets"];
}

/** Makes the runner of a gateway. Nothing is started before the first run. */
export function createRunner(parts: RunnerParts): Runner {
  const { root, settings } = parts.project;
  const kit: Kit = {
    ...parts,
    loader: createToolLoader(root, parts.dispatch.index, settings),
    snippets: snippetsOf(parts, () => {
      void cleanResults(root, settings.run.output.resultTtl, new Date(parts.clock()));
    }),
  };
  return {
    run: (request, principal, hooks = {}) => recordedRun(kit, request, principal, hooks),
    check: (command, principal) => checkAnswer(kit, command, principal),
    loader: kit.loader,
    snippets: kit.snippets,
  };
}

/** Snippets that name no op which the caller may not see; the file is read once, since it belongs to the build that is served. */
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
    const known = seen.get(view) ?? withoutUnseen(await all, textOf, named, view);
    seen.set(view, known);
    return known;
  };
}

const refusal = (fault: TextFault): Made => ({ text: faultText(fault), isError: true, calls: 0, failure: fault });

/** Every run is counted, and has a span; those that never began too. */
async function recordedRun(kit: Kit, request: unknown, principal: Principal, hooks: CallHooks): Promise<RunAnswer> {
  const started = performance.now();
  const trace_id = newTraceId();
  const { text, isError, calls } = await kit.dispatch.inSpan(
    { name: "run", traceId: trace_id, principal, parent: hooks.span, isRun: true },
    (span) => admitted(kit, request, principal, { ...hooks, span }, trace_id),
    endOf,
  );
  kit.recorder?.run({
    at: kit.clock(),
    ...(isError ? { code: "FAILED" } : {}),
    ms: performance.now() - started,
    chars_in: jsonSize(request),
    chars_out: text.length,
    calls,
    trace_id,
    caller: principal.id,
    client: hooks.client ?? "",
  });
  if (calls > 1) kit.recorder?.add("extra_calls", calls - 1);
  return { text, isError };
}

/** An answer, and what became of the run. */
interface Made extends RunAnswer {
  /** How many calls were made for it. */
  readonly calls: number;
  readonly failure?: SpanFailure;
  readonly fields?: SpanFields;
}

/** The message of an exception may quote code and what it worked on, so only a log of level `debug` has it. */
function endOf({ failure, fields = {} }: Made): SpanEnd {
  if (!failure || failure.isOurs) return { failure, fields };
  const { type, message = "" } = failure;
  return { failure: { type }, fields, detail: () => (message === "" ? {} : { error: scrub(message) }) };
}

/** Runs nothing without a live key, and nothing on when it dies. */
async function admitted(
  kit: Kit,
  request: unknown,
  principal: Principal,
  hooks: CallHooks,
  traceId: string,
): Promise<Made> {
  try {
    return await whileLive(kit.keys, principal, hooks.signal, async (signal) => {
      const made = await queued(kit, request, principal, { ...hooks, ...(signal ? { signal } : {}) }, traceId);
      return made.isError && signal?.aborted && !hooks.signal?.aborted ? refuseKey() : made;
    });
  } catch (error) {
    if (!isToolFailure(error)) return ownFault(traceId, error);
    return refusal(textFault(error.code, error.message));
  }
}

async function queued(
  kit: Kit,
  request: unknown,
  principal: Principal,
  hooks: CallHooks,
  traceId: string,
): Promise<Made> {
  const { runs, queue } = kit.project.settings.run;
  const command = commandOf(request);
  if (typeof command !== "string") return refusal(command);
  // A key neither runs all that may run, nor fills the line.
  const caller = callerOf(principal);
  if (!kit.gate.hasRoom(queue, caller))
    return refusal(
      textFault("BusyError", `${runs} runs are under way and ${queue} wait`, "Next: send the code again later"),
    );
  const beat = heartbeat(hooks);
  try {
    return await kit.gate.pass(() => answer(kit, command, principal, hooks), hooks.signal, caller);
  } catch (error) {
    if (hooks.signal?.aborted) return refusal(textFault("CancelledError", "the client cancelled the run"));
    return ownFault(traceId, error);
  } finally {
    clearInterval(beat);
  }
}

/** Time between two signs of life, in milliseconds: clients give up on a call that is silent for long. */
const BEAT_MS = 1000;

/** Reports how long a run takes, in seconds, while it waits and works. */
function heartbeat({ progress }: CallHooks): NodeJS.Timeout | undefined {
  const started = performance.now();
  return progress && setInterval(() => progress(Math.round((performance.now() - started) / 1000)), BEAT_MS);
}

function ownFault(traceId: string, error: unknown): Made {
  const stack = scrub(error instanceof Error ? String(error.stack) : String(error));
  const answer = refusal(textFault("EngineError", `the run failed; see the log under ${traceId}`));
  return { ...answer, failure: { type: "EngineError", isOurs: true, message: scrub(String(error)), stack } };
}

/** The one field of a request. */
function commandOf(request: unknown): string | TextFault {
  const fields = typeof request === "object" && request !== null ? Object.entries(request) : [];
  const command = fields.find(([name]) => name === "command")?.[1];
  const other = fields.find(([name]) => name !== "command")?.[0];
  const next = 'Next: send {"command": "<Python code>"}';
  if (other !== undefined)
    return textFault("TypeError", `run() got an unexpected argument '${other.slice(0, 40)}'`, next);
  if (typeof command === "string") return command;
  return textFault("TypeError", command === undefined ? "run() needs 'command'" : "run() 'command' must be text", next);
}

const MEND = "Next: correct `aliases` in toolwright.yaml";

async function answer(kit: Kit, command: string, principal: Principal, hooks: CallHooks): Promise<Made> {
  const tools = kit.loader.toolsFor(principal);
  const ready = await readyCode(kit, { command, principal, tools, signal: hooks.signal });
  if (ready.kind === "fault") return refusal(ready);
  const { circle } = kit.loader;
  if (circle) return refusal(textFault("ConfigurationError", `aliases lead in a circle: ${circle.join(", ")}`, MEND));
  const { rewritten, limits } = ready;
  const proxy = proxyOf(kit, { principal, tools, rewritten, hooks });
  const printed: string[] = [];
  const { router } = await kit.engines.get();
  const request = {
    code: rewritten.code,
    namespace: proxy.namespace,
    limits,
    ...(hooks.signal ? { signal: hooks.signal } : {}),
    onPrint: (text: string) => void printed.push(text),
  };
  const outcome = await router.run(request, rewritten.facts);
  const run: Ended = { kit, principal, tools, rewritten, proxy, printed: printed.join(""), signal: hooks.signal };
  const answer = await (outcome.ok ? success(run, outcome) : failure(run, outcome));
  return {
    ...answer,
    calls: [...proxy.calls.values()].reduce((sum, one) => sum + one, 0),
    fields: fieldsOf(outcome, proxy),
    ...failureOf(outcome, answer),
  };
}

async function checkAnswer(kit: Kit, command: string, principal: Principal): Promise<CheckAnswer> {
  const tools = kit.loader.toolsFor(principal);
  const ready = await readyCode(kit, { command, principal, tools });
  if (ready.kind === "fault") return { kind: "fault", text: faultText(ready) };
  const { rewritten } = ready;
  const findings = await findingsOf({ kit, rewritten, tools, principal });
  const lines = findings.length === 0 ? [] : rewritten.source.split("\n");
  return { kind: "checked", findings: findings.map((one) => ({ ...one, code: lines[one.line - 1]?.trim() ?? "" })) };
}

/** Whose code is read, and who gives it up. */
interface Asked {
  readonly principal: Principal;
  readonly tools: Tools;
  readonly signal?: AbortSignal | undefined;
}

const callerOf = ({ kind, id }: Principal): string | undefined => (kind === "key" ? id : undefined);

async function findingsOf({ kit, rewritten, ...asked }: Asked & { kit: Kit; rewritten: RewrittenCode }) {
  const { engines, project } = kit;
  const { principal, tools, signal } = asked;
  const bounds = { signal, caller: callerOf(principal) };
  const parts = { reader: engines.reader, tools, limits: project.settings.run.limits, bounds };
  const code = await checkableCode(rewritten, parts);
  return code === undefined ? [] : checkTypes(code, rewritten, tools, (await engines.get()).monty.check);
}

/** Reading: what stands around the code, snippets, names and result. */
async function readyCode(kit: Kit, { command, principal, tools, signal }: Asked & { command: string }) {
  const { codeBytes, limits } = kit.project.settings.run;
  const { reader } = kit.engines;
  const snippets = await kit.snippets(principal);
  const bounds = { signal, caller: callerOf(principal) };
  return readCommand({ command, reader, tools, snippets, codeBytes, limits, bounds });
}

/** Who runs what, over which tools. */
interface Started {
  readonly principal: Principal;
  readonly tools: Tools;
  readonly rewritten: RewrittenCode;
  readonly hooks: CallHooks;
}

function proxyOf({ project, dispatch }: Kit, { principal, tools, rewritten, hooks }: Started): PackProxy {
  const { settings } = project;
  return createPackProxy({
    dispatch,
    principal,
    hooks: inherited(hooks),
    ambiguous: rewritten.ambiguous,
    packs: tools.packsFor(rewritten.code),
    hidden: tools.hidden,
    projects: tools.projects,
    gate: gateOf(settings.parallelCalls),
    limitMs: (op) => settings.ops.get(op)?.deadline_ms ?? settings.callTimeoutMs,
  });
}

/** A run that is over. */
interface Ended {
  readonly kit: Kit;
  readonly principal: Principal;
  readonly tools: Tools;
  readonly rewritten: RewrittenCode;
  readonly proxy: PackProxy;
  readonly printed: string;
  readonly signal: AbortSignal | undefined;
}

async function success({ kit, principal, rewritten, proxy, printed }: Ended, outcome: Finished): Promise<RunAnswer> {
  const { run } = kit.project.settings;
  const { lastCall } = rewritten.facts;
  const value = await formatValue(outcome, { depth: run.limits.resultDepth, isOt: lastCall?.[0] === "ot" });
  const whole = joinReply(printed, value);
  const sources = foreignSources(kit, proxy);
  const sanitized = isSanitized(outcome.sanitize, sources);
  const final = {
    text: sanitized ? redacted(whole) : whole,
    ...(sanitized ? { boundary: newBoundary(sources) } : {}),
    tool: toolOf(lastCall, proxy),
    caller: principal.id,
  };
  const reply = await replyOf(kit.project.root, final, run.output, new Date(kit.clock()));
  if (reply.kind === "stored") kit.recorder?.add("stored_bytes", reply.meta.size_bytes - reply.text.length);
  return { text: reply.text, isError: value?.startsWith(ERROR_MESSAGE) === true && callsOt(proxy) };
}

/** How the ops of `ot` begin a text that tells of a failure: as the value of a run it is one of the run. */
const ERROR_MESSAGE = "Error: ";

const callsOt = ({ called }: PackProxy): boolean => [...called].some((op) => op.startsWith("ot."));

/** The ops from which foreign text came: called ones whose settings say so, those behind `ot.batch` too, and those of stored results. */
function foreignSources({ project }: Kit, { called, calls, foreign }: PackProxy): readonly string[] {
  const asking = [...called, ...calls.keys()].filter(project.settings.run.sanitizes);
  return [...new Set([...asking, ...foreign])];
}

/** The op that a result comes from: of the final call, else the one called last. */
function toolOf(lastCall: readonly string[] | undefined, proxy: PackProxy): string {
  const final = lastCall?.join(".");
  return final !== undefined && proxy.calls.has(final) ? final : (proxy.last() ?? "run");
}

/** What was printed is bounded as a result is; the text of the failure only redacted, since it is ours but for what it quotes. */
async function failure(ended: Ended, outcome: RunOutcome & { readonly ok: false }): Promise<RunAnswer> {
  const { kit, principal, tools, rewritten, proxy, printed } = ended;
  const findings = isWorthChecking(outcome) ? await findingsOf(ended) : [];
  const sources = foreignSources(kit, proxy);
  const sanitized = isFailureSanitized(rewritten.source, sources);
  const clean = sanitized ? redacted : (text: string) => text;
  const text = clean(failureText(outcome, { rewritten, proxy, ops: tools.listed, findings }));
  const output = clean(withoutNewlines(printed));
  if (output === "") return { text, isError: true };
  const settings = kit.project.settings.run.output;
  const room = Math.max(1, settings.maxInlineSize - Buffer.byteLength(text));
  const limits = settings.maxInlineSize === 0 ? settings : { ...settings, maxInlineSize: room };
  const boundary = sanitized ? { boundary: newBoundary(sources) } : {};
  const final = { text: output, ...boundary, tool: proxy.last() ?? "run", caller: principal.id };
  const reply = await replyOf(kit.project.root, final, limits, new Date(kit.clock()));
  const before = reply.kind === "stored" ? `Output: ot.result(handle='${reply.meta.handle}')` : reply.text;
  return { text: `${before}\n${text}`, isError: true };
}

/** Ops that a span names. */
const MOST_OPS = 20;

function fieldsOf({ stats }: RunOutcome, { calls }: PackProxy): SpanFields {
  const { engine, cpuMs, hostCalls } = stats;
  return { ops: [...calls.keys()].slice(0, MOST_OPS), engine, calls: hostCalls, cpu_ms: Math.round(cpuMs) };
}

function failureOf(outcome: RunOutcome, { isError }: RunAnswer): Pick<Made, "failure"> {
  if (!outcome.ok) return { failure: { type: outcome.pyType, message: outcome.message } };
  return isError ? { failure: { type: "Error" } } : {};
}
