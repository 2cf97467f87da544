/** The gateway tools with what each answers: the rows that every transport serves. */

import { type BatchAnswer, isBatchRefusal } from "../call/batch/batch.js";
import { isHelpFailure } from "../catalog/help.js";
import type { Envelope } from "../contract/error-body.js";
import { GATEWAY_TOOLS, type GatewayTool, type GatewayToolName } from "../contract/gateway-tools.js";
import { answerRun } from "./answer-run.js";
import { fittedBatch, fittedEnvelope } from "./fitted-answer.js";
import type { GatewayToolAnswer, GatewayToolCall } from "./gateway-tool-call.js";

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
  run: answerRun,
  tool_help({ gateway, principal, input, hooks }) {
    const value = gateway.help(input, principal, hooks.session);
    return { value, isError: isHelpFailure(value) };
  },
  async tool_exec(call) {
    const value = await call.gateway.dispatch(call.input, call.principal, call.single);
    return { value, isError: !value.ok, fitted: (shown) => fittedEnvelope(call, shown as Envelope) };
  },
  async tool_batch(call) {
    const value = await call.gateway.batch(call.input, call.principal, call.hooks);
    return { value, isError: isBatchRefusal(value), fitted: (shown) => fittedBatch(call, shown as BatchAnswer) };
  },
};

/** The rows of {@link GATEWAY_TOOLS}, each with its answer. */
export const SERVED_TOOLS: readonly ServedTool[] = GATEWAY_TOOLS.map((tool) => ({
  ...tool,
  answer: ANSWERS[tool.name],
}));
