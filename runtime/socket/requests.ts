/** The requests of one connection that wait for an answer: each ends exactly once, whatever the other side does. */

import { isObject } from "../json.js";
import { errorOfAnswer, RequestError } from "./request-error.js";

/** How one request is made. */
export interface RequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with the id when nobody waits for the answer any longer. */
  readonly onGivenUp?: (id: number) => void;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: RequestError) => void;
}

/** The waiting requests of one connection. */
export interface Requests {
  /**
   * Waits for the answer to a request that `send` makes of its id.
   *
   * @throws RequestError for an error as the answer, after the timeout, on a cancellation, and when the connection ends
   */
  begin(send: (id: number) => void, options: RequestOptions): Promise<unknown>;
  /** Takes an answer; whether somebody was waiting for it. */
  answer(message: { readonly id?: unknown; readonly result?: unknown; readonly error?: unknown }): boolean;
  /** Fails all that wait. */
  end(why: string): void;
}

/** Ids are unique for the life of the process, so that a late answer is never taken for another's. */
let lastId = 0;

/** Starts with no request. */
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
    answer({ id, result, error }) {
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
