/** Reads and checks the message in a request body before it is processed, and builds refusals. */

import type { IncomingMessage } from "node:http";
import { finished } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isJsonContentType, readRequestBody } from "@modelcontextprotocol/server";
import { callsIn } from "../../access/rate.js";
import type { GatewayTool } from "../../contract/gateway-tools.js";
import { isObject } from "../../contract/json.js";
import { boundText, idAtEdge, isId, MESSAGE_BOUNDS, passedBound } from "../../contract/json-survey.js";
import { parseMessage } from "../../contract/read-json.js";
import type { JsonValue } from "../../contract/registry.js";

/** JSON-RPC error codes of refusals. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
/** Refusals without a code of their own. */
const REFUSED = -32_000;

/** A refusal in the form that MCP clients read. */
export const refusal = (
  status: number,
  message: string,
  {
    code = REFUSED,
    headers = {},
    data,
    id = null,
  }: {
    readonly code?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly data?: object;
    readonly id?: JsonValue;
  } = {},
): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message, ...(data ? { data } : {}) }, id }, { status, headers });

/** What a client sent: one message or, in older protocols, a batch. */
export interface PostedMessage {
  readonly body: unknown;
}

/** Characters of a body between whose steps, such as its parse, the event loop serves other requests: together they take too long. */
const LONG_BODY = 256 * 1024;

/**
 * Reads the message of a request; a response means that it is refused.
 *
 * @param parse - parses the text; default: as an MCP message
 */
export async function readPostedMessage(
  request: Request,
  mostBytes: number,
  parse: (text: string) => unknown = parseMessage,
): Promise<PostedMessage | Response> {
  if (!isJsonContentType(request.headers.get("content-type")))
    return refusal(415, "The content type must be application/json.");
  const read = await readBody(request, mostBytes).catch(() => undefined);
  if (!read) return refusal(400, "The body could not be read.", { code: PARSE_ERROR });
  if (read.tooLarge) return refusal(413, `The body may have ${mostBytes} bytes at most.`);
  const pause = read.text.length > LONG_BODY ? nextTurn : async () => undefined;
  await pause();
  const bytes = Buffer.from(read.text);
  const passed = passedBound(bytes, MESSAGE_BOUNDS);
  if (passed)
    return refusal(400, `The message ${boundText(passed, MESSAGE_BOUNDS)}.`, {
      code: INVALID_REQUEST,
      id: JSON.parse(idAtEdge(bytes) ?? "null"),
    });
  await pause();
  try {
    return { body: parse(read.text.replace(/^\ufeff/, "")) };
  } catch {
    return refusal(400, "The body is not JSON.", { code: PARSE_ERROR });
  }
}

/**
 * Reads a body of at most so many bytes. One whose length is declared needs no counting, since Node.js ends it there: it is
 * read without the stream of a `Request`, which takes as long as a call.
 */
function readBody(request: Request, mostBytes: number): ReturnType<typeof readRequestBody> {
  const declared = request.headers.get("content-length");
  if (declared === null || Number(declared) > mostBytes) return readRequestBody(request, mostBytes);
  return request.text().then((text) => ({ tooLarge: false, text }));
}

/** Most bytes of a refused body that are discarded, and for how long. */
const MAX_DISCARDED_BYTES = 16_000_000;
const DISCARD_MS = 500;

/**
 * Discards the rest of a body that was refused before it was read. A client that is still sending when the connection closes
 * gets an error of its own in place of the answer.
 */
export async function discardBody(incoming: IncomingMessage): Promise<void> {
  const enough = new AbortController();
  let left = MAX_DISCARDED_BYTES;
  // A reader that has taken a part of it would buffer the rest, and pause the stream.
  incoming.removeAllListeners("data");
  incoming.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) enough.abort();
  });
  incoming.resume();
  const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(DISCARD_MS)]);
  await finished(incoming, { signal, cleanup: true }).catch(() => undefined);
}

/** Refuses a JSON-RPC message whose id cannot be repeated in the answer. */
export function idFault({ body }: PostedMessage): Response | undefined {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  const isAnswerable = (one: unknown): boolean => !isObject(one) || !Object.hasOwn(one, "id") || isId(one["id"]);
  if (messages.every(isAnswerable)) return undefined;
  return refusal(400, "An id is a string or a number that is finite.", { code: INVALID_REQUEST });
}

/** How many messages it contains. */
export const messageCount = ({ body }: PostedMessage): number => (Array.isArray(body) ? Math.max(1, body.length) : 1);

/** How many calls it counts as: each message is one, and a call of a gateway tool what the row of the tool says. */
export function callsOf({ body }: PostedMessage, tools: readonly GatewayTool[]): number {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.reduce<number>((sum, message) => sum + callsOfOne(message, tools), 0);
}

function callsOfOne(message: unknown, tools: readonly GatewayTool[]): number {
  const params = isObject(message) && message["method"] === "tools/call" ? message["params"] : undefined;
  return isObject(params) ? callsIn(params["name"], params["arguments"], tools) : 1;
}

/** Whether it opens a subscription stream, which stays open as long as the client wants. */
export const asksToListen = ({ body }: PostedMessage): boolean =>
  typeof body === "object" && body !== null && "method" in body && body.method === "subscriptions/listen";
