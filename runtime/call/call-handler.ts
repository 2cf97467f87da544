/** Calls the handler of an op: with its context, its time limit, and its transaction. */

import { createHmac } from "node:crypto";
import { inTransactionOf } from "../access/admission.js";
import type { SecretLookup } from "../config/secret-sources.js";
import { digest } from "../contract/canonical.js";
import { WAITS } from "../contract/envelope.js";
import { attention, fieldErrorDetails } from "../contract/error-body.js";
import { holdsExact } from "../contract/exact-number.js";
import {
  type Bound,
  type ErrorCode,
  fail,
  type Handler,
  type Logger,
  type Transaction,
  unbound,
} from "../contract/handler.js";
import { plainJson } from "../contract/json.js";
import { resultWithoutSecrets, withoutKnownSecrets } from "../contract/known-secrets.js";
import { hint } from "../contract/own-command.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import { scrub, scrubTexts } from "../contract/scrub.js";
import type { TokenSource } from "../contract/token-source.js";
import type { Order } from "../state/driver.js";
import type { State } from "../state/open.js";
import { fillDefaults } from "./arguments/defaults.js";
import {
  exceedsNumberRange,
  roundingErrors,
  roundingsIn,
  roundingWarnings,
  withNearestNumbers,
} from "./arguments/exact.js";
import { plainArguments } from "./arguments/plain.js";
import {
  type BoundHandler,
  type CallOptions,
  type CheckedCall,
  type HandlerContext,
  inheritedOptions,
  type ReadyCall,
} from "./call.js";
import { HandlerError, isKnownFailure } from "./handler-error.js";
import { askingTokens } from "./sign-in-questions.js";
import { stateWaitMs, withinCall } from "./within-call.js";

/**
 * The handler of the op of a call.
 *
 * @throws ToolFailure UNAVAILABLE naming the file in which to bind it
 */
export async function handlerOf(call: CheckedCall): Promise<BoundHandler> {
  const { services, tool, dryRun } = call;
  const bound = await services.project.handler(tool.op);
  if (bound !== undefined) return inOneForm(bound);
  return (dryRun || asksForDryRun(call)) && tool.source.kind === "local" ? inOneForm(unbound("")) : missing(tool);
}

/** Whether the call itself asks for a dry run; reads are carried out all the same, unless they have no handler. */
export const asksForDryRun = ({ envelope }: CheckedCall): boolean => envelope.dryRun === true;

function missing({ op, source }: CheckedCall["tool"]): never {
  const { kind, server, file } = source;
  if (kind === "proxy")
    return fail("UNAVAILABLE", `The server ${server} of ${op} is not configured: add it under \`servers\`.`, {
      server,
    });
  const remedy = hint(
    `Add "handlers: <file>" to the source of ${file} in definitions/toolwright.yaml, and bind ${op} there.`,
    `Export "handlers" from the file, with a function for ${op}.`,
  );
  return fail("UNAVAILABLE", `${op} has no handler: its source ${file} names no handlers file. ${remedy}`, { file });
}

/**
 * Casts the handler: the validator has checked the arguments against the schema from which the handler's type was
 * made.
 */
function inOneForm(bound: Bound<never, unknown>): BoundHandler {
  if (typeof bound === "function")
    return {
      handle: bound as Handler<JsonObject, unknown>,
      transactional: false,
      exactNumbers: false,
      givenOnly: false,
      repeatable: false,
      inPreview: undefined,
      effect: undefined,
    };
  const { run, plan, transactional, exactNumbers, givenOnly, repeatable, inPreview, effect, tables, keep } = bound;
  return {
    handle: run as Handler<JsonObject, unknown>,
    ...(plan ? { plan: plan as Handler<JsonObject, unknown> } : {}),
    transactional: transactional === true,
    exactNumbers: exactNumbers === true,
    givenOnly: givenOnly === true,
    repeatable: repeatable === true,
    inPreview,
    effect,
    ...(tables ? { tables } : {}),
    ...(keep ? { keep } : {}),
  };
}

/** Whether the op has no handler: it was bound with `unbound(file)`, or, for a dry run, not at all. */
export const hasNoHandler = ({ handle }: BoundHandler): boolean => "unbound" in handle;

/** How a handler is called, if not alone. */
interface HandlerOptions {
  /** The planner, which only reads, in place of the handler. */
  readonly plan?: Handler<JsonObject, unknown> | undefined;
  /** An open transaction for a transactional handler; default: its own. */
  readonly tx?: Transaction | undefined;
}

