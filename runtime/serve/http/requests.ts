/** Counts the open requests of the HTTP transport, limits them per key and in total, and waits for the last one. */

import type { ServerResponse } from "node:http";
import { guardBy } from "../../contract/guard.js";
import { createIdling } from "../transport.js";

/** An open request. */
export interface OpenRequest {
  /** Fires when shutdown no longer waits for the answer. */
  readonly ending: AbortSignal;
  /** Counts it for its key, which may use only a share of all open requests; false if the key has too many. */
  belongTo(keyId: string): boolean;
  /** Counts additional messages of the request; false if there are too many, or the request is closed already. */
  more(messages: number): boolean;
  /** Counts it as a stream, for which shutdown does not wait; false if its key has too many streams. */
  listen(): boolean;
}

/** All open requests. */
export interface OpenRequests {
  /**
   * Counts a request until its answer is sent or the client disconnects; `undefined` if there are too many.
   *
   * @param keyId - of its key, if already known
   */
  enter(answer: ServerResponse, keyId?: string): OpenRequest | undefined;
  /** Waits until no request is open, at most `ms`; whether that was reached. */
  idle(ms: number): Promise<boolean>;
  /** Aborts the open requests. */
  abort(): void;
}

/** Share of all open requests that one key may use, and its largest number of streams. */
const MAX_KEY_SHARE = 0.75;
const MAX_STREAMS = 32;

/** Counts per key. */
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

/** Calls back when the answer is sent or the client has disconnected. */
const onClose = (answer: ServerResponse, listener: () => void): void =>
  void answer.once("close", guardBy(() => answer.destroy())(listener));

/** Starts without open requests. */
export function createOpenRequests(most: () => number): OpenRequests {
  const [own, streams] = [tally(), tally()];
  const open = new Map<AbortController, number>();
  const idling = createIdling(() => open.size === 0);
  let messages = 0;
  const shareOf = (keyId: string | undefined): number =>
    keyId === undefined ? most() : Math.ceil(most() * MAX_KEY_SHARE);
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
        if (streams.of(keyId) >= MAX_STREAMS) return false;
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
