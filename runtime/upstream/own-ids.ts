/** Matches the ids of answers with those of the requests that were sent. */

import type { Transport } from "@modelcontextprotocol/client";
import type { Deviation } from "./deviations.js";
import { filterMessages } from "./exact-answers.js";
import { spelledId } from "./messages.js";

/** Wait for an answer with the number of a request, after one with the text that spells it. */
const SPELLED_MS = 50;

/**
 * Drops answers to requests that were not sent. An answer to `"2"` is one to the request 2 if none with the number
 * follows; a server that has answered so is taken at its word from then on.
 */
export function takeOwnIds(transport: Transport, deviates: (what: Deviation) => void): void {
  const asked = new Set<unknown>();
  const send = transport.send.bind(transport);
  let isSpeller = false;
  transport.send = (message, options) => {
    if ("method" in message && "id" in message) asked.add(message.id);
    // The answer to a cancelled request is not needed.
    else if ("method" in message && message.method === CANCELLED) asked.delete(message.params?.["requestId"]);
    return send(message, options);
  };
  filterMessages(transport, (message) => {
    if ("method" in message || asked.delete(message.id)) return message;
    const id = spelledId(message.id);
    if (id === undefined || !asked.has(id)) return undefined;
    const own = { ...message, id } as typeof message;
    if (isSpeller && asked.delete(id)) return own;
    setTimeout(() => {
      if (!asked.has(id)) return;
      isSpeller = true;
      deviates("id_text");
      transport.onmessage?.(own);
    }, SPELLED_MS);
    return undefined;
  });
}

const CANCELLED = "notifications/cancelled";
