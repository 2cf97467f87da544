/** `fetch` for one upstream server: its headers go to its own origin only, and an answer has a greatest size. */

import { retryAfterMs } from "../backends/web/client.js";
import { hasMarks, unmarked, unmarkedText } from "../contract/exact-number.js";
import { boundText, surveyEvents, surveyText, UPSTREAM_BOUNDS } from "../contract/json-survey.js";
import { messageReader } from "./message-reader.js";

/** Bounds of the `fetch` of one server, and who hears of what the SDK keeps to itself. */
export interface FetchOptions {
  readonly endpoint: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Greatest size of one answer, in bytes as they come out of the decompression. */
  readonly limit: number;
  /** Ends every request that is still under way. */
  readonly until: AbortSignal;
  /** Hears that a stream of events has ended which was the answer to a request, and that nobody can take it up again. */
  readonly onStreamEnd?: (id: string | number, why: string) => void;
  /** Hears the text of every message before the SDK parses it. */
  readonly onMessage?: (text: string) => void;
}

/** Makes the `fetch` of one server. The same transport also fetches from authorization servers, which must not see the headers. */
export function boundedFetch(options: FetchOptions): typeof globalThis.fetch {
  const { endpoint, headers, until } = options;
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const sent = new Headers(init?.headers);
    if (url.origin === endpoint.origin) addMissing(sent, headers);
    const body = withNumbers(sent, init?.body);
    const signal = init?.signal ? AbortSignal.any([init.signal, until]) : until;
    const response = await fetch(input, { ...init, ...body, headers: sent, signal });
    const copy =
      response.body === null ? response : bounded(response, response.body, options, streamedRequest(response, init));
    if (init?.method === "POST" && url.href === endpoint.href) await refusePutOff(copy);
    return copy;
  };
}

/** Writes marked numbers as they are spelled, in the body and in headers that repeat arguments. */
function withNumbers(headers: Headers, body: unknown): { readonly body?: string } {
  for (const [name, value] of headers) if (hasMarks(value)) headers.set(name, unmarkedText(value));
  return typeof body === "string" ? { body: unmarked(body) } : {};
}

function addMissing(sent: Headers, headers: FetchOptions["headers"]): void {
  for (const [name, value] of Object.entries(headers)) if (!sent.has(name)) sent.set(name, value);
}

/** An answer that says when to ask again; the SDK would drop its headers. */
class PutOff extends Error {
  override readonly name = "PutOff";
  readonly data: { readonly status: number; readonly text: string; readonly retryAfterMs: number };

  constructor(data: PutOff["data"]) {
    super(data.text);
    this.data = data;
  }
}

/** @throws PutOff */
async function refusePutOff(response: Response): Promise<void> {
  const { status, headers } = response;
  const wait = status === 429 || status === 503 ? retryAfterMs(headers, Date.now()) : undefined;
  if (wait !== undefined) throw new PutOff({ status, text: await response.text(), retryAfterMs: wait });
}

const isEventStream = ({ headers }: Pick<Response, "headers">): boolean =>
  /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");

/** The request that a stream of events answers. */
function streamedRequest({ headers }: Response, init: RequestInit | undefined): string | number | undefined {
  return isEventStream({ headers }) && init?.method === "POST" ? requestIn(init.body) : undefined;
}

/** The id of the JSON-RPC request that a body is. */
function requestIn(body: unknown): string | number | undefined {
  try {
    const { id, method }: { readonly id?: unknown; readonly method?: unknown } = JSON.parse(String(body));
    return method !== undefined && (typeof id === "string" || typeof id === "number") ? id : undefined;
  } catch {
    return undefined;
  }
}

/** The beginning of a line that names an event, so that the SDK asks for the rest of a stream that breaks off. */
const EVENT_ID = /(?:^|[\r\n])id:/;
const TAIL = 4;

/** Looks for the name of an event in a stream; whether it has found one. */
function eventSeeker(): (chunk: Uint8Array) => boolean {
  let found = false;
  let tail = "";
  return (chunk) => {
    if (found) return true;
    const text = tail + Buffer.from(chunk).toString("latin1");
    tail = text.slice(-TAIL);
    found = EVENT_ID.test(text);
    return found;
  };
}

function bounded(
  response: Response,
  body: ReadableStream<Uint8Array>,
  { limit, onStreamEnd, onMessage }: FetchOptions,
  id: string | number | undefined,
): Response {
  const texts = onMessage && messageReader(response.headers.get("content-type") ?? "", onMessage);
  const reader = body.getReader();
  const namesEvent = eventSeeker();
  const survey = (isEventStream(response) ? surveyEvents : surveyText)(UPSTREAM_BOUNDS);
  let left = limit;
  let fault: string | undefined;
  let isLost = id !== undefined;
  const read = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await reader.read();
    if (done) return undefined;
    left -= value.byteLength;
    const passed = survey(value);
    if (left < 0) fault = `it sent an answer of more than ${limit} bytes`;
    else if (passed) fault = `it sent an answer that ${boundText(passed, UPSTREAM_BOUNDS)}`;
    if (fault !== undefined) throw new Error(fault);
    if (isLost) isLost = !namesEvent(value);
    texts?.chunk(value);
    return value;
  };
  const ended = (why: string): void => {
    if (id !== undefined && (isLost || fault !== undefined)) onStreamEnd?.(id, why);
  };
  const counted = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const chunk = await read();
        if (chunk) return controller.enqueue(chunk);
        texts?.end();
        ended("it ended the connection before it had answered");
        controller.close();
      } catch (error) {
        await reader.cancel().catch(() => undefined);
        ended(fault ?? "its connection broke off before it had answered");
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const { status, statusText } = response;
  const copy = new Response(counted, { status, statusText, headers: response.headers });
  Object.defineProperty(copy, "url", { value: response.url });
  return copy;
}
