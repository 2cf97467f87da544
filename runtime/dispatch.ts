/**
 * THE ONE PATH TO A HANDLER: exec, batch, run, the socket and the command line all call `dispatch`, and nothing else calls a handler.
 *
 * Read {@link steps}: it lists what happens to a call, in order.
 */

import { isKeyRefusal, requireLive, whileLive } from "./access/admission.js";
import { visible } from "./access/grant.js";
import { gatherArguments } from "./arguments/gather.js";
import { anything, asRequest, checkFields, type FieldRules, flag, notAnObject, text } from "./arguments/request.js";
import { type ErrorCode, type FieldError, fail, type Grant, type Principal } from "./contract/handler.js";
import type { JsonObject, JsonValue } from "./contract/registry.js";
import { failed } from "./dispatch/answer.js";
import { carryOut } from "./dispatch/carry-out.js";
import { type CallHooks, type DispatchOptions, type Job, type Kit, newTraceId } from "./dispatch/job.js";
import { sqlLedger } from "./dispatch/ledger.js";
import { limitMs, stateLimitMs } from "./dispatch/limit.js";
import { correctArguments, prepareArguments } from "./dispatch/prepare.js";
import { authoriseProjects } from "./dispatch/project-scope.js";
import { copyOf, findOp, resolveOp } from "./dispatch/resolve.js";
import { attention, type CorrectedCall, type Envelope, echo, fieldErrorDetails } from "./envelope.js";
import { isObject } from "./json.js";
import { shownArguments } from "./observe/shown-arguments.js";
import { createSpans, type InSpan, type SpanScope } from "./observe/span.js";
import { indexRegistry, type RegistryIndex } from "./registry.js";
import type { Project } from "./settings.js";
import { withinMs } from "./state/deadline.js";
import type { State } from "./state/open.js";

/** The one path to a handler, over one project. */
export interface Dispatch {
  readonly index: RegistryIndex;
  /** Answers one call. Never rejects: whatever happens is an envelope. */
  dispatch(call: unknown, principal: Principal, hooks?: CallHooks): Promise<Envelope>;
  /** The call to copy where a call does not reach its op; undefined where the op is not known. */
  correct(call: unknown, principal: Principal, hooks?: CallHooks): Promise<CorrectedCall | undefined>;
  /**
   * Refuses a caller whose key is not live, for what is answered without a call.
   *
   * @throws ToolFailure UNAUTHENTICATED, or UNAVAILABLE where nobody can say
   */
  admit(principal: Principal): Promise<void>;
  /** Does work in a span, as each call is done. */
  readonly inSpan: InSpan;
  /** The state database, opened at the first call that needs it. */
  state(): Promise<State>;
}

/** Makes the path to the handlers of a project. Nothing is opened or imported before a call needs it. */
export function createDispatch(project: Project, options: DispatchOptions): Dispatch {
  const { log, recent } = options;
  const inSpan = createSpans({ log, level: project.settings.log.level, version: project.version, recent });
  const kit: Kit = {
    project,
    index: indexRegistry(project.registry, project.settings),
    log,
    ledger: options.ledger ?? sqlLedger,
    options,
    now: options.clock ?? Date.now,
    state: options.state.get,
  };
  return {
    index: kit.index,
    state: options.state.get,
    inSpan,
    admit: (principal) => requireLive(options.keys, principal),
    async dispatch(call, principal, hooks = {}) {
      const envelope = await spanned(kit, inSpan, startJob(kit, call, principal, hooks), call);
      hooks.answered?.(envelope);
      audit(kit, principal, envelope);
      return envelope;
    },
    correct: (call, principal, hooks = {}) =>
      correct(kit, startJob(kit, call, principal, hooks), asRequest(call) ?? {}).catch(() => undefined),
  };
}

/** Writes down what keys are refused, and calls of admin ops. */
function audit(
  { index, options }: Kit,
  { kind, id, grant }: Principal,
  { op: asked, meta, ...answer }: Envelope,
): void {
  const tool = index.view(EVERYTHING).exact(meta.executed_op ?? asked);
  const code = "error" in answer ? answer.error.code : undefined;
  const isHidden = code === "NOT_FOUND" && tool && (!visible(tool, grant) || grant.projects !== "*");
  const isRefusal = kind === "key" && code !== undefined && (REFUSALS.has(code) || isHidden);
  if (!isRefusal && tool?.access !== "admin") return;
  const who = kind === "key" ? { keyId: id } : {};
  options.keys.audit({
    ...who,
    op: tool?.op ?? UNKNOWN,
    ...(code === undefined ? {} : { code }),
    traceId: meta.trace_id,
  });
}

const EVERYTHING: Grant = { level: "admin", projects: "*" };
const REFUSALS: ReadonlySet<ErrorCode> = new Set(["UNAUTHENTICATED", "PERMISSION_DENIED"]);

/** Stands for an op that is not known: names that callers make up would be spans without end. */
const UNKNOWN = "tool_exec";

