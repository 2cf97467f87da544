/**
 * Answers the requests about tools: the one path of `tools/call`, `tools/list` and `ping`, over stdio and HTTP and for all
 * versions of the protocol. Sessions, questions to clients and subscriptions stay with the SDK.
 */

import type { Tool as WireTool } from "@modelcontextprotocol/server";
import { tryPrincipal } from "../../access/callers.js";
import type { CallOptions } from "../../call/call.js";
import { findOp } from "../../call/resolve.js";
import { marked } from "../../contract/exact-number.js";
import { gatewayTool, listedTool } from "../../contract/gateway-tools.js";
import type { Principal } from "../../contract/handler.js";
import { placeholder } from "../../contract/placeholder.js";
import { clip, scrub } from "../../contract/scrub.js";
import type { Gateway } from "../../gateway/gateway.js";
import { SERVED_TOOLS, type ServedTool } from "../gateway-tools.js";
import { keepFor } from "./attached-blocks.js";
import type { CallContext } from "./client-capabilities.js";
import { callOf, type HotTool, hotTools, nativeContent, resultOf, wireTool } from "./hot-tools.js";
import { beginInputRequired } from "./input-required.js";
import { guarded, guardedOn, pageOf } from "./pages.js";
import { findRemoteTool, MAX_NAME_LENGTH, type RemoteTools, remoteCall, unknownTool } from "./remote-tools.js";
import type { Calling, ServerOptions } from "./server-options.js";
import { type Answering, callerOrRefusal, callTool, shownValue, toResult } from "./tool-call.js";
import type { AnswerRequest, McpToolRequest } from "./tool-requests.js";
import { exposedTools } from "./tools.js";

/** What the answers depend on besides the request. */
export interface AnswerOptions extends Calling {
  /** Name of the client program, if it gives one. */
  readonly clientName: () => string | undefined;
}

/** Makes the function that answers the requests of one connection, or one request of HTTP. */
export function requestAnswers(options: AnswerOptions): AnswerRequest {
  const { live } = options;
  const list = guardedOn(live, listTools(options));
  const call = callOfTool(options);
  return async (request, context) => {
    if (request.method === "tools/call") return live.within((gateway) => call(gateway, request, context));
    return request.method === "tools/list" ? list(request.cursor) : {};
  };
}

/** The tools that a caller sees: the gateway tools, then the ops exposed as tools. */
interface SeenTools {
  readonly fixed: readonly ServedTool[];
  readonly hot: ReadonlyMap<string, HotTool>;
}

function toolsSeenBy(
  { gatewayTools = SERVED_TOOLS }: ServerOptions,
  { index, settings }: Gateway,
  { grant }: Principal,
): SeenTools {
  const view = index.view(grant);
  return { fixed: exposedTools(gatewayTools, settings, view), hot: hotTools(settings, view) };
}

function listTools(options: AnswerOptions) {
  const { live, principal, remoteTools } = options;
  const countSaved = savedTokens(options);
  return async (gateway: Gateway, cursor: string | undefined): Promise<{ readonly tools: WireTool[] }> => {
    const who = await tryPrincipal(principal);
    if (!who) return { tools: [] };
    if (gateway.settings.run.exposed) live.warm();
    await remoteTools?.ready();
    countSaved(gateway, who);
    const { fixed, hot } = toolsSeenBy(options, gateway, who);
    const own = [...fixed, ...hot.values()];
    const others = remoteTools?.list(new Set(own.map(({ name }) => name))) ?? [];
    const { entries, more } = pageOf<ServedTool | HotTool | WireTool>([...own, ...others], cursor);
    return { tools: entries.map(entryOf), ...more };
  };
}

type RequestedCall = Extract<McpToolRequest, { readonly method: "tools/call" }>;

function callOfTool(options: AnswerOptions) {
  const { live, session, ending, remoteTools, accessOf, isModern, clientName } = options;
  const roundOf = guarded(() => live.current().log, beginInputRequired);
  let client: string | undefined;
  return async (gateway: Gateway, { name, input }: RequestedCall, context: CallContext) => {
    const { arrived = performance.now() } = options;
    const principal = await callerOrRefusal(options, gateway, name, input);
    if ("error" in principal) return toResult(principal, true);
    const { fixed, hot } = toolsSeenBy(options, gateway, principal);
    const [served, op] = [gatewayTool(name, fixed), hot.get(name)];
    const answering =
      (served && servedAnswering(served)) ??
      (op && hotAnswering(op, isModern === true)) ??
      (await remoteAnswering(remoteTools, name, context)) ??
      unknownTool(name, execRemedy(gateway, principal, name, input));
    context.called?.(name);
    const inputRequired = await roundOf(gateway, context, { principal, name, input });
    client ??= boundedName(clientName());
    const own = { principal, arrived, access: accessOf(context), inputRequired, client };
    return callTool({ gateway, session, ending, ...own }, answering, input, context);
  };
}

