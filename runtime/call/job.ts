/** Types of dispatch: its dependencies, the options and the state of one call, and the dispatcher itself. */

import type { KeyCheck } from "../access/admission.js";
import type { Project } from "../catalog/project.js";
import type { RegistryIndex, RegistryView } from "../catalog/registry.js";
import type { Session } from "../catalog/session.js";
import type { CorrectedCall, Envelope } from "../contract/error-body.js";
import type { Context, ErrorCode, Fetch, FieldError, Logger, Principal } from "../contract/handler.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import type { LazyState } from "../state/lazy.js";
import type { State } from "../state/open.js";
import type { ClientAccess, ProxyContext } from "./client-access.js";
import type { Ledger } from "./ledger.js";
import type { Recent } from "./recent-spans.js";
import type { InSpan, SpanFailure, SpanScope } from "./span.js";

/** Dependencies of dispatch beside a project. */
export interface DispatchOptions {
  /** Opened by the first call that needs it; its creator closes it. */
  readonly state: Pick<LazyState, "get">;
  /** Running writes with an idempotency key in this process, over this state: slot to hash of the arguments. */
  readonly inFlight: Map<string, string>;
  readonly log: Logger;
  /** Checks the key of each call. */
  readonly keys: KeyCheck;
  /** Milliseconds since the epoch; tests set it. */
  readonly clock?: () => number;
  /** Makes trace ids; tests set it. */
  readonly traceId?: () => string;
  /** Value of a secret; default: the environment. */
  readonly secret?: (name: string) => string | undefined;
  /** The guarded `fetch` of handlers; without it they have none. */
  readonly fetch?: Fetch;
  /** The project of a stored object, for grants that do not cover all projects; without it such ids are refused. */
  readonly projectOf?: (kind: string, id: string) => Promise<string | undefined>;
  readonly ledger?: Ledger;
  /** Buffer of recent spans. */
  readonly recent?: Recent;
  /** Additional context for handlers of shipped packs. */
  readonly forShipped?: object;
}

/** Properties that calls inherit from the call that makes them. */
export interface Inherited extends ClientAccess {
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
}

/** A line that a handler wrote to the log. */
export interface LoggedLine {
  readonly level: keyof Logger;
  readonly op: string;
  readonly trace_id: string;
  /** Without secrets. */
  readonly message: string;
}

/** Copies the inherited properties only. */
export const inherited = ({ client, span, answered, logged, forward, attach }: Inherited): Inherited => ({
  client,
  span,
  answered,
  logged,
  forward,
  attach,
});

/** The context of a handler that may make calls, which inherit its properties. */
export type CallContext = Context & Omit<Inherited, "client"> & Pick<ProxyContext, "inputRequired">;

/** Options of one call that a transport sets. */
export interface CallHooks extends Inherited, Pick<ProxyContext, "inputRequired"> {
  /** Aborted when the caller no longer wants the answer. */
  readonly signal?: AbortSignal;
  readonly progress?: (done: number, total?: number) => void;
  /** When the request of this call arrived, of `performance.now()`; the time limit counts from here; default: now. */
  readonly arrived?: number;
  /** The caller's own time limit for this call. */
  readonly limitMs?: number;
  /** Absent without a session (HTTP). */
  readonly session?: Session;
  /** Set if a program makes the call, which reads no warnings. */
  readonly isProgram?: true;
  /** Record of the calls that code makes. */
  readonly record?: CallRecord;
  /** Called with the code of a failure that a shipped op returns as text. */
  readonly failedAs?: (code: ErrorCode) => void;
  /** Replaces references by earlier results; runs when the op is known. */
  readonly references?: (args: JsonValue) => Resolved;
}

/** Arguments with references resolved, and errors of those that cannot be. */
export interface Resolved {
  readonly args: JsonValue;
  readonly errors: readonly FieldError[];
}

/** Services that all calls share. */
export interface Services {
  readonly project: Project;
  readonly index: RegistryIndex;
  readonly log: Logger;
  readonly ledger: Ledger;
  readonly options: DispatchOptions;
  now(): number;
  state(): Promise<State>;
  /** Successful calls of each op since the start; an example shows the most used one. */
  readonly used: Map<string, number>;
}

/** State of one running call. Stages add to it what the answer needs. */
export interface Job {
  readonly asked: string;
  readonly traceId: string;
  readonly started: number;
  /** Start of its time limit, of `performance.now()`. */
  readonly arrived: number;
  /** The part of its time that checking its key took. */
  admissionMs: number;
  readonly principal: Principal;
  readonly hooks: CallHooks;
  /** Aborts when the caller disconnects or its key dies. */
  signal: AbortSignal | undefined;
  readonly view: RegistryView;
  readonly warnings: string[];
  /** Secrets that the handler has read; removed from the answer. */
  readonly secrets: Set<string>;
  /** Set by resolve. */
  tool: Tool | undefined;
  /** The arguments as far as they are known; a corrected call starts from them. */
  args: JsonObject;
  /** All findings about the arguments; an answer lists only some of them. */
  errors: readonly FieldError[];
  helpPath: string;
  /** The corrected call of a call that did not reach its handler. */
  corrected: CorrectedCall | undefined;
  /** Parent span of calls that the handler makes. */
  span: SpanScope | undefined;
  /** Set if the call fails. */
  failure: SpanFailure | undefined;
}

/** The calls of a run so far. */
export interface CallRecord {
  /** Ops that were carried out or are under way, with how often. */
  readonly counts: Map<string, number>;
  /** Ops whose results were sanitised, stored, and read again. */
  readonly foreign: Set<string>;
}

/** The only path to a handler, for one project. */
export interface Dispatch {
  readonly index: RegistryIndex;
  /** Answers one call. Never rejects: failures are envelopes, too. */
  dispatch(call: unknown, principal: Principal, hooks?: CallHooks): Promise<Envelope>;
  /** A corrected call for a call that does not reach its op; undefined if the op is unknown. */
  correct(call: unknown, principal: Principal, hooks?: CallHooks): Promise<CorrectedCall | undefined>;
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
