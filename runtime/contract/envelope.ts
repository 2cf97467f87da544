/** The envelope: the form of the answer to every call, over every transport. */

import type { ErrorCode } from "./handler.js";
import type { JsonObject, JsonValue } from "./registry.js";

/**
 * Metadata of the call.
 *
 * @example
 * const isSlow = ({ latency_ms }: Meta) => latency_ms > 1_000;
 */
export interface Meta {
  readonly trace_id: string;
  readonly latency_ms: number;
  /** Lines of the form `code: text`. */
  readonly warnings: readonly string[];
  /** Present if another op ran than the requested one. */
  readonly executed_op?: string;
  /** Present if the answer comes from the ledger and the handler was not called. */
  readonly replayed?: true;
  /** Present if the answer holds text from elsewhere, which is data: see `sanitize` of the configuration. */
  readonly external?: true;
}

/** The fields of a call that decide what it may change. */
export interface CallEffect {
  readonly dry_run?: boolean;
  readonly idempotency_key?: string;
}

/** A suggested call to copy and edit; it never runs by itself. */
export interface CorrectedCall extends CallEffect {
  readonly op: string;
  readonly args: JsonObject;
}

/** Further facts about a failure; they depend on its code. */
export type Details = Readonly<Record<string, unknown>>;

/**
 * The error of a failed call, and the help page to read next.
 *
 * @example
 * const line = ({ code, message, help_path }: ErrorBody) => `${code}: ${message} (help: ${help_path})`;
 */
export interface ErrorBody<Call = CorrectedCall> {
  readonly code: ErrorCode;
  readonly message: string;
  /** `{}` if there are no details. */
  readonly details: Details;
  readonly help_path: string;
  /** A request to the tool that answers. */
  readonly corrected_call?: Call;
}

/**
 * The answer to a call that succeeded.
 *
 * @example
 * const warningsOf = ({ meta }: SuccessEnvelope): readonly string[] => meta.warnings;
 */
export interface SuccessEnvelope<R = JsonValue> {
  readonly op: string;
  readonly ok: true;
  readonly result: R;
  readonly meta: Meta;
}

/**
 * The answer to a call that was refused or failed.
 *
 * @example
 * const isMissing = ({ error }: FailureEnvelope): boolean => error.code === "NOT_FOUND";
 */
export interface FailureEnvelope {
  readonly op: string;
  readonly ok: false;
  readonly error: ErrorBody;
  readonly meta: Meta;
}

/**
 * Answer of `tool_exec`, with its keys in this order. `op` is the op as requested.
 *
 * @example
 * const resultOf = (envelope: Envelope): JsonValue => (envelope.ok ? envelope.result : null);
 */
export type Envelope<R = JsonValue> = SuccessEnvelope<R> | FailureEnvelope;

/** The reason in the details of a call that has no answer because a program has paused, or is under way. */
export const WAITS = "program_waits";

/** Whether a call has no answer yet, which is no failure: it is made again when the program goes on, or asked for again. */
export const isWaiting = (envelope: Envelope): boolean => !envelope.ok && envelope.error.details["reason"] === WAITS;
