/**
 * Calls of gateway tools that are answered without the SDK. It checks each message several times by its schemas, which
 * takes longer than to make the call. Only what needs nothing else of it is taken: a call by a client of the older
 * protocols, while the SDK has no request to answer, so that all requests are begun in their order.
 */

import { ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import { isObject } from "../../contract/json.js";
import type { JsonObject } from "../../contract/registry.js";
import { errorOf } from "../../contract/thrown.js";
import { recordEnded } from "../../metrics/operations.js";
import type { CallContext } from "../mcp/client-capabilities.js";
import type { WatchedRequests } from "../mcp/pending-requests.js";
import { whenClosed } from "../mcp/plain-server.js";
import type { DirectTools } from "../mcp/server.js";
import type { StdioTransport } from "./stdio-transport.js";

/** The direct calls of one connection. */
export interface DirectCalls {
  /** Takes a message; false if the SDK has to read it. */
  take(message: unknown): boolean;
  /** Takes calls from now on, until the server is closed. */
  serve(server: Server, tools: DirectTools): void;
}

interface Wire {
  readonly requests: Pick<WatchedRequests, "isAllAnswered" | "beginElsewhere" | "endElsewhere">;
  write: StdioTransport["write"];
  onerror(error: Error): void;
}

/** The method that is taken. */
const CALL = "tools/call";

interface Served {
  readonly server: Server;
  readonly tools: DirectTools;
}

/** Starts without a server. */
export function directCalls({ requests, write, onerror }: Wire): DirectCalls {
  const running = new Map<string | number, AbortController>();
  let served: Served | undefined;
  const answerCall = async ({ server, tools }: Served, { id, name, input, meta }: Call): Promise<void> => {
    const begun = performance.now();
    const ended = new AbortController();
    running.set(id, ended);
    requests.beginElsewhere();
    try {
      let outcome: string;
      try {
        const result = await tools.answer(name, input, { mcpReq: new DirectRequest(server, id, meta, ended) });
        recordEnded(CALL, name, { result }, begun);
        outcome = `"result":${result.json}`;
      } catch (error) {
        recordEnded(CALL, name, { error }, begun);
        outcome = `"error":${JSON.stringify(rpcError(error))}`;
      }
      running.delete(id);
      const line = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}`;
      if (!ended.signal.aborted) await write(line, running.size === 0);
    } finally {
      if (running.get(id) === ended) running.delete(id);
      requests.endElsewhere();
    }
  };
  return {
    take(message) {
      if (!served || !isObject(message)) return false;
      // The SDK gets it too: the call may be one of its own.
      if (message["method"] === "notifications/cancelled") cancel(running, message["params"]);
      if (message["method"] !== CALL || !requests.isAllAnswered()) return false;
      const call = callIn(message);
      if (!call || running.has(call.id) || !served.tools.has(call.name)) return false;
      answerCall(served, call).catch((error: unknown) => onerror(errorOf(error)));
      return true;
    },
    serve(server, tools) {
      served = { server, tools };
      whenClosed(server, () => {
        if (served?.server !== server) return;
        served = undefined;
        for (const ended of running.values()) ended.abort(new Error("Connection closed"));
      });
    },
  };
}

/** A call that needs nothing of the SDK. */
interface Call {
  readonly id: string | number;
  readonly name: string;
  readonly input: unknown;
  readonly meta: CallContext["mcpReq"]["_meta"];
}

const REQUEST: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);
const PARAMS: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);
/** Names in `_meta` that are the protocol's own begin with it. */
const OWN = "io.modelcontextprotocol/";

const hasOnly = (object: object, names: ReadonlySet<string>): boolean => {
  for (const name in object) if (!names.has(name)) return false;
  return true;
};

/** Reads a message that is a valid call by the schemas of the protocol; undefined for any other. */
function callIn(message: JsonObject): Call | undefined {
  const { jsonrpc, id, params } = message;
  if (jsonrpc !== "2.0" || !isRequestId(id) || !isObject(params)) return undefined;
  if (!hasOnly(message, REQUEST) || !hasOnly(params, PARAMS)) return undefined;
  const { name, arguments: input, _meta: meta } = params;
  if (typeof name !== "string" || !isPlainInput(input) || !isPlainMeta(meta)) return undefined;
  return { id, name, input, meta };
}

/** Whether the SDK would pass the arguments on as they are. */
const isPlainInput = (input: unknown): boolean =>
  input === undefined || (isObject(input) && !Object.hasOwn(input, "__proto__"));

const isRequestId = (id: unknown): id is string | number => typeof id === "string" || Number.isSafeInteger(id);

/** Whether `_meta` is what a client of the older protocols sends. */
function isPlainMeta(meta: unknown): meta is CallContext["mcpReq"]["_meta"] {
  if (meta === undefined) return true;
  if (!isObject(meta)) return false;
  for (const name in meta) if (name.startsWith(OWN)) return false;
  return meta["progressToken"] === undefined || isRequestId(meta["progressToken"]);
}

/** What the SDK gives its handlers for a request, as far as a call needs it. */
class DirectRequest implements DirectContext {
  readonly _meta: Call["meta"];
  readonly signal: AbortSignal;
  readonly #server: Server;
  readonly #id: Call["id"];

  constructor(server: Server, id: Call["id"], meta: Call["meta"], ended: AbortController) {
    this._meta = meta;
    this.signal = ended.signal;
    this.#server = server;
    this.#id = id;
  }

  log(...[level, data, logger]: Parameters<DirectContext["log"]>): Promise<void> {
    return this.#server.sendLoggingMessage({ level, data, ...(logger ? { logger } : {}) });
  }

  notify(notification: Parameters<DirectContext["notify"]>[0]): Promise<void> {
    return this.#server.notification(notification, { relatedRequestId: this.#id });
  }
}

type DirectContext = CallContext["mcpReq"];

/** The error of a call, as the SDK writes it. */
function rpcError(error: unknown): object {
  const { message } = errorOf(error);
  if (!(error instanceof ProtocolError)) return { code: ProtocolErrorCode.InternalError, message };
  return { code: error.code, message, ...(error.data === undefined ? {} : { data: error.data }) };
}

function cancel(running: ReadonlyMap<unknown, AbortController>, params: unknown): void {
  if (isObject(params)) running.get(params["requestId"])?.abort(params["reason"]);
}
