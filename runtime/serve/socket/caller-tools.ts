/** Tools of the program that embeds the server: offered to every client besides the ops, and called without a key. */

import { UsageError } from "../../contract/usage-error.js";
import { type CallerToolsParams, callerIdFault, type SocketTool } from "./protocol.js";

/** What an embedding program registers. */
export interface CallerTools {
  /** Prefix of its tools in an agent's tool list. */
  readonly callerId: string;
  /** Read whenever the tools are sent to a client. */
  tools(): readonly SocketTool[];
  /**
   * Answers a call. The client sees the error only if it is a ToolFailure.
   *
   * @param args - read own properties only
   */
  call(tool: string, args: object, hooks: { readonly signal: AbortSignal }): Promise<object>;
  /** Calls back when the tools have changed; the returned function stops that. */
  onChange?(listener: () => void): () => void;
}

/** @throws UsageError for a malformed or reserved caller id */
export function checkCallerId({ callerId }: CallerTools): void {
  const fault = callerIdFault(callerId);
  if (fault === "reserved") throw new UsageError(`the caller id ${callerId} is reserved: choose another one`);
  if (fault) throw new UsageError(`the caller id ${callerId} must be 1 to 32 of a-z 0-9 and begin with a letter`);
}

/** The notification that tells clients about the caller's tools. */
export const callerToolsOf = (from: CallerTools): CallerToolsParams => ({
  caller_id: from.callerId,
  tools: from.tools(),
});
