/**
 * Reads answers over HTTP before the SDK does, which knows numbers as JavaScript has them only, and refuses answers that
 * are not exactly in their form. Results with exact numbers are kept here and put back into the messages that the
 * transport receives; answers in another form are given to the transport in the form that the SDK takes.
 */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { parseMessageInTurns } from "../contract/read-in-turns.js";
import { isLossy } from "../contract/read-json.js";
import { BodyAnswers, brokenAnswer, type Id, sdkMessages, type Waiting } from "./messages.js";

/** The mark of the byte order. */
const MARK = "\ufeff";

/** Most results that are kept; the SDK passes on each message right after it is read. */
const MAX_KEPT = 100;

/** Which request a text answers. */
export interface AnsweredRequest {
  /** Undefined in a stream that belongs to no request. */
  readonly id: Id | undefined;
  /** Whether the text is all of the answer; otherwise it is one event of a stream. */
  readonly isWhole: boolean;
}

/** Records exact results and restores them. */
export interface ExactAnswers {
  /** Reads the text of a message before the SDK parses it; returns whether it is JSON. */
  heard(text: string, request: AnsweredRequest): Promise<boolean>;
  /** Restores exact results in the messages that a transport passes on. */
  attach(transport: Transport): void;
}

/** Creates the recorder of one connection. */
export function createExactAnswers(deviates: Waiting["deviates"]): ExactAnswers {
  const kept = new Map<unknown, unknown>();
  let attached: Transport | undefined;
  const keep = (message: JSONRPCMessage): void => {
    if (!("result" in message)) return;
    kept.set(message.id, message.result);
    for (const id of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(id);
  };
  const give = (message: JSONRPCMessage): void => attached?.onmessage?.(message);
  return {
    async heard(text, { id, isWhole }) {
      const waiting = new BodyAnswers(id, deviates);
      const value = await parsed(text);
      const { plain, own } = (isWhole ? bodyRead : eventRead)(value, text, waiting);
      own.forEach(give);
      if (isLossy(text)) plain.forEach(keep);
      return value !== undefined;
    },
    attach: (transport) => {
      attached = transport;
      filterMessages(transport, exact);
    },
  };
  function exact(message: JSONRPCMessage): JSONRPCMessage {
    if (kept.size === 0 || !("result" in message)) return message;
    const result = kept.get(message.id);
    kept.delete(message.id);
    return result === undefined ? message : ({ ...message, result } as JSONRPCMessage);
  }
}

/** The messages of a text: those that the SDK reads, and those that are given to it in another form. */
interface Read {
  readonly plain: readonly JSONRPCMessage[];
  readonly own: readonly JSONRPCMessage[];
}

/** The SDK reads all messages of a body or none. */
function bodyRead(value: unknown, _text: string, waiting: BodyAnswers): Read {
  const sent: readonly unknown[] = Array.isArray(value) ? value : [value];
  const messages = sdkMessages(sent, waiting);
  if (!messages.some(isAnswer)) {
    const broken = waiting.broken(value === undefined ? "no JSON" : "no message of JSON-RPC");
    return { plain: [], own: [...messages, ...broken] };
  }
  const isPlain = messages.length === sent.length && messages.every((one, at) => one === sent[at]);
  return isPlain ? { plain: messages, own: [] } : { plain: [], own: messages };
}

/** An event that is no JSON may be a sign of life; at the end of the stream it was the answer. */
function eventRead(value: unknown, text: string, waiting: BodyAnswers): Read {
  if (value === undefined) return { plain: [], own: brokenAnswer(text, waiting) };
  const messages = sdkMessages(value, waiting);
  return messages[0] === value && !text.startsWith(MARK) ? { plain: messages, own: [] } : { plain: [], own: messages };
}

const isAnswer = (message: JSONRPCMessage): boolean => !("method" in message);

/** `undefined` for a text that is not JSON. */
async function parsed(text: string): Promise<unknown> {
  try {
    return await parseMessageInTurns(text.startsWith(MARK) ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/** Returns the message to pass on; `undefined` drops it. */
type MessageFilter = (message: JSONRPCMessage) => JSONRPCMessage | undefined;

/** Adds a filter for received messages. Filters run in the order in which they were added. */
export function filterMessages(transport: Transport, filter: MessageFilter): void {
  const earlier = Object.getOwnPropertyDescriptor(transport, "onmessage");
  let listener: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => (earlier?.get ? earlier.get.call(transport) : listener),
    set(handler: Transport["onmessage"]) {
      const filtered: Transport["onmessage"] =
        handler &&
        ((message, extra) => {
          const passed = filter(message);
          if (passed) handler(passed, extra);
        });
      if (earlier?.set) earlier.set.call(transport, filtered);
      else listener = filtered;
    },
  });
}
