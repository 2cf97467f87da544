/** The pending requests of one connection: each ends exactly once, whatever the other side does. */

import { isObject } from "../../contract/json.js";
import { errorOfAnswer, RequestError } from "./request-error.js";

/** Options of a request. */
export interface RequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with the id when the request times out or is cancelled. */
  readonly onGivenUp?: (id: number) => void;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: RequestError) => void;
}

/** The pending requests of one connection. */
export interface Requests {
  /**
   * Sends a request with a new id and waits for its answer.
   *
   * @throws RequestError for an error answer, after the timeout, on a cancellation, and when the connection ends
   */
  begin(send: (id: number) => void, options: RequestOptions): Promise<unknown>;
  /** Settles the request of an answer; whether a request was waiting for it. */
  settle(message: { readonly id?: unknown; readonly result?: unknown; readonly error?: unknown }): boolean;
  /** Fails all pending requests. */
  end(why: string): void;
}

/** Ids are unique for the life of the process, so that a late answer never matches another request. */
let lastId = 0;

/** Starts without requests. */
export function createRequests(): Requests {
  const waiting = new Map<unknown, Waiting>();
  const begin: Requests["begin"] = (send, { timeoutMs, signal, onGivenUp }) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      const settle = (): void => {
        waiting.delete(id);
        clearTimeout(timer);
        signal?.removeEventListener("abort", cancelled);
      };
      const giveUp = (error: RequestError): void => {
        settle();
        reject(error);
        onGivenUp?.(id);
      };
      const cancelled = (): void => giveUp(new RequestError("CANCELLED", "the call was cancelled", { sent: true }));
      const late = (): void => giveUp(new RequestError("TIMEOUT", `no answer within ${timeoutMs} ms`, { sent: true }));
      const timer = setTimeout(late, timeoutMs);
      waiting.set(id, {
        resolve: (result) => {
          settle();
          resolve(result);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      signal?.addEventListener("abort", cancelled);
      send(id);
    });
  return {
    begin,
    settle({ id, result, error }) {
      const one = waiting.get(id);
      if (!one) return false;
      if (error === undefined) one.resolve(result);
      else one.reject(errorOfAnswer(isObject(error) ? error : {}));
      return true;
    },
    end(why) {
      for (const one of [...waiting.values()]) one.reject(new RequestError("UNAVAILABLE", why, { sent: true }));
    },
  };
}
