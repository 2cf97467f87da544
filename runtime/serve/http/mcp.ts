/** Connects the gateway to the SDK's HTTP handler: one MCP server per request, in the protocol era of that request. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { createMcpHandler, type Server } from "@modelcontextprotocol/server";
import { hasMarks, unmarked } from "../../contract/exact-number.js";
import type { Logger } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import { messageOf } from "../../contract/thrown.js";
import { HALF, wellFormedJson } from "../../contract/well-formed.js";
import { within } from "../../contract/within.js";
import type { Cluster, Gateway } from "../../gateway/gateway.js";
import type { Live } from "../../gateway/reloadable-gateway.js";
import type { State } from "../../state/open.js";
import { onceOpen } from "../../state/open.js";
import type { ServedTools } from "../gateway-tools.js";
import { hotTools } from "../mcp/hot-tools.js";
import { createServer } from "../mcp/server.js";
import { tolerate, whenClosed } from "../mcp/server-events.js";
import { changedPages, heardOnly, pagesShownTo } from "../mcp/subscriptions.js";
import type { HttpAppOptions, HttpCaller } from "./app.js";
import { createHttpAsking, nameOfClient, type Sender, senderKey } from "./elicitation.js";
import { refusal } from "./message.js";
import { headerFault } from "./param-headers.js";

/** Options of the handler. */
export interface McpOptions extends ServedTools {
  readonly live: Live;
  readonly version: string;
}

/** The handler of MCP messages. */
export interface Mcp extends Pick<HttpAppOptions, "answer"> {
  /** Ends the subscription streams and everything else that is open. */
  close(): Promise<void>;
}

/** Largest number of open subscription streams. */
const MAX_LISTENERS = 256;

/** A request under way with its body and caller. */
interface Asked extends HttpCaller {
  readonly body: unknown;
}

/** Creates the handler. A weak map carries the caller of a request to the server that is created for it. */
export function createMcp({ live, version, gatewayTools }: McpOptions): Mcp {
  const { log } = live.current();
  const asked = new WeakMap<Request, Asked>();
  const cancelling = createCancelling(log);
  const asking = createHttpAsking();
  const handler = createMcpHandler(
    ({ requestInfo, era }) => {
      const known = requestInfo && asked.get(requestInfo);
      if (!known) throw new Error("a request without a caller");
      const { principal, ending, arrived } = known;
      const clock = arrived === undefined ? {} : { arrived };
      // Only requests of the newer protocol have a stream that outlives them.
      const subscribing = era === "modern" ? { subscriptions: era } : {};
      const tools = { isModern: era === "modern", ...(gatewayTools ? { gatewayTools } : {}) };
      const transports = { forwardOf: asking.forwardOf(senderOf(requestInfo, known)), ...subscribing, ...tools };
      const server = createServer({ live, version, ending, ...clock, principal: () => principal, ...transports });
      cancelling.add(requestInfo, known, server);
      return server;
    },
    {
      maxSubscriptions: MAX_LISTENERS,
      onerror: (error) => log.debug("mcp request", { error: error.message }),
    },
  );
  const stopFollowing = [asking, cancelling].map(({ follow }) => followCluster(live, follow));
  const stopTelling = tellOfSwaps(live, handler);
  return {
    async answer(request, sent, caller) {
      const taken = asking.take(sent, senderOf(request, caller));
      if (taken) return await taken;
      const body = await heardOnly(sent, () => pagesShownTo(live.current(), caller.principal.grant));
      asked.set(request, { ...caller, body });
      await cancelling.heed(request, { ...caller, body });
      const mismatch = mismatchOf(live.current(), request, { ...caller, body });
      if (mismatch) return mismatch;
      const response = await unmarkedResponse(await handler.fetch(request, { parsedBody: body }));
      if (isObject(body) && body["method"] === "initialize") response.headers.set(CLIENT_HEADER, nameOfClient(body));
      return response;
    },
    async close() {
      stopTelling();
      for (const stop of stopFollowing) stop();
      await handler.close();
    },
  };
}

/** Notifies the subscription streams after each reload; the returned function stops that. */
function tellOfSwaps(live: Live, { notify }: Pick<ReturnType<typeof createMcpHandler>, "notify">) {
  const changes = changesOf(live);
  return live.onSwap(() => {
    notify.toolsChanged();
    if (!live.current().mcp) return;
    notify.promptsChanged();
    notify.resourcesChanged();
    tolerate(
      changes().then((uris) => uris.forEach((uri) => void notify.resourceUpdated(uri))),
      "updated",
      live.current().log,
    );
  });
}

/**
 * Returns, after each reload, the URIs of built-in pages that changed for any caller. A subscriber is notified only of
 * pages that it subscribed to and may see.
 */
