/** Builds the error bodies and field error details of envelopes. */

import type { CorrectedCall, Details, ErrorBody } from "./envelope.js";
import type { ErrorCode, FieldError } from "./handler.js";
import { clip } from "./scrub.js";

export type {
  CallEffect,
  CorrectedCall,
  Details,
  Envelope,
  ErrorBody,
  FailureEnvelope,
  Meta,
  SuccessEnvelope,
} from "./envelope.js";

/** Longest op or path that an answer repeats, in characters. */
const ECHO = 200;

/** Findings that an answer lists; the message counts the rest. */
const MAX_FINDINGS = 50;
/** Findings that the message puts into words. */
const MAX_FINDINGS_IN_MESSAGE = 5;

/** The op as an answer repeats it: clipped, and empty if it was not a string. */
export const echo = (op: unknown): string => (typeof op === "string" ? clip(op, ECHO) : "");

/** An error body with its keys in the documented order; `details` is always there. */
export function errorBody<Call = CorrectedCall>(parts: {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Details | undefined;
  readonly help_path: string;
  readonly corrected_call?: Call | undefined;
}): ErrorBody<Call> {
  const { code, message, details = {}, help_path, corrected_call } = parts;
  return { code, message, details, help_path, ...(corrected_call ? { corrected_call } : {}) };
}

/** `3 arguments need attention: project_id is missing; titel is unknown; …`. */
export function attention(errors: readonly FieldError[]): string {
  const said = errors.slice(0, MAX_FINDINGS_IN_MESSAGE).map((error) => error.message);
  const more = errors.length > said.length ? `; and ${errors.length - said.length} more` : "";
  const subject = errors.length === 1 ? "1 argument needs" : `${errors.length} arguments need`;
  return `${subject} attention: ${said.join("; ")}${more}.`;
}

/** Details of a VALIDATION_ERROR: at most 50 findings, and how many more there are. */
export function fieldErrorDetails(errors: readonly FieldError[]): {
  readonly field_errors: readonly FieldError[];
  readonly more_field_errors?: number;
} {
  const more = errors.length - MAX_FINDINGS;
  return { field_errors: errors.slice(0, MAX_FINDINGS), ...(more > 0 ? { more_field_errors: more } : {}) };
}
