/** A call of a tool over MCP: its caller, what the tool gets of the request, and the answer as a result of the protocol. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { type CallToolResult, type InputRequiredResult, ProtocolError } from "@modelcontextprotocol/server";
import { callsIn } from "../../access/rate.js";
import type { CallOptions } from "../../call/call.js";
import type { CallAccess } from "../../call/client-access.js";
import { echo, errorBody, type FailureEnvelope } from "../../contract/error-body.js";
import { marked, written } from "../../contract/exact-number.js";
import { isToolFailure, type Logger, type Principal, type ToolFailure } from "../../contract/handler.js";
import { newTraceId } from "../../contract/ids.js";
import { asRequest } from "../../contract/request-fields.js";
import { stackOf } from "../../contract/thrown.js";
import type { Gateway } from "../../gateway/gateway.js";
import type { GatewayToolAnswer } from "../gateway-tool-call.js";
import { keepFor } from "./attached-blocks.js";
import { type CallContext, parentOf, tellingOf } from "./client-capabilities.js";
import type { CallInputRequired, TaskResult } from "./input-required.js";
import { tolerate } from "./server-events.js";
import type { ServerOptions } from "./server-options.js";
import { validResult } from "./valid-result.js";

/** What one call is answered with. */
export interface ToolCaller extends Pick<ServerOptions, "session" | "ending"> {
  readonly gateway: Gateway;
  readonly principal: Principal;
  readonly arrived: number;
  readonly access: CallAccess;
  /** Input rounds of a client of the newer protocol. */
  readonly inputRequired: CallInputRequired | undefined;
  /** Name of the client program, if known. */
  readonly client: string | undefined;
}

/** Answers calls of one tool. */
export type Answering = (
  caller: ToolCaller,
  input: unknown,
  hooks: CallOptions,
) => CallToolResult | Promise<CallToolResult>;

/** The caller of a tool, or the refusal. */
export async function callerOrRefusal(
  { principal, gatewayTools }: ServerOptions,
  { log }: Gateway,
  tool: string,
  input: unknown,
): Promise<Principal | FailureEnvelope> {
  try {
    return await principal(callsIn(tool, input, gatewayTools));
  } catch (error) {
    return failed(log, error, input);
  }
}

/**
 * Answers one call. Internal faults become envelopes, since the message of a JSON-RPC error would disclose too much.
 */
export async function callTool(
  caller: ToolCaller,
  answering: Answering,
  input: unknown,
  context: CallContext,
): Promise<CallToolResult | InputRequiredResult | TaskResult> {
  const { gateway, access, inputRequired } = caller;
  const reporter = progressReporter(context, gateway.log);
  try {
    const answer = await answering(caller, input, hooksOf(caller, context, reporter));
    // Clients lose progress that arrives in one chunk with the result.
    if (reporter?.used()) await nextTurn();
    const outcome = await inputRequired?.outcome();
    return outcome ?? validResult({ ...answer, content: [...answer.content, ...access.blocks()], ...access.meta() });
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    return toResult(failed(gateway.log, error, input), true);
  }
}

/** The value of an answer without the bytes that are in blocks, and as models get it. */
export async function shownValue(
  { value, fitted }: GatewayToolAnswer,
  { access, ...keeper }: Pick<ToolCaller, "access" | "gateway" | "principal">,
  tool: string,
): Promise<object | string> {
  const shown = await access.withoutBytes(value, keepFor(keeper, tool));
  return fitted && typeof shown === "object" ? fitted(shown) : shown;
}

/** What a tool gets of a request. */
function hooksOf(
  { ending, access, session, client, gateway }: ToolCaller,
  context: CallContext,
  reporter: Reporter | undefined,
): CallOptions {
  const { signal } = context.mcpReq;
  return {
    signal: ending ? AbortSignal.any([signal, ending]) : signal,
    forward: access.forward,
    attach: access.attach,
    textWithoutBytes: access.textWithoutBytes,
    ...tellingOf(context, gateway.log),
    span: parentOf(context),
    progress: reporter?.report,
    session,
    client,
    pageBytes: gateway.settings.run.callBytes,
  };
}

/** The text of an answer, and the notes about it. */
const textBlocks = (text: string, notes: string | undefined): { type: "text"; text: string }[] =>
  [text, ...(notes === undefined ? [] : [notes])].map((one) => ({ type: "text", text: one }));

/** One text block, and one for notes; for an object its JSON, and the same value as structured content. */
export function toResult(value: object | string, isError: boolean, notes?: string): CallToolResult {
  const error = isError ? { isError: true } : {};
  if (typeof value === "string") return { content: textBlocks(value, notes), ...error };
  const { text, isExact } = written(value);
  return { content: textBlocks(text, notes), structuredContent: { ...(isExact ? marked(value) : value) }, ...error };
}

/** The envelope of a call that was refused before its arguments were read, or whose answer could not be made. */
const failed = (log: Logger, error: unknown, input: unknown): FailureEnvelope =>
  isToolFailure(error) ? refused(error, input) : ownFault(log, error);

function ownFault(log: Logger, error: unknown): FailureEnvelope {
  const trace_id = newTraceId();
  log.error("gateway failed", { trace_id, error: stackOf(error) });
  const message = `The call failed; see the log under ${trace_id}.`;
  const body = errorBody({ code: "INTERNAL", message, help_path: "root" });
  return { op: "", ok: false, error: body, meta: { trace_id, latency_ms: 0, warnings: [] } };
}

function refused({ code, message, details }: ToolFailure, input: unknown): FailureEnvelope {
  const error = errorBody({ code, message, details: { ...details }, help_path: "root" });
  const op = echo(asRequest(input)?.["op"]);
  return { op, ok: false, error, meta: { trace_id: newTraceId(), latency_ms: 0, warnings: [] } };
}

interface Reporter {
  /** Whether progress was reported. */
  used(): boolean;
  report(progress: number, total?: number, message?: string): void;
}

function progressReporter({ mcpReq }: CallContext, log: Logger): Reporter | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let reported = false;
  return {
    used: () => reported,
    report(progress, total, message) {
      reported = true;
      const more = { ...(total === undefined ? {} : { total }), ...(message ? { message } : {}) };
      const params = { progressToken, progress, ...more };
      tolerate(mcpReq.notify({ method: "notifications/progress", params }), "progress", log);
    },
  };
}
