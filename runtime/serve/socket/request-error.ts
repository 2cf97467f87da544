/** The error of a socket request without a result. */

import { ERROR_CODES, type ErrorCode } from "../../contract/handler.js";
import { own } from "../../contract/json.js";
import type { JsonObject } from "../../contract/registry.js";
import { clip } from "../../contract/scrub.js";
import { RPC } from "./protocol.js";

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
export function errorOfAnswer(error: JsonObject): RequestError {
  const [number, message, details] = ["code", "message", "data"].map((key) => own(error, key));
  const data =
    typeof details === "object" && details !== null && !Array.isArray(details) ? (details as JsonObject) : {};
  const named = own(data, "code");
  const code = ERROR_CODES.find((one) => one === named) ?? CODES.get(number) ?? "INTERNAL";
  const text = typeof message === "string" && message !== "" ? clip(message, MAX_MESSAGE_LENGTH) : "the call failed";
  return new RequestError(code, text, { rpc: typeof number === "number" ? number : 0, data, sent: true });
}
