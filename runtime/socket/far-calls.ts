/** Calls of tools on the other side: with a deadline, passed-on cancellations, and a second attempt where that does no harm. */

import { setTimeout as pause } from "node:timers/promises";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { JsonObject } from "../contract/registry.js";
import { isObject, own } from "../json.js";
import type { FurtherCall } from "../mcp/further.js";
import { failureOf, resultOf } from "./far-answer.js";
import type { FarTool } from "./far-tools.js";
import type { Link } from "./link.js";
import { type CallerToolParams, type CallParams, type CancelParams, METHODS } from "./protocol.js";
import { isRequestError, RequestError } from "./request-error.js";

/** What calls are made with. */
export interface FarCalls {
  readonly link: Link;
  readonly key: string | undefined;
  /** Time that a call has on the other side, and how much longer its answer is waited for. */
  readonly timeoutMs: number;
  readonly graceMs: number;
}

/** One call. */
interface Call extends FurtherCall {
  readonly tool: FarTool;
  readonly input: JsonObject;
}

/** How long a second attempt waits for another connection. */
const RECONNECT_MS = 1_000;
/** Waits before a second attempt: where the answer names none, and the longest. */
const PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** Calls a tool that the key opens. */
export function callOubliette(calls: FarCalls, call: Call): Promise<CallToolResult> {
  const { key = "", timeoutMs } = calls;
  const idempotency_key = idempotencyKeyOf(call);
  const params = {
    ...{ api_key: key, tool: call.tool.wire, arguments: call.input, timeout_ms: timeoutMs },
    ...(idempotency_key === undefined ? {} : { idempotency_key }),
  } satisfies CallParams;
  return answered(calls, call, METHODS.call, params, idempotency_key !== undefined);
}

/** Calls a tool of the caller. */
export const callCaller = (calls: FarCalls, call: Call): Promise<CallToolResult> => {
  const params = {
    tool: call.tool.wire,
    arguments: call.input,
    timeout_ms: calls.timeoutMs,
  } satisfies CallerToolParams;
  return answered(calls, call, METHODS.callerTool, params, false);
};

/** Key of a call whose repetition is done once: of the request, or of the call that `tool_exec` is asked for. */
function idempotencyKeyOf({ meta, tool, input }: Call): string | undefined {
  const given = meta["idempotency_key"] ?? (tool.wire === "tool_exec" ? own(input, "idempotency_key") : undefined);
  return typeof given === "string" && given !== "" ? given : undefined;
}

async function answered(
  calls: FarCalls,
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

function send({ link, key, timeoutMs, graceMs }: FarCalls, { signal }: Call, method: string, params: JsonObject) {
  // Without a key nothing of the name oubliette_* is sent, not even this.
  const onGivenUp = (id: number): void =>
    key === undefined ? undefined : link.notify(METHODS.cancel, { id } satisfies CancelParams);
  return link.request(method, params, { timeoutMs: timeoutMs + graceMs, signal, onGivenUp });
}

/** Waits until another attempt makes sense; whether it does. */
async function mayHelp(link: Link, { code, rpc, sent, data }: RequestError, signal: AbortSignal): Promise<boolean> {
  if (!sent || (code !== "UNAVAILABLE" && code !== "RATE_LIMITED")) return false;
  if (rpc === undefined) return link.connected(RECONNECT_MS);
  const asked = own(data, "retry_after_ms");
  const wait = typeof asked === "number" && asked >= 0 ? asked : PAUSE_MS;
  if (wait > LONGEST_PAUSE_MS) return false;
  return pause(wait, true, { signal }).catch(() => false);
}

/** Arguments as an object; what is none is refused by the other side, which says how. */
export const argumentsOf = (input: unknown): JsonObject => (isObject(input) ? input : {});