function spanned(kit: Kit, inSpan: InSpan, job: Job, call: unknown): Promise<Envelope> {
  const { asked, traceId, principal, view, hooks } = job;
  const start = { name: view.exact(asked)?.op ?? UNKNOWN, traceId, principal, parent: hooks.span };
  const work = (scope: SpanScope): Promise<Envelope> => {
    job.span = scope;
    return answer(kit, job, call);
  };
  return inSpan(start, work, ({ op, meta }) => ({
    name: job.tool?.op ?? UNKNOWN,
    fields: shownArguments(job.tool, job.args),
    detail: () => ({ ...(op === job.tool?.op ? {} : { asked: op }), warnings: [...meta.warnings] }),
    failure: job.failure,
  }));
}

async function answer(kit: Kit, job: Job, call: unknown): Promise<Envelope> {
  const { principal, hooks } = job;
  try {
    return await withinMs(waitMs(kit, job), () =>
      whileLive(kit.options.keys, principal, hooks.signal, (signal) => {
        job.signal = signal;
        job.admissionMs = performance.now() - job.arrived;
        return steps(kit, job, call);
      }),
    );
  } catch (error) {
    if (isKeyRefusal(error)) forget(job);
    return failed(kit, job, call, error);
  }
}

/** How long the call may wait for the state database, the check of its key included. */
function waitMs({ project }: Kit, { view, asked, arrived, hooks }: Job): number {
  const op = findOp(view, asked)?.tool.op ?? "";
  const ms = Math.min(limitMs(project.settings, op), hooks.limitMs ?? Number.POSITIVE_INFINITY);
  return stateLimitMs(ms) - (performance.now() - arrived);
}

async function steps(kit: Kit, job: Job, call: unknown): Promise<Envelope> {
  const { op, args: sent, dryRun, key } = await readEnvelope(kit, job, call); //  1 envelope
  const tool = resolveOp(kit, job, op, plainArgs(sent)); //                  2 resolve, 3 access: hidden ops are not in the view
  const prepared = await prepareArguments(kit, job, tool, sent, dryRun); //  4 repairs, 5 defaults, 6 validate, 7 constraints
  await authoriseProjects(kit, job, tool, prepared.args); //                 7 access to the objects
  return carryOut(kit, job, tool, prepared, key); //                         8 control, 9 dry run, 10 call, 11 finish
}

/** Who has no live key is told nothing about the op that was asked for. */
function forget(job: Job): void {
  Object.assign(job, { tool: undefined, args: {}, errors: [], helpPath: "root", corrected: undefined });
  job.warnings.length = 0;
}

/** A request whose fields have the right types. */
interface Request {
  readonly op: string;
  readonly args: JsonValue | undefined;
  readonly dryRun: boolean | undefined;
  readonly key: string | undefined;
}

const FIELDS: FieldRules = new Map([
  ["op", { ...text, required: true as const }],
  ["args", anything],
  ["idempotency_key", { expected: "1 to 200 printable characters", form: true as const, accepts: isKey }],
  ["dry_run", flag],
]);

function isKey(value: unknown): boolean {
  return typeof value === "string" && /^[^\p{C}]{1,200}$/u.test(value) && value.trim() !== "";
}

function startJob(kit: Kit, call: unknown, principal: Principal, hooks: CallHooks): Job {
  return {
    asked: echo(asRequest(call)?.["op"]),
    traceId: (kit.options.traceId ?? newTraceId)(),
    started: kit.now(),
    arrived: hooks.arrived ?? performance.now(),
    admissionMs: 0,
    principal,
    hooks,
    signal: hooks.signal,
    view: kit.index.view(principal.grant),
    warnings: [],
    secrets: new Set(),
    tool: undefined,
    args: {},
    errors: [],
    helpPath: "root",
    corrected: undefined,
    span: undefined,
    failure: undefined,
  };
}

async function readEnvelope(kit: Kit, job: Job, call: unknown): Promise<Request> {
  const fields = asRequest(call);
  if (!fields) return refuse(kit, job, {}, [notAnObject(call, "")]);
  const errors = checkFields(fields, FIELDS);
  if (errors.length > 0) await refuse(kit, job, fields, errors);
  const { op, args, dry_run, idempotency_key } = fields;
  return {
    op: String(op),
    args,
    dryRun: typeof dry_run === "boolean" ? dry_run : undefined,
    key: typeof idempotency_key === "string" ? idempotency_key : undefined,
  };
}

/** A broken envelope is answered with a call to copy: of the op that was asked for, or of one that needs nothing. */
async function refuse(kit: Kit, job: Job, fields: JsonObject, errors: readonly FieldError[]): Promise<never> {
  const easy = job.view.listed.find(
    (tool) => tool.kind === "read" && tool.parameters.every(({ required }) => !required),
  );
  job.corrected = (await correct(kit, job, fields)) ?? (easy && copyOf(easy, {}));
  return fail("VALIDATION_ERROR", attention(errors), fieldErrorDetails(errors));
}

async function correct(kit: Kit, job: Job, fields: JsonObject): Promise<CorrectedCall | undefined> {
  const { op } = fields;
  const tool = typeof op === "string" ? findOp(job.view, op)?.tool : undefined;
  if (!tool) return undefined;
  const args = gatherArguments(tool, fields, FIELDS);
  const resolved = job.hooks.references?.(args) ?? { args, errors: [] };
  if (resolved.errors.length > 0 || !isObject(resolved.args)) return copyOf(tool, args);
  return correctArguments(kit, tool, resolved.args);
}

const plainArgs = (args: JsonValue | undefined): JsonObject => asRequest(args) ?? {};
