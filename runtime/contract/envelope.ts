/** The envelope: the one form in which every call is answered, at every door. */

import type { ErrorCode } from "./handler.js";
import type { JsonObject, JsonValue } from "./registry.js";

/** About the call itself. */
export interface Meta {
  readonly trace_id: string;
  readonly latency_ms: number;
  /** Lines of the form `code: text`. */
  readonly warnings: readonly string[];
  /** Present when another op ran than the one that was asked for. */
  readonly executed_op?: string;
  /** Present when the ledger answered and the handler was not called. */
  readonly replayed?: true;
}

/** A call to copy and edit; never run by itself. */
export interface CorrectedCall {
  readonly op: string;
  readonly args: JsonObject;
}

/** Further facts about a failure; what they are depends on its code. */
export type Details = Readonly<Record<string, unknown>>;

/** What went wrong, and where to read on. */
export interface ErrorBody {
  readonly code: ErrorCode;
  readonly message: string;
  /** `{}` if there are no details. */
  readonly details: Details;
  readonly help_path: string;
  readonly corrected_call?: CorrectedCall;
}

/** The answer to a call that was done. */
export interface SuccessEnvelope<R = JsonValue> {
  readonly op: string;
  readonly ok: true;
  readonly result: R;
  readonly meta: Meta;
}

/** The answer to a call that was refused or failed. */
export interface FailureEnvelope {
  readonly op: string;
  readonly ok: false;
  readonly error: ErrorBody;
  readonly meta: Meta;
}

/** Answer of `tool_exec`, key order included. `op` is the op as it was asked for. */
export type Envelope<R = JsonValue> = SuccessEnvelope<R> | FailureEnvelope;
