/** Calls remote tools: with a timeout, forwarded cancellation, and one retry where a retry is safe. */

import { setTimeout as pause } from "node:timers/promises";
import { type CallToolResult, isSpecType } from "@modelcontextprotocol/server";
import { errorBody, type FailureEnvelope } from "../../runtime/contract/error-body.js";
import { takesIdempotencyKey } from "../../runtime/contract/gateway-tools.js";
import { newTraceId } from "../../runtime/contract/ids.js";
import { isObject, MAX_JSON_DEPTH, own } from "../../runtime/contract/json.js";
import { nestsDeeper } from "../../runtime/contract/json-schema.js";
import type { JsonObject } from "../../runtime/contract/registry.js";
import type { RemoteCall } from "../../runtime/serve/mcp/remote-tools.js";
import type { Link } from "./link.js";
import { type CallerToolParams, type CallParams, type CancelParams, METHODS } from "./protocol.js";
import type { RemoteClientTool } from "./remote-tools.js";
import { isRequestError, RequestError } from "./requests.js";

/** What all calls share. */
export interface RemoteCalls {
  readonly link: Link;
  readonly key: string | undefined;
  /** Time limit of a call on the remote server, and how much longer to wait for its answer. */
  readonly timeoutMs: number;
  readonly graceMs: number;
}

/** One call. */
interface Call extends RemoteCall {
  readonly tool: RemoteClientTool;
  readonly input: JsonObject;
}

/** How long a retry waits for a new connection. */
const RECONNECT_MS = 1_000;
/** Wait before a retry if the answer suggests none, and the longest wait. */
const PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/** Calls a tool with the key. */
export function callOubliette(calls: RemoteCalls, call: Call): Promise<CallToolResult> {
  const { key = "", timeoutMs } = calls;
  const idempotency_key = idempotencyKeyOf(call);
  const params = {
    ...{ api_key: key, tool: call.tool.wire, arguments: call.input, timeout_ms: timeoutMs },
    ...(idempotency_key === undefined ? {} : { idempotency_key }),
  } satisfies CallParams;
  return answered(calls, call, METHODS.call, params, idempotency_key !== undefined);
}

/** Calls a tool of the caller. */
export const callCaller = (calls: RemoteCalls, call: Call): Promise<CallToolResult> => {
  const params = {
    tool: call.tool.wire,
    arguments: call.input,
    timeout_ms: calls.timeoutMs,
  } satisfies CallerToolParams;
  return answered(calls, call, METHODS.callerTool, params, false);
};

/** The idempotency key: of the request, or from the arguments of a gateway tool that takes one. */
function idempotencyKeyOf({ meta, tool, input }: Call): string | undefined {
  const given = meta["idempotency_key"] ?? (takesIdempotencyKey(tool.wire) ? own(input, "idempotency_key") : undefined);
  return typeof given === "string" && given !== "" ? given : undefined;
}

async function answered(
  calls: RemoteCalls,
  call: Call,
  method: string,
  params: JsonObject,
  isKeyed: boolean,
): Promise<CallToolResult> {
  const { name } = call.tool.shown;
  const attempt = async (): Promise<CallToolResult | RequestError> => {
    try {
      const answer = readableResult(await send(calls, call, method, params));
      return answer ?? new RequestError("INTERNAL", "the server's answer is no result of a tool", { sent: true });
    } catch (error) {
      if (isRequestError(error)) return error;
      throw error;
    }
  };
  let answer = await attempt();
  if (isRequestError(answer) && (call.tool.isRead || isKeyed) && (await mayHelp(calls.link, answer, call.signal)))
    answer = await attempt();
  return isRequestError(answer) ? errorResult(name, answer) : answer;
}

function send({ link, key, timeoutMs, graceMs }: RemoteCalls, { signal }: Call, method: string, params: JsonObject) {
  // Without a key, no method named oubliette_* is sent, including the cancellation.
  const onGivenUp = (id: number): void =>
    key === undefined ? undefined : link.notify(METHODS.cancel, { id } satisfies CancelParams);
  return link.request(method, params, { timeoutMs: timeoutMs + graceMs, signal, onGivenUp });
}

/** Waits until a retry makes sense; whether it does. */
async function mayHelp(link: Link, { code, rpc, sent, data }: RequestError, signal: AbortSignal): Promise<boolean> {
  if (!sent || (code !== "UNAVAILABLE" && code !== "RATE_LIMITED")) return false;
  if (rpc === undefined) return link.connected(RECONNECT_MS);
  const asked = own(data, "retry_after_ms");
  const wait = typeof asked === "number" && asked >= 0 ? asked : PAUSE_MS;
  if (wait > MAX_PAUSE_MS) return false;
  return pause(wait, true, { signal }).catch(() => false);
}

/** Arguments as an object. Other values become `{}`, which the remote server validates. */
export const objectArguments = (input: unknown): JsonObject => (isObject(input) ? input : {});

const MAX_PATH_LENGTH = 200;
/** Nesting levels around the result in an answer. */
const LEVELS_AROUND = 8;

/** The result unchanged; `undefined` if an MCP client could not read it. */
export function readableResult(answer: unknown): CallToolResult | undefined {
  if (!isObject(answer) || !Array.isArray(answer["content"])) return undefined;
  // Clients before the protocol of 2026 accept objects only.
  const { structuredContent = {} } = answer;
  if (!isObject(structuredContent)) return undefined;
  if (nestsDeeper(answer, MAX_JSON_DEPTH + LEVELS_AROUND)) return undefined;
  return isSpecType.CallToolResult(answer) ? (answer as CallToolResult) : undefined;
}

/** An error as a tool result: text for users, envelope for programs. */
export function errorResult(tool: string, { code, message, data }: RequestError): CallToolResult {
  const { code: _, help_path, trace_id, details: inner, ...outer } = data;
  const details = { ...(isObject(inner) ? inner : {}), ...outer };
  const error = errorBody({ code, message, details, help_path: textIn(help_path) ?? "root" });
  const meta = { trace_id: textIn(trace_id) ?? newTraceId(), latency_ms: 0, warnings: [] };
  const envelope: FailureEnvelope = { op: tool, ok: false, error, meta };
  const structuredContent: Record<string, unknown> = { ...envelope };
  return { isError: true, content: [{ type: "text", text: `${code}: ${message}` }], structuredContent };
}

const textIn = (value: JsonObject[string] | undefined): string | undefined =>
  typeof value === "string" && value.length <= MAX_PATH_LENGTH ? value : undefined;
