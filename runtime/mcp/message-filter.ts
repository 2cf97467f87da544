/** Looks at what a client transport receives before its owner does. */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

/** Gives the message to hand over; undefined drops it. */
export type MessageFilter = (message: JSONRPCMessage) => JSONRPCMessage | undefined;

/** Has every received message pass a filter. The filter that was added first sees a message first. */
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
