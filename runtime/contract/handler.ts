/** The contract between dispatch and the functions that do an op's work. */

import type { Level } from "./registry.js";

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

/** One of {@link ERROR_CODES}. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** One thing that is wrong with one argument. */
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

/** What a principal may do: a level, over all projects or over the named ones. */
export interface Grant {
  readonly level: Level;
  readonly projects: "*" | readonly string[];
}

/** Who calls. Every call has one. */
export interface Principal {
  readonly kind: "local" | "key";
  /** `local`, or the key id; written to `created_by`. */
  readonly id: string;
  readonly grant: Grant;
  /** Whether writes are switched on for this caller (`allow_write`, or a key of level write). */
  readonly allowWrite: boolean;
  /** Extension tools whose code makes the call on behalf of the caller, outermost first. */
  readonly through?: readonly string[];
}

/** A database transaction that the ledger row and the op's effect share. Opaque here; kysely's inside the backends. */
export interface Transaction {
  readonly isTransaction: boolean;
}

/** The platform's `AbortSignal` where its types are loaded, else the part of it that handlers need. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } }
  ? S
  : { readonly aborted: boolean; throwIfAborted(): void };

/** The platform's `fetch` where its types are loaded. */
export type Fetch = typeof globalThis extends { fetch: infer F } ? F : (url: string) => Promise<unknown>;

/** Structured log lines; what is logged is scrubbed of secrets. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** What a handler gets beside its arguments. */
export interface Context {
  readonly principal: Principal;
  /** Aborted on cancellation and at the deadline. */
  readonly signal: Signal;
  /** Milliseconds since the epoch after which the answer is no longer wanted. */
  readonly deadline: number;
  readonly traceId: string;
  /** Name of the client program, where it says one. */
  readonly client?: string;
  /** Present for handlers that are bound with `transactional: true`. */
  readonly tx?: Transaction;
  /** Value of a secret; fails with UNAVAILABLE naming it when it is not set. */
  secret(name: string): string;
  readonly fetch: Fetch;
  readonly log: Logger;
  progress(done: number, total?: number): void;
  /** Adds a line to `meta.warnings` of the envelope, in the form `code: text`. */
  warn(warning: string): void;
}

/** Does an op's work. Arguments are validated and complete with defaults. */
export type Handler<A, R> = (args: A, ctx: Context) => Promise<R>;

/** How a handler is bound beside what it does. */
export interface Binding<A, R, P = unknown> {
  /** The dry-run planner. */
  readonly plan?: Handler<A, P>;
  /** Its effect commits through `ctx.tx`. */
  readonly transactional?: true;
  /**
   * It takes numbers and objects as they were sent: a number that JavaScript would change is an `ExactNumber`. Otherwise it gets the
   * nearest number, and the caller a warning.
   */
  readonly exactNumbers?: true;
  /** For an answer that is told once: what may be kept of it. A call that would replay it is refused with that. */
  readonly keep?: (result: R) => object;
}

/** A handler alone, or with its dry-run planner; `transactional` when its effect commits through `ctx.tx`. */
export type Bound<A, R, P = unknown> = Handler<A, R> | ({ readonly run: Handler<A, R> } & Binding<A, R, P>);

/** Arguments with those that have a default always present: what a handler gets. */
export type Complete<A, K extends keyof A> = A & Required<Pick<A, K>>;

/** The failure that {@link fail} throws. Recognised by name, so that two copies of the package agree. */
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

/** Whether a thrown value is a {@link ToolFailure}, from this copy of the package or another. */
export function isToolFailure(value: unknown): value is ToolFailure {
  return value instanceof Error && value.name === "ToolFailure" && "code" in value;
}

/**
 * Ends a handler with an error of the given code; the message is for the caller and must hold no secret.
 *
 * @throws ToolFailure always
 */
export function fail(code: ErrorCode, message: string, details?: object): never {
  throw new ToolFailure(code, message, details);
}

/**
 * Leaves an op without a handler: it compiles, is listed, and answers UNAVAILABLE naming `file`.
 *
 * The argument type is `unknown`, not `never` as in the design page: a function of `never` is assignable to no handler type.
 */
export function unbound(file: string): Handler<unknown, never> & { readonly unbound: string } {
  const handler: Handler<unknown, never> = async () =>
    fail("UNAVAILABLE", `This op has no handler yet. Bind it in ${file}.`);
  return Object.assign(handler, { unbound: file });
}
