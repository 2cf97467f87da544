/** What went wrong with a call of a proxied tool, in the envelope's codes. */

import { type ErrorCode, ToolFailure } from "../contract/handler.js";
import type { Tool } from "../contract/registry.js";
import type { Server } from "../mcp/servers.js";
import type { UpstreamError } from "../mcp/upstream-error.js";
import { BROKEN_OFF, shown } from "../mcp/upstream-error.js";

const LONGEST = 2_000;

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

/** JSON-RPC errors that say something else than that the tool failed. */
const PROTOCOL: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [-32602, "VALIDATION_ERROR"],
  [-32601, "UNAVAILABLE"],
  [-32600, "UNAVAILABLE"],
  [-32700, "UNAVAILABLE"],
  [-32042, "UNAVAILABLE"],
]);

/** The server answered with a JSON-RPC error; undefined where it is none. */
export function answeredError(failed: Failed, error: unknown): ToolFailure | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (!(error instanceof Error) || typeof code !== "number" || code === BROKEN_OFF) return undefined;
  const { server, tool } = failed;
  const said = shown(error.message, server, LONGEST);
  const ours = PROTOCOL.get(code) ?? "INTERNAL";
  const details = { server: server.name, rpc_code: code, ...(ours === "INTERNAL" ? outcomeOf(failed) : {}) };
  return new ToolFailure(ours, `${server.name} refuses ${tool.tool_name}: ${said || `error ${code}`}`, details);
}

/** The tool says that it failed; what it says is the message. */
export function ownError({ server, tool }: Failed, text: string): ToolFailure {
  const said = shown(text, server, LONGEST);
  return new ToolFailure("INTERNAL", said || `${tool.tool_name} of ${server.name} failed and did not say why.`, {
    server: server.name,
    reason: "tool_error",
  });
}
