/** What a handler has thrown that is no failure of a tool, with what became of its write. */

import { ERROR_CODES, isToolFailure, type ToolFailure } from "../contract/handler.js";
import { messageOf, stackOf } from "../contract/thrown.js";

/** What became of a write whose handler has thrown; undefined for a read. */
type WriteOutcome = "none" | "unknown" | undefined;

/** An error that a handler has thrown: its message and stack are for the log, and its caller is told neither. */
export class HandlerError extends Error {
  override readonly name = "HandlerError";
  readonly outcome: WriteOutcome;
  constructor(thrown: unknown, outcome: WriteOutcome) {
    super(messageOf(thrown), { cause: thrown });
    this.stack = stackOf(thrown);
    this.outcome = outcome;
  }
}

/** Whether a thrown value is a failure for the caller, with a code that there is. */
export const isKnownFailure = (thrown: unknown): thrown is ToolFailure =>
  isToolFailure(thrown) && ERROR_CODES.includes(thrown.code);
