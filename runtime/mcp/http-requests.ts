/** Requests of the HTTP door that are not answered yet: how many at once, and the end of the last one. */

import type { ServerResponse } from "node:http";
import { createIdling } from "./door.js";

/** One of them. */
export interface OpenRequest {
  /** Fires when the server cannot wait any longer for the answer. */
  readonly ending: AbortSignal;
  /** Counts further messages that came with it; false where they are too many, or nobody waits for it any more. */
  more(messages: number): boolean;
  /** Counts it no longer: nobody waits for its end. */
  leave(): void;
}

/** All of them. */
export interface OpenRequests {
  /** Counts a request until its answer is with the client, or the client has gone; undefined where there are too many. */
  enter(answer: ServerResponse): OpenRequest | undefined;
  /** Waits until none is left, at most `ms`; whether that was reached. */
  idle(ms: number): Promise<boolean>;
  /** Aborts those that are left. */
  abort(): void;
}

/** None is open at first. */
export function createOpenRequests(most: () => number): OpenRequests {
  const open = new Map<AbortController, number>();
  const idling = createIdling(() => open.size === 0);
  let messages = 0;
  const count = (one: AbortController, by: number): boolean => {
    if (messages + by > most()) return false;
    messages += by;
    open.set(one, (open.get(one) ?? 0) + by);
    return true;
  };
  const leave = (one: AbortController): void => {
    messages -= open.get(one) ?? 0;
    open.delete(one);
    idling.look();
  };
  return {
    enter(answer) {
      const one = new AbortController();
      if (!count(one, 1)) return undefined;
      answer.once("close", () => leave(one));
      return { ending: one.signal, more: (by) => open.has(one) && count(one, by), leave: () => leave(one) };
    },
    idle: idling.idle,
    abort() {
      for (const one of open.keys()) one.abort();
    },
  };
}
