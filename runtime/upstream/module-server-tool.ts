/** Handles calls of tools of an MCP server that a module of the project exports, in the same process. */

import { type Context, fail, type Handler } from "../contract/handler.js";
import { type ModuleServer, ServerRefusal, sessionWith } from "../contract/module-server.js";
import type { JsonObject, Tool } from "../contract/registry.js";
import { convertResult } from "./result.js";

/** JSON-RPC's code for wrong parameters. */
const INVALID_PARAMS = -32602;

/** The handler of a tool of an exported server; it throws a ToolFailure where the result is an error, or cannot be read. */
export function serverToolHandler(
  server: ModuleServer,
  { tool_name: name, result_schema: schema }: Tool,
): Handler<JsonObject, unknown> {
  return async (args, ctx) => {
    const session = await sessionWith(server);
    const params = { name, arguments: args };
    const answer = await session.request("tools/call", params, signalOf(ctx)).catch(refused);
    const { data, isError, reason, faults, isUnreadable } = await convertResult(answer, { schema, isNewer: false });
    if (isError) fail("INTERNAL", reason || `${name} failed and did not say why.`, { reason: "tool_error" });
    if (isUnreadable) fail("INTERNAL", `${name} answers ${faults.join("; ")}: nothing can be read`);
    return data;
  };
}

const signalOf = ({ signal }: Context): AbortSignal => signal as AbortSignal;

function refused(error: unknown): never {
  if (!(error instanceof ServerRefusal)) throw error;
  return fail(error.code === INVALID_PARAMS ? "VALIDATION_ERROR" : "INTERNAL", error.message);
}
