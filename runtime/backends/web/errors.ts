/** Failures of the web client, in the envelope's codes. */

import { fail } from "../../contract/handler.js";
import { fieldError, invalid } from "../refusal.js";

/**
 * Ends the call because its `url` may not or cannot be read.
 *
 * @throws ToolFailure VALIDATION_ERROR with a field error on `url`
 */
export const refuseUrl = (keyword: string, message: string, expected: string, url: string): never =>
  invalid([fieldError("url", keyword, message, expected, url)]);

/**
 * Ends the call because a server cannot be reached or does not do its part.
 *
 * @param server host of the server: a name that the caller sent, never an address found for it
 * @throws ToolFailure UNAVAILABLE with `details.server`
 */
export const unavailable = (server: string, what: string, details: object = {}): never =>
  fail("UNAVAILABLE", `${server} ${what}.`, { server, ...details });
