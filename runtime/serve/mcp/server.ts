/**
 * Serves the gateway as an MCP server, on the SDK's low-level `Server` with this project's own validation and answers.
 */

import type { Server, ServerContext, Tool as WireTool } from "@modelcontextprotocol/server";
import { tryPrincipal } from "../../access/callers.js";
import type { CallOptions } from "../../call/call.js";
import { findOp } from "../../call/resolve.js";
import type { FailureEnvelope } from "../../contract/error-body.js";
import { marked } from "../../contract/exact-number.js";
import { gatewayTool, listedTool } from "../../contract/gateway-tools.js";
import type { Principal } from "../../contract/handler.js";
import { isPromise } from "../../contract/maybe-promise.js";
import { placeholder } from "../../contract/placeholder.js";
import { clip, scrub } from "../../contract/scrub.js";
import { SERVED_TOOLS, type ServedTool } from "../gateway-tools.js";
import { keepFor } from "./attached-blocks.js";
import { askConnected, type CallContext, clientAccess } from "./client-capabilities.js";
import { serveCompletions } from "./completions.js";
import type { Calling } from "./exposed-resource-call.js";
import { callOf, type HotTool, hotTools, nativeContent, resultOf, wireTool } from "./hot-tools.js";
import { beginInputRequired } from "./input-required.js";
import { instructionsOf } from "./instructions.js";
import { guarded, pageOf } from "./pages.js";
import { nameTool, PlainServer, tolerate, whenClosed } from "./plain-server.js";
import { servePrompts } from "./prompts.js";
import {
  findRemoteTool,
  MAX_NAME_LENGTH,
  notifyOfRemoteTools,
  type RemoteTools,
  remoteCall,
  unknownTool,
} from "./remote-tools.js";
import { serveResources } from "./resources.js";
import type { ServerOptions } from "./server-options.js";
import { serveSubscriptions } from "./subscriptions.js";
import { serveTasks, TASKS_CAPABILITY } from "./tasks.js";
import {
  type Answering,
  callerOrRefusal,
  callServed,
  callTool,
  shownValue,
  type ToolCaller,
  toResult,
  type WrittenResult,
  writtenResult,
} from "./tool-call.js";
import { exposedTools } from "./tools.js";

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
  (server: Server, hot: HotTool): Answering =>
  async ({ gateway, principal, inputRequired, arrived, access }, input, hooks) => {
    const native = nativeContent(access);
    // The content that the server sent is shown as it is, with its blocks.
    const attach: CallOptions["attach"] = (block) => (native.taken() ? undefined : access.attach(block));
    const own = { ...hooks, inputRequired, arrived, attach, native: native.take };
    const envelope = await gateway.dispatch(callOf(hot, input), principal, own);
    const shown = await access.withoutBytes(envelope, keepFor({ gateway, principal }, hot.name));
    return resultOf(server, hot, shown, native.taken());
  };

const capabilitiesOf = ({ subscriptions, hasTasks }: ServerOptions) => ({
  ...(hasTasks ? TASKS_CAPABILITY : {}),
  tools: { listChanged: true },
  resources: { listChanged: true, ...(subscriptions ? { subscribe: true } : {}) },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
});

/** Creates the server of one connection or request. It always uses the configuration in force. */
export function createServer(options: ServerOptions): Server {
  const { gateway, version, isSilent, subscriptions: era, gatewayTools } = options;
  const told = isSilent ? {} : { instructions: instructionsOf(gateway.settings, gateway.index.registry, gatewayTools) };
  const server = new PlainServer({ name: "toolwright", version }, { capabilities: capabilitiesOf(options), ...told });
  const calling = { ...options, accessOf: clientAccess(server, options.forwardOf ?? askConnected) };
  serveTools(server, calling);
  serveResources(server, calling);
  servePrompts(server, calling);
  serveCompletions(server, options);
  tellOfSwaps(server, options);
  if (era && options.onSwap) serveSubscriptions(server, options, era);
  if (options.hasTasks) serveTasks(server, options);
  if (options.remoteTools) notifyOfRemoteTools(server, options.remoteTools, gateway.log);
  return server;
}

/** The tools that a caller sees: the gateway tools, then the ops exposed as tools. */
interface Shown {
  readonly fixed: readonly ServedTool[];
  readonly hot: ReadonlyMap<string, HotTool>;
}

function serveTools(server: Server, options: Calling): void {
  const { gateway, principal, remoteTools, accessOf } = options;
  const shown = (who: Principal): Shown => {
    const view = gateway.index.view(who.grant);
    return { fixed: servedTo(options, who), hot: hotTools(gateway.settings, view) };
  };
  const connection = countedOnce(options, shown);
  server.setRequestHandler(
    "tools/list",
    guarded(gateway.log, async ({ params }) => {
      const who = await tryPrincipal(principal);
      if (!who) return { tools: [] };
      if (gateway.settings.run.exposed) gateway.warm();
      await remoteTools?.ready();
      connection(who);
      const { fixed, hot } = shown(who);
      const own = [...fixed, ...hot.values()];
      const others = remoteTools?.list(new Set(own.map(({ name }) => name))) ?? [];
      const { entries, more } = pageOf<ServedTool | HotTool | WireTool>([...own, ...others], params?.cursor);
      return { tools: entries.map(entryOf), ...more };
    }),
  );
  const roundOf = guarded(gateway.log, beginInputRequired);
  const callerOf = callers(server, options);
  server.setRequestHandler("tools/call", async (request, context) => {
    const { name, arguments: input } = request.params;
    const { arrived = performance.now() } = options;
    const asked = await callerOrRefusal(options, name, input);
    if ("error" in asked) return toResult(asked, true);
    const own = answeringOf(server, shown(asked), name);
    const known = own ?? (await remoteAnswering(remoteTools, name, context));
    if (known) nameTool(context, name);
    const answering = known ?? unknownTool(name, execRemedy(gateway, asked, name, input));
    const inputRequired = await roundOf(gateway, context, { principal: asked, name, input });
    const caller = callerOf({ principal: asked, arrived, access: accessOf(context), inputRequired });
    return callTool(caller, answering, input, context);
  });
}

