/**
 * Reads the texts of an upstream server's messages: lines over stdio, where broken answers become errors of their requests; bodies
 * and event streams over HTTP, which the SDK provides only in parsed form.
 */

import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { createParser } from "eventsource-parser";
import { createParts } from "../contract/byte-parts.js";
import { isObject } from "../contract/json.js";
import { parseMessageInTurns } from "../contract/read-in-turns.js";
import { BROKEN_OFF } from "./answer-bound.js";
import type { Deviation } from "./deviations.js";
import { BARE_RESULT } from "./tolerated-answer.js";

export type Id = string | number;
type Fields = Readonly<Record<string, unknown>>;

/** What answers may be for: the requests that wait. */
export interface Waiting {
  has(id: unknown): boolean;
  /** Whether every answer is one to the requests that wait, as in the answer to an HTTP request. */
  readonly isOwn: boolean;
  /** Takes an answer without an id, and gives the answers that are certain with it. */
  unnamed(answer: Unnamed): readonly JSONRPCMessage[];
  /** Called for an answer that breaks the protocol and is read. */
  deviates(what: Deviation): void;
}

/** An answer without an id. */
export type Unnamed = { readonly result: object } | { readonly error: object };

/** Most answers without an id that are kept until it is certain which requests they are for. */
const MAX_UNNAMED = 100;

/** The requests of a connection that have no answer yet, by id. */
export class PendingRequests implements Waiting {
  readonly isOwn = false;
  readonly deviates: Waiting["deviates"];
  private readonly ids = new Set<Id>();
  /** Whether a request was given up, whose answer may still arrive. */
  private isOneGivenUp = false;
  private kept: Unnamed[] = [];
  /** The requests that the kept answers may be for. */
  private among = new Set<Id>();

  constructor(deviates: Waiting["deviates"]) {
    this.deviates = deviates;
  }

  /** Call for each message sent: a request is pending until it is answered or cancelled. */
  sent(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) this.ids.add(message.id);
    else if (message.method === "notifications/cancelled")
      this.isOneGivenUp = this.ids.delete(message.params?.["requestId"] as Id) || this.isOneGivenUp;
  }

  /** Call for each message received: an answer removes its request, and may make certain what other answers are for. */
  received(message: JSONRPCMessage): readonly JSONRPCMessage[] {
    if ("method" in message || message.id === undefined) return [];
    this.ids.delete(message.id);
    this.ids.delete(spelledId(message.id) ?? message.id);
    return this.kept.length > 0 && this.among.delete(message.id) ? this.settled() : [];
  }

  has(id: unknown): id is Id {
    return this.ids.has(id as Id);
  }

  unnamed(answer: Unnamed): readonly JSONRPCMessage[] {
    this.deviates("no_id");
    this.kept = [...this.kept, answer].slice(-MAX_UNNAMED);
    for (const id of this.ids) this.among.add(id);
    return this.settled();
  }

  /** As soon as no more requests wait than answers were kept: the one answer of the one request, or an error of each. */
  private settled(): readonly JSONRPCMessage[] {
    const [answer, ...others] = this.kept;
    const waiting = [...this.among].filter((id) => this.ids.has(id));
    if (!answer || waiting.length > others.length + 1) return [];
    this.kept = [];
    this.among = new Set();
    const isCertain = others.length === 0 && !this.isOneGivenUp;
    return waiting.map((id) => (isCertain ? named(id, answer) : brokenOff(id, NO_ID)));
  }
}

const NO_ID = "it answered without the id of the request";
/** An answer of a request that will not arrive, or not in a form that can be read. */
const brokenOff = (id: Id, message: string): JSONRPCMessage => ({
  ...{ jsonrpc: "2.0", id },
  error: { code: BROKEN_OFF, message },
});
const named = (id: Id, answer: Unnamed): JSONRPCMessage => ({ jsonrpc: "2.0", id, ...answer }) as JSONRPCMessage;

/** The request that an HTTP answer is for; none for a stream that belongs to no request. */
export class BodyAnswers implements Waiting {
  readonly isOwn = true;
  readonly deviates: Waiting["deviates"];
  private readonly id: Id | undefined;

  constructor(id: Id | undefined, deviates: Waiting["deviates"]) {
    this.id = id;
    this.deviates = deviates;
  }

  has(id: unknown): boolean {
    return this.id !== undefined && id === this.id;
  }

