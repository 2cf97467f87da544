/** Calls a handler with its context, its time limit, and its transaction. */

import { inTransactionOf } from "../access/admission.js";
import { attention, fieldErrorDetails } from "../contract/error-body.js";
import {
  type Bound,
  type Fetch,
  fail,
  type Handler,
  type Logger,
  type Transaction,
  unbound,
} from "../contract/handler.js";
import { isObject, plainJson } from "../contract/json.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import { scrub, scrubTexts } from "../contract/scrub.js";
import { nearest, roundingErrors, roundingsIn, roundingWarnings } from "./arguments/exact.js";
import type { CallContext, Job, Services } from "./job.js";
import type { GivenUp, Limit } from "./limit.js";

/** The parts of a handler, however it was bound. */
export interface Parts {
  readonly run: Handler<JsonObject, unknown>;
  readonly plan?: Handler<JsonObject, unknown>;
  readonly transactional: boolean;
  /** Whether it accepts exact numbers; see `Binding.exactNumbers`. */
  readonly exactNumbers: boolean;
  readonly keep?: (result: unknown) => object;
}

/**
 * The handler of an op.
 *
 * @throws ToolFailure UNAVAILABLE naming the file in which to bind it
 */
export async function handlerOf(services: Services, tool: Tool, dryRun = false): Promise<Parts> {
  const bound = await services.project.handler(tool.op);
  if (bound === undefined) return dryRun && tool.source.kind === "local" ? partsOf(unbound("")) : missing(tool);
  return partsOf(bound);
}

function missing({ op, source }: Tool): never {
  const { kind, server, file } = source;
  if (kind === "proxy")
    return fail("UNAVAILABLE", `The server ${server} of ${op} is not configured: add it under \`servers\`.`, {
      server,
    });
  const remedy = `Add "handlers: <file>" to the source of ${file} in definitions/toolwright.yaml, and bind ${op} there.`;
  return fail("UNAVAILABLE", `${op} has no handler: its source ${file} names no handlers file. ${remedy}`, { file });
}

/**
 * Casts the handler: the validator has checked the arguments against the schema from which the handler's type was
 * made.
 */
function partsOf(bound: Bound<never, unknown>): Parts {
  if (typeof bound === "function")
    return { run: bound as Handler<JsonObject, unknown>, transactional: false, exactNumbers: false };
  const { run, plan, transactional, exactNumbers, keep } = bound;
  return {
    run: run as Handler<JsonObject, unknown>,
    ...(plan ? { plan: plan as Handler<JsonObject, unknown> } : {}),
    transactional: transactional === true,
    exactNumbers: exactNumbers === true,
    ...(keep ? { keep } : {}),
  };
}

/** Whether the op has no handler: it was bound with `unbound(file)`, or, for a dry run, not at all. */
export const isUnbound = ({ run }: Parts): boolean => "unbound" in run;

/** One call of a handler, ready to run. */
export interface Run {
  readonly services: Services;
  readonly job: Job;
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly parts: Parts;
  readonly limit: Limit;
}

/** Runs the handler once, in its own transaction if it is transactional, and returns plain JSON. */
export async function execute(run: Run): Promise<JsonValue> {
  if (!run.parts.transactional) return attempt(run, run.parts.run, run.tool.kind === "write" ? "unknown" : undefined);
  return inTransaction(run, run.tool.kind, (tx) => executeIn(run, tx));
}

/** Runs a transactional handler inside the caller's transaction. */
export const executeIn = (run: Run, tx: Transaction): Promise<JsonValue> =>
  attempt(run, run.parts.run, run.tool.kind === "write" ? "none" : undefined, tx);

/** Runs the planner, which only reads, in a read transaction. */
export async function executePlan(run: Run, plan: Handler<JsonObject, unknown>): Promise<JsonValue> {
  const result = run.parts.transactional
    ? await inTransaction(run, "read", (tx) => attempt(run, plan, "none", tx))
    : await attempt(run, plan, "none");
  return isObject(result) && result["dry_run"] !== true ? { dry_run: true, ...result } : result;
}

/**
 * Runs in a transaction of the state database, unless the call is cancelled before it starts or the caller's key dies
 * before it ends.
 */
export async function inTransaction<T>(
  { services, job, limit, tool }: Run,
  mode: "read" | "write",
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const state = await limit.race(() => services.state(), tool.kind === "write" ? "none" : undefined);
  return inTransactionOf({ state, keys: services.options.keys, principal: job.principal }, mode, work);
}

async function attempt(
  run: Run,
  handler: Handler<JsonObject, unknown>,
  outcome: GivenUp | undefined,
  tx?: Transaction,
): Promise<JsonValue> {
  const context = contextOf(run, tx);
  const args = givenTo(run);
  return plainJson(await run.limit.race(async () => handler(args, context), outcome));
}

/**
 * The arguments in the form that the handler accepts.
 *
 * @throws ToolFailure VALIDATION_ERROR if it cannot take a number and the caller is a program, which reads no warnings
 */
function givenTo({ parts, args, job }: Run): JsonObject {
  const plain = parts.exactNumbers ? args : nearest(args);
  if (plain === args) return args;
  const roundings = roundingsIn(args);
  const errors = job.hooks.isProgram ? roundingErrors(roundings) : [];
  if (errors.length > 0) return fail("VALIDATION_ERROR", attention(errors), fieldErrorDetails(errors));
  job.warnings.push(...roundingWarnings(roundings));
  return plain;
}

function contextOf({ services, job, tool, limit }: Run, tx: Transaction | undefined): CallContext {
  const { options } = services;
  const fields = { trace_id: job.traceId, op: tool.op };
  return {
    principal: job.principal,
    signal: limit.signal,
    deadline: limit.deadline,
    traceId: job.traceId,
    ...(job.hooks.client === undefined ? {} : { client: job.hooks.client }),
    ...(tx ? { tx } : {}),
    secret(name) {
      const value = options.secret ? options.secret(name) : process.env[name];
      if (value === undefined || value === "")
        return fail("UNAVAILABLE", `The secret ${name} is not set.`, { secret: name });
      job.secrets.add(value);
      return value;
    },
    fetch: options.fetch ?? noFetch,
    log: logOf(services.log, job, tool, fields),
    ...(tool.source.shipped ? { ...options.forShipped, record: job.hooks.record, failedAs: job.hooks.failedAs } : {}),
    ...(job.span ? { span: job.span } : {}),
    answered: job.hooks.answered,
    logged: job.hooks.logged,
    forward: job.hooks.forward,
    attach: job.hooks.attach,
    inputRequired: job.hooks.inputRequired,
    progress: (done, total) => job.hooks.progress?.(done, total),
    warn: (warning) => job.warnings.push(warning),
  };
}

/**
 * The log of a call: each line names the call, secrets that the call uses are removed, and lines of the project's own
 * handlers are also sent to the client.
 */
function logOf(
  log: Logger,
  { hooks, secrets }: Job,
  { op, source }: Tool,
  fields: { readonly trace_id: string },
): Logger {
  const logged = source.shipped ? undefined : hooks.logged;
  const at =
    (level: keyof Logger): Logger["info"] =>
    (message, more) => {
      const text = scrub(String(message), secrets);
      log[level](text, { ...fields, ...(scrubTexts(more, secrets) as object | undefined) });
      logged?.({ level, op, trace_id: fields.trace_id, message: text });
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Fails always: an unguarded `fetch` could reach private addresses. */
const noFetch: Fetch = async () => fail("UNAVAILABLE", "This server has no web client.");
