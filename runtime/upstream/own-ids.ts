/** Matches the ids of answers with those of the requests that were sent. */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { Deviation } from "./deviations.js";
import { filterMessages } from "./exact-answers.js";
import { spelledId } from "./messages.js";

/** Wait for an answer with the number of a request, after one with the text that spells it. */
const SPELLED_MS = 50;

/**
 * Drops answers to requests that were not sent. An answer to `"2"` is one to the request 2 if none with the number
 * follows; a server that has answered so is taken at its word from then on.
 *
 * @param inForm - gives the answer to a request of a method in the form in which it is passed on
 */
export function takeOwnIds(
  transport: Transport,
  deviates: (what: Deviation) => void,
  inForm: (answer: JSONRPCMessage, method: string) => JSONRPCMessage,
): void {
  const asked = new Map<unknown, string>();
  const taken = (answer: JSONRPCMessage, id: unknown): JSONRPCMessage | undefined => {
    const method = asked.get(id);
    return method !== undefined && asked.delete(id) ? inForm(answer, method) : undefined;
  };
  const send = transport.send.bind(transport);
  let isSpeller = false;
  transport.send = (message, options) => {
    if ("method" in message && "id" in message) asked.set(message.id, message.method);
    // The answer to a cancelled request is not needed.
    else if ("method" in message && message.method === CANCELLED) asked.delete(message.params?.["requestId"]);
    return send(message, options);
  };
  filterMessages(transport, (message) => {
    if ("method" in message) return message;
    const own = taken(message, message.id);
    if (own) return own;
    const id = spelledId(message.id);
    if (id === undefined || !asked.has(id)) return undefined;
    const spelled = { ...message, id } as typeof message;
    if (isSpeller) return taken(spelled, id);
    setTimeout(() => {
      if (!asked.has(id)) return;
      isSpeller = true;
      deviates("id_text");
      transport.onmessage?.(spelled);
    }, SPELLED_MS);
    return undefined;
  });
}

const CANCELLED = "notifications/cancelled";
