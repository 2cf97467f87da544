/** A call: what a transport sets for it, what its steps find out about it, and the dispatcher that takes it. */

import type { RegistryIndex, RegistryView } from "../catalog/registry.js";
import type { Session } from "../catalog/session.js";
import type { ApprovalRule } from "../config/approval-settings.js";
import { type CorrectedCall, type Envelope, echo } from "../contract/error-body.js";
import {
  type ErrorCode,
  type FieldError,
  type Handler,
  type Logger,
  type Principal,
  ToolFailure,
} from "../contract/handler.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import { asRequest } from "../contract/request-fields.js";
import type { Tables } from "../contract/tables.js";
import { newBudget, type WorkBudget } from "../contract/work-budget.js";
import type { State } from "../state/open.js";
import type { Repaired } from "./arguments/repairs.js";
import type { ClientAccess, ProxyContext } from "./client-access.js";
import type { Limit } from "./limit.js";
import type { PreviewHooks } from "./preview-hooks.js";
import { readNames } from "./request-names.js";
import type { Services } from "./services.js";
import type { InSpan, SpanScope } from "./span.js";

/** What a transport sets for one call. */
export interface CallOptions extends ClientAccess, Pick<ProxyContext, "inputRequired"> {
  /** Name of the client program, if it gives one. */
  readonly client?: string | undefined;
  /** The run, batch or call that makes this call. */
  readonly span?: SpanScope | undefined;
  /** Called with the answer to each call of the request. */
  readonly answered?: ((envelope: Envelope) => void) | undefined;
  /**
   * Called with lines that handlers of the project write to the log, without the fields, which are for the operator.
   */
  readonly logged?: ((line: LoggedLine) => void) | undefined;
  /** Aborted when the caller no longer wants the answer. */
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((done: number, total?: number, message?: string) => void) | undefined;
  /** When the request of this call arrived, of `performance.now()`; the time limit counts from here; default: now. */
  readonly arrived?: number;
  /** The caller's own time limit for this call. */
  readonly limitMs?: number;
  /** Absent without a session (HTTP). */
  readonly session?: Session | undefined;
  /** Bytes of a page of a stored result; default: those that a run may print. */
  readonly pageBytes?: number | undefined;
  /** Set if a program makes the call, which reads no warnings. */
  readonly isProgram?: true;
  /** The idempotency key of a call without one of its own: that of its place in a run. */
  readonly key?: string | undefined;
  /** Called when the call waits for an approval: it makes room for other calls then. */
  readonly parked?: (() => void) | undefined;
  /** The run whose program makes the call. */
  readonly run?: RunHooks | undefined;
  /** Record of the calls that code makes. */
  readonly record?: CallRecord;
  /** Set in a parallel batch: this call, and those that it makes, may only read. */
  readonly readsOnly?: true | undefined;
  /** Set if a failure that a shipped op returns to programs as text fails the call, although a program makes it. */
  readonly failsText?: true;
  /** Called with the code of a failure that a shipped op returns as its value. */
  readonly failedAs?: ((code: ErrorCode) => void) | undefined;
  /** Replaces references by earlier results; used when the op is known. */
  readonly references?: (args: JsonValue) => Resolved;
}

/** The options that calls inherit from the call, batch or run that makes them, whose span they get. */
export const inheritedOptions = (options: CallOptions, span = options.span): CallOptions => {
  const { client, answered, logged, forward, attach, textWithoutBytes, run, readsOnly } = options;
  return { client, span, answered, logged, forward, attach, textWithoutBytes, run, readsOnly };
};

/** What a run does for the writes of its program, those of `ot.batch` and of Python tools too. */
export interface RunHooks {
  /** How long the idempotency keys of its writes are kept. */
  readonly keepMs: number;
  /** Whether another program has resumed it. */
  readonly isNested: boolean;
  /** Whose keys its writes have, if not those of the caller for whom it goes on: that of a key which was replaced. */
  readonly owner?: string | undefined;
  /** Of this, and of the place of a write, its `Context.seed` is made. */
  readonly seed?: string | undefined;
  /** Whether each write is to be asked about, since it may have to be one of a plan. */
  readonly isPlanned?: boolean | undefined;
  /** A call of the program has an answer. */
  answered?(call: { readonly key: string; readonly op: string }, result: JsonValue): void;
  /** Its calls that wait for the state database: they go on when it answers, as long as the program does. */
  readonly outages?: Outages | undefined;
  /** The calls of a failed run, if the program corrects it. */
  readonly earlier?: EarlierCalls | undefined;
  /** Set while the program is previewed. */
  readonly preview?: PreviewHooks | undefined;
  /**
   * Stores what the program has received so far, so that another server can go on with it.
   *
   * @throws ToolFailure UNAVAILABLE, or CONFLICT if another server has done so
   */
  beforeWrite(): Promise<void>;
  /** A call of the program begins; returns what ends it. */
  begin(key: string): () => void;
  /** Whether the call at this place has been asked about before. */
  wasAsked(key: string): boolean;
  /**
   * Waits until a person has approved a write.
   *
   * @throws ToolFailure PERMISSION_DENIED if it is rejected, or its time is over; CANCELLED when the program pauses
   */
  permit(asked: AskedPermission): Promise<void>;
  /**
   * Waits until a person has said what has become of a write: its server ended while it was under way.
   *
   * @throws ToolFailure CANCELLED when the program pauses
   */
  outcomeUnknown(asked: AskedOutcome): Promise<never>;
}

