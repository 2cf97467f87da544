/**
 * Messages between the servers that share a database. A message is sent in the transaction of the change that it is
 * about, so that it arrives after the commit, and only then. With SQLite there is one server, which is told in process.
 */

import { randomUUID } from "node:crypto";
import { guardBy } from "../contract/guard.js";

/** What messages are about. */
export type Topic =
  | "keys"
  | "cancelled"
  | "answered"
  | "configuration"
  | "calls"
  | "calls answered"
  | "jobs"
  | "stopped";

/** A message. */
export interface NotifierMessage {
  readonly topic: Topic;
  readonly payload: string;
  /** Id of the server that it is for; absent: all of them, the sender too. */
  readonly receiver?: string | undefined;
}

/** Receives messages. Nothing is connected before the first `on`. */
export interface Notifier {
  /** Identifies this server among those that share the database. */
  readonly id: string;
  /** Calls back with the payload of each message on a topic; the returned function stops that. */
  on(topic: Topic, listener: (payload: string) => void): () => void;
  /**
   * Calls back when messages may have been missed or may be late from now on: what was read earlier may be outdated.
   * The returned function stops that.
   */
  onGap(listener: () => void): () => void;
  /** Whether messages arrive as soon as they are sent; otherwise within {@link POLL_MS}. */
  isPushed(): boolean;
}

/** Time between two polls for messages, where they are not pushed. */
export const POLL_MS = 1000;

/** A notifier, as a driver fills it. */
export interface MessageHub extends Omit<Notifier, "isPushed"> {
  deliver(message: NotifierMessage): void;
  gap(): void;
}

/**
 * Creates a hub without listeners.
 *
 * @param begin called before the first listener is added
 */
export function createHub(begin: () => void = () => undefined): MessageHub {
  const listeners = new Map<Topic, Set<(payload: string) => void>>();
  const gaps = new Set<() => void>();
  const id = randomUUID();
  let begun = false;
  // A listener reports its own faults; one that throws must not keep the others from being called.
  const guard = guardBy(() => undefined);
  const start = (): void => {
    if (begun) return;
    begun = true;
    begin();
  };
  return {
    id,
    on(topic, listener) {
      start();
      const called = guard(listener);
      const others = listeners.get(topic) ?? new Set();
      listeners.set(topic, others.add(called));
      return () => others.delete(called);
    },
    onGap(listener) {
      start();
      const called = guard(listener);
      gaps.add(called);
      return () => gaps.delete(called);
    },
    deliver({ topic, payload, receiver }) {
      if (receiver !== undefined && receiver !== id) return;
      for (const listener of [...(listeners.get(topic) ?? [])]) listener(payload);
    },
    gap() {
      for (const listener of [...gaps]) listener();
    },
  };
}

/** The notifier of a database that one server has to itself: messages arrive as they are delivered. */
export const localNotifier = ({ deliver: _, gap: __, ...hub }: MessageHub): Notifier => ({
  ...hub,
  isPushed: () => true,
});
