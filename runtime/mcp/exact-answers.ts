/** Answers of an upstream server over HTTP, whose messages the SDK parses: those that it would change are kept until it hands them over. */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isLossy } from "../contract/read-json.js";
import { isObject } from "../json.js";
import { parseMessage } from "./exact-message.js";
import { filterMessages } from "./message-filter.js";

/** Answers that are kept at most; the SDK hands over each one right after it has been read. */
const MAX_KEPT = 100;

/** What is heard of a connection, and put into its messages. */
export interface ExactAnswers {
  /** Takes the text of a message, before the SDK parses it. */
  heard(text: string): void;
  /** Puts the exact results into the messages that a transport hands over. */
  attach(transport: Transport): void;
}

/** Makes the keeper of one connection. */
export function createExactAnswers(): ExactAnswers {
  const kept = new Map<unknown, unknown>();
  const keep = (message: unknown): void => {
    if (!isObject(message) || !("result" in message)) return;
    kept.set(message["id"], message["result"]);
    for (const id of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(id);
  };
  return {
    heard(text) {
      const messages = isLossy(text) ? parsed(text) : undefined;
      for (const one of Array.isArray(messages) ? messages : [messages]) keep(one);
    },
    attach: (transport) => filterMessages(transport, exact),
  };
  function exact(message: JSONRPCMessage): JSONRPCMessage {
    if (kept.size === 0 || !("result" in message)) return message;
    const result = kept.get(message.id);
    kept.delete(message.id);
    return result === undefined ? message : ({ ...message, result } as JSONRPCMessage);
  }
}

/** Undefined where the text is not JSON, which the SDK will find out by itself. */
function parsed(text: string): unknown {
  try {
    return parseMessage(text);
  } catch {
    return undefined;
  }
}