/** The calls of a failed run, for the program that corrects it. */
export interface EarlierCalls {
  /** The write of the failed run that a call would repeat; undefined if the failed run made no such write. */
  write(asked: Pick<AskedPermission, "key" | "op" | "hash">): EarlierWrite | undefined;
  /** Follows a write that is made now; `of`: the write of the failed run whose key it has, if it has one. */
  made<T>(write: Promise<T>, of: EarlierWrite | undefined): Promise<T>;
}

/** A write of a failed run, as the ledger has it. */
export interface EarlierWrite {
  readonly caller: string;
  readonly op: string;
  /** The id of its run, and its place there. */
  readonly key: string;
  /** Digest of its arguments. */
  readonly hash: string;
  /** Its stored answer; null while its outcome is unknown. */
  readonly answer: string | null;
}

/** The calls of a program that wait for the state database, by their keys. */
export interface Outages {
  waits(key: string | undefined): void;
  answered(key: string | undefined): void;
  /** Whether calls that this one has made have waited, so that its time went by; they are forgotten. */
  takeWithin(key: string | undefined): boolean;
}

/** A write with an unknown outcome. */
export type AskedOutcome = Pick<AskedPermission, "key" | "op" | "args" | "parked">;

/** A write that a person must approve. */
export interface AskedPermission {
  /** The idempotency key: its place in the run. */
  readonly key: string;
  readonly op: string;
  readonly args: JsonObject;
  readonly hash: string;
  /** Why it is asked about; absent: a rule that is gone asked about it, or a plan may. */
  readonly rule: ApprovalRule | undefined;
  parked(): void;
}

/** A line that a handler wrote to the log. */
export interface LoggedLine {
  readonly level: keyof Logger;
  readonly op: string;
  readonly trace_id: string;
  /** Without secrets. */
  readonly message: string;
}

/** The calls of a run so far. */
export interface CallRecord {
  /** Ops that were carried out or are under way, with how often. */
  readonly counts: Map<string, number>;
  /**
   * The ops that are counted under calls of the program without an answer, by the ordinal of the call. When the run goes on
   * elsewhere, these calls are made again, and counted then.
   */
  readonly underWay: Map<string, readonly string[]>;
  /** Ops that were carried out with any result, or whose stored answer was given again. */
  readonly called: Set<string>;
  /** Ops whose results were sanitised, stored, and read again. */
  readonly foreign: Set<string>;
  /** The last text with which an op told the program of a failure. */
  failedText?: string;
}

/** Arguments with references resolved, and errors of those that cannot be. */
export interface Resolved {
  readonly args: JsonValue;
  readonly errors: readonly FieldError[];
}

/** The context of a handler that may make calls. */
export interface HandlerContext extends ProxyContext {
  /** The options of calls that it makes. */
  readonly inherited: CallOptions;
  /** The key that a run gave the call; its own calls get keys that begin with it. */
  readonly key?: string | undefined;
}

/** A handler in one form, however it was bound. */
export interface BoundHandler {
  readonly handle: Handler<JsonObject, unknown>;
  readonly plan?: Handler<JsonObject, unknown>;
  readonly transactional: boolean;
  /** Whether it accepts exact numbers; see `Binding.exactNumbers`. */
  readonly exactNumbers: boolean;
  /** Whether it gets no defaults of optional arguments; see `Binding.givenOnly`. */
  readonly givenOnly: boolean;
  /** Whether a repeated call with the same key has no second effect; see `Binding.repeatable`. */
  readonly repeatable: boolean;
  /** What a preview of a program does with it; see `Binding.inPreview`. */
  readonly inPreview: "run" | "skip" | undefined;
  /** What it changes although it counts as a read; see `Binding.effect`. */
  readonly effect: "calls" | "own" | undefined;
  /** The tables that its transactions use. */
  readonly tables?: Tables;
  readonly keep?: (result: unknown) => object;
}

/**
 * One call. A step returns it with what the step found out; only `warnings` and `secrets` are added to in place.
 *
 * Every field is there from the start: to copy an object is fast only if the copy has the same fields.
 */
