/** Requests of the HTTP door that are not answered yet: how many at once, and the end of the last one. */

import type { ServerResponse } from "node:http";
import { guardBy } from "../contract/guard.js";
import { createIdling } from "./door.js";

/** One of them. */
export interface OpenRequest {
  /** Fires when the server cannot wait any longer for the answer. */
  readonly ending: AbortSignal;
  /** Counts it for the key that it came with, which leaves a part of what may be open to others; false where the key has too many. */
  belongTo(keyId: string): boolean;
  /** Counts further messages that came with it; false where they are too many, or nobody waits for it any more. */
  more(messages: number): boolean;
  /** Counts it as a stream, whose end nobody waits for; false where its key has too many of them. */
  listen(): boolean;
}

/** All of them. */
export interface OpenRequests {
  /**
   * Counts a request until its answer is with the client, or the client has gone; undefined where there are too many.
   *
   * @param keyId of the key that it came with, where that is known already
   */
  enter(answer: ServerResponse, keyId?: string): OpenRequest | undefined;
  /** Waits until none is left, at most `ms`; whether that was reached. */
  idle(ms: number): Promise<boolean>;
  /** Aborts those that are left. */
  abort(): void;
}

/** The part of all requests that one key may have open, and how many streams. */
const SHARE = 0.75;
const MOST_STREAMS = 32;

/** How many each key has. */
function tally() {
  const counts = new Map<string, number>();
  return {
    of: (keyId: string | undefined): number => (keyId === undefined ? 0 : (counts.get(keyId) ?? 0)),
    add(keyId: string | undefined, by: number): void {
      if (keyId === undefined) return;
      const count = (counts.get(keyId) ?? 0) + by;
      if (count > 0) counts.set(keyId, count);
      else counts.delete(keyId);
    },
  };
}

/** Hears that an answer is with the client, or that the client has gone. */
const onClose = (answer: ServerResponse, listener: () => void): void =>
  void answer.once("close", guardBy(() => answer.destroy())(listener));

/** None is open at first. */
export function createOpenRequests(most: () => number): OpenRequests {
  const [own, streams] = [tally(), tally()];
  const open = new Map<AbortController, number>();
  const idling = createIdling(() => open.size === 0);
  let messages = 0;
  const shareOf = (keyId: string | undefined): number => (keyId === undefined ? most() : Math.ceil(most() * SHARE));
  const count = (one: AbortController, by: number, keyId: string | undefined): boolean => {
    if (messages + by > most() || own.of(keyId) + by > shareOf(keyId)) return false;
    messages += by;
    own.add(keyId, by);
    open.set(one, (open.get(one) ?? 0) + by);
    return true;
  };
  const leave = (one: AbortController, keyId: string | undefined): void => {
    messages -= open.get(one) ?? 0;
    own.add(keyId, -(open.get(one) ?? 0));
    open.delete(one);
    idling.look();
  };
  return {
    enter(answer, known) {
      const one = new AbortController();
      if (!count(one, 1, known)) return undefined;
      let keyId = known;
      onClose(answer, () => leave(one, keyId));
      const belongTo = (owner: string): boolean => {
        const counted = open.get(one);
        if (counted === undefined || own.of(owner) + counted > shareOf(owner)) return false;
        keyId = owner;
        own.add(keyId, counted);
        return true;
      };
      const listen = (): boolean => {
        if (streams.of(keyId) >= MOST_STREAMS) return false;
        streams.add(keyId, 1);
        onClose(answer, () => streams.add(keyId, -1));
        leave(one, keyId);
        return true;
      };
      return { ending: one.signal, belongTo, more: (by) => open.has(one) && count(one, by, keyId), listen };
    },
    idle: idling.idle,
    abort() {
      for (const one of open.keys()) one.abort();
    },
  };
}
