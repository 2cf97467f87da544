/** The contract between dispatch and the handlers of ops: context, principal, errors. */

import type { JsonObject, Level } from "./registry.js";
import type { Tables } from "./tables.js";
import type { TraceContext } from "./trace-context.js";

/** Codes that an envelope's error may carry. */
export const ERROR_CODES = [
  "VALIDATION_ERROR",
  "PERMISSION_DENIED",
  "NOT_FOUND",
  "CONFLICT",
  "INTERNAL",
  "UNAUTHENTICATED",
  "RATE_LIMITED",
  "TIMEOUT",
  "CANCELLED",
  "UNAVAILABLE",
] as const;

/**
 * One of {@link ERROR_CODES}.
 *
 * @example
 * const code: ErrorCode = "NOT_FOUND";
 */
export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * One fault of one argument.
 *
 * @example
 * const fault: FieldError = { path: "title", keyword: "unique", message: "title is taken", expected: "a title of its own", received: '"Plan"' };
 */
export interface FieldError {
  /** Dotted and bracketed path into the arguments: `nodes[0].connections[1].id`. */
  readonly path: string;
  /** JSON Schema keyword, or `one_of`, `at_least_one_change`, `requires`, `unknown_reference`, `cycle`, `ref`. */
  readonly keyword: string;
  readonly message: string;
  readonly expected: string;
  readonly received: string;
  readonly did_you_mean?: string;
}

/**
 * A permission: a level, over all projects or over the named ones, for all ops or for those that patterns match.
 *
 * @example
 * const part: GrantPart = { level: "read", projects: "*", packs: ["onto", "git*"], ops: ["*.list", "*.get"] };
 */
export interface GrantPart {
  readonly level: Level;
  readonly projects: "*" | readonly string[];
  /** Patterns of packs; absent: all. */
  readonly packs?: readonly string[];
  /** Patterns of ops; absent: all. With `packs`, an op must match both. */
  readonly ops?: readonly string[];
  /** Patterns of ops whose writes wait for the approval of a person; absent: those that the configuration names. */
  readonly approve?: readonly string[];
}

/**
 * The permissions of a principal.
 *
 * @example
 * const grant: Grant = { level: "write", projects: ["p1", "p2"] };
 */
export interface Grant extends GrantPart {
  /**
   * Alternative permissions: these alone decide then. `level` and `projects` are those for the op that a
   * handler answers, else what all parts have in common.
   */
  readonly parts?: readonly GrantPart[];
}

/**
 * The identity of a caller. Every call has one.
 *
 * @example
 * const isLocal = ({ kind }: Principal): boolean => kind === "local";
 */
export interface Principal {
  /** `local`: without a credential; `key`: of an API key; `user`: of a token that an identity provider issued. */
  readonly kind: "local" | "key" | "user";
  /** `local`, the key id, or the id that the configuration makes of a token's claims; written to `created_by`. */
  readonly id: string;
  readonly grant: Grant;
  /** Whether writes are switched on for this caller (`allow_write`, or a key of scope write). */
  readonly allowWrite: boolean;
  /** When the permission of a user ends, in ms since the epoch. */
  readonly until?: number;
  /** Extension tools whose code makes the call on behalf of the caller, outermost first. */
  readonly through?: readonly string[];
}

/**
 * A database transaction that the ledger row and the op's effect share. It is a transaction of Kysely, opaque here so that
 * projects without tables need not install the npm package `kysely`.
 *
 * @example
 * import type { Kysely } from "kysely";
 * const queries = (tx: Transaction) => tx as unknown as Kysely<{ notes_entries: { id: string; body: string } }>;
 */
export interface Transaction {
  readonly isTransaction: boolean;
}

/** The platform's `AbortSignal` where its types are loaded, else the part of it that handlers need. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } }
  ? S
  : { readonly aborted: boolean; throwIfAborted(): void };

/** The platform's `fetch` where its types are loaded. */
export type Fetch = typeof globalThis extends { fetch: infer F } ? F : (url: string) => Promise<unknown>;

/**
 * Structured log lines; secrets are removed from them.
 *
 * @example
 * const note = (log: Logger, count: number): void => log.info("orders read", { count });
 */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/**
 * The second argument of a handler.
 *
 * @example
 * async function listOrders({ day }: { day: string }, ctx: Context) {
 *   const answer = await ctx.fetch(`https://orders.example.com/${day}`, {
 *     headers: { authorization: `Bearer ${ctx.secret("ORDERS_TOKEN")}` },
 *     signal: ctx.signal,
 *   });
 *   if (!answer.ok) fail("UNAVAILABLE", `the order service answered ${answer.status}`);
 *   return answer.json();
 * }
 */
export interface Context {
  readonly principal: Principal;
  /** Aborted on cancellation and at the deadline. */
  readonly signal: Signal;
  /** Deadline of the call, in milliseconds since the epoch. */
  readonly deadline: number;
  readonly traceId: string;
  /**
   * The span of the call, or that of its client if no SDK of OpenTelemetry is registered: send it as headers with
   * requests of your own. Calls of MCP servers and HTTP sources hold it already.
   */
  readonly trace?: TraceContext;
  /** Name of the client program, if it gives one. */
  readonly client?: string;
  /**
   * The idempotency key of a write, unique to caller, op and key: of the call, or of its place in a program of `run`. Pass
   * it on to a service that takes one; a call that is carried out again after a crash has the same key.
   */
  readonly idempotencyKey?: string;
  /**
   * For a write of a program of `run`: a secret text, the same in a preview of the program, in its run and when the call is
   * carried out again. Ids that are made of it are the same, too.
   */
  readonly seed?: string;
  /** Present for handlers that are bound with `transactional: true`. */
  readonly tx?: Transaction;
  /** Value of a secret; fails with UNAVAILABLE naming it when it is not set. */
  secret(name: string): string;
  readonly fetch: Fetch;
  readonly log: Logger;
  /** Reports progress to the client; `message` says in words what is being done. */
  progress(done: number, total?: number, message?: string): void;
  /** Adds a line to `meta.warnings` of the envelope, in the form `code: text`. */
  warn(warning: string): void;
}

