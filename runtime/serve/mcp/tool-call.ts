/** A call of a tool over MCP: its caller, what the tool gets of the request, and the answer as a result of the protocol. */

import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  specTypeSchemas,
} from "@modelcontextprotocol/server";
import { callsIn } from "../../access/rate.js";
import type { CallOptions } from "../../call/call.js";
import { echo, errorBody, type FailureEnvelope } from "../../contract/error-body.js";
import { marked, writeJson, written } from "../../contract/exact-number.js";
import { isToolFailure, type Logger, type Principal, type ToolFailure } from "../../contract/handler.js";
import { newTraceId } from "../../contract/ids.js";
import { isPromise, type MaybePromise } from "../../contract/maybe-promise.js";
import { asRequest } from "../../contract/request-fields.js";
import { stackOf } from "../../contract/thrown.js";
import type { GatewayToolAnswer, GatewayToolCall } from "../gateway-tool-call.js";
import type { ServedTool } from "../gateway-tools.js";
import { keepFor } from "./attached-blocks.js";
import { type CallAccess, type CallContext, parentOf, tellingOf } from "./client-capabilities.js";
import type { CallInputRequired } from "./input-required.js";
import { answerTask, tolerate } from "./plain-server.js";
import type { ServerOptions } from "./server-options.js";

/** What one call is answered with. */
export interface ToolCaller extends Pick<ServerOptions, "gateway" | "session" | "ending"> {
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
export function callerOrRefusal(
  { gateway: { log }, principal, gatewayTools }: ServerOptions,
  tool: string,
  input: unknown,
): MaybePromise<Principal | FailureEnvelope> {
  const refuse = (error: unknown): FailureEnvelope => failed(log, error, input);
  try {
    const caller = principal(callsIn(tool, input, gatewayTools));
    return isPromise(caller) ? caller.catch(refuse) : caller;
  } catch (error) {
    return refuse(error);
  }
}

/**
 * Answers one call. Internal faults become envelopes, since the message of a JSON-RPC error would disclose too much.
 */
export async function callTool(
  caller: ToolCaller,
  answering: Answering,
  input: unknown,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { gateway, access, inputRequired } = caller;
  const reporter = progressReporter(context, gateway.log);
  try {
    const answer = await answering(caller, input, hooksOf(caller, context, reporter));
    // Clients lose progress that arrives in one chunk with the result.
    if (reporter?.used()) await nextTurn();
    const outcome = await inputRequired?.outcome();
    if (outcome?.resultType === "task") answerTask(context, outcome);
    else if (outcome) return outcome as InputRequiredResult;
    return { ...answer, content: [...answer.content, ...access.blocks()], ...access.meta() };
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

/** The result of a call as JSON, with the fields that its metrics need. */
export interface WrittenResult {
  readonly json: string;
  readonly isError: boolean;
  readonly structuredContent: object | undefined;
}

/** As {@link callTool}, for a gateway tool and a client of the older protocols. The JSON of the result is written once. */
export async function callServed(
  caller: ToolCaller,
  tool: ServedTool,
  input: unknown,
  context: CallContext,
): Promise<WrittenResult> {
  const { gateway, access } = caller;
  const reporter = progressReporter(context, gateway.log);
  try {
    const answer = await tool.answer(new ServedCall(caller, context, reporter, input));
    if (reporter?.used()) await nextTurn();
    const value = await shownValue(answer, caller, tool.name);
    return writtenResult({ ...answer, value }, access);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    return writtenResult({ value: failed(gateway.log, error, input), isError: true });
  }
}

/**
 * What a tool gets of a request. All members are named, since V8 copies an object slowly if the copy gets more members.
 *
 * @param single whether the tool makes one call of an op: that has its own time, may ask the client, and may need no signal
 */
function hooksOf(
  { ending, access, session, client, gateway, arrived, inputRequired }: ToolCaller,
  context: CallContext,
  reporter: Reporter | undefined,
  single = false,
): CallOptions {
  const lazySignal = single && !ending ? context.mcpReq.lazySignal : undefined;
  const { logged, answered } = tellingOf(context, gateway.log);
  return {
    signal: lazySignal ? undefined : signalIn(context, ending),
    lazySignal,
    forward: access.forward,
    attach: access.attach,
    native: single ? access.native : undefined,
    textWithoutBytes: access.textWithoutBytes,
    logged,
    answered,
    span: parentOf(context),
    progress: reporter?.report,
    session,
    client,
    inputRequired: single ? inputRequired : undefined,
    ...(single ? { arrived } : {}),
    failedAs: undefined,
    pageBytes: gateway.settings.run.callBytes,
  };
}

const signalIn = ({ mcpReq: { signal } }: CallContext, ending: AbortSignal | undefined): AbortSignal =>
  ending ? AbortSignal.any([signal, ending]) : signal;

/** A call of a gateway tool that makes its hooks when they are asked for. */
class ServedCall implements GatewayToolCall {
  readonly gateway: ToolCaller["gateway"];
  readonly principal: Principal;
  readonly input: unknown;
  readonly #caller: ToolCaller;
  readonly #context: CallContext;
  readonly #reporter: Reporter | undefined;

  constructor(caller: ToolCaller, context: CallContext, reporter: Reporter | undefined, input: unknown) {
    this.gateway = caller.gateway;
    this.principal = caller.principal;
    this.input = input;
    this.#caller = caller;
    this.#context = context;
    this.#reporter = reporter;
  }

  get hooks(): CallOptions {
    return hooksOf(this.#caller, this.#context, this.#reporter);
  }

  get single(): CallOptions {
    return hooksOf(this.#caller, this.#context, this.#reporter, true);
  }
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

/**
 * The JSON of {@link toResult}, with attached blocks and `_meta`.
 *
 * @throws ProtocolError for blocks that the protocol does not know
 */
export function writtenResult(
  { value, isError, notes, structured }: GatewayToolAnswer,
  access?: Pick<CallAccess, "blocks" | "meta">,
): WrittenResult {
  const blocks = access?.blocks() ?? [];
  const { _meta: meta } = access?.meta() ?? {};
  const asMeta = meta ? `,"_meta":${JSON.stringify(meta)}` : "";
  const isText = typeof value === "string";
  const text = isText ? value : writeJson(value);
  const content = [...textBlocks(text, notes), ...(blocks.length === 0 ? [] : blocksOf(blocks))];
  const object = structured ? writeJson(structured) : isText ? undefined : text;
  const asObject = object === undefined ? "" : `,"structuredContent":${object}`;
  return {
    json: `{"content":${JSON.stringify(content)}${asObject}${isError ? ',"isError":true' : ""}${asMeta}}`,
    isError,
    structuredContent: structured ?? (isText ? undefined : value),
  };
}

/** Blocks as the SDK writes them: without members that the protocol does not know. @throws ProtocolError as the SDK does */
function blocksOf(blocks: CallToolResult["content"]): CallToolResult["content"] {
  const read = specTypeSchemas.CallToolResult["~standard"].validate({
    content: [{ type: "text", text: "" }, ...blocks],
  });
  if (read instanceof Promise || read.issues) {
    const issues = JSON.stringify("issues" in read ? read.issues : [], undefined, 2);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid tools/call result: ${issues}`);
  }
  return read.value.content.slice(1);
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