/** The gateway tools that a caller sees. */
const servedTo = ({ gateway, gatewayTools = SERVED_TOOLS }: ServerOptions, { grant }: Principal) =>
  exposedTools(gatewayTools, gateway.settings, gateway.index.view(grant));

/** Adds to each caller of a connection or request what all of them share. */
function callers(server: Server, { gateway, session, ending }: ServerOptions) {
  let named: { readonly by: unknown; readonly client: string | undefined } | undefined;
  const nameOf = (): string | undefined => {
    const by = server.getClientVersion();
    if (named?.by !== by || !named) named = { by, client: clip(scrub(by?.name ?? ""), MAX_NAME_LENGTH) || undefined };
    return named.client;
  };
  return (own: Pick<ToolCaller, "principal" | "arrived" | "access" | "inputRequired">): ToolCaller => ({
    gateway,
    session,
    ending,
    client: nameOf(),
    ...own,
  });
}

/** The gateway tools of a connection with a client of the older protocols, answered without the SDK. */
export interface DirectTools {
  /** Whether each caller gets the gateway tool of this name now. */
  has(name: string): boolean;
  /** Gives the answer that the server of {@link createServer} gives. */
  answer(name: string, input: unknown, context: CallContext): Promise<WrittenResult>;
}

/** The direct tools of a connection. */
export function directTools(server: Server, options: ServerOptions): DirectTools {
  const { gateway, gatewayTools = SERVED_TOOLS } = options;
  const accessOf = clientAccess(server, askConnected);
  const callerOf = callers(server, options);
  return {
    // If `expose` hides a gateway tool, an op that is exposed as a tool can have its name.
    has: (name) =>
      gateway.settings.run.exposed && gateway.settings.expose.gateway && gatewayTool(name, gatewayTools) !== undefined,
    answer(name, input, context) {
      const arrived = performance.now();
      const answered = (asked: Principal | FailureEnvelope): Promise<WrittenResult> => {
        if ("error" in asked) return Promise.resolve(writtenResult({ value: asked, isError: true }));
        const tool = gatewayTool(name, servedTo(options, asked)) ?? unknownTool(name);
        const caller = callerOf({ principal: asked, arrived, access: accessOf(context), inputRequired: undefined });
        return callServed(caller, tool, input, context);
      };
      const asking = callerOrRefusal(options, name, input);
      return isPromise(asking) ? asking.then(answered) : answered(asking);
    },
  };
}

function answeringOf(server: Server, { fixed, hot }: Shown, name: string): Answering | undefined {
  const served = gatewayTool(name, fixed);
  if (served) return servedAnswering(served);
  const tool = hot.get(name);
  return tool && hotAnswering(server, tool);
}

/** Longest arguments that a remedy repeats, as JSON. */
const MAX_REMEDY_LENGTH = 2_000;

/** What to call in place of an unknown tool: the same call of `tool_exec` if the name is that of an op. */
function execRemedy(
  { settings, index }: Calling["gateway"],
  { grant }: Principal,
  name: string,
  input: unknown,
): string {
  const tool = settings.expose.gateway ? findOp(index.view(grant), name)?.tool : undefined;
  if (!tool || !index.view(grant).isListed(tool.op))
    return settings.expose.gateway ? ". tool_help lists the ops, tool_exec calls one." : "";
  const text = JSON.stringify({ op: tool.op, args: input ?? {} });
  const args = placeholder("args", "the arguments of this call");
  const call = text.length > MAX_REMEDY_LENGTH ? JSON.stringify({ op: tool.op, args }) : text;
  return `. It is an op: call tool_exec with ${call}`;
}

/** Answers a remote tool. */
async function remoteAnswering(
  remoteTools: RemoteTools | undefined,
  name: string,
  context: ServerContext,
): Promise<Answering | undefined> {
  const call = remoteTools && (await findRemoteTool(remoteTools, name));
  return call && (async (_, input, { signal }) => marked(await call(input, remoteCall(context, signal))));
}

/** Notifies the client after each reload, so that it lists everything again. */
function tellOfSwaps(server: Server, { gateway, onSwap }: ServerOptions): void {
  const stop = onSwap?.(() => {
    const told = [server.sendToolListChanged(), server.sendResourceListChanged(), server.sendPromptListChanged()];
    for (const one of told) tolerate(one, "list_changed", gateway.log);
  });
  if (stop) whenClosed(server, stop);
}

const BYTES_A_TOKEN = 4;

/**
 * Counts the definition tokens that a connection saved, when it first lists the tools; requests without a session are
 * not counted.
 */
function countedOnce({ gateway, session }: ServerOptions, shown: (who: Principal) => Shown): (who: Principal) => void {
  let counted = session === undefined;
  return (who) => {
    if (counted) return;
    counted = true;
    const { listed: ops } = gateway.index.view(who.grant);
    const { fixed, hot } = shown(who);
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