  unnamed(answer: Unnamed): readonly JSONRPCMessage[] {
    if (this.id === undefined) return [];
    this.deviates("no_id");
    return [named(this.id, answer)];
  }

  /** The answer in place of one that cannot be read. */
  broken(what: string): readonly JSONRPCMessage[] {
    return this.id === undefined ? [] : [brokenOff(this.id, `its answer is ${what}`)];
  }
}

/** Parses a line: one message, or several for a JSON list; none for any other line, such as log output. */
export async function parsedMessages(line: string, pending: PendingRequests): Promise<readonly JSONRPCMessage[]> {
  const text = line.startsWith("\ufeff") ? line.slice(1) : line;
  const value = await parsed(text);
  if (value === undefined) return brokenAnswer(text, pending);
  return sdkMessages(value, pending);
}

async function parsed(text: string): Promise<unknown> {
  try {
    return await parseMessageInTurns(text);
  } catch {
    return undefined;
  }
}

/** The messages of a parsed text, each in the form that the SDK takes; one that is in this form already is the same object. */
export const sdkMessages = (value: unknown, waiting: Waiting): readonly JSONRPCMessage[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
    if (!isObject(one)) return [];
    return "method" in one ? requestOf(one as Fields, waiting) : answersOf(one as Fields, waiting);
  });

/** A request or a notification of the server. */
function requestOf(value: Fields, waiting: Waiting): readonly JSONRPCMessage[] {
  const { jsonrpc, id, method, params } = value;
  if (jsonrpc !== "2.0" || !isText(method)) return [];
  const made = {
    ...{ jsonrpc, method },
    ...(isId(id) && { id }),
    ...(isObject(params) && { params: withoutNullMeta(params as Fields) }),
  };
  return [inForm(value, made, waiting)];
}

function answersOf(value: Fields, waiting: Waiting): readonly JSONRPCMessage[] {
  const { id = null, result, error } = value;
  const isEmpty = result === undefined && error === undefined;
  if (!isAnswer(value, waiting) || !(isId(id) || (id === null && !isEmpty))) return [];
  if (value["jsonrpc"] !== "2.0") waiting.deviates("version");
  else if ((error === null && isObject(result)) || (result === null && isObject(error))) waiting.deviates("both");
  const answer = answerOf(result, error);
  return isId(id) ? [inForm(value, { jsonrpc: "2.0", id, ...answer }, waiting)] : waiting.unnamed(answer);
}

/** Whether a value is certainly an answer, and no line of a log. */
function isAnswer({ jsonrpc, id, result, error }: Fields, waiting: Waiting): boolean {
  if (jsonrpc === "2.0") return true;
  if (!isObject(result) && (error === undefined || error === null)) return false;
  return waiting.isOwn || waiting.has(id) || waiting.has(spelledId(id)) || (isObject(error) && isRpcError(error));
}

const isRpcError = ({ code, message }: Fields): boolean => Number.isSafeInteger(code) && isText(message);

/** The value itself if it has the members of its form, and those in their form. */
function inForm(value: Fields, made: Fields, waiting: Waiting): JSONRPCMessage {
  const names = Object.keys(value);
  const isPlain = names.every((name) => name === "error" || value[name] === made[name]);
  if (isPlain && names.length === Object.keys(made).length && isPlainError(value["error"]))
    return value as unknown as JSONRPCMessage;
  if (isObject(value["result"]) && made["result"] !== value["result"]) waiting.deviates("null_member");
  if (names.some((name) => !MEMBERS.has(name))) waiting.deviates("member");
  return made as unknown as JSONRPCMessage;
}

const MEMBERS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params", "result", "error"]);

const isPlainError = (error: unknown): boolean => error === undefined || (isObject(error) && isRpcError(error));

/** Without a `_meta` that is no object, for which the SDK drops the whole message. */
function withoutNullMeta(holder: Fields): Fields {
  if (!("_meta" in holder) || isObject(holder["_meta"])) return holder;
  const { _meta, ...rest } = holder;
  return rest;
}

/** The number that an id spells as text; undefined for any other id. */
export const spelledId = (id: unknown): number | undefined =>
  typeof id === "string" && /^\d{1,15}(?:\.0+)?$/.test(id) ? Number(id) : undefined;

/** JSON-RPC's code for an internal error. */
const INTERNAL_ERROR = -32603;

/**
 * What an answer says, in the form that the SDK takes. It drops errors whose code is no integer or whose message is no text, and the
 * request would wait for its time limit.
 */
