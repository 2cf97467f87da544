/** Why a request over the socket has no result. */

import { ERROR_CODES, type ErrorCode } from "../contract/handler.js";
import type { JsonObject } from "../contract/registry.js";
import { own } from "../json.js";
import { clip } from "../observe/scrub.js";
import { RPC } from "./protocol.js";

/** Characters of a message of the server that are kept. */
const LONGEST_MESSAGE = 4_000;

/** What is known beside the code and the message. */
interface Facts {
  /** The number of the JSON-RPC error; absent where the server has not answered. */
  readonly rpc?: number;
  readonly data?: JsonObject;
  /** Whether the request has left: only then can trying again help where the connection is gone. */
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

/** Codes of JSON-RPC errors that name none themselves. */
const CODES: ReadonlyMap<unknown, ErrorCode> = new Map<unknown, ErrorCode>([
  [RPC.unauthenticated, "UNAUTHENTICATED"],
  [RPC.denied, "PERMISSION_DENIED"],
  [RPC.params, "VALIDATION_ERROR"],
]);

/** The error of a JSON-RPC answer; whatever form it has, something comes of it. */
export function errorOfAnswer(error: JsonObject): RequestError {
  const [number, message, details] = ["code", "message", "data"].map((key) => own(error, key));
  const data =
    typeof details === "object" && details !== null && !Array.isArray(details) ? (details as JsonObject) : {};
  const named = own(data, "code");
  const code = ERROR_CODES.find((one) => one === named) ?? CODES.get(number) ?? "INTERNAL";
  const text = typeof message === "string" && message !== "" ? clip(message, LONGEST_MESSAGE) : "the call failed";
  return new RequestError(code, text, { rpc: typeof number === "number" ? number : 0, data, sent: true });
}
