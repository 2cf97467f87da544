/**
 * Reads the texts of an upstream server's messages: lines over stdio, where broken answers become errors of their requests; bodies
 * and event streams over HTTP, which the SDK provides only in parsed form.
 */

import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { createParser } from "eventsource-parser";
import { createParts } from "../contract/byte-parts.js";
import { isObject } from "../contract/json.js";
import { parseMessageInTurns } from "../contract/read-in-turns.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import { BARE_RESULT } from "./tolerated-answer.js";

type Id = string | number;
type Fields = Readonly<Record<string, unknown>>;

/** The requests of a connection that have no answer yet, by id. */
export class PendingRequests {
  private readonly ids = new Set<Id>();

  /** Call for each message sent: a request is pending until it is answered or cancelled. */
  sent(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) this.ids.add(message.id);
    else if (message.method === "notifications/cancelled") this.ids.delete(message.params?.["requestId"] as Id);
  }

  /** Call for each message received: an answer removes its request. */
  received(message: JSONRPCMessage): void {
    if (!("method" in message) && message.id !== undefined) this.ids.delete(message.id);
  }

  has(id: unknown): id is Id {
    return this.ids.has(id as Id);
  }
}

/** Parses a line: one message, or several for a JSON list; none for any other line, such as log output. */
export async function messagesIn(line: string, pending: PendingRequests): Promise<readonly JSONRPCMessage[]> {
  const text = line.startsWith("\ufeff") ? line.slice(1) : line;
  const value = await parsed(text);
  if (value === undefined) return brokenAnswer(text, pending);
  return (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
    const message = isObject(one) ? messageOf(one as Fields, pending) : undefined;
    return message ? [message] : [];
  });
}

async function parsed(text: string): Promise<unknown> {
  try {
    return await parseMessageInTurns(text);
  } catch {
    return undefined;
  }
}

function messageOf(value: Fields, pending: PendingRequests): JSONRPCMessage | undefined {
  const isVersioned = value["jsonrpc"] === "2.0";
  if (isVersioned && typeof value["method"] === "string") return value as unknown as JSONRPCMessage;
  const { id, error } = value;
  if (isVersioned && value["result"] !== undefined && error === undefined)
    return { ...value, result: takenResult(value["result"] as JsonValue) } as unknown as JSONRPCMessage;
  if (isVersioned && error !== undefined && (typeof id === "number" || typeof id === "string"))
    return errorOf(id, error);
  const isAnswer = isVersioned || "result" in value || "error" in value;
  return isAnswer && !("method" in value) && pending.has(id) ? errorOf(id, undefined) : undefined;
}

/** A result in the form that the SDK takes: it drops results that are no objects, and those whose `_meta` is no object. */
function takenResult(result: JsonValue): JsonObject {
  if (!isObject(result)) return { [BARE_RESULT]: result };
  if (result["_meta"] === undefined || isObject(result["_meta"])) return result;
  const { _meta: _, ...rest } = result;
  return rest;
}

const ODD_RESULT = /"(?:result|_meta)"\s*:\s*[^\s{]/;

/** The answers in a text whose results the SDK does not take, in the form that it takes; over HTTP it parses by itself. */
export async function mendedAnswers(text: string): Promise<readonly JSONRPCMessage[]> {
  if (!ODD_RESULT.test(text)) return [];
  const value = await parsed(text);
  return (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
    if (!isObject(one) || one["jsonrpc"] !== "2.0" || one["result"] === undefined || one["error"] !== undefined)
      return [];
    const result = takenResult(one["result"]);
    return result === one["result"] ? [] : [{ ...one, result } as unknown as JSONRPCMessage];
  });
}

/** JSON-RPC's code for an internal error. */
const INTERNAL_ERROR = -32603;

/**
 * An answer that is an error, in the form that the SDK takes. It drops errors whose code is no integer or whose message is no text, and
 * the request would wait for its time limit.
 */
function errorOf(id: Id, error: unknown): JSONRPCMessage {
  const { code, message, data } = isObject(error) ? (error as Fields) : ({} as Fields);
  const isCode = Number.isSafeInteger(code);
  const text = typeof message === "string" ? message : "it answered with neither a result nor an error of JSON-RPC";
  const sent = { code: isCode ? (code as number) : INTERNAL_ERROR, message: text, ...(data !== undefined && { data }) };
  return { jsonrpc: "2.0", id, error: sent };
}

/** Characters of a broken line in which its id is looked for. */
const ID_WITHIN = 1_000_000;
/** A text, or a bracket. A text without an end is one token up to the end of the line: no part of it is read again. */
const TOKEN = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[[\]{}]/gs;
const VALUE = /^\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")\s*[,}]/;

/** An error for the pending request whose answer is not valid JSON, such as an answer with `NaN`. */
function brokenAnswer(line: string, pending: PendingRequests): readonly JSONRPCMessage[] {
  const text = line.trim();
  if (!text.startsWith("{") || !text.endsWith("}") || !text.includes('"jsonrpc"')) return [];
  const id = idIn(text);
  if (!pending.has(id)) return [];
  return [{ jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message: "it answered with a line that is no JSON" } }];
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

/** Called with the text of a message, one after the other. */
type OnMessage = (text: string) => Promise<void>;

/** Reads a JSON body of so many bytes at most, or an event stream; `undefined` for other content types. */
export function messageReader(contentType: string, limit: number, onMessage: OnMessage): MessageReader | undefined {
  if (/^text\/event-stream\b/i.test(contentType)) return eventReader(onMessage);
  return /^application\/json\b/i.test(contentType) ? wholeReader(limit, onMessage) : undefined;
}

function eventReader(onMessage: OnMessage): MessageReader {
  const decoder = new TextDecoder();
  const texts: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void texts.push(data) });
  return {
    chunk: async (bytes) => {
      parser.feed(decoder.decode(bytes, { stream: true }));
      for (const text of texts.splice(0)) await onMessage(text);
    },
    end: async () => undefined,
  };
}

function wholeReader(limit: number, onMessage: OnMessage): MessageReader {
  const parts = createParts();
  return {
    chunk: async (bytes) => parts.add(bytes, limit),
    end: async () => onMessage(parts.take().toString("utf8")),
  };
}