function changesOf({ current }: Live): () => Promise<readonly string[]> {
  const grant = { level: "admin", projects: "*" } as const;
  let { index, mcp } = current();
  return () => {
    const before = pagesShownTo({ index, mcp }, grant);
    ({ index, mcp } = current());
    return changedPages(before, pagesShownTo({ index, mcp }, grant));
  };
}

/** Names the protocol version of a request; older protocols do not have it. */
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** The protocol's error code for headers that contradict the message. */
const HEADER_MISMATCH = -32_020;

/** Refuses a call of a typed tool whose headers contradict its arguments. */
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
 * Names a client of the older protocols, which sends it back with each request. There is no session behind it: nothing
 * is stored, and every instance accepts every value. It tells clients with equal request ids apart for cancellations
 * and answers, and carries the client's capabilities.
 */
const CLIENT_HEADER = "Mcp-Session-Id";

/** Requests that call ops. */
const CALLING: ReadonlySet<unknown> = new Set(["tools/call", "resources/read", "prompts/get"]);

const senderOf = ({ headers }: Request, { principal }: Pick<HttpCaller, "principal">): Sender => ({
  principal,
  client: headers.get(CLIENT_HEADER),
});

/** Uses the database that servers share, if there is one, also after a reload; the returned function stops that. */
function followCluster(live: Live, use: (state: State) => () => void): () => void {
  let followed: Cluster | undefined;
  let stop = (): void => undefined;
  const follow = (): void => {
    const { cluster } = live.current();
    if (cluster === followed) return;
    stop();
    followed = cluster;
    stop = followed ? onceOpen(followed.state, use) : () => undefined;
  };
  follow();
  const stopSwaps = live.onSwap(follow);
  return () => {
    stopSwaps();
    stop();
  };
}

/**
 * Calls that clients of the older protocols can cancel with a notification; newer clients close the connection instead.
 * A notification that means no call here is passed on to the servers that share the database.
 */
function createCancelling(log: Logger) {
  const running = new Map<string, Server>();
  let state: State | undefined;
  const keyIn = (request: Request, caller: HttpCaller, id: unknown): string | undefined => {
    const sender = senderOf(request, caller);
    if (sender.client === null || (typeof id !== "string" && typeof id !== "number")) return undefined;
    return senderKey(sender, id);
  };
  const close = (key: string): boolean => {
    const server = running.get(key);
    void server?.close();
    return server !== undefined;
  };
  return {
    /** Closes the server of a request when it is cancelled. */
    add(request: Request, { body, ...caller }: Asked, server: Server): void {
      const key = isObject(body) && CALLING.has(body["method"]) ? keyIn(request, caller, body["id"]) : undefined;
      if (key === undefined || running.has(key)) return;
      running.set(key, server);
      whenClosed(server, () => running.delete(key));
    },
    /** Handles a cancellation; ignores every other message. */
    async heed(request: Request, { body, ...caller }: Asked): Promise<void> {
      if (!isObject(body) || body["method"] !== "notifications/cancelled" || !isObject(body["params"])) return;
      const key = keyIn(request, caller, body["params"]["requestId"]);
      if (key === undefined || close(key) || !state) return;
      const { send, transaction } = state;
      const told = transaction("write", (tx) => send(tx, { topic: "cancelled", payload: key }));
      await told.catch((error: unknown) => log.warn("a cancellation is not passed on", { error: messageOf(error) }));
    },
    /** Takes cancellations that arrive at other servers. */
    follow(open: State): () => void {
      state = open;
      const stop = open.notifier.on("cancelled", close);
      return () => {
        state = undefined;
        stop();
      };
    },
  };
}

const MESSAGES = /^(?:application\/json|text\/event-stream)\b/i;

/** How long a response waits for its first message before its headers are sent without it. */
const HEADERS_MS = 50;

/**
 * The response with its marked numbers as originally spelled. One whose first message is its last becomes a body of known
 * length, which is sent in one piece; others stay streams. The SDK passes on every message in one piece.
 */
export async function unmarkedResponse(response: Response): Promise<Response> {
  const { body, status, statusText, headers } = response;
  if (!body || !MESSAGES.test(headers.get("content-type") ?? "")) return response;
  const init = { status, statusText, headers };
  const reader = body.getReader();
  const first = reader.read();
  const begun = await within(HEADERS_MS, first);
  if (!begun?.value) return new Response(unmarkedStream(reader, [first]), init);
  const second = reader.read();
  const isWhole = (await Promise.race([second, nextTurn()]))?.done;
  return new Response(isWhole ? unmarkedBytes(begun.value) : unmarkedStream(reader, [first, second]), init);
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/** What is read from a reader, after reads that have begun. */
function unmarkedStream(reader: Reader, begun: ReturnType<Reader["read"]>[]): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await (begun.shift() ?? reader.read());
      if (done) controller.close();
      else controller.enqueue(unmarkedBytes(value));
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function unmarkedBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return hasMarks(text) || text.includes(HALF) ? Buffer.from(wellFormedJson(unmarked(text.toString("utf8")))) : bytes;
}
