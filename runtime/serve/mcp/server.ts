/**
 * Serves the gateway as an MCP server, on the SDK's low-level `Server` with this project's own validation and answers.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  type Server,
  type ServerContext,
  type Tool as WireTool,
} from "@modelcontextprotocol/server";
import { tryPrincipal } from "../../access/callers.js";
import { callsIn } from "../../access/rate.js";
import type { CallOptions } from "../../call/call.js";
import { findOp } from "../../call/resolve.js";
import { echo, errorBody, type FailureEnvelope } from "../../contract/error-body.js";
import { marked, written } from "../../contract/exact-number.js";
import { gatewayTool, listedTool } from "../../contract/gateway-tools.js";
import { isToolFailure, type Logger, type Principal, type ToolFailure } from "../../contract/handler.js";
import { newTraceId } from "../../contract/ids.js";
import { placeholder } from "../../contract/placeholder.js";
import { asRequest } from "../../contract/request-fields.js";
import { clip, scrub } from "../../contract/scrub.js";
import { stackOf } from "../../contract/thrown.js";
import { SERVED_TOOLS, type ServedTool } from "../gateway-tools.js";
import { askConnected, type CallAccess, clientAccess, parentOf, tellingOf } from "./client-capabilities.js";
import { serveCompletions } from "./completions.js";
import type { Calling } from "./exposed-resource-call.js";
import { callOf, type HotTool, hotTools, resultOf, wireTool } from "./hot-tools.js";
import { beginInputRequired, type CallInputRequired } from "./input-required.js";
import { instructionsOf } from "./instructions.js";
import { guarded, pageOf } from "./pages.js";
import { answerTask, nameTool, PlainServer, tolerate, whenClosed } from "./plain-server.js";
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
import { exposedTools } from "./tools.js";

/** What one call is answered with. */
interface Caller extends Pick<ServerOptions, "gateway" | "session" | "ending"> {
  readonly principal: Principal;
  readonly arrived: number;
  readonly access: CallAccess;
  /** Input rounds of a client of the newer protocol. */
  readonly inputRequired?: CallInputRequired;
  /** Name of the client program, if known. */
  readonly client?: string;
}

type Answering = (caller: Caller, input: unknown, hooks: CallOptions) => CallToolResult | Promise<CallToolResult>;

/** Answers a gateway tool. */
const servedAnswering =
  (tool: ServedTool): Answering =>
  async ({ gateway, principal, inputRequired, arrived }, input, hooks) => {
    const { value, isError, structured } = await tool.answer({
      gateway,
      principal,
      input,
      hooks,
      single: { inputRequired, arrived },
    });
    const result = toResult(value, isError);
    return structured ? { ...result, structuredContent: { ...marked(structured) } } : result;
  };

/** Answers an op exposed as a tool. */
const hotAnswering =
  (server: Server, hot: HotTool): Answering =>
  async ({ gateway, principal, inputRequired, arrived }, input, hooks) =>
    resultOf(server, hot, await gateway.dispatch(callOf(hot, input), principal, { ...hooks, inputRequired, arrived }));

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
  const { gateway, principal, session, ending, remoteTools, accessOf, gatewayTools = SERVED_TOOLS } = options;
  const shown = (who: Principal): Shown => {
    const view = gateway.index.view(who.grant);
    return { fixed: exposedTools(gatewayTools, gateway.settings, view), hot: hotTools(gateway.settings, view) };
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
  server.setRequestHandler("tools/call", async (request, context) => {
    const { name, arguments: input } = request.params;
    const { arrived = performance.now() } = options;
    const asked = await callerOrRefusal(options, name, input);
    if ("error" in asked) return toResult(asked, true);
    const own = answeringOf(server, shown(asked), name);
    const known = own ?? (await remoteAnswering(remoteTools, name, context));
    if (known) nameTool(context, name);
    const answering = known ?? unknownTool(name, execRemedy(gateway, asked, name, input));
    const client = clip(scrub(server.getClientVersion()?.name ?? ""), MAX_NAME_LENGTH);
    const inputRequired = await roundOf(gateway, context, { principal: asked, name, input });
    const who = { principal: asked, ...(session ? { session } : {}), ...(client ? { client } : {}) };
    const surroundings = {
      access: accessOf(context),
      ...(inputRequired ? { inputRequired } : {}),
      ...(ending ? { ending } : {}),
    };
    const caller = { gateway, arrived, ...surroundings, ...who };
    return callTool(caller, answering, input, context);
  });
}

