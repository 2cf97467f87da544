/** JSON-RPC errors of upstream servers, wherever they are: in an answer, or in the body of an HTTP failure. */

import { isObject } from "../contract/json.js";
import { codeOf } from "../contract/thrown.js";
import { BROKEN_OFF } from "./answer-bound.js";
import { errorInForm } from "./messages.js";
import { refusalDetails } from "./upstream-error.js";

/** An error that a server answered with. */
export interface ServerRpcError {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
  /** The status of the HTTP failure that contained it. */
  readonly status?: number;
}

/** Statuses with a meaning of their own, whatever the body says: authorization and rates. */
const OWN_MEANING: ReadonlySet<unknown> = new Set([401, 407, 429]);
/** Longest body that is read, in characters. */
const MAX_BODY_LENGTH = 100_000;

/** The JSON-RPC error that a thrown value stands for; `undefined` for any other error. */
export function rpcErrorOf(error: unknown): ServerRpcError | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  if (typeof code === "number")
    return code === BROKEN_OFF
      ? undefined
      : { code, message: error.message, data: "data" in error ? error.data : undefined };
  const { status, text, retryAfterMs } = refusalDetails(error);
  if (typeof status !== "number" || typeof text !== "string" || retryAfterMs !== undefined) return undefined;
  const found = OWN_MEANING.has(status) ? undefined : errorIn(text);
  return found && { ...found, status };
}

/** Codes that JSON-RPC reserves; a body without `jsonrpc` may have codes of another kind. */
const isReserved = (code: number): boolean => code >= -32_768 && code <= -32_000;

function errorIn(text: string): ServerRpcError | undefined {
  const value = text.length > MAX_BODY_LENGTH ? undefined : parsed(text);
  const [answer] = Array.isArray(value) ? value : [value];
  const error = isObject(answer) ? answer["error"] : undefined;
  if (!isObject(answer) || !isObject(error)) return undefined;
  if (typeof error["message"] !== "string") return undefined;
  const { code, message, data } = errorInForm(error);
  return "jsonrpc" in answer || (error["code"] === code && isReserved(code)) ? { code, message, data } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    return undefined;
  }
}
