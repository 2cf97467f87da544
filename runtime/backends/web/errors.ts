/** Failures of the web client, in the envelope's codes (`gateway.md` (d), `ontology.md` 10). */

import { received } from "../../arguments/received.js";
import { type FieldError, fail } from "../../contract/handler.js";
import { attention, fieldErrorDetails } from "../../envelope.js";

/** A finding on one argument; `value` is clipped and scrubbed before it is repeated. */
export const fieldError = (
  path: string,
  keyword: string,
  message: string,
  expected: string,
  value: unknown,
): FieldError => ({ path, keyword, message, expected, received: received(value, path) });

/**
 * Ends the call with everything that is wrong with its arguments.
 *
 * @throws ToolFailure VALIDATION_ERROR with `details.field_errors`
 */
export const refuse = (errors: readonly FieldError[]): never =>
  fail("VALIDATION_ERROR", attention(errors), fieldErrorDetails(errors));

/**
 * Ends the call because its `url` may not or cannot be read.
 *
 * @throws ToolFailure VALIDATION_ERROR with a field error on `url`
 */
export const refuseUrl = (keyword: string, message: string, expected: string, url: string): never =>
  refuse([fieldError("url", keyword, message, expected, url)]);

/**
 * Ends the call because a server cannot be reached or does not do its part.
 *
 * @param server host of the server: a name that the caller sent, never an address found for it
 * @throws ToolFailure UNAVAILABLE with `details.server`
 */
export const unavailable = (server: string, what: string, details: object = {}): never =>
  fail("UNAVAILABLE", `${server} ${what}.`, { server, ...details });
