/** The gateway as the SDK's handler of HTTP requests: a server for each request, in the protocol era that the request speaks. */

import { createMcpHandler, type Server } from "@modelcontextprotocol/server";
import type { Gateway } from "../gateway.js";
import { isObject } from "../json.js";
import type { Live } from "../live.js";
import { whenClosed } from "./connection.js";
import { unmarkedResponse } from "./exact-response.js";
import { hotTools } from "./hot-tools.js";
import type { Caller, HttpAppOptions } from "./http-app.js";
import { createHttpAsking, nameOfClient, type Sender } from "./http-asking.js";
import { refusal } from "./http-message.js";
import { headerFault } from "./param-headers.js";
import { createServer } from "./server.js";
import { changedPages, heardOnly } from "./subscriptions.js";

/** What requests are answered with. */
export interface McpOptions {
  readonly gateway: Gateway & Partial<Pick<Live, "onSwap">>;
  readonly version: string;
}

/** The handler. */
export interface Mcp extends Pick<HttpAppOptions, "answer"> {
  /** Ends the streams of changes, and what else is open. */
  close(): Promise<void>;
}

/** Streams of changes that may be open at once. */
const MOST_LISTENERS = 256;

/** A request under way, and what is known of it beside. */
interface Asked extends Caller {
  readonly body: unknown;
}

/** Makes the handler. Who calls reaches the server that is made for a request beside the request itself. */
export function createMcp({ gateway, version }: McpOptions): Mcp {
  const asked = new WeakMap<Request, Asked>();
  const cancelling = createCancelling();
  const asking = createHttpAsking();
  const handler = createMcpHandler(
    ({ requestInfo, era }) => {
      const known = requestInfo && asked.get(requestInfo);
      if (!known) throw new Error("a request without a caller");
      const { principal, ending, arrived } = known;
      const clock = arrived === undefined ? {} : { arrived };
      // A request of the older protocols has no stream that would outlast it.
      const subscribing = era === "modern" && gateway.onSwap ? { subscriptions: era } : {};
      const doors = { forwardOf: asking.forwardOf(senderOf(requestInfo, known)), ...subscribing };
      const server = createServer({ gateway, version, ending, ...clock, principal: () => principal, ...doors });
      cancelling.add(requestInfo, known, server);
      return server;
    },
    {
      maxSubscriptions: MOST_LISTENERS,
      onerror: (error) => gateway.log.debug("mcp request", { error: error.message }),
    },
  );
  const { notify } = handler;
  const changes = changesOf(gateway);
  const stopTelling = gateway.onSwap?.(() => {
    notify.toolsChanged();
    notify.promptsChanged();
    notify.resourcesChanged();
    for (const uri of changes()) notify.resourceUpdated(uri);
  });
  return {
    async answer(request, sent, caller) {
      const taken = asking.take(sent, senderOf(request, caller));
      if (taken) return taken;
      const body = await heardOnly(sent, () => gateway.index.view(caller.principal.grant));
      asked.set(request, { ...caller, body });
      cancelling.heed(request, { ...caller, body });
      const mismatch = mismatchOf(gateway, request, { ...caller, body });
      if (mismatch) return mismatch;
      const response = unmarkedResponse(await handler.fetch(request, { parsedBody: body }));
      if (isObject(body) && body["method"] === "initialize") response.headers.set(CLIENT_HEADER, nameOfClient(body));
      return response;
    },
    async close() {
      stopTelling?.();
      await handler.close();
    },
  };
}

/** Gives, after each swap, the own pages that changed for anybody: who listens hears of those that it has asked for and may see. */
function changesOf(gateway: Gateway): () => readonly string[] {
  const grant = { level: "admin", projects: "*" } as const;
  let { index, settings } = gateway;
  return () => {
    const before = { view: index.view(grant), settings };
    ({ index, settings } = gateway);
    return changedPages(before, { view: index.view(grant), settings });
  };
}

/** Says of a request which protocol it speaks; older ones have no such thing. */
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** The protocol's code for headers that are not what the message says. */
const HEADER_MISMATCH = -32_020;

/** Refuses a call of a typed tool whose headers repeat its arguments otherwise than they are. */
function mismatchOf(gateway: Gateway, { headers }: Request, { body, principal }: Asked): Response | undefined {
  if (!isObject(body) || body["method"] !== "tools/call" || !isObject(body["params"])) return undefined;
  const { _meta: meta, name, arguments: args } = body["params"];
  if (!isObject(meta) || !Object.hasOwn(meta, VERSION_KEY) || typeof name !== "string") return undefined;
  const hot = hotTools(gateway.settings, gateway.index.view(principal.grant)).get(name);
  const fault = hot && headerFault(hot.tool.parameters_schema, args, headers);
  if (fault === undefined) return undefined;
  return refusal(400, `The headers are not what the call says: ${fault}.`, {
    code: HEADER_MISMATCH,
    id: body["id"] ?? null,
  });
}

/**
 * Names a client of the older protocols, which sends it back with each request. No session is behind it: nothing is kept, every
 * instance takes every value. It tells apart which client's request a notice of cancellation or an answer means, since their ids are
 * alike, and what the client can answer.
 */
const CLIENT_HEADER = "Mcp-Session-Id";

/** Requests that ops are called for. */
const CALLING: ReadonlySet<unknown> = new Set(["tools/call", "resources/read", "prompts/get"]);

const senderOf = ({ headers }: Request, { principal }: Pick<Caller, "principal">): Sender => ({
  principal,
  client: headers.get(CLIENT_HEADER),
});

/** Calls that clients of the older protocols can cancel by a notice; those of the current one close the connection. */
function createCancelling() {
  const running = new Map<string, Server>();
  const keyOf = (request: Request, { principal }: Caller, id: unknown): string | undefined => {
    const client = request.headers.get(CLIENT_HEADER);
    if (client === null || (typeof id !== "string" && typeof id !== "number")) return undefined;
    return JSON.stringify([principal.id, client, id]);
  };
  return {
    /** Has a notice close the server of a request. */
    add(request: Request, { body, ...caller }: Asked, server: Server): void {
      const key = isObject(body) && CALLING.has(body["method"]) ? keyOf(request, caller, body["id"]) : undefined;
      if (key === undefined || running.has(key)) return;
      running.set(key, server);
      whenClosed(server, () => running.delete(key));
    },
    /** Does what a notice says, where the message is one. */
    heed(request: Request, { body, ...caller }: Asked): void {
      if (!isObject(body) || body["method"] !== "notifications/cancelled" || !isObject(body["params"])) return;
      const key = keyOf(request, caller, body["params"]["requestId"]);
      if (key !== undefined) void running.get(key)?.close();
    },
  };
}
