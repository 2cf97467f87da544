/**
 * The only path to a handler: exec, batch, run, the socket and the command line all call `dispatch`, and nothing else
 * calls a handler.
 *
 * Read {@link steps}: it lists the steps of a call, in order.
 */

import { isKeyRefusal, requireLive, whileLive } from "./access/admission.js";
import { failed } from "./call/answer.js";
import { carryOut } from "./call/carry-out.js";
import { correctCall } from "./call/corrections/correct-call.js";
import { isKey } from "./call/corrections/effect.js";
import { suggestCall } from "./call/corrections/suggest-call.js";
import type { CallHooks, Dispatch, DispatchOptions, Job, Services } from "./call/job.js";
import { sqlLedger } from "./call/ledger.js";
import { limitMs, stateLimitMs } from "./call/limit.js";
import { prepareArguments } from "./call/prepare.js";
import { authoriseProjects } from "./call/project-scope.js";
import { findOp, resolveOp } from "./call/resolve.js";
import { shownArguments } from "./call/shown-arguments.js";
import { createSpans, type InSpan, type SpanScope } from "./call/span.js";
import type { Project } from "./catalog/project.js";
import { indexRegistry } from "./catalog/registry.js";
import { attention, type Envelope, echo, fieldErrorDetails } from "./contract/error-body.js";
import { visible } from "./contract/grant.js";
import { type ErrorCode, fail, type Grant, type Principal } from "./contract/handler.js";
import type { JsonValue } from "./contract/registry.js";
import {
  anything,
  asRequest,
  checkFields,
  type FieldRules,
  flag,
  notAnObject,
  text,
} from "./contract/request-fields.js";
import { newTraceId } from "./contract/trace-id.js";
import { withinMs } from "./state/deadline.js";

/** Makes the dispatcher of a project. Nothing is opened or imported before a call needs it. */
export function createDispatch(project: Project, options: DispatchOptions): Dispatch {
  const { log, recent } = options;
  const inSpan = createSpans({ log, level: project.settings.log.level, version: project.version, recent });
  const services: Services = {
    project,
    index: indexRegistry(project.registry, project.settings),
    log,
    ledger: options.ledger ?? sqlLedger,
    options,
    now: options.clock ?? Date.now,
    state: options.state.get,
    used: new Map(),
  };
  return {
    index: services.index,
    state: options.state.get,
    inSpan,
    admit: (principal) => requireLive(options.keys, principal),
    async dispatch(call, principal, hooks = {}) {
      const envelope = await spanned(services, inSpan, startJob(services, call, principal, hooks), call);
      if (envelope.ok) count(services.used, envelope.meta.executed_op ?? envelope.op);
      hooks.answered?.(envelope);
      audit(services, principal, envelope);
      return envelope;
    },
    correct: (call, { grant }, { references } = {}) =>
      correctCall(services, {
        view: services.index.view(grant),
        sent: asRequest(call) ?? {},
        references,
        mayRepeat: true,
      }).catch(() => undefined),
  };
}

const count = (used: Map<string, number>, op: string): void => void used.set(op, (used.get(op) ?? 0) + 1);

/** Audits refusals of keys, and calls of admin ops. */
function audit(
  { index, options }: Services,
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

/** Span name for an unknown op: names made up by callers would create an unlimited number of spans. */
const UNKNOWN = "tool_exec";

function spanned(services: Services, inSpan: InSpan, job: Job, call: unknown): Promise<Envelope> {
  const { asked, traceId, principal, view, hooks } = job;
  const start = { name: view.exact(asked)?.op ?? UNKNOWN, traceId, principal, parent: hooks.span };
  const work = (scope: SpanScope): Promise<Envelope> => {
    job.span = scope;
    return answer(services, job, call);
  };
  return inSpan(start, work, ({ op, meta }) => ({
    name: job.tool?.op ?? UNKNOWN,
    fields: shownArguments(job.tool, job.args),
    detail: () => ({ ...(op === job.tool?.op ? {} : { asked: op }), warnings: [...meta.warnings] }),
    failure: job.failure,
  }));
}

async function answer(services: Services, job: Job, call: unknown): Promise<Envelope> {
  const { principal, hooks } = job;
  try {
    return await withinMs(waitMs(services, job), () =>
      whileLive(services.options.keys, principal, hooks.signal, (signal) => {
        job.signal = signal;
        job.admissionMs = performance.now() - job.arrived;
        return steps(services, job, call);
      }),
    );
  } catch (error) {
    if (isKeyRefusal(error)) forget(job);
    else await suggestCall(services, job, call, error);
    return failed(services, job, call, error);
  }
}

/** How long the call may wait for the state database, including the check of its key. */
function waitMs({ project }: Services, { view, asked, arrived, hooks }: Job): number {
  const op = findOp(view, asked)?.tool.op ?? "";
  const ms = Math.min(limitMs(project.settings, op), hooks.limitMs ?? Number.POSITIVE_INFINITY);
  return stateLimitMs(ms) - (performance.now() - arrived);
}

async function steps(services: Services, job: Job, call: unknown): Promise<Envelope> {
  const { op, args: sent, dryRun, key } = readEnvelope(call); //                       1 envelope
  const tool = resolveOp(services, job, op); //                                   2 resolve, 3 access: hidden ops are not in the view
  const prepared = await prepareArguments(services, job, tool, sent, dryRun); //  4 repairs, 5 defaults, 6 validate, 7 constraints
  await authoriseProjects(services, job, tool, prepared.args); //                 7 access to the objects
  return carryOut(services, job, tool, prepared, key); //                         8 control, 9 dry run, 10 call, 11 finish
}

/** Removes everything about the requested op from the answer to a caller without a live key. */
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

function startJob(services: Services, call: unknown, principal: Principal, hooks: CallHooks): Job {
  return {
    asked: echo(asRequest(call)?.["op"]),
    traceId: (services.options.traceId ?? newTraceId)(),
    started: services.now(),
    arrived: hooks.arrived ?? performance.now(),
    admissionMs: 0,
    principal,
    hooks,
    signal: hooks.signal,
    view: services.index.view(principal.grant),
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

function readEnvelope(call: unknown): Request {
  const fields = asRequest(call);
  const errors = fields ? checkFields(fields, FIELDS) : [notAnObject(call, "")];
  if (!fields || errors.length > 0) return fail("VALIDATION_ERROR", attention(errors), fieldErrorDetails(errors));
  const { op, args, dry_run, idempotency_key } = fields;
  return {
    op: String(op),
    args,
    dryRun: typeof dry_run === "boolean" ? dry_run : undefined,
    key: typeof idempotency_key === "string" ? idempotency_key : undefined,
  };
}