/** Answers a gateway tool. */
const servedAnswering =
  (tool: ServedTool): Answering =>
  async ({ gateway, principal, inputRequired, arrived, access }, input, hooks) => {
    const single = { ...hooks, inputRequired, arrived, native: access.native };
    const answer = await tool.answer({ gateway, principal, input, hooks, single });
    const { isError, notes, structured } = answer;
    const result = toResult(await shownValue(answer, { gateway, principal, access }, tool.name), isError, notes);
    return structured ? { ...result, structuredContent: { ...marked(structured) } } : result;
  };

/** Answers an op exposed as a tool. */
const hotAnswering =
  (hot: HotTool, isModern: boolean): Answering =>
  async ({ gateway, principal, inputRequired, arrived, access }, input, hooks) => {
    const native = nativeContent(access);
    // The content that the server sent is shown as it is, with its blocks.
    const attach: CallOptions["attach"] = (block) => (native.taken() ? undefined : access.attach(block));
    const own = { ...hooks, inputRequired, arrived, attach, native: native.take };
    const envelope = await gateway.dispatch(callOf(hot, input), principal, own);
    const shown = await access.withoutBytes(envelope, keepFor({ gateway, principal }, hot.name));
    return resultOf(hot, shown, { native: native.taken(), isModern });
  };

/** Answers a remote tool. */
async function remoteAnswering(
  remoteTools: RemoteTools | undefined,
  name: string,
  context: CallContext,
): Promise<Answering | undefined> {
  const call = remoteTools && (await findRemoteTool(remoteTools, name));
  return call && (async (_, input, { signal }) => marked(await call(input, remoteCall(context, signal))));
}

/** Longest arguments that a remedy repeats, as JSON. */
const MAX_REMEDY_LENGTH = 2_000;

/** What to call in place of an unknown tool: the same call of `tool_exec` if the name is that of an op. */
function execRemedy({ settings, index }: Gateway, { grant }: Principal, name: string, input: unknown): string {
  const tool = settings.expose.gateway ? findOp(index.view(grant), name)?.tool : undefined;
  if (!tool || !index.view(grant).isListed(tool.op))
    return settings.expose.gateway ? ". tool_help lists the ops, tool_exec calls one." : "";
  const text = JSON.stringify({ op: tool.op, args: input ?? {} });
  const args = placeholder("args", "the arguments of this call");
  const call = text.length > MAX_REMEDY_LENGTH ? JSON.stringify({ op: tool.op, args }) : text;
  return `. It is an op: call tool_exec with ${call}`;
}

const BYTES_A_TOKEN = 4;

/**
 * Counts the definition tokens that a connection saved, when it first lists the tools; requests without a session are
 * not counted.
 */
function savedTokens(options: ServerOptions): (gateway: Gateway, who: Principal) => void {
  let counted = options.session === undefined;
  return (gateway, who) => {
    if (counted) return;
    counted = true;
    const { listed: ops } = gateway.index.view(who.grant);
    const { fixed, hot } = toolsSeenBy(options, gateway, who);
    const isHot = new Set([...hot.values()].map(({ tool }) => tool));
    const behind = ops.reduce((sum, tool) => sum + (isHot.has(tool) ? 0 : tool.tokens.definition), 0);
    const listed = Math.ceil(JSON.stringify(fixed.map(listedTool)).length / BYTES_A_TOKEN);
    gateway.recorder?.add("definition_tokens", Math.max(0, behind - listed));
  };
}

const entryOf = (one: ServedTool | HotTool | WireTool): WireTool => {
  if ("tool" in one) return wireTool(one as HotTool);
  return "offered" in one ? onWire(one as ServedTool) : (one as WireTool);
};

/** A copy: the SDK may change what it is given. */
function onWire(tool: ServedTool): WireTool {
  const { name, description, inputSchema, annotations } = listedTool(tool);
  return { name, description, inputSchema: { ...inputSchema }, annotations: { ...annotations } };
}

/** The name of a client program in a bounded form; undefined if it gives none. */
const boundedName = (name: string | undefined): string | undefined =>
  clip(scrub(name ?? ""), MAX_NAME_LENGTH) || undefined;
