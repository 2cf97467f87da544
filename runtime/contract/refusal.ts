/**
 * Helpers with which a backend refuses arguments that fit their schema but cannot be used: findings in the envelope's
 * form.
 */

import { attention, fieldErrorDetails } from "./error-body.js";
import { type FieldError, fail } from "./handler.js";
import { received } from "./received.js";

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