export interface Call {
  readonly services: Services;
  readonly principal: Principal;
  readonly options: CallOptions;
  /** The request as it came, with its fields under their own names. */
  readonly request: unknown;
  /** The op as the caller wrote it. */
  readonly asked: string;
  readonly traceId: string;
  /** Milliseconds since the epoch. */
  readonly started: number;
  /** Start of its time limit, of `performance.now()`. */
  readonly arrived: number;
  /** The part of its time that checking its key took. */
  readonly admissionMs: number;
  /** Aborts when the caller disconnects or its key ends. */
  readonly signal: AbortSignal | undefined;
  /** The span of the call; of its parent until it has one. */
  readonly span: SpanScope | undefined;
  readonly view: RegistryView;
  readonly warnings: string[];
  /** Secrets that the handler has read; removed from the answer. */
  readonly secrets: Set<string>;
  readonly envelope: RequestEnvelope | undefined;
  readonly tool: Tool | undefined;
  /** The arguments as far as they are known; a corrected call starts from them. */
  readonly args: JsonObject;
  readonly repaired: Repaired | undefined;
  /** All findings about the arguments; an answer lists only some of them. */
  readonly errors: readonly FieldError[];
  /** The work that the checks of the arguments may still do. */
  readonly budget: WorkBudget;
  /** The checked arguments without defaults. */
  readonly givenArgs: JsonObject | undefined;
  /** The arguments with defaults, for the handler. */
  readonly completeArgs: JsonObject | undefined;
  readonly dryRun: boolean;
  readonly helpPath: string;
  /** The corrected call of a call that did not reach its handler. */
  readonly corrected: CorrectedCall | undefined;
  readonly handler: BoundHandler | undefined;
  readonly limit: Limit | undefined;
  /** The write of a failed run that it would repeat. */
  readonly repeats: EarlierWrite | undefined;
}

/** The fields of a request, which have the right types. */
interface RequestEnvelope {
  readonly op: string;
  readonly args: JsonValue | undefined;
  readonly dryRun: boolean | undefined;
  readonly key: string | undefined;
}

/** A call whose envelope is read. */
export interface ReadCall extends Call {
  readonly envelope: RequestEnvelope;
}

/** A call whose op is known. */
export interface ResolvedCall extends ReadCall {
  readonly tool: Tool;
}

/** A call whose arguments are repaired. */
export interface RepairedCall extends ResolvedCall {
  readonly repaired: Repaired;
}

/** A call that passed every check of its arguments. */
export interface CheckedCall extends ResolvedCall {
  readonly givenArgs: JsonObject;
  readonly completeArgs: JsonObject;
}

/** A call that is ready for its handler, with its time limit running. */
export interface ReadyCall extends CheckedCall {
  readonly handler: BoundHandler;
  readonly limit: Limit;
}

/** Opens a call. */
export function openCall(services: Services, sent: unknown, principal: Principal, options: CallOptions): Call {
  const view = services.index.view(principal.grant);
  const { request, warnings } = readNames(view, sent);
  return {
    services,
    principal,
    options,
    request,
    asked: echo(asRequest(request)?.["op"]),
    traceId: services.traceId(),
    started: services.clock(),
    arrived: options.arrived ?? performance.now(),
    admissionMs: 0,
    signal: options.signal,
    span: options.span,
    view,
    warnings: [...warnings],
    secrets: new Set(),
    envelope: undefined,
    tool: undefined,
    args: {},
    repaired: undefined,
    errors: [],
    budget: newBudget(),
    givenArgs: undefined,
    completeArgs: undefined,
    dryRun: false,
    helpPath: "root",
    corrected: undefined,
    handler: undefined,
    limit: undefined,
    repeats: undefined,
  };
}

/** A failure of a call, with the call as far as it came: the answer is made from both. Not an Error: a second stack is slow. */
export class CallError {
  readonly call: Call;
  readonly cause: unknown;
  constructor(call: Call, cause: unknown) {
    this.call = call;
    this.cause = cause;
  }
}

/** The failure of a call; that of a step that says more about the call stays as it is. */
export const failureAt = (call: Call, error: unknown): CallError =>
  error instanceof CallError ? error : new CallError(call, error);

/**
 * Refuses a call.
 *
 * @param call the call with what the answer needs: arguments, findings, help path, corrected call
 * @throws CallError always
 */
export function refuse(call: Call, code: ErrorCode, message: string, details: object): never {
  throw new CallError(call, new ToolFailure(code, message, details));
}

/** The only path to a handler, for one project. */
export interface Dispatch {
  readonly index: RegistryIndex;
  /** Answers one call. Never rejects: failures are envelopes, too. */
  dispatch(request: unknown, principal: Principal, options?: CallOptions): Promise<Envelope>;
  /** A corrected call for a call that does not reach its op; undefined if the op is unknown. */
  correct(request: unknown, principal: Principal, options?: CallOptions): Promise<CorrectedCall | undefined>;
  /**
   * Refuses a caller whose key is not live, for answers that involve no call.
   *
   * @throws ToolFailure UNAUTHENTICATED, or UNAVAILABLE if the key store is out of reach
   */
  admit(principal: Principal): Promise<void>;
  /** Runs work in a span, like a call. */
  readonly inSpan: InSpan;
  /** The state database, opened by the first call that needs it. */
  state(): Promise<State>;
}
