/** Messages to the client about its own calls: the log of the protocol, at the level that the client asked for. */

import type { LoggingLevel, ServerContext } from "@modelcontextprotocol/server";
import type { ErrorCode, Logger } from "../contract/handler.js";
import type { CallHooks } from "../dispatch/job.js";
import { tolerate } from "./connection.js";

/** Failures of ours or of what stands behind an op, which nothing in a call would mend. */
const NOT_THE_CALLERS: ReadonlySet<ErrorCode> = new Set(["INTERNAL", "UNAVAILABLE", "TIMEOUT"]);

const LEVELS = { info: "info", warn: "warning", error: "error" } as const;

/**
 * Tells the client of the calls that are made for one request, those of a run too: what the project's handlers write to the log
 * (debugging aside), warnings, and faults.
 *
 * Of an envelope nothing but what it says, which is scrubbed of secrets, and nothing of other requests.
 */
export function tellingOf({ mcpReq }: ServerContext, log: Logger): Required<Pick<CallHooks, "answered" | "logged">> {
  const tell = (level: LoggingLevel, data: object): void => {
    tolerate(mcpReq.log(level, data, "toolwright"), "log message", log);
  };
  return {
    // An older client that has set no level gets all there is, and debugging is for the operator.
    logged: ({ level, ...line }) => (level === "debug" ? undefined : tell(LEVELS[level], line)),
    answered: (envelope) => {
      const { trace_id, warnings, executed_op: op = envelope.op } = envelope.meta;
      if (warnings.length > 0) tell("warning", { op, trace_id, warnings });
      if (envelope.ok || !NOT_THE_CALLERS.has(envelope.error.code)) return;
      const { code, message } = envelope.error;
      tell("error", { op, trace_id, code, message });
    },
  };
}
