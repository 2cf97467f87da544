/** The envelope: the one form in which every call is answered. Rules: `gateway.md` (d). */

import type { ErrorCode, FieldError } from "./contract/handler.js";
import type { JsonObject, JsonValue } from "./contract/registry.js";
import { clip } from "./observe/scrub.js";

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
  readonly details?: Details;
  readonly help_path: string;
  readonly corrected_call?: CorrectedCall;
}

/** The answer to a call that was done. */
export interface SuccessEnvelope {
  readonly op: string;
  readonly ok: true;
  readonly result: JsonValue;
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
export type Envelope = SuccessEnvelope | FailureEnvelope;

/** Characters of an op or path that answers repeat. */
const ECHO = 200;

/** Findings that an answer lists; the rest is counted in the message. */
const MOST_FINDINGS = 50;
/** Findings that the message repeats in words. */
const MOST_IN_MESSAGE = 5;

/** The op as an answer repeats it: clipped, and empty when it was no text. */
export const echo = (op: unknown): string => (typeof op === "string" ? clip(op, ECHO) : "");

/** An error body with its keys in the documented order; empty details are left out. */
export function errorBody(parts: {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Details | undefined;
  readonly help_path: string;
  readonly corrected_call?: CorrectedCall | undefined;
}): ErrorBody {
  const { code, message, details, help_path, corrected_call } = parts;
  const told = details !== undefined && Object.keys(details).length > 0;
  return {
    code,
    message,
    ...(told ? { details } : {}),
    help_path,
    ...(corrected_call ? { corrected_call } : {}),
  };
}

/** `3 arguments need attention: project_id is missing; titel is unknown; …`. */
export function attention(errors: readonly FieldError[]): string {
  const said = errors.slice(0, MOST_IN_MESSAGE).map((error) => error.message);
  const more = errors.length > said.length ? `; and ${errors.length - said.length} more` : "";
  const subject = errors.length === 1 ? "1 argument needs" : `${errors.length} arguments need`;
  return `${subject} attention: ${said.join("; ")}${more}.`;
}

/** Details of a VALIDATION_ERROR, at most 50 findings. */
export function fieldErrorDetails(errors: readonly FieldError[]): { readonly field_errors: readonly FieldError[] } {
  return { field_errors: errors.slice(0, MOST_FINDINGS) };
}
