/** Sends log messages about a client's own calls to that client, at the level that it has set. */

import type { LoggingLevel, ServerContext } from "@modelcontextprotocol/server";
import type { CallOptions } from "../../call/call.js";
import type { ErrorCode, Logger } from "../../contract/handler.js";
import { tolerate } from "./plain-server.js";

/** Failures that a different call would not avoid. */
const NOT_THE_CALLERS: ReadonlySet<ErrorCode> = new Set(["INTERNAL", "UNAVAILABLE", "TIMEOUT"]);

const LEVELS = { info: "info", warn: "warning", error: "error" } as const;

/**
 * Reports on the calls of one request, including those of a run: log lines of handlers (without debug), warnings and
 * faults.
 *
 * Only what the envelope says is sent, with secrets removed, and nothing of other requests.
 */
export function tellingOf({ mcpReq }: ServerContext, log: Logger): Required<Pick<CallOptions, "answered" | "logged">> {
  const tell = (level: LoggingLevel, data: object): void => {
    tolerate(mcpReq.log(level, data, "toolwright"), "log message", log);
  };
  return {
    // An older client that has set no level gets everything; debug lines are for the operator.
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
