/** Tools of the program that has the server inside it: offered to every client beside ours, called without a key. */

import { UsageError } from "../usage-error.js";
import { type CallerToolsParams, callerIdFault, type SocketTool } from "./protocol.js";

/** What an embedding program registers. */
export interface CallerTools {
  /** What its tools are prefixed with where an agent sees them. */
  readonly callerId: string;
  /** Asked whenever a client is told. */
  tools(): readonly SocketTool[];
  /**
   * Answers a call; what it throws reaches the client only where it is a ToolFailure.
   *
   * @param args own keys only are to be read from it
   */
  call(tool: string, args: object, hooks: { readonly signal: AbortSignal }): Promise<object>;
  /** Calls back when the tools have changed, until the function that it returns is called. */
  onChange?(listener: () => void): () => void;
}

/** @throws UsageError for an id that is none, or one of ours */
export function checkCallerId({ callerId }: CallerTools): void {
  const fault = callerIdFault(callerId);
  if (fault === "reserved") throw new UsageError(`the caller id ${callerId} is reserved: choose another one`);
  if (fault) throw new UsageError(`the caller id ${callerId} must be 1 to 32 of a-z 0-9 and begin with a letter`);
}

/** What clients are told. */
export const callerToolsOf = (from: CallerTools): CallerToolsParams => ({
  caller_id: from.callerId,
  tools: from.tools(),
});