/** The caller of a tool, or the refusal. */
async function callerOrRefusal(
  { gateway: { log }, principal, gatewayTools }: ServerOptions,
  tool: string,
  input: unknown,
): Promise<Principal | FailureEnvelope> {
  try {
    return await principal(callsIn(tool, input, gatewayTools));
  } catch (error) {
    return isToolFailure(error) ? refused(error, input) : ownFault(log, error);
  }
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

/**
 * Answers one call. Internal faults become envelopes, since the message of a JSON-RPC error would disclose too much.
 */
async function callTool(
  caller: Caller,
  answering: Answering,
  input: unknown,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { gateway, access, inputRequired } = caller;
  const { log } = gateway;
  const reporter = progressReporter(context, log);
  const { signal } = context.mcpReq;
  const hooks: CallOptions = {
    signal: caller.ending ? AbortSignal.any([signal, caller.ending]) : signal,
    ...{ forward: access.forward, attach: access.attach },
    ...tellingOf(context, log),
    ...parentOf(context),
    ...(reporter ? { progress: reporter.report } : {}),
    ...(caller.session ? { session: caller.session } : {}),
    ...(caller.client === undefined ? {} : { client: caller.client }),
  };
  try {
    const answer = await answering(caller, input, hooks);
    // Clients lose progress that arrives in one chunk with the result.
    if (reporter?.used()) await nextTurn();
    const outcome = await inputRequired?.outcome();
    if (outcome?.resultType === "task") answerTask(context, outcome);
    else if (outcome) return outcome as InputRequiredResult;
    return { ...answer, content: [...answer.content, ...access.blocks()] };
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    return toResult(isToolFailure(error) ? refused(error, input) : ownFault(log, error), true);
  }
}

/** One text block; for an object its JSON, and the same value as structured content. */
function toResult(value: object | string, isError: boolean): CallToolResult {
  const error = isError ? { isError: true } : {};
  if (typeof value === "string") return { content: [{ type: "text", text: value }], ...error };
  const { text, isExact } = written(value);
  return { content: [{ type: "text", text }], structuredContent: { ...(isExact ? marked(value) : value) }, ...error };
}

function ownFault(log: Logger, error: unknown): FailureEnvelope {
  const trace_id = newTraceId();
  log.error("gateway failed", { trace_id, error: stackOf(error) });
  const message = `The call failed; see the log under ${trace_id}.`;
  const body = errorBody({ code: "INTERNAL", message, help_path: "root" });
  return { op: "", ok: false, error: body, meta: { trace_id, latency_ms: 0, warnings: [] } };
}

/** The envelope of a call that was refused before its arguments were read, or whose answer could not be made. */
function refused({ code, message, details }: ToolFailure, input: unknown): FailureEnvelope {
  const error = errorBody({ code, message, details: { ...details }, help_path: "root" });
  const op = echo(asRequest(input)?.["op"]);
  return { op, ok: false, error, meta: { trace_id: newTraceId(), latency_ms: 0, warnings: [] } };
}

function progressReporter({ mcpReq }: ServerContext, log: Logger) {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let reported = false;
  return {
    used: () => reported,
    report(progress: number, total?: number): void {
      reported = true;
      const params = { progressToken, progress, ...(total === undefined ? {} : { total }) };
      tolerate(mcpReq.notify({ method: "notifications/progress", params }), "progress", log);
    },
  };
}
