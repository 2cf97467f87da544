/** Converts failures of proxied tools to failures with the error codes of envelopes. */

import type { InputRequired } from "../call/client-access.js";
import { type ErrorCode, ToolFailure } from "../contract/handler.js";
import { isObject } from "../contract/json.js";
import type { Tool } from "../contract/registry.js";
import { blockAsData } from "./content-block.js";
import type { ProxiedResult } from "./result.js";
import { rpcErrorOf } from "./rpc-error.js";
import type { UpstreamServer } from "./servers.js";
import { shownFailureData } from "./shown-value.js";
import { foreignText, type UpstreamError } from "./upstream-error.js";

const MAX_MESSAGE_LENGTH = 2_000;

type Answer = Readonly<Record<string, unknown>>;

/** A failed call, and whether the server may have begun it. */
export interface FailedCall {
  readonly server: UpstreamServer;
  readonly tool: Tool;
  readonly sent: boolean;
}

/** For writes: whether anything may have changed. */
const outcomeOf = ({ tool, sent }: Omit<FailedCall, "server">): object =>
  tool.kind === "write" ? { outcome: sent ? "unknown" : "none" } : {};

const READ_FIRST = " Whether it took effect is not known: read before trying again.";

/** The failure for a server that is unreachable, has gone, or did not answer. */
export function unreachableFailure(failed: FailedCall, error: UpstreamError): ToolFailure {
  const { server, tool } = failed;
  const { name } = server;
  // A server that refused the credentials or the rate has not executed the call.
  const sent = failed.sent && error.code !== "UNAUTHENTICATED" && error.status !== 429;
  const last = error.stderr.at(-1);
  const details = {
    server: name,
    ...error.lack?.details,
    ...(error.status === undefined ? {} : { status: error.status }),
    ...(error.retryAfterMs === undefined ? {} : { retry_after_ms: error.retryAfterMs }),
    ...(last === undefined || error.code === "TIMEOUT" ? {} : { stderr: last }),
    ...(error.code === "TIMEOUT" ? { limit_ms: server.timeoutMs } : {}),
    ...outcomeOf({ tool, sent }),
  };
  const uncertain = sent && tool.kind === "write" ? READ_FIRST : "";
  if (error.code === "TIMEOUT" || error.code === "CANCELLED")
    return new ToolFailure(
      error.code,
      `The server ${name} was given up: ${error.message}. To do: ${error.remedy}.${uncertain}`,
      details,
    );
  if (error.status === 429)
    return new ToolFailure("RATE_LIMITED", `The server ${name} is asked too often: ${error.message}.`, details);
  return new ToolFailure(
    "UNAVAILABLE",
    `The server ${name} cannot be used: ${error.message}. To do: ${error.remedy}.${uncertain}`,
    details,
  );
}

/** JSON-RPC code of the newer protocol for a capability that the client does not declare. */
const LACKING = -32021;
/** Why a capable client may not have been asked. */
const ALONE =
  "a client can be asked in a call by tool_exec or by a tool of its own, not in the course of several calls";

/** JSON-RPC codes with a meaning other than a failed tool. */
const PROTOCOL: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [-32602, "VALIDATION_ERROR"],
  [-32601, "UNAVAILABLE"],
  [-32600, "UNAVAILABLE"],
  [-32700, "UNAVAILABLE"],
  [-32042, "UNAVAILABLE"],
  [LACKING, "UNAVAILABLE"],
]);

/** The failure for a JSON-RPC error of the server; `undefined` for any other error. */
export function answeredError(failed: FailedCall, error: unknown): ToolFailure | undefined {
  const rpc = rpcErrorOf(error);
  if (!rpc) return undefined;
  const { server, tool } = failed;
  const { code, status } = rpc;
  const said = foreignText(rpc.message, server, MAX_MESSAGE_LENGTH);
  const ours = PROTOCOL.get(code) ?? "INTERNAL";
  const upstream = shownFailureData(rpc.data, server);
  const details = {
    ...{ server: server.name, rpc_code: code },
    ...(status === undefined ? {} : { status }),
    ...(upstream === undefined ? {} : { upstream }),
    ...(ours === "INTERNAL" ? outcomeOf(failed) : {}),
  };
  const hint = code === LACKING ? `; ${ALONE}` : "";
  return new ToolFailure(ours, `${server.name} refuses ${tool.tool_name}: ${said || `error ${code}`}${hint}`, details);
}

/** Passes the missing capabilities of such an error on to a client of the newer protocol. */
export function passMissingCapabilities(error: unknown, inputRequired: InputRequired | undefined): void {
  const rpc = rpcErrorOf(error);
  const required = rpc?.code === LACKING && isObject(rpc.data) ? rpc.data["requiredCapabilities"] : undefined;
  if (isObject(required)) inputRequired?.end({ kind: "lacks", requiredCapabilities: required });
}

/** Longest request state, in characters, that a client carries to its next call. */
const MAX_NOTE_LENGTH = 100_000;

/** The failure for a result that requires input; a client of the newer protocol gets the questions as its answer. */
export function needsInput(
  { server, tool }: FailedCall,
  asked: Answer,
  inputRequired: InputRequired | undefined,
): ToolFailure {
  const { name } = server;
  const inputRequests = isObject(asked["inputRequests"]) ? asked["inputRequests"] : {};
  const requestState = typeof asked["requestState"] === "string" ? asked["requestState"] : undefined;
  const asks = Object.values(inputRequests).map((one) => (isObject(one) ? String(one["method"]) : "?"));
  const isTooLong = requestState !== undefined && requestState.length > MAX_NOTE_LENGTH;
  if (!isTooLong) inputRequired?.end({ kind: "asks", inputRequests, requestState });
  const why = isTooLong ? "its requestState is too long to be carried by the client" : ALONE;
  return new ToolFailure(
    "UNAVAILABLE",
    `${name} needs input to go on with ${tool.tool_name}: ${asks.join(", ")}; ${why}.`,
    {
      ...{ server: name, reason: "input_required", asks },
    },
  );
}

/** What a tool says of its failure. */
type OwnError = Pick<ProxiedResult, "reason" | "structured" | "media">;

/** The failure that the tool itself reports: its reason as the message, its structured value and other blocks in the details. */
export function ownError({ server, tool }: FailedCall, { reason, structured, media }: OwnError): ToolFailure {
  const said = foreignText(reason, server, MAX_MESSAGE_LENGTH);
  const upstream = shownFailureData(structured, server);
  return new ToolFailure("INTERNAL", said || `${tool.tool_name} of ${server.name} failed and did not say why.`, {
    server: server.name,
    reason: "tool_error",
    ...(upstream === undefined ? {} : { upstream }),
    ...(media.length === 0 ? {} : { content: media.map(blockAsData) }),
  });
}

/** The failure for an answer that cannot be used. A write may have taken effect. */
export function unusableFailure(failed: FailedCall, why: string): ToolFailure {
  const { server, tool } = failed;
  const uncertain = tool.kind === "write" ? READ_FIRST : "";
  return new ToolFailure("UNAVAILABLE", `The server ${server.name} answers ${tool.tool_name} ${why}.${uncertain}`, {
    server: server.name,
    ...outcomeOf(failed),
  });
}
