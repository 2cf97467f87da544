/**
 * Keeps exact numbers in answers over HTTP: results that the SDK's parser would change are kept here and put back into
 * its messages, by a filter of the messages that its transport receives.
 */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isObject } from "../contract/json.js";
import { parseLossy } from "../contract/read-in-turns.js";

/** Most results that are kept; the SDK passes on each message right after it is read. */
const MAX_KEPT = 100;

/** Records exact results and restores them. */
export interface ExactAnswers {
  /** Reads the text of a message before the SDK parses it. */
  heard(text: string): Promise<void>;
  /** Restores exact results in the messages that a transport passes on. */
  attach(transport: Transport): void;
}

/** Creates the recorder of one connection. */
export function createExactAnswers(): ExactAnswers {
  const kept = new Map<unknown, unknown>();
  const keep = (message: unknown): void => {
    if (!isObject(message) || !("result" in message)) return;
    kept.set(message["id"], message["result"]);
    for (const id of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(id);
  };
  return {
    async heard(text) {
      const messages = await parsed(text);
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

/** `undefined` for a text that the SDK parses exactly, and for invalid JSON, which it reports by itself. */
async function parsed(text: string): Promise<unknown> {
  try {
    return await parseLossy(text);
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
