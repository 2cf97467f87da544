/** Messages to the client about its own calls: the log of the protocol, at the level that the client asked for. */

import type { ServerContext } from "@modelcontextprotocol/server";
import type { ErrorCode, Logger } from "../contract/handler.js";
import type { CallHooks } from "../dispatch/job.js";

/** Failures of ours or of what stands behind an op, which nothing in a call would mend. */
const NOT_THE_CALLERS: ReadonlySet<ErrorCode> = new Set(["INTERNAL", "UNAVAILABLE", "TIMEOUT"]);

/**
 * Tells the client of the warnings and the faults of the calls that are made for one request, those of a run too.
 *
 * Nothing but what their envelopes say, which is scrubbed of secrets, and nothing of other requests.
 */
export function tellingOf({ mcpReq }: ServerContext, log: Logger): NonNullable<CallHooks["answered"]> {
  const tell = (level: "warning" | "error", data: object): void => {
    mcpReq.log(level, data, "toolwright").catch((error: unknown) => {
      log.debug("log message not sent", { error: String(error) });
    });
  };
  return (envelope) => {
    const { trace_id, warnings, executed_op: op = envelope.op } = envelope.meta;
    if (warnings.length > 0) tell("warning", { op, trace_id, warnings });
    if (envelope.ok || !NOT_THE_CALLERS.has(envelope.error.code)) return;
    const { code, message } = envelope.error;
    tell("error", { op, trace_id, code, message });
  };
}
