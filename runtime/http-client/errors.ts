/** Failures of the web client as codes of the envelope. */

import { fieldError, invalid } from "../contract/error-body.js";
import { fail } from "../contract/handler.js";

/**
 * Fails the call because its `url` is not allowed or unreadable.
 *
 * @throws ToolFailure VALIDATION_ERROR with a field error on `url`
 */
export const refuseUrl = (keyword: string, message: string, expected: string, url: string): never =>
  invalid([fieldError("url", keyword, message, expected, url)]);

/**
 * Fails the call because a server is unreachable or faulty.
 *
 * @param server host name that the caller sent, never a resolved address
 * @throws ToolFailure UNAVAILABLE with `details.server`
 */
export const unavailable = (server: string, what: string, details: object = {}): never =>
  fail("UNAVAILABLE", `${server} ${what}.`, { server, ...details });
