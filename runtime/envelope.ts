/** Envelopes, as the runtime puts them together. */

import type { CorrectedCall, Details, ErrorBody } from "./contract/envelope.js";
import type { ErrorCode, FieldError } from "./contract/handler.js";
import { clip } from "./observe/scrub.js";

export type {
  CorrectedCall,
  Details,
  Envelope,
  ErrorBody,
  FailureEnvelope,
  Meta,
  SuccessEnvelope,
} from "./contract/envelope.js";

/** Characters of an op or path that answers repeat. */
const ECHO = 200;

/** Findings that an answer lists; the rest is counted in the message. */
const MOST_FINDINGS = 50;
/** Findings that the message repeats in words. */
const MOST_IN_MESSAGE = 5;

/** The op as an answer repeats it: clipped, and empty when it was no text. */
export const echo = (op: unknown): string => (typeof op === "string" ? clip(op, ECHO) : "");

/** An error body with its keys in the documented order; `details` is always there. */
export function errorBody(parts: {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Details | undefined;
  readonly help_path: string;
  readonly corrected_call?: CorrectedCall | undefined;
}): ErrorBody {
  const { code, message, details = {}, help_path, corrected_call } = parts;
  return { code, message, details, help_path, ...(corrected_call ? { corrected_call } : {}) };
}

/** `3 arguments need attention: project_id is missing; titel is unknown; …`. */
export function attention(errors: readonly FieldError[]): string {
  const said = errors.slice(0, MOST_IN_MESSAGE).map((error) => error.message);
  const more = errors.length > said.length ? `; and ${errors.length - said.length} more` : "";
  const subject = errors.length === 1 ? "1 argument needs" : `${errors.length} arguments need`;
  return `${subject} attention: ${said.join("; ")}${more}.`;
}

/** Details of a VALIDATION_ERROR: at most 50 findings, and how many more there are. */
export function fieldErrorDetails(errors: readonly FieldError[]): {
  readonly field_errors: readonly FieldError[];
  readonly more_field_errors?: number;
} {
  const more = errors.length - MOST_FINDINGS;
  return { field_errors: errors.slice(0, MOST_FINDINGS), ...(more > 0 ? { more_field_errors: more } : {}) };
}
