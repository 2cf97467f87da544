/**
 * Builds the error bodies and field errors of envelopes: for dispatch, and for handlers that refuse arguments which fit
 * their schema. Values that they quote are shortened, and secrets in them are removed.
 */

import type { CorrectedCall, Details, ErrorBody } from "./envelope.js";
import { isExact } from "./exact-number.js";
import { type ErrorCode, type FieldError, fail } from "./handler.js";
import { holdsSent } from "./placeholder.js";
import { clip, isSecretName, scrub } from "./scrub.js";

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
const MAX_ECHO_LENGTH = 200;

/** Findings that an answer lists; the message counts the rest. */
const MAX_FINDINGS = 50;
/** Findings that the message describes. */
const MAX_FINDINGS_IN_MESSAGE = 5;

/** The op as an answer repeats it: clipped, and empty if it was not a string. */
export const echo = (op: unknown): string => (typeof op === "string" ? clip(op, MAX_ECHO_LENGTH) : "");

/** Said of a corrected call that leaves long texts out. */
const SENT_TEXTS =
  'In corrected_call, "<as sent, …>" is the text that you sent: send the call again with the text itself, under the corrected names.';

/** An error body with its keys in the documented order; `details` is always there. */
export function errorBody<Call = CorrectedCall>(parts: {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Details | undefined;
  readonly help_path: string;
  readonly corrected_call?: Call | undefined;
}): ErrorBody<Call> {
  const { code, details = {}, help_path, corrected_call } = parts;
  const message = holdsSent(corrected_call) ? `${parts.message} ${SENT_TEXTS}` : parts.message;
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

/**
 * A finding on one argument; `value` is clipped and scrubbed before it is repeated.
 *
 * @example
 * invalid([fieldError("due_at", "order", "due_at is before start_at", "a day after start_at", "2026-01-01")]);
 */
export const fieldError = (
  path: string,
  keyword: string,
  message: string,
  expected: string,
  value: unknown,
): FieldError => ({ path, keyword, message, expected, received: received(value, path) });

/**
 * Fails the op with all findings about its arguments.
 *
 * @throws ToolFailure VALIDATION_ERROR with `details.field_errors`
 * @example
 * invalid([fieldError("title", "unique", "title is taken", "a title of its own", "Plan")]);
 */
export function invalid(errors: readonly FieldError[]): never {
  return fail("VALIDATION_ERROR", attention(errors), fieldErrorDetails(errors));
}

/** Characters of a value that an answer repeats. */
const MAX_RECEIVED_LENGTH = 80;
/** Characters of a text that are scrubbed before it is clipped. */
const SCRUBBED_LENGTH = 400;

/** A value as compact JSON, clipped to 80 characters and scrubbed; `nothing` if it is undefined. */
export function received(value: unknown, name = ""): string {
  if (value === undefined) return "nothing";
  if (isSecretName(name) && value !== null && value !== "") return "***";
  if (typeof value === "string")
    return clip(JSON.stringify(scrub(value.slice(0, SCRUBBED_LENGTH))), MAX_RECEIVED_LENGTH);
  if (typeof value !== "object" || value === null) return String(value);
  if (isExact(value)) return clip(value.text, MAX_RECEIVED_LENGTH);
  const keys = Array.isArray(value) ? `array of ${value.length}` : Object.keys(value).slice(0, 8).join(", ");
  return clip(scrub(Array.isArray(value) ? keys : `object {${keys}}`), MAX_RECEIVED_LENGTH);
}

/** `an integer`, `a date`; a name that begins with a digit gets no article. */
export function withArticle(name: string): string {
  if (/^\d/.test(name)) return name;
  return `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}
