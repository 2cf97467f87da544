/** Calls remote tools: with a timeout, forwarded cancellation, and one retry where a retry is safe. */

import { setTimeout as pause } from "node:timers/promises";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { takesIdempotencyKey } from "../../contract/gateway-tools.js";
import { isObject, own } from "../../contract/json.js";
import type { JsonObject } from "../../contract/registry.js";
import type { RemoteCall } from "../mcp/remote-tools.js";
import type { Link } from "./link.js";
import { type CallerToolParams, type CallParams, type CancelParams, METHODS } from "./protocol.js";
import { failureOf, resultOf } from "./remote-answer.js";
import type { RemoteClientTool } from "./remote-tools.js";
import { isRequestError, RequestError } from "./request-error.js";

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
      const answer = resultOf(await send(calls, call, method, params));
      return answer ?? new RequestError("INTERNAL", "the server's answer is no result of a tool", { sent: true });
    } catch (error) {
      if (isRequestError(error)) return error;
      throw error;
    }
  };
  let answer = await attempt();
  if (isRequestError(answer) && (call.tool.isRead || isKeyed) && (await mayHelp(calls.link, answer, call.signal)))
    answer = await attempt();
  return isRequestError(answer) ? failureOf(name, answer) : answer;
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
export const argumentsOf = (input: unknown): JsonObject => (isObject(input) ? input : {});