/** Calls the handler once, in a transaction if it is transactional, and returns plain JSON. */
export async function callHandler(call: ReadyCall, { plan, tx }: HandlerOptions = {}): Promise<JsonValue> {
  const { handler, tool, limit } = call;
  if (handler.transactional && !tx) {
    const within = (own: Transaction): Promise<JsonValue> => callHandler(call, { plan, tx: own });
    return inTransaction(call, plan ? "read" : tool.kind, within, orderOf(handler));
  }
  const told: Told = { code: undefined };
  const context = contextOf(call, tx, told);
  const args = handlerArguments(call);
  const work = plan ?? handler.handle;
  call.options.record?.called.add(tool.op);
  // What becomes of a write that is given up: a planner only reads, and a transaction is rolled back.
  const outcome = tool.kind === "read" ? undefined : plan || tx ? "none" : "unknown";
  const made = limit.race(async () => work(args, context), outcome);
  // What an upstream server answers was read from JSON for this call alone: no copy is needed.
  const read = tool.source.kind === "proxy" ? (made as Promise<JsonValue>) : made.then(plainJson);
  const result = await read.catch((thrown: unknown) => {
    // The database decides by the error itself whether a transaction is tried again.
    throw isKnownFailure(thrown) || tx ? thrown : new HandlerError(thrown, outcome);
  });
  return resultOrFailure(call, told, withoutSecrets(call, result));
}

/** The code of a failure that a handler returns as text. */
interface Told {
  code: ErrorCode | undefined;
  details?: JsonObject | undefined;
}

/**
 * A program gets the failure of some shipped ops as a text, which it may print; any other caller reads envelopes, of which
 * a failed one says so.
 */
function resultOrFailure({ options }: ReadyCall, { code, details }: Told, result: JsonValue): JsonValue {
  if (code === undefined || typeof result !== "string") return result;
  if (options.isProgram && !options.failsText) {
    if (options.record) options.record.failedText = result;
    return result;
  }
  return fail(code, result.replace(/^Error: /, ""), details);
}

/** A handler or a server may give back what it was sent: an agent must not read the secrets of this server. */
function withoutSecrets({ warnings }: ReadyCall, result: JsonValue): JsonValue {
  const clean = resultWithoutSecrets(result);
  if (clean !== result)
    warnings.push("secret_masked: the result holds a secret of this server; *** stands in its place");
  return clean;
}

/** The order of the write transactions of a handler: those of one pack, unless it says that its own may run at once. */
export const orderOf = ({ tables }: Pick<BoundHandler, "tables">): Order | undefined =>
  tables?.concurrent ? undefined : `pack ${tables?.name ?? ""}`;

/**
 * Does work in a transaction of the state database, unless the call is cancelled before it starts or the caller's key
 * ends before the work does.
 */
export function inTransaction<T>(
  call: ReadyCall,
  mode: "read" | "write",
  work: (tx: Transaction) => Promise<T>,
  order?: Order,
): Promise<T> {
  const { services, principal, limit, tool, handler, options } = call;
  const open = mode === "read" && !options.run?.preview ? services.state.current() : undefined;
  if (open && (!handler.tables || open.isEnsured(handler.tables)))
    return open.read(work, performance.now() + stateWaitMs(call));
  const opened = async (): Promise<Pick<State, "transaction">> => {
    const state = (await options.run?.preview?.data()) ?? (await services.state.get());
    if (handler.tables) await state.ensure(handler.tables);
    return state;
  };
  return withinCall(call, async () => {
    const state = await limit.race(opened, tool.kind === "write" ? "none" : undefined);
    const caller = { state, keys: services.keys, principal, order: mode === "write" ? order : undefined };
    return inTransactionOf(caller, mode, work);
  });
}

/**
 * The arguments in the form that the handler accepts.
 *
 * @throws ToolFailure VALIDATION_ERROR if it cannot take a number that is too large, or any and the caller is a program, which
 *   reads no warnings
 */
function handlerArguments({ handler, tool, givenArgs, completeArgs, options, warnings }: ReadyCall): JsonObject {
  const args = handler.givenOnly ? fillDefaults(givenArgs, tool.parameters_schema, "required") : completeArgs;
  // Requests to servers and APIs keep the order of keys; other handlers get plain objects.
  if (handler.exactNumbers) return args;
  const plain = plainArguments(withNearestNumbers(args));
  if (!holdsExact(args)) return plain;
  const roundings = roundingsIn(args);
  const errors = roundingErrors(options.isProgram ? roundings : roundings.filter(exceedsNumberRange));
  if (errors.length > 0) return fail("VALIDATION_ERROR", attention(errors), fieldErrorDetails(errors));
  warnings.push(...roundingWarnings(roundings));
  return plain;
}

