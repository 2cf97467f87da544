/** Filters the messages that a client transport receives. */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

/** Returns the message to pass on; `undefined` drops it. */
export type MessageFilter = (message: JSONRPCMessage) => JSONRPCMessage | undefined;

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
