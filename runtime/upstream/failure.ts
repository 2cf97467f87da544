/** What went wrong with a call of a proxied tool, in the envelope's codes. */

import { type ErrorCode, ToolFailure } from "../contract/handler.js";
import type { Tool } from "../contract/registry.js";
import { isObject } from "../json.js";
import type { Server } from "../mcp/servers.js";
import type { UpstreamError } from "../mcp/upstream-error.js";
import { BROKEN_OFF, shown } from "../mcp/upstream-error.js";
import type { Rounds } from "./questions.js";

const LONGEST = 2_000;

type Answer = Readonly<Record<string, unknown>>;

/** A call that failed: of which server and tool, and whether the server may have begun with it. */
export interface Failed {
  readonly server: Server;
  readonly tool: Tool;
  readonly sent: boolean;
}

/** For writes: whether anything may have been changed. */
const outcomeOf = ({ tool, sent }: Omit<Failed, "server">): object =>
  tool.kind === "write" ? { outcome: sent ? "unknown" : "none" } : {};

const READ_FIRST = " Whether it took effect is not known: read before trying again.";

/** The server cannot be reached, is not there any more, or has not answered. */
export function unreachable(failed: Failed, error: UpstreamError): ToolFailure {
  const { server, tool } = failed;
  const { name } = server;
  // Whom a server does not let in, or sends away for a while, it has done nothing for.
  const sent = failed.sent && error.code !== "UNAUTHENTICATED" && error.status !== 429;
  const last = error.stderr.at(-1);
  const details = {
    server: name,
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

/** What a server of the newer protocol answers where it would have to ask what the client does not declare. */
const LACKING = -32021;
/** Why a client may not have been asked although it can answer. */
const ALONE =
  "a client can be asked in a call by tool_exec or by a tool of its own, not in the course of several calls";

/** JSON-RPC errors that say something else than that the tool failed. */
const PROTOCOL: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [-32602, "VALIDATION_ERROR"],
  [-32601, "UNAVAILABLE"],
  [-32600, "UNAVAILABLE"],
  [-32700, "UNAVAILABLE"],
  [-32042, "UNAVAILABLE"],
  [LACKING, "UNAVAILABLE"],
]);

/** The server answered with a JSON-RPC error; undefined where it is none. */
export function answeredError(failed: Failed, error: unknown): ToolFailure | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (!(error instanceof Error) || typeof code !== "number" || code === BROKEN_OFF) return undefined;
  const { server, tool } = failed;
  const said = shown(error.message, server, LONGEST);
  const ours = PROTOCOL.get(code) ?? "INTERNAL";
  const details = { server: server.name, rpc_code: code, ...(ours === "INTERNAL" ? outcomeOf(failed) : {}) };
  const hint = code === LACKING ? `; ${ALONE}` : "";
  return new ToolFailure(ours, `${server.name} refuses ${tool.tool_name}: ${said || `error ${code}`}${hint}`, details);
}

/** Tells a client of the newer protocol what it does not declare, where that is what an error says. */
export function lacking(error: unknown, rounds: Rounds | undefined): void {
  if (!(error instanceof Error && "code" in error && error.code === LACKING && "data" in error)) return;
  const required = isObject(error.data) ? error.data["requiredCapabilities"] : undefined;
  if (isObject(required)) rounds?.end({ kind: "lacks", requiredCapabilities: required });
}

/** Characters of a server's note on a call that the client carries to the next one. */
const LONGEST_NOTE = 100_000;

/** The server has no result before somebody has answered its questions: whoever can be asked is, by the answer to the call. */
export function needsInput({ server, tool }: Failed, asked: Answer, rounds: Rounds | undefined): ToolFailure {
  const { name } = server;
  const inputRequests = isObject(asked["inputRequests"]) ? asked["inputRequests"] : {};
  const requestState = typeof asked["requestState"] === "string" ? asked["requestState"] : undefined;
  const asks = Object.values(inputRequests).map((one) => (isObject(one) ? String(one["method"]) : "?"));
  const isTooLong = requestState !== undefined && requestState.length > LONGEST_NOTE;
  if (!isTooLong) rounds?.end({ kind: "asks", inputRequests, requestState });
  const why = isTooLong ? "its requestState is too long to be carried by the client" : ALONE;
  return new ToolFailure(
    "UNAVAILABLE",
    `${name} needs input to go on with ${tool.tool_name}: ${asks.join(", ")}; ${why}.`,
    {
      ...{ server: name, reason: "input_required", asks },
    },
  );
}

/** The tool says that it failed; what it says is the message. */
export function ownError({ server, tool }: Failed, text: string): ToolFailure {
  const said = shown(text, server, LONGEST);
  return new ToolFailure("INTERNAL", said || `${tool.tool_name} of ${server.name} failed and did not say why.`, {
    server: server.name,
    reason: "tool_error",
  });
}