/** The context of a handler. */
function contextOf(call: ReadyCall, tx: Transaction | undefined, told: Told): HandlerContext {
  const { services, tool, limit, principal, traceId, warnings, options, span } = call;
  const { client, forward, attach, native, inputRequired } = options;
  const context: Mutable<HandlerContext & ShippedContext> = {
    principal,
    signal: limit.signal,
    deadline: limit.deadline,
    traceId,
    secret: (name) => secretFor(call, name),
    fetch: services.fetch,
    log: logOf(call),
    inherited: inheritedOptions(options, span),
    forward,
    attach: attach && ((block) => attach(resultWithoutSecrets(block) as typeof block)),
    native:
      native && ((answer) => native(resultWithoutSecrets(answer as unknown as JsonValue) as unknown as typeof answer)),
    inputRequired,
    progress: (done, total, message) =>
      message ? options.progress?.(done, total, withoutKnownSecrets(message)) : options.progress?.(done, total),
    warn: (warning) => void warnings.push(warning),
  };
  if (span?.trace) context.trace = span.trace;
  if (client !== undefined) context.client = client;
  if (idempotencyKeyOf(call) !== undefined) addIdempotency(context, call);
  if (tx) context.tx = tx;
  if (tool.source.shipped) addShipped(context, call, told);
  if (services.tokens && tool.source.kind !== "local")
    context.tokens = askingTokens(tokensWithin(call, services.tokens), {
      ...{ forward, inputRequired },
      signal: limit.signal,
    });
  return context;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What handlers of shipped packs get in addition. */
interface ShippedContext {
  record?: CallOptions["record"];
  pageBytes?: CallOptions["pageBytes"];
  failedAs?: (code: ErrorCode, details?: JsonObject) => void;
}

function addShipped(context: ShippedContext, call: ReadyCall, told: Told): void {
  const { services, options } = call;
  Object.assign(
    context,
    services.forShipped?.((work) => withinCall(call, work)),
  );
  context.record = options.record;
  context.pageBytes = options.pageBytes;
  context.failedAs = (code, details) => {
    told.code = code;
    told.details = details;
    // What has no answer yet counts as no failure.
    if (details?.["reason"] !== WAITS) options.failedAs?.(code);
  };
}

/** Tokens of connections, which are in the state database. */
const tokensWithin = (call: ReadyCall, tokens: TokenSource): TokenSource => ({
  ...tokens,
  token: (use) => withinCall(call, () => tokens.token(use)),
  widened: (use, scope) => withinCall(call, () => tokens.widened(use, scope)),
});

/**
 * Adds the key of a call in the form that may be passed on: other callers and ops have other keys. It is for writes, and
 * for reads that have an effect all the same.
 */
function addIdempotency(context: Mutable<HandlerContext>, call: ReadyCall): void {
  const { options, tool } = call;
  if (options.key !== undefined) context.key = options.key;
  const { caller, key } = slotOf(call);
  context.idempotencyKey = digest([caller, tool.op, key]).slice(0, PASSED_KEY_LENGTH);
  const seed = seedOf(call);
  if (seed !== undefined) context.seed = seed;
}

/** The seed of a write of a program: of its place, whose beginning is the id of the run, or no id in a preview. */
function seedOf({ options: { run, key = "" } }: ReadyCall): string | undefined {
  if (run?.seed === undefined) return undefined;
  return createHmac("sha256", run.seed)
    .update(key.slice(key.indexOf(":")))
    .digest("hex");
}

/** Length of a key that is passed on: 128 bits in hexadecimal. */
const PASSED_KEY_LENGTH = 32;

/** The idempotency key of a call: its own, else that of its place in a run. */
export const idempotencyKeyOf = ({ envelope, options }: CheckedCall): string | undefined => envelope.key ?? options.key;

/** Whose key a call has, and which: those of the write that it would repeat, so that it has no second effect. */
export const slotOf = (call: CheckedCall): { readonly caller: string; readonly key: string | undefined } =>
  call.repeats ?? { caller: call.options.run?.owner ?? call.principal.id, key: idempotencyKeyOf(call) };

/** Reads a secret, which is then removed from the answer. */
function secretFor({ services, secrets }: ReadyCall, name: string): string {
  const value = services.secret(name);
  const { places }: SecretLookup = services.secret;
  if (value === undefined || value === "")
    return fail("UNAVAILABLE", `The secret ${name} is not set.${places === undefined ? "" : ` Set it ${places}.`}`, {
      secret: name,
    });
  secrets.add(value);
  return value;
}

/**
 * The log of a call: each line names the call, secrets that the call uses are removed, and lines of the project's own
 * handlers are also sent to the client.
 */
function logOf({ services, tool, traceId: trace_id, secrets, options }: ReadyCall): Logger {
  const { op, source } = tool;
  const toClient = source.shipped ? undefined : options.logged;
  const at =
    (level: keyof Logger): Logger["info"] =>
    (message, more) => {
      const text = scrub(String(message), secrets);
      services.log[level](text, { trace_id, op, ...(scrubTexts(more, secrets) as object | undefined) });
      toClient?.({ level, op, trace_id, message: text });
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
