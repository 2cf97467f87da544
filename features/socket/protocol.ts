/** The wire protocol of the socket, shared by server and client: JSON-RPC 2.0, one compact object per line. */

import { writeJson } from "../../runtime/contract/exact-number.js";
import { GATEWAY_TOOLS } from "../../runtime/contract/gateway-tools.js";
import type { JsonObject } from "../../runtime/contract/registry.js";

/** Names of requests and notifications. */
export const METHODS = {
  tools: "oubliette_tools",
  call: "oubliette_call_tool",
  cancel: "oubliette_cancel",
  ping: "ping",
  callerTool: "caller_tool",
  callerTools: "caller_tools_config",
  changed: "oubliette_tools_changed",
} as const;

/** Error codes. */
export const RPC = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
  failed: -32_000,
  unauthenticated: -32_001,
  denied: -32_002,
} as const;

/** The id of a request, chosen by its sender. */
export type RpcId = string | number;

/** A JSON-RPC error. `data.code` is an error code of envelopes. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonObject;
}

/** A request, or without `id` a notification. */
export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id?: RpcId;
  readonly method: string;
  readonly params?: object;
}

/** A tool as listed by `oubliette_tools` and `caller_tools_config`; its name has no prefix. */
export interface SocketTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations?: object;
}

const CALLER_ID = /^[a-z][a-z0-9]{0,31}$/;
/** Prefixes reserved for built-in tools. */
const RESERVED: ReadonlySet<string> = new Set([
  ...["oubliette", "ot", "onetool"],
  ...GATEWAY_TOOLS.map(({ name }) => name.replace(/_.*/, "")),
]);

/** What is wrong with a caller id, or `undefined`. The id is the prefix of its tools in an agent's tool list. */
export function callerIdFault(id: string): "form" | "reserved" | undefined {
  if (RESERVED.has(id)) return "reserved";
  return CALLER_ID.test(id) ? undefined : "form";
}

/** Which tools `oubliette_tools` lists: the ops of the pack (default), or the gateway tools. */
export type ToolsView = "ops" | "gateway";

/** Params of `oubliette_tools`. */
export interface ToolsParams {
  readonly api_key: string;
  readonly view?: ToolsView;
}

/** Result of `oubliette_tools`. */
export interface ToolsResult {
  readonly registry_version: string;
  readonly tools: readonly SocketTool[];
}

/** Params of `oubliette_call_tool`. */
export interface CallParams {
  readonly api_key: string;
  readonly tool: string;
  readonly arguments?: object;
  readonly timeout_ms?: number;
  readonly idempotency_key?: string;
}

/** Result of `oubliette_call_tool`, and of `caller_tool` if the embedding program returns one. */
export interface CallResult {
  /** A text, and blocks of images, audio and resources as MCP has them. */
  readonly content: readonly { readonly type: string }[];
  readonly structuredContent?: JsonObject;
  readonly isError: boolean;
}

/** Params of `oubliette_cancel`: the id of a request on the same connection. */
export interface CancelParams {
  readonly id: RpcId;
}

/** Params of `caller_tool`. */
export interface CallerToolParams {
  readonly tool: string;
  readonly arguments?: object;
  readonly timeout_ms?: number;
}

/** Params of `caller_tools_config`. */
export interface CallerToolsParams {
  readonly caller_id: string;
  readonly tools: readonly SocketTool[];
}

/** Serializes a message for the wire. */
export const messageLine = (message: object): string => `${writeJson(message)}\n`;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes a line; `undefined` if it is not UTF-8. */
export function decodeLine(line: Uint8Array): string | undefined {
  try {
    return utf8.decode(line);
  } catch {
    return undefined;
  }
}
