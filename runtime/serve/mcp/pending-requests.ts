/** Tracks the unanswered requests of a connection, so that a server can wait for them before it closes. */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { guardBy } from "../../contract/guard.js";
import { errorOf } from "../../contract/thrown.js";

/** A tracked transport. */
export interface WatchedRequests {
  readonly transport: Transport;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  /** Waits until no request is unanswered, at most `ms`; whether that was reached. */
  idle(ms: number): Promise<boolean>;
}

/** Transforms a message before it is read. */
export type Heard = (message: JSONRPCMessage) => JSONRPCMessage | Promise<JSONRPCMessage>;

/** Requests that stay open as long as the connection; shutdown does not wait for them. */
const STANDING: ReadonlySet<string> = new Set(["subscriptions/listen"]);
/** Time without traffic that counts as quiet: messages that arrived together are read one after the other. */
const QUIET_MS = 20;

/** Wraps a transport, tracks its requests, and passes on each message after `heard` has transformed it. */
export function watchRequests(inner: Transport, heard: Heard = (message) => message): WatchedRequests {
  const open = new Set<unknown>();
  const { idle, look } = quietness(() => open.size === 0);
  let onClose = (): void => {};
  const closed = new Promise<void>((resolve) => {
    onClose = resolve;
  });
  const transport: Transport = {
    start: () => inner.start(),
    close: () => inner.close(),
    async send(message, options) {
      await inner.send(message, options);
      if ("id" in message && !("method" in message)) open.delete(message.id);
      look();
    },
  };
  const guard = guardBy((error) => transport.onerror?.(errorOf(error)));
  inner.onmessage = guard((message, extra) => {
    note(open, message);
    const said = heard(message);
    // Messages that need no waiting keep their order.
    if (said instanceof Promise) return said.then((one) => transport.onmessage?.(one, extra));
    return transport.onmessage?.(said, extra);
  });
  inner.onerror = (error) => transport.onerror?.(error);
  inner.onclose = () => {
    onClose();
    transport.onclose?.();
  };
  return { transport, closed, idle };
}

/** Waits until nothing is under way for {@link QUIET_MS}; `look` is to be called whenever something has ended. */
function quietness(isDone: () => boolean): Pick<WatchedRequests, "idle"> & { look(): void } {
  let onChange = (): void => {};
  return {
    look: () => onChange(),
    idle: (ms) =>
      new Promise((resolve) => {
        const finish = (reached: boolean): void => {
          clearTimeout(limit);
          clearTimeout(quiet);
          onChange = () => {};
          resolve(reached);
        };
        const limit = setTimeout(() => finish(isDone()), ms);
        let quiet: ReturnType<typeof setTimeout> | undefined;
        onChange = () => {
          clearTimeout(quiet);
          if (isDone()) quiet = setTimeout(() => (isDone() ? finish(true) : undefined), QUIET_MS);
        };
        onChange();
      }),
  };
}

function note(open: Set<unknown>, message: JSONRPCMessage): void {
  if (!("method" in message)) return;
  if ("id" in message && !STANDING.has(message.method)) open.add(message.id);
  // A cancelled request is not answered.
  if (message.method === "notifications/cancelled") open.delete(message.params?.["requestId"]);
}
