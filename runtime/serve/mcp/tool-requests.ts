/**
 * Reads the requests about tools off a connection before the SDK does, which checks each message and each result some ten
 * times. A request that is not valid is left to the SDK, which refuses it.
 */

import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  type JSONRPCRequest,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type MessageExtraInfo,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  specTypeSchemas,
  type Transport,
} from "@modelcontextprotocol/server";
import { isObject } from "../../contract/json.js";
import type { JsonObject } from "../../contract/registry.js";
import { errorOf } from "../../contract/thrown.js";
import { recordEnded } from "../../metrics/operations.js";
import type { CallContext } from "./client-capabilities.js";

/** A request about tools; its params are valid. */
export type McpToolRequest =
  | { readonly method: "ping" }
  | { readonly method: "tools/list"; readonly cursor?: string | undefined }
  | { readonly method: "tools/call"; readonly name: string; readonly input: unknown };

/** Gives the result of a request. @throws ProtocolError for a request that has no result */
export type AnswerRequest = (request: McpToolRequest, context: CallContext) => Promise<object>;

/** How the requests of a connection are answered. */
export interface ToolAnswers {
  readonly answer: AnswerRequest;
  /** Whether the client uses the newer protocol. */
  readonly isModern: boolean;
  /** Changes a result to what the protocol of the client has. */
  readonly encode: (result: object) => object;
}

/** The running requests of one connection, which abort when it is closed. */
export interface ToolRequests {
  /** Takes the requests of a connected transport; the SDK gets all other messages. */
  take(transport: Transport): void;
  /** Aborts the running requests. */
  abort(): void;
}

type RequestId = JSONRPCRequest["id"];

/** Starts without a connection. */
export function toolRequests(server: Server, { answer, isModern, encode }: ToolAnswers): ToolRequests {
  const running = new Map<RequestId, AbortController>();
  let level: LoggingLevel | undefined;
  const serve = async (transport: Transport, read: ReadRequest, request: Request | undefined): Promise<void> => {
    const begun = performance.now();
    const ending = new AbortController();
    const { id, asked } = read;
    running.set(id, ending);
    let called: string | undefined;
    const context: CallContext = {
      ...contextOf(server, read, { signal: ending.signal, level: isModern ? read.level : (level ?? "debug") }),
      ...(request ? { http: { req: request } } : {}),
      called: (tool) => {
        called = tool;
      },
    };
    let outcome: { readonly result: JsonObject } | { readonly error: RpcError };
    try {
      const result = await answer(asked, context);
      recordEnded(asked.method, called, { result }, begun);
      outcome = { result: encode(result) as JsonObject };
    } catch (error) {
      recordEnded(asked.method, called, { error }, begun);
      outcome = { error: rpcError(error) };
    }
    if (running.get(id) === ending) running.delete(id);
    if (!ending.signal.aborted) await transport.send({ jsonrpc: "2.0", id, ...outcome });
  };
  return {
    take(transport) {
      const toSdk = transport.onmessage;
      transport.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
        const read = readRequest(message, isModern);
        if (read) {
          serve(transport, read, extra?.request).catch((error: unknown) => server.onerror?.(errorOf(error)));
          return;
        }
        const { method, params } = message as Partial<JSONRPCRequest>;
        if (method === "notifications/cancelled")
          running.get(params?.["requestId"] as RequestId)?.abort(params?.["reason"]);
        if (method === "logging/setLevel" && isLevel(params?.["level"])) level = params["level"];
        toSdk?.(message, extra);
      };
    },
    abort() {
      for (const one of running.values()) one.abort(new Error("Connection closed"));
    },
  };
}

/** A valid request, and what the protocol says about it. */
interface ReadRequest {
  readonly id: RequestId;
  readonly asked: McpToolRequest;
  readonly meta: CallContext["mcpReq"]["_meta"];
  readonly envelope: JsonObject | undefined;
  /** The least level of log messages that the client wants, if it wants any. */
  readonly level: LoggingLevel | undefined;
  readonly inputResponses: CallContext["mcpReq"]["inputResponses"];
  readonly requestState: string | undefined;
}

/** The keys in `_meta` that the newer protocol takes for itself. */
const ENVELOPE = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY, LOG_LEVEL_META_KEY];

