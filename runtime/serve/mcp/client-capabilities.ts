/**
 * What a client can do during a call: answer elicitations of upstream servers, receive content blocks other than text, and
 * receive log messages about its own calls, at the level that it has set.
 */

import type { LoggingLevel, Server, ServerContext } from "@modelcontextprotocol/server";
import { withNearestNumbers } from "../../call/arguments/exact.js";
import type { CallOptions } from "../../call/call.js";
import type { CallAccess, Forward } from "../../call/client-access.js";
import { remoteScope } from "../../call/span.js";
import type { ErrorCode, Logger } from "../../contract/handler.js";
import type { JsonObject } from "../../contract/registry.js";
import { createAttachedBlocks } from "./attached-blocks.js";
import { tolerate } from "./server-events.js";

/** How long a question waits for the user; the deadline of the call applies anyway. */
export const PATIENCE_MS = 600_000;

/** What a call needs of its request. */
export interface CallContext {
  readonly mcpReq: Pick<
    ServerContext["mcpReq"],
    "id" | "signal" | "log" | "notify" | "envelope" | "inputResponses" | "requestState"
  > & { readonly _meta?: ServerContext["mcpReq"]["_meta"] | undefined };
  readonly http?: Pick<NonNullable<ServerContext["http"]>, "req"> | undefined;
  /** Takes the name of the tool, once it is known to exist: names made up by callers would be unlimited in the metrics. */
  readonly called?: (tool: string) => void;
}

/**
 * Creates the function that forwards questions to a client of the older protocols during a call; `undefined` if the
 * client supports none.
 */
export type ForwardOf = (server: Server, context: CallContext) => Forward | undefined;

/**
 * Creates the client features of each call on a connection or of one request. In the newer protocol, a client is not
 * asked during a call.
 */
export function clientAccess(server: Server, forwardOf: ForwardOf): (context: CallContext) => CallAccess {
  return (context) => attaching(context.mcpReq.envelope === undefined ? forwardOf(server, context) : undefined);
}

/** Forwards questions over the connection. */
export const askConnected: ForwardOf = (server) => {
  const { elicitation, sampling, roots } = server.getClientCapabilities() ?? {};
  if (!elicitation && !sampling && !roots) return undefined;
  const capabilities = {
    ...(elicitation ? { elicitation } : {}),
    ...(sampling ? { sampling } : {}),
    ...(roots ? { roots } : {}),
  };
  return {
    client: server,
    capabilities,
    async request({ method, params }, signal) {
      const ask = ASK.get(method);
      if (!ask) throw new Error(`${method} cannot be passed on`);
      return { ...(await ask(server, params as never, { signal, timeout: PATIENCE_MS })) };
    },
  };
};

function attaching(forward: Forward | undefined): CallAccess {
  let meta: JsonObject | undefined;
  return {
    ...createAttachedBlocks(),
    forward,
    native(answer) {
      meta = answer.meta && withNearestNumbers(answer.meta);
      return false;
    },
    meta: () => (meta ? { _meta: meta } : {}),
  };
}

type Ask = (server: Server, params: never, options: { signal: AbortSignal; timeout: number }) => Promise<object>;

const ASK: ReadonlyMap<string, Ask> = new Map<string, Ask>([
  ["elicitation/create", (server, params, options) => server.elicitInput(params, options)],
  ["sampling/createMessage", (server, params, options) => server.createMessage(params, options)],
  ["roots/list", (server, params, options) => server.listRoots(params, options)],
]);

/** The span of the client as parent of the calls of a request: `_meta` names it, or a header of HTTP. */
export function parentOf({ mcpReq: { _meta: meta }, http }: CallContext): CallOptions["span"] {
  const inMeta = meta && remoteScope((name) => meta[name]).span;
  const headers = http?.req?.headers;
  return inMeta ?? (headers && remoteScope((name) => headers.get(name)).span);
}

/** Failures that a different call would not avoid. */
const NOT_THE_CALLERS: ReadonlySet<ErrorCode> = new Set(["INTERNAL", "UNAVAILABLE", "TIMEOUT"]);

const LEVELS = { info: "info", warn: "warning", error: "error" } as const;

/**
 * Reports on the calls of one request, including those of a run: log lines of handlers (without debug), warnings and
 * faults.
 *
 * Only what the envelope says is sent, with secrets removed, and nothing of other requests.
 */
export function tellingOf({ mcpReq }: CallContext, log: Logger): Required<Pick<CallOptions, "answered" | "logged">> {
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
