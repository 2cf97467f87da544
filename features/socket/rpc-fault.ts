/** Converts failures to JSON-RPC errors of the socket protocol. */

import { INVALID_KEY } from "../../runtime/access/key-store.js";
import {
  attention,
  type ErrorBody,
  type FailureEnvelope,
  fieldErrorDetails,
} from "../../runtime/contract/error-body.js";
import type { ErrorCode, FieldError, Grant } from "../../runtime/contract/handler.js";
import { plainJson } from "../../runtime/contract/json.js";
import type { JsonObject } from "../../runtime/contract/registry.js";
import { RPC, type RpcError } from "./protocol.js";

/** Ends a request with a JSON-RPC error. */
export class RpcFault extends Error {
  override readonly name = "RpcFault";
  readonly rpc: RpcError;
  constructor(code: number, message: string, data?: object) {
    super(message);
    this.rpc = { code, message, ...(data ? { data: plainJson(data) as JsonObject } : {}) };
  }
}

/** JSON-RPC codes of error codes; all others are failures of the tool. */
const CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  VALIDATION_ERROR: RPC.params,
  PERMISSION_DENIED: RPC.denied,
  UNAUTHENTICATED: RPC.unauthenticated,
};

/** A failure with an error code of envelopes. Its data always has `details`. */
export const toolFault = (code: ErrorCode, message: string, data: object = {}): RpcFault =>
  new RpcFault(CODES[code] ?? RPC.failed, message, { code, details: {}, ...data });

/** The same text for keys that are malformed, unknown, expired or revoked. */
export const badKey = (): RpcFault => toolFault("UNAUTHENTICATED", INVALID_KEY);

/** Invalid params or arguments. */
export const invalidParams = (errors: readonly FieldError[]): RpcFault =>
  toolFault("VALIDATION_ERROR", attention(errors), fieldErrorDetails(errors));

/** The same error for a tool that the key may not use and for one that does not exist. */
export const noTool = (name: string, data: object): RpcFault =>
  toolFault("PERMISSION_DENIED", `No tool ${name} for this key.`, data);

/** The same error for an object of another project and for one that does not exist. */
const noObject = (help_path: string): RpcFault =>
  toolFault("PERMISSION_DENIED", "There is no such object for this key.", { help_path });

/** Context of a failed call. */
interface Ended {
  readonly grant: Grant;
  /** The timeout in ms, if the caller's timeout has ended the call. */
  readonly timedOutMs?: number | undefined;
}

/** Converts a failure envelope to a JSON-RPC error. */
export function envelopeFault({ error, meta }: FailureEnvelope, { grant, timedOutMs }: Ended): RpcFault {
  const { code, help_path } = error;
  if (code === "NOT_FOUND" && grant.projects !== "*") return noObject(help_path);
  if (code === "CANCELLED" && timedOutMs !== undefined) return timedOut(error, timedOutMs);
  if (code === "UNAUTHENTICATED") return badKey();
  if (code === "PERMISSION_DENIED") return toolFault(code, error.message, { help_path });
  const traced = code === "INTERNAL" ? { trace_id: meta.trace_id } : {};
  return toolFault(code, error.message, { ...told(error), help_path, ...traced });
}

/** Puts field errors at the top level and other details under `details`. */
function told({ code, details }: ErrorBody): object {
  if (code !== "VALIDATION_ERROR") return { details };
  const { field_errors = [], ...rest } = details;
  return { field_errors, details: rest };
}

function timedOut({ message, details, help_path }: ErrorBody, ms: number): RpcFault {
  const effect = message.replace(/^The call was cancelled\./, "");
  return toolFault("TIMEOUT", `The call took longer than ${ms} ms.${effect}`, {
    details,
    help_path,
  });
}
