/** How a backend refuses arguments that fit their schema and yet cannot be used: findings in the envelope's form. */

import { received } from "../arguments/received.js";
import { type FieldError, fail } from "../contract/handler.js";
import { attention, fieldErrorDetails } from "../envelope.js";

/** A finding on one argument; `value` is clipped and scrubbed before it is repeated. */
export const fieldError = (
  path: string,
  keyword: string,
  message: string,
  expected: string,
  value: unknown,
): FieldError => ({ path, keyword, message, expected, received: received(value, path) });

/**
 * Ends the op with everything that is wrong with its arguments.
 *
 * @throws ToolFailure VALIDATION_ERROR with `details.field_errors`
 */
export function invalid(errors: readonly FieldError[]): never {
  return fail("VALIDATION_ERROR", attention(errors), fieldErrorDetails(errors));
}
