/** What one call carries from stage to stage, and what it needs of its surroundings. */

import { randomBytes } from "node:crypto";
import type { KeyCheck } from "../access/admission.js";
import type { Context, ErrorCode, Fetch, FieldError, Logger, Principal } from "../contract/handler.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import type { CorrectedCall, Envelope } from "../envelope.js";
import type { Recent } from "../observe/recent.js";
import type { SpanFailure, SpanScope } from "../observe/span.js";
import type { RegistryIndex, RegistryView } from "../registry.js";
import type { Session } from "../session.js";
import type { Project } from "../settings.js";
import type { CallRecord, Host } from "../shipped.js";
import type { LazyState } from "../state/lazy.js";
import type { State } from "../state/open.js";
import type { ClientDoors, ProxyContext } from "../upstream/context.js";
import type { Ledger } from "./ledger.js";

/** What dispatch needs beside a project. */
export interface DispatchOptions {
  /** Opened at the first call that needs it, and closed by who made it. */
  readonly state: Pick<LazyState, "get">;
  /** Keyed writes that run in this process, over this state: slot to hash of the arguments. */
  readonly inFlight: Map<string, string>;
  readonly log: Logger;
  /** Asked about the key of each call that has one. */
  readonly keys: KeyCheck;
  /** Milliseconds since the epoch; tests set it. */
  readonly clock?: () => number;
  /** Names a call; tests set it. */
  readonly traceId?: () => string;
  /** Value of a secret; default: the environment. */
  readonly secret?: (name: string) => string | undefined;
  /** The guarded `fetch` that handlers get; without it they have none. */
  readonly fetch?: Fetch;
  /** The project of a stored object, for grants that do not cover all of them; without it such ids are refused. */
  readonly projectOf?: (kind: string, id: string) => Promise<string | undefined>;
  readonly ledger?: Ledger;
  /** Where spans are kept for a while. */
  readonly recent?: Recent;
  /** What shipped packs get. */
  readonly host?: Host;
}

/** What calls inherit that are made in the course of another one. */
export interface Inherited extends ClientDoors {
  /** Name of the client program, where it says one. */
  readonly client?: string | undefined;
  /** The run, batch or call that makes this call. */
  readonly span?: SpanScope | undefined;
  /** Is told the answer to each call that is made for the request. */
  readonly answered?: ((envelope: Envelope) => void) | undefined;
  /** Is told what handlers of the project write to the log, without the fields, which are for the operator. */
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

/** Nothing but what is inherited. */
export const inherited = ({ client, span, answered, logged, forward, attach }: Inherited): Inherited => ({
  client,
  span,
  answered,
  logged,
  forward,
  attach,
});

/** The context of a handler whose work may make calls: those inherit what is in it. */
export type CallContext = Context & Omit<Inherited, "client"> & Pick<ProxyContext, "rounds">;

/** What a door adds to one call. */
export interface CallHooks extends Inherited, Pick<ProxyContext, "rounds"> {
  /** Aborted when the caller no longer wants the answer. */
  readonly signal?: AbortSignal;
  readonly progress?: (done: number, total?: number) => void;
  /** When the request for this one call arrived, of `performance.now()`: its time counts from then on; default: now. */
  readonly arrived?: number;
  /** How long the caller waits for this one call, where it says so. */
  readonly limitMs?: number;
  /** Absent where there are no sessions (HTTP). */
  readonly session?: Session;
  /** A program makes the call, and reads no warnings. */
  readonly isProgram?: true;
  /** Where the calls of the code that makes this call are written down. */
  readonly record?: CallRecord;
  /** Is told the code of a failure that a shipped op answers as a text. */
  readonly failedAs?: (code: ErrorCode) => void;
  /** Puts earlier results in place of references; runs once the op is known. */
  readonly references?: (args: JsonValue) => Resolved;
}

/** Arguments with references resolved, or what is wrong with these. */
export interface Resolved {
  readonly args: JsonValue;
  readonly errors: readonly FieldError[];
}

/** Everything that stays the same from call to call. */
export interface Kit {
  readonly project: Project;
  readonly index: RegistryIndex;
  readonly log: Logger;
  readonly ledger: Ledger;
  readonly options: DispatchOptions;
  now(): number;
  state(): Promise<State>;
}

/** One call under way. Stages write down what an answer has to say; nothing else about it changes. */
export interface Job {
  readonly asked: string;
  readonly traceId: string;
  readonly started: number;
  /** When its time began, of `performance.now()`. */
  readonly arrived: number;
  /** What of its time the check of its key has taken. */
  admissionMs: number;
  readonly principal: Principal;
  readonly hooks: CallHooks;
  /** Fires when the caller has gone, or its key has died. */
  signal: AbortSignal | undefined;
  readonly view: RegistryView;
  readonly warnings: string[];
  /** Secrets that the handler asked for; kept out of the answer. */
  readonly secrets: Set<string>;
  /** Set by resolve. */
  tool: Tool | undefined;
  /** The arguments as far as they are known: what a corrected call starts from. */
  args: JsonObject;
  /** Every finding about the arguments; an answer lists only some of them. */
  errors: readonly FieldError[];
  helpPath: string;
  /** Set where the corrected call does not follow from tool and arguments. */
  corrected: CorrectedCall | undefined;
  /** What calls that the handler makes hang on. */
  span: SpanScope | undefined;
  /** Set where the call ends badly. */
  failure: SpanFailure | undefined;
}

/** A trace id: `tr_` and 16 hexadecimal digits. */
export const newTraceId = (): string => `tr_${randomBytes(8).toString("hex")}`;
