/** What all calls of a project share. */

import type { KeyCheck } from "../access/admission.js";
import type { Project } from "../catalog/project.js";
import { indexRegistry, type RegistryIndex } from "../catalog/registry.js";
import type { Envelope } from "../contract/error-body.js";
import { type Fetch, fail, type Logger, type Principal } from "../contract/handler.js";
import { newTraceId } from "../contract/ids.js";
import type { OwnWords } from "../contract/learned-words.js";
import type { JsonObject } from "../contract/registry.js";
import type { TokenSource } from "../contract/token-source.js";
import type { LazyState, State } from "../state/open.js";
import type { Retention } from "../state/retention.js";
import type { CallHook } from "./call-hook.js";
import { type Ledger, sqlLedger } from "./ledger.js";
import type { Recent } from "./recent-spans.js";
import { createSpans, type InSpan, type SpanScope } from "./span.js";
import type { AnswerSeal } from "./stored-answer.js";

/**
 * Finds the project of a stored object.
 *
 * @param data where it is stored; default: the state database
 */
export type ProjectLookup = (kind: string, id: string, data?: StoredData) => Promise<string | undefined>;

/** Where objects are stored. */
export type StoredData = Pick<State, "transaction" | "ensure">;

/** Makes a read for a call, with its checks. */
type MakeRead = (request: JsonObject, principal: Principal, span: SpanScope | undefined) => Promise<Envelope>;

/** What all calls of a project share, and what lives as long as its gateway. */
export interface Services {
  readonly project: Project;
  readonly index: RegistryIndex;
  readonly inSpan: InSpan;
  /** Opened by the first call that needs it; its creator closes it. */
  readonly state: Pick<LazyState, "get" | "current">;
  /** Running writes with an idempotency key in this process, over this state: slot to hash of the arguments. */
  readonly inFlight: Map<string, string>;
  readonly log: Logger;
  /** Checks the key of each call. */
  readonly keys: KeyCheck;
  readonly ledger: Ledger;
  /** Encrypts the answers in the ledger; absent without keys in the configuration. */
  readonly answerSeal?: AnswerSeal | undefined;
  /** Deletes expired rows of the ledger. */
  readonly expiry?: Retention;
  /** Milliseconds since the epoch. */
  clock(): number;
  /** Makes the trace id of a call. */
  traceId(): string;
  /** Value of a secret. */
  secret(name: string): string | undefined;
  /** Tokens of connections; absent if none is configured. */
  readonly tokens?: TokenSource | undefined;
  /** The guarded `fetch` of handlers. */
  readonly fetch: Fetch;
  /** The project of a stored object, for grants that do not cover all projects; without it such ids are refused. */
  readonly projectOf?: ProjectLookup;
  /** What features do around a call that passed every check of its arguments. */
  readonly hook?: CallHook | undefined;
  /** The words by which a caller looks for ops. */
  readonly ownWords?: ((principal: Principal) => OwnWords) | undefined;
  /** Buffer of recent spans. */
  readonly recent?: Recent;
  /** Additional context for handlers of shipped packs. What waits for the state database goes through `within`. */
  readonly forShipped?: (within: Within) => object;
  /** Makes a read that says something for a call, in its span. */
  readonly read: MakeRead;
  /** Successful calls of each op since the start, by the id of the caller, and by {@link EVERYBODY}; an example shows the most used one. */
  readonly used: Map<string, Map<string, number>>;
}

/** Stands for all callers: no caller has this id. */
export const EVERYBODY = "";

/** Does work within the deadline of a call for the state database. */
export type Within = <T>(work: () => Promise<T>) => Promise<T>;

/** Services that {@link createServices} sets if they are not given. */
type WithDefault = "ledger" | "clock" | "traceId" | "secret" | "fetch";

/** Services that a gateway may replace. */
export type OptionalServices = Partial<
  Pick<Services, WithDefault | "projectOf" | "hook" | "ownWords" | "recent" | "forShipped" | "tokens" | "answerSeal">
>;

/** Services that a gateway gives to dispatch. */
export type GivenServices = Pick<Services, "state" | "inFlight" | "expiry" | "log" | "keys"> & OptionalServices;

/**
 * Completes the services of a project. Opens and imports nothing.
 *
 * @param read makes a read for a call
 */
export function createServices(project: Project, given: GivenServices, read: MakeRead): Services {
  const { log, recent } = given;
  return {
    ledger: sqlLedger,
    clock: Date.now,
    traceId: newTraceId,
    secret: (name) => process.env[name],
    fetch: noFetch,
    used: new Map(),
    ...given,
    read,
    project,
    index: indexRegistry(project.registry, project.settings),
    inSpan: createSpans({ log, level: project.settings.log.level, version: project.version, recent }),
  };
}

/** Fails always: an unguarded `fetch` could reach private addresses. */
const noFetch: Fetch = async () => fail("UNAVAILABLE", "This server has no web client.");
