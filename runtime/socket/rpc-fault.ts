/** What goes wrong with a request, as an error of the protocol. */

import { INVALID_KEY } from "../access/key-store.js";
import type { ErrorCode, FieldError, Grant } from "../contract/handler.js";
import type { JsonObject } from "../contract/registry.js";
import { attention, type ErrorBody, type FailureEnvelope, fieldErrorDetails } from "../envelope.js";
import { plainJson } from "../json.js";
import { RPC, type RpcError } from "./protocol.js";

/** Ends a request with an error of the protocol. */
export class RpcFault extends Error {
  override readonly name = "RpcFault";
  readonly rpc: RpcError;
  constructor(code: number, message: string, data?: object) {
    super(message);
    this.rpc = { code, message, ...(data ? { data: plainJson(data) as JsonObject } : {}) };
  }
}

/** The codes of the protocol for those of envelopes; all others are failures of the tool. */
const CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  VALIDATION_ERROR: RPC.params,
  PERMISSION_DENIED: RPC.denied,
  UNAUTHENTICATED: RPC.unauthenticated,
};

/** A failure with a code of envelopes. Its data always has `details`. */
export const toolFault = (code: ErrorCode, message: string, data: object = {}): RpcFault =>
  new RpcFault(CODES[code] ?? RPC.failed, message, { code, details: {}, ...data });

/** One text for keys that are malformed, unknown, expired or revoked. */
export const badKey = (): RpcFault => toolFault("UNAUTHENTICATED", INVALID_KEY);

/** Params or arguments that do not fit. */
export const invalidParams = (errors: readonly FieldError[]): RpcFault =>
  toolFault("VALIDATION_ERROR", attention(errors), fieldErrorDetails(errors));

/** The same for a tool that the key may not use and one that does not exist. */
export const noTool = (name: string, data: object): RpcFault =>
  toolFault("PERMISSION_DENIED", `No tool ${name} for this key.`, data);

/** The same for an object of another project and one that does not exist. */
const noObject = (help_path: string): RpcFault =>
  toolFault("PERMISSION_DENIED", "There is no such object for this key.", { help_path });

/** How a call was ended from this side, where it was. */
interface Ended {
  readonly grant: Grant;
  /** Set where the time that the caller gave it is over. */
  readonly timedOutMs?: number | undefined;
}

/** The error for an envelope that tells of a failure. */
export function envelopeFault({ error, meta }: FailureEnvelope, { grant, timedOutMs }: Ended): RpcFault {
  const { code, help_path } = error;
  if (code === "NOT_FOUND" && grant.projects !== "*") return noObject(help_path);
  if (code === "CANCELLED" && timedOutMs !== undefined) return timedOut(error, timedOutMs);
  if (code === "UNAUTHENTICATED") return badKey();
  if (code === "PERMISSION_DENIED") return toolFault(code, error.message, { help_path });
  const traced = code === "INTERNAL" ? { trace_id: meta.trace_id } : {};
  return toolFault(code, error.message, { ...told(error), help_path, ...traced });
}

/** Field errors stand at the top, other details together. */
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
