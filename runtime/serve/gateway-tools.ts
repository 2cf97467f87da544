/** The gateway tools with what each answers: the rows that every transport serves. */

import { isBatchRefusal } from "../call/batch/batch.js";
import type { CallOptions } from "../call/call.js";
import { isHelpFailure } from "../catalog/help.js";
import { GATEWAY_TOOLS, type GatewayTool, type GatewayToolName } from "../contract/gateway-tools.js";
import type { Principal } from "../contract/handler.js";
import type { Gateway } from "../gateway/gateway.js";

/** One call of a gateway tool, the same over every transport. */
export interface GatewayToolCall {
  readonly gateway: Pick<Gateway, "run" | "help" | "dispatch" | "batch">;
  readonly principal: Principal;
  /** The arguments as they were sent; the tool checks them. */
  readonly input: unknown;
  readonly hooks: CallOptions;
  /** Further hooks for a tool that makes one call of an op: its own time, and questions to the client. */
  readonly single: Pick<CallOptions, "arrived" | "limitMs" | "inputRequired">;
}

/** The answer: text, or an object that is sent as JSON. */
export interface GatewayToolAnswer {
  readonly value: object | string;
  /** The text for MCP clients, in place of the JSON of an object. */
  readonly text?: string;
  /** Whether MCP clients and the socket are told that the call failed. */
  readonly isError: boolean;
}

/**
 * A gateway tool that is served.
 *
 * @example
 * const ECHO: ServedTool = {
 *   name: "tool_echo",
 *   definition: {
 *     description: "Repeat the arguments.",
 *     inputSchema: { type: "object" },
 *     annotations: { readOnlyHint: true, openWorldHint: false },
 *   },
 *   offered: { mcp: "gateway", socket: true, api: "/api/echo" },
 *   answer: ({ input }) => ({ value: { input }, isError: false }),
 * };
 */
export interface ServedTool extends GatewayTool {
  /** Answers one call. An error that it throws is logged, and the caller gets INTERNAL. */
  answer(call: GatewayToolCall): GatewayToolAnswer | Promise<GatewayToolAnswer>;
}

/** The option of every transport that replaces the table. */
export interface ServedTools {
  /** The gateway tools; default: {@link SERVED_TOOLS}. */
  readonly gatewayTools?: readonly ServedTool[];
}

const ANSWERS: Readonly<Record<GatewayToolName, ServedTool["answer"]>> = {
  async run({ gateway, principal, input, hooks }) {
    const { text, isError, plan } = await gateway.run(input, principal, hooks);
    return plan ? { value: { plan }, text, isError } : { value: text, isError };
  },
  tool_help({ gateway, principal, input, hooks }) {
    const value = gateway.help(input, principal, hooks.session);
    return { value, isError: isHelpFailure(value) };
  },
  async tool_exec({ gateway, principal, input, hooks, single }) {
    const value = await gateway.dispatch(input, principal, { ...hooks, ...single });
    return { value, isError: !value.ok };
  },
  async tool_batch({ gateway, principal, input, hooks }) {
    const value = await gateway.batch(input, principal, hooks);
    return { value, isError: isBatchRefusal(value) };
  },
};

/** The rows of {@link GATEWAY_TOOLS}, each with its answer. */
export const SERVED_TOOLS: readonly ServedTool[] = GATEWAY_TOOLS.map((tool) => ({
  ...tool,
  answer: ANSWERS[tool.name],
}));