/** Reads a request that is answered here; undefined for any other message, and for what the SDK is to refuse. */
function readRequest(message: JSONRPCMessage, isModern: boolean): ReadRequest | undefined {
  if (!("method" in message && "id" in message)) return undefined;
  const { id, method, params = {} } = message;
  const { _meta: all, inputResponses, requestState, ...rest } = params as JsonObject;
  const envelope = isModern && isObject(all) ? picked(all, ENVELOPE) : undefined;
  if (isModern && !isEnvelope(envelope)) return undefined;
  if (requestState !== undefined && typeof requestState !== "string") return undefined;
  const meta = isObject(all) ? omitted(all, ENVELOPE) : all;
  const asked = askedIn(method, { ...rest, ...(meta === undefined ? {} : { _meta: meta }) }, isModern);
  if (!asked) return undefined;
  return {
    id,
    asked,
    meta: meta as ReadRequest["meta"],
    envelope,
    level: envelope?.[LOG_LEVEL_META_KEY] as LoggingLevel | undefined,
    inputResponses: inputResponses === undefined ? undefined : bareResponses(inputResponses),
    requestState,
  };
}

/** The request of a method; undefined for any other method, and for params that are not valid. */
function askedIn(method: string, params: JsonObject, isModern: boolean): McpToolRequest | undefined {
  if (method === "ping") return isModern ? undefined : { method };
  if (method !== "tools/call") return undefined;
  const { name: plainName, arguments: plainInput, ...others } = params;
  if (typeof plainName === "string" && isPlainInput(plainInput) && Object.keys(others).length === 0)
    return { method, name: plainName, input: plainInput };
  const read = specTypeSchemas.CallToolRequest["~standard"].validate({ method, params });
  if (read instanceof Promise || read.issues) return undefined;
  const { name, arguments: input } = read.value.params;
  return { method, name, input };
}

/** Whether the schema of the protocol would pass arguments on as they are. */
const isPlainInput = (input: unknown): boolean =>
  input === undefined || (isObject(input) && !Object.hasOwn(input, "__proto__"));

const isValid = (type: "ClientCapabilities" | "Implementation", value: unknown): boolean => {
  const read = specTypeSchemas[type]["~standard"].validate(value);
  return !(read instanceof Promise) && !read.issues;
};

/** Whether it says what each request of the newer protocol says. */
const isEnvelope = (envelope: JsonObject | undefined): boolean =>
  envelope !== undefined &&
  typeof envelope[PROTOCOL_VERSION_META_KEY] === "string" &&
  isValid("ClientCapabilities", envelope[CLIENT_CAPABILITIES_META_KEY]) &&
  [undefined, ...LEVELS].includes(envelope[LOG_LEVEL_META_KEY] as LoggingLevel | undefined) &&
  (envelope[CLIENT_INFO_META_KEY] === undefined || isValid("Implementation", envelope[CLIENT_INFO_META_KEY]));

const picked = (from: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));

/** Without some keys; undefined if nothing is left. */
function omitted(from: JsonObject, keys: readonly string[]): JsonObject | undefined {
  const rest = Object.entries(from).filter(([key]) => !keys.includes(key));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** The responses of a client that are bare results; it may have sent others. */
const bareResponses = (responses: unknown): CallContext["mcpReq"]["inputResponses"] =>
  Object.fromEntries(
    Object.entries(isObject(responses) ? responses : {}).filter(
      ([, one]) => isObject(one) && !("method" in one) && !("result" in one),
    ),
  ) as CallContext["mcpReq"]["inputResponses"];

const LEVELS: readonly LoggingLevel[] = [
  ...(["debug", "info", "notice", "warning"] as const),
  ...(["error", "critical", "alert", "emergency"] as const),
];
const isLevel = (value: unknown): value is LoggingLevel => (LEVELS as readonly unknown[]).includes(value);

/** What a call gets of its request. @param least the level below which the client wants no log messages; none without it */
function contextOf(
  server: Server,
  { id, meta, envelope, inputResponses, requestState }: ReadRequest,
  { signal, level: least }: { readonly signal: AbortSignal; readonly level: LoggingLevel | undefined },
): CallContext {
  const notify: CallContext["mcpReq"]["notify"] = (one) => server.notification(one, { relatedRequestId: id });
  return {
    mcpReq: {
      id,
      _meta: meta,
      ...(envelope ? { envelope: envelope as never } : {}),
      ...(inputResponses ? { inputResponses } : {}),
      requestState: (() => requestState) as CallContext["mcpReq"]["requestState"],
      signal,
      notify,
      async log(level, data, logger) {
        if (least === undefined || LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
        await notify({ method: "notifications/message", params: { level, data, logger } });
      },
    },
  };
}

/** An error of JSON-RPC. */
interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The error of a request, as the SDK writes it. */
function rpcError(error: unknown): RpcError {
  const { message } = errorOf(error);
  if (!(error instanceof ProtocolError)) return { code: ProtocolErrorCode.InternalError, message };
  return { code: error.code, message, ...(error.data === undefined ? {} : { data: error.data }) };
}