/**
 * Implements an op. Arguments are validated, and defaults are filled in.
 *
 * @example
 * const getOrder: Handler<{ number: string }, { state: string }> = async ({ number }, ctx) => {
 *   ctx.log.info("order read", { number });
 *   return { state: "open" };
 * };
 */
export type Handler<A, R> = (args: A, ctx: Context) => Promise<R>;

/**
 * Options of a bound handler.
 *
 * @example
 * const options: Binding<{ number: string }, void> = {
 *   plan: async ({ number }) => ({ deletes: number }),
 *   transactional: true,
 * };
 */
export interface Binding<A, R, P = unknown> {
  /** The dry-run planner. */
  readonly plan?: Handler<A, P>;
  /** Whether the effect commits through `ctx.tx`. */
  readonly transactional?: true;
  /** The tables that its transactions use; default: those that its module exports as `tables`. */
  readonly tables?: Tables;
  /**
   * Whether the handler takes numbers and objects as they were sent: a number that JavaScript would change is an
   * `ExactNumber`. Otherwise the handler gets the nearest number, and the caller a warning.
   */
  readonly exactNumbers?: true;
  /** Whether the handler gets the arguments that were given, without the defaults of optional ones. */
  readonly givenOnly?: true;
  /**
   * Whether a repeated call with the same `ctx.idempotencyKey` has no second effect, because the handler passes the key on
   * to a service that takes one. Such a call is carried out again if its outcome is unknown.
   */
  readonly repeatable?: true;
  /**
   * What a preview of a program does with the op. `run`: it is called even if it writes, because all of its effects are
   * calls of other ops. `skip`: it is not called even if it counts as a read, because it has an effect.
   */
  readonly inPreview?: "run" | "skip";
  /**
   * What an op changes that counts as a read: `calls`, by the calls that it passes on, or `own`, by itself. It takes neither
   * `dry_run` nor `idempotency_key`. In a parallel batch, the calls that it passes on must be reads, and `own` is refused.
   */
  readonly effect?: "calls" | "own";
  /**
   * For an answer that is shown only once: returns the part of it that may be stored. A repeated call is refused with
   * that part.
   */
  readonly keep?: (result: R) => object;
}

/**
 * A handler alone, or with its dry-run planner; `transactional` when its effect commits through `ctx.tx`.
 *
 * @example
 * const deleteOrder: Bound<{ number: string }, { deleted: string }> = {
 *   run: async ({ number }) => ({ deleted: number }),
 *   plan: async ({ number }) => ({ deletes: number }),
 * };
 */
export type Bound<A, R, P = unknown> = Handler<A, R> | ({ readonly run: Handler<A, R> } & Binding<A, R, P>);

/**
 * Arguments of a handler: those that have a default are always present.
 *
 * @example
 * const limitOf = ({ limit }: Complete<{ limit?: number; day?: string }, "limit">): number => limit;
 */
export type Complete<A, K extends keyof A> = A & Required<Pick<A, K>>;

/**
 * The failure that {@link fail} throws. Recognised by name, so that two copies of the package agree.
 *
 * @example
 * const failure = new ToolFailure("CONFLICT", "the order was changed meanwhile", { number: "A-1" });
 */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly code: ErrorCode;
  readonly details: object | undefined;
  constructor(code: ErrorCode, message: string, details?: object) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/**
 * Whether a thrown value is a {@link ToolFailure}, from this copy of the package or another.
 *
 * @example
 * const isMissing = (error: unknown): boolean => isToolFailure(error) && error.code === "NOT_FOUND";
 */
export function isToolFailure(value: unknown): value is ToolFailure {
  return value instanceof Error && value.name === "ToolFailure" && "code" in value;
}

/**
 * Ends a handler with an error of the given code; the message is for the caller and must hold no secret.
 *
 * @throws ToolFailure always
 * @example
 * const found = (order: object | undefined): object => order ?? fail("NOT_FOUND", "there is no such order");
 */
export function fail(code: ErrorCode, message: string, details?: object): never {
  throw new ToolFailure(code, message, details);
}

/**
 * One function for all tools of a source: the default export of its `handlers` file. `tool` is the name in the definition,
 * `args` are validated and complete with defaults.
 *
 * @example
 * const run: ToolDispatcher = async (tool, args, ctx) => {
 *   const answer = await ctx.fetch(`https://tools.example/${tool}`, { method: "POST", body: JSON.stringify(args) });
 *   return answer.json();
 * };
 * export default run;
 */
export type ToolDispatcher = (tool: string, args: JsonObject, ctx: Context) => unknown;

/**
 * Stands in for a missing handler: the op compiles, is listed, and answers UNAVAILABLE naming `file`.
 *
 * The argument type is `unknown`, not `never`: a function of `never` is assignable to no handler type.
 *
 * @example
 * export const handlers = { "orders.delete": unbound("definitions/orders/handlers.ts") };
 */
export function unbound(file: string): Handler<unknown, never> & { readonly unbound: string } {
  const handler: Handler<unknown, never> = async () =>
    fail("UNAVAILABLE", `This op has no handler yet. Bind it in ${file}.`);
  return Object.assign(handler, { unbound: file });
}
