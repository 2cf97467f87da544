/** The `fetch` of one upstream server: sends its headers to its own origin only, and limits the size of answers. */

import { hasMarks, unmarked, unmarkedText } from "../contract/exact-number.js";
import { type StreamSurvey, surveyEvents, surveyText, UPSTREAM_BOUNDS } from "../contract/json-survey.js";
import { messageOf } from "../contract/thrown.js";
import { nextTurn } from "../contract/turn.js";
import { wellFormedJson } from "../contract/well-formed.js";
import { retryAfterMs } from "../http-client/client.js";
import { fetchBeside } from "../http-client/named-address.js";
import { tooHard, tooLarge } from "./answer-bound.js";
import { answerOfAuthority, asksForTokens } from "./authority-answer.js";
import type { Deviation } from "./deviations.js";
import type { AnsweredRequest } from "./exact-answers.js";
import { messageReader } from "./messages.js";
import { eventPieces, wholePieces } from "./pieces.js";

/** Limits of the `fetch` of one server, and callbacks for what the SDK does not report. */
export interface FetchOptions {
  readonly endpoint: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Largest answer in bytes, after decompression. */
  readonly limit: number;
  /** Aborts every open request. */
  readonly until: AbortSignal;
  /** Called when the event stream of a request has ended and cannot be resumed. */
  readonly onStreamEnd?: (id: string | number, why: string) => void;
  /** Called with the text of every message before the SDK parses it; returns whether it is JSON. */
  readonly onMessage?: (text: string, request: AnsweredRequest) => Promise<boolean>;
  /** Called for each answer that breaks the protocol and is read. */
  readonly deviates?: (what: Deviation) => void;
}

/**
 * Creates the `fetch` of one server. The same transport also fetches from authorization servers, which must not see the
 * headers; the server names them, so their addresses are public ones, or of its own host, or in `web.allow_private`.
 */
export function boundedFetch(options: FetchOptions): typeof globalThis.fetch {
  const { endpoint, headers, until } = options;
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const sent = new Headers(init?.headers);
    if (url.origin === endpoint.origin) addMissing(sent, headers);
    const body = withNumbers(sent, init?.body);
    const signal = init?.signal ? AbortSignal.any([init.signal, until]) : until;
    const asked = init?.method === "POST" ? requestIn(init.body) : undefined;
    const send = await fetchBeside(endpoint.hostname, url);
    const answer = await send(input, { ...init, ...body, headers: sent, signal });
    if (asked !== undefined && WITHOUT_ANSWER.has(answer.status)) {
      await answer.body?.cancel();
      throw new Unanswered(answer.status);
    }
    const response = asked === undefined ? answer : await asJson(answer, options);
    const copy = bounded(response, options, asked);
    if (init?.method !== "POST") return copy;
    if (url.href !== endpoint.href) return answerOfAuthority(copy, asksForTokens(init.body));
    await refusePutOff(copy);
    return copy;
  };
}

/** Statuses of notifications and of answers without a body: the SDK would wait for the answer in another stream. */
const WITHOUT_ANSWER: ReadonlySet<number> = new Set([202, 204, 205]);

/** An answer of HTTP without one of MCP. */
class Unanswered extends Error {
  override readonly name = "Unanswered";
  readonly data: { readonly status: number };
  constructor(status: number) {
    super("no answer to the request");
    this.data = { status };
  }
}

/** Writes marked numbers as originally spelled, in the body and in headers that repeat arguments. */
function withNumbers(headers: Headers, body: unknown): { readonly body?: string } {
  for (const [name, value] of headers) if (hasMarks(value)) headers.set(name, unmarkedText(value));
  return typeof body === "string" ? { body: wellFormedJson(unmarked(body)) } : {};
}

function addMissing(sent: Headers, headers: FetchOptions["headers"]): void {
  for (const [name, value] of Object.entries(headers)) if (!sent.has(name)) sent.set(name, value);
}

/** A response with `Retry-After`, whose headers the SDK would drop. */
class PutOff extends Error {
  override readonly name = "PutOff";
  readonly data: { readonly status: number; readonly text: string; readonly retryAfterMs: number };

  constructor(data: PutOff["data"]) {
    super(data.text);
    this.data = data;
  }
}

/** @throws PutOff for a response that states when to retry */
async function refusePutOff(response: Response): Promise<void> {
  const { status, headers } = response;
  const wait = status === 429 || status === 503 ? retryAfterMs(headers, Date.now()) : undefined;
  if (wait !== undefined) throw new PutOff({ status, text: await response.text(), retryAfterMs: wait });
}

const isEventStream = ({ headers }: Pick<Response, "headers">): boolean =>
  /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");