function answerOf(result: unknown, error: unknown): Unnamed {
  // The SDK drops results that are no objects, too.
  if (result !== undefined && (error === undefined || error === null))
    return { result: isObject(result) ? withoutNullMeta(result) : { [BARE_RESULT]: result } };
  return { error: errorInForm(error) };
}

/** An error in the form of JSON-RPC; one in another form is its data as a whole. */
export function errorInForm(error: unknown): Pick<RpcFields, "code" | "message"> & Partial<RpcFields> {
  const { code = INTERNAL_ERROR, message, data } = isObject(error) ? (error as Fields) : ({} as Fields);
  const isPlain = Number.isSafeInteger(code) && isText(message);
  const said = isPlain ? data : (error ?? undefined);
  return {
    code: Number.isSafeInteger(code) ? (code as number) : INTERNAL_ERROR,
    message: isText(message) ? message : "it answered with neither a result nor an error of JSON-RPC",
    ...(said === undefined ? {} : { data: said }),
  };
}

interface RpcFields {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
}

const isId = (value: unknown): value is Id => typeof value === "number" || isText(value);
const isText = (value: unknown): value is string => typeof value === "string";

/** Characters of a broken line in which its id is looked for. */
const ID_WITHIN = 1_000_000;
/** A text, or a bracket. A text without an end is one token up to the end of the line: no part of it is read again. */
const TOKEN = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[[\]{}]/gs;
const VALUE = /^\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")\s*[,}]/;

/** An error for the request whose answer is not valid JSON, such as an answer with `NaN`. */
export function brokenAnswer(
  line: string,
  waiting: Pick<Waiting, "has">,
  message = "it answered with a line that is no JSON",
): readonly JSONRPCMessage[] {
  const text = line.trim();
  if (!text.startsWith("{") || !text.endsWith("}") || !text.includes('"jsonrpc"')) return [];
  const id = idIn(text);
  return waiting.has(id) ? [named(id as Id, { error: { code: INTERNAL_ERROR, message } })] : [];
}

/** Finds answers that are printed over several lines. No line is a message: each answer is an error of its request. */
export function spreadAnswers(waiting: Pick<Waiting, "has">): (stray: string) => readonly JSONRPCMessage[] {
  let held: string | undefined;
  return (stray) => {
    const line = stray.trimEnd();
    if (line === "{") held = line;
    else if (held !== undefined && line === "}") {
      const whole = `${held}}`;
      held = undefined;
      return brokenAnswer(whole, waiting, "it answered with JSON of several lines, but a message is one line");
    } else if (held !== undefined && held.length + line.length < ID_WITHIN) held += line;
    return [];
  };
}

/** The value of `id` in the outermost object. */
function idIn(text: string): unknown {
  let depth = 0;
  for (const { 0: token, index } of text.slice(0, ID_WITHIN).matchAll(TOKEN)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (token === '"id"' && depth === 1) {
      const value = VALUE.exec(text.slice(index + token.length, index + token.length + 200))?.[1];
      if (value !== undefined) return JSON.parse(value);
    }
  }
  return undefined;
}

/** Reads one body. */
interface MessageReader {
  chunk(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** Called with the text of a message, one after the other, and whether it is an event with an id. */
type OnMessage = (text: string, hasId: boolean) => Promise<void>;

/** Reads a JSON body of so many bytes at most, or an event stream; `undefined` for other content types. */
export function messageReader(contentType: string, limit: number, onMessage: OnMessage): MessageReader | undefined {
  if (/^text\/event-stream\b/i.test(contentType)) return eventReader(onMessage);
  return /^application\/json\b/i.test(contentType) ? wholeReader(limit, onMessage) : undefined;
}

function eventReader(onMessage: OnMessage): MessageReader {
  const decoder = new TextDecoder();
  const events: { readonly data: string; readonly id?: string | undefined }[] = [];
  const parser = createParser({ onEvent: (event) => void events.push(event) });
  return {
    chunk: async (bytes) => {
      parser.feed(decoder.decode(bytes, { stream: true }));
      for (const { data, id } of events.splice(0)) await onMessage(data, id !== undefined);
    },
    end: async () => undefined,
  };
}

function wholeReader(limit: number, onMessage: OnMessage): MessageReader {
  const parts = createParts();
  return {
    chunk: async (bytes) => parts.add(bytes, limit),
    end: async () => onMessage(parts.take().toString("utf8"), false),
  };
}
