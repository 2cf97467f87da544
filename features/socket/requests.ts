/** The pending requests of one connection: each ends exactly once, with a result or an error, whatever the other side does. */

import { ERROR_CODES, type ErrorCode } from "../../runtime/contract/handler.js";
import { isObject, own } from "../../runtime/contract/json.js";
import type { JsonObject } from "../../runtime/contract/registry.js";
import { clip } from "../../runtime/contract/scrub.js";
import { RPC } from "./protocol.js";

/** Options of a request. */
export interface SocketRequestOptions {
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
  begin(send: (id: number) => void, options: SocketRequestOptions): Promise<unknown>;
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

/** Longest error message of the server that is kept, in characters. */
const MAX_MESSAGE_LENGTH = 4_000;

/** Details besides the code and the message. */
interface Facts {
  /** The JSON-RPC error code; absent if the server did not answer. */
  readonly rpc?: number;
  readonly data?: JsonObject;
  /** Whether the request was sent: only then may a retry help after a lost connection. */
  readonly sent: boolean;
}

/** A request that was refused, failed, or got no answer. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: ErrorCode;
  readonly rpc: number | undefined;
  readonly data: JsonObject;
  readonly sent: boolean;
  constructor(code: ErrorCode, message: string, { rpc, data = {}, sent }: Facts) {
    super(message);
    this.code = code;
    this.rpc = rpc;
    this.data = data;
    this.sent = sent;
  }
}

/** Whether a thrown value is a {@link RequestError}, from this copy of the package or another. */
export const isRequestError = (value: unknown): value is RequestError =>
  value instanceof Error && value.name === "RequestError";

/** Error codes for JSON-RPC errors whose data has none. */
const CODES: ReadonlyMap<unknown, ErrorCode> = new Map<unknown, ErrorCode>([
  [RPC.unauthenticated, "UNAUTHENTICATED"],
  [RPC.denied, "PERMISSION_DENIED"],
  [RPC.params, "VALIDATION_ERROR"],
]);

/** Converts a JSON-RPC error of any form to a request error. */
function errorOfAnswer(error: JsonObject): RequestError {
  const [number, message, details] = ["code", "message", "data"].map((key) => own(error, key));
  const data =
    typeof details === "object" && details !== null && !Array.isArray(details) ? (details as JsonObject) : {};
  const named = own(data, "code");
  const code = ERROR_CODES.find((one) => one === named) ?? CODES.get(number) ?? "INTERNAL";
  const text = typeof message === "string" && message !== "" ? clip(message, MAX_MESSAGE_LENGTH) : "the call failed";
  return new RequestError(code, text, { rpc: typeof number === "number" ? number : 0, data, sent: true });
}