/** Content types that the SDK reads. */
const READ_TYPE = /^(?:application\/json|text\/event-stream)\s*(?:;|$)/i;
/** How a text begins that is an object or a list of JSON, maybe behind a mark of the byte order. */
const JSON_START = /^\ufeff?\s*[[{]/;

/** An answer whose JSON came under another content type, as JSON; any other answer with the same bytes. */
async function asJson(response: Response, { deviates }: FetchOptions): Promise<Response> {
  const { status, statusText, body, url } = response;
  if (status !== 200 || !body || READ_TYPE.test(response.headers.get("content-type") ?? "")) return response;
  const reader = body.getReader();
  const first = await reader.read();
  const headers = new Headers(response.headers);
  if (!first.done && JSON_START.test(Buffer.from(first.value).toString("utf8"))) {
    deviates?.("content_type");
    headers.set("content-type", "application/json");
  }
  const whole = new ReadableStream<Uint8Array>({
    start: (controller) => (first.done ? controller.close() : controller.enqueue(first.value)),
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const copy = new Response(whole, { status, statusText, headers });
  Object.defineProperty(copy, "url", { value: url });
  return copy;
}

/** The id of the JSON-RPC request in a body. */
function requestIn(body: unknown): string | number | undefined {
  try {
    const { id, method }: { readonly id?: unknown; readonly method?: unknown } = JSON.parse(String(body));
    return method !== undefined && (typeof id === "string" || typeof id === "number") ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Matches an event id. The SDK resumes a broken stream only if it has one. */
const EVENT_ID = /(?:^|[\r\n])id:/;
const TAIL = 4;

/** Searches a stream for an event id; returns whether one was found. */
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

/** Throws for a chunk that exceeds a bound. */
function boundCheck(limit: number, survey: StreamSurvey): (chunk: Uint8Array) => void {
  let left = limit;
  return (chunk) => {
    left -= chunk.byteLength;
    const passed = survey(chunk);
    if (left < 0) throw new Error(tooLarge(limit));
    if (passed) throw new Error(tooHard(passed));
  };
}

/** What reads a body, and what it has found out. */
interface Body {
  /** Gives the body piece by piece, one in a turn of the event loop; `undefined` at the end. */
  read(): Promise<Uint8Array | undefined>;
  /** The bound that the body exceeds. */
  fault(): string | undefined;
  /** Whether an event was named, so that the SDK can resume a broken stream, and its last one is a message. */
  isResumable(): boolean;
  /** Whether the last event of a stream is no JSON. */
  endsUnread(): boolean;
}

function bodyOf(
  response: Response,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { limit, onMessage }: FetchOptions,
  id: AnsweredRequest["id"],
): Body {
  const isWhole = !isEventStream(response);
  let unread: { readonly hasId: boolean } | undefined;
  const listen = async (text: string, hasId: boolean): Promise<void> => {
    const isRead = await onMessage?.(text, { id, isWhole });
    if (text.trim() !== "") unread = isRead === false ? { hasId } : undefined;
  };
  const heard = response.ok && onMessage ? listen : undefined;
  const texts = heard && messageReader(response.headers.get("content-type") ?? "", limit, heard);
  const namesEvent = eventSeeker();
  const [surveyOf, piecesOf] = isEventStream(response) ? [surveyEvents, eventPieces] : [surveyText, wholePieces];
  const check = boundCheck(limit, surveyOf(UPSTREAM_BOUNDS));
  const pieces = piecesOf(limit);
  let fault: string | undefined;
  let isResumable = false;
  const take = (chunk: Uint8Array): void => {
    try {
      check(chunk);
    } catch (error) {
      fault = messageOf(error);
      throw error;
    }
    isResumable = namesEvent(chunk);
    pieces.push(chunk);
  };
  const next = async (): Promise<Uint8Array | undefined> => {
    for (;;) {
      await nextTurn();
      const piece = pieces.next();
      if (piece) return piece;
      const { done, value } = await reader.read();
      if (done) return pieces.rest();
      take(value);
    }
  };
  const read = async (): Promise<Uint8Array | undefined> => {
    const piece = await next();
    await (piece ? texts?.chunk(piece) : texts?.end());
    return piece;
  };
  return {
    read,
    fault: () => fault,
    isResumable: () => isResumable && unread?.hasId !== true,
    endsUnread: () => unread !== undefined,
  };
}

/** A response with the same body, within the bounds. */
function bounded(response: Response, options: FetchOptions, id: string | number | undefined): Response {
  const reader = response.body?.getReader();
  if (!reader) return response;
  const { read, fault, isResumable, endsUnread } = bodyOf(response, reader, options, id);
  const ended = (why: string): void => {
    if (id !== undefined && isEventStream(response) && (!isResumable() || fault() !== undefined))
      options.onStreamEnd?.(id, why);
  };
  const counted = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const piece = await read();
        if (piece) return controller.enqueue(piece);
        await nextTurn();
        ended(endsUnread() ? "its answer is no JSON" : "it ended the connection before it had answered");
        controller.close();
      } catch (error) {
        await reader.cancel().catch(() => undefined);
        ended(fault() ?? "its connection broke off before it had answered");
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
