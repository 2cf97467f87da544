/** The gateway as an MCP server, on the SDK's low-level `Server`: our own checks, our own answers. */

import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  type Server,
  type ServerContext,
  type Tool as WireTool,
} from "@modelcontextprotocol/server";
import { type CallerOf, orNobody } from "../access/callers.js";
import { callsIn } from "../access/rate.js";
import { asRequest } from "../arguments/request.js";
import { isBatchRefusal } from "../batch.js";
import { marked, written } from "../contract/exact-number.js";
import { isToolFailure, type Logger, type Principal, type ToolFailure } from "../contract/handler.js";
import { type CallHooks, newTraceId } from "../dispatch/job.js";
import { echo, errorBody, type FailureEnvelope } from "../envelope.js";
import type { Gateway } from "../gateway.js";
import { isHelpFailure } from "../help.js";
import type { Live } from "../live.js";
import { clip, scrub } from "../observe/scrub.js";
import type { Session } from "../session.js";
import { askConnected, type CallDoors, clientDoors, type ForwardOf } from "./client-doors.js";
import { tellingOf } from "./client-log.js";
import { serveCompletions } from "./completions.js";
import { tolerate, whenClosed } from "./connection.js";
import { type FurtherTools, furtherCall, LONGEST_NAME, tellOfFurther, unknownTool } from "./further.js";
import { callOf, type HotTool, hotTools, resultOf, wireTool } from "./hot-tools.js";
import { instructionsOf } from "./instructions.js";
import type { Calling } from "./offer-call.js";
import { guarded, pageOf } from "./pages.js";
import { PlainServer } from "./plain-server.js";
import { servePrompts } from "./prompts.js";
import { serveResources } from "./resources.js";
import { beginRound, type CallRounds } from "./rounds.js";
import { type Era, serveSubscriptions } from "./subscriptions.js";
import { type GatewayTool, gatewayTools } from "./tools.js";

/** What one connection (stdio) or one request (HTTP) is served with. */
export interface ServerOptions {
  readonly gateway: Gateway;
  /** Who calls, asked at each request. */
  readonly principal: CallerOf;
  /** Whether a client is told nothing about the project before it asks; default: it is told. */
  readonly isSilent?: boolean;
  /** Calls back when another configuration is in force, until the function that it returns is called. */
  readonly onSwap?: Live["onSwap"];
  /** Set where changes of single resources can be told: which protocol is spoken there. */
  readonly subscriptions?: Era;
  /** Absent over HTTP, where there are no sessions. */
  readonly session?: Session;
  readonly version: string;
  /** Fires when the server cannot wait for running calls any longer. */
  readonly ending?: AbortSignal;
  /** When the request arrived, of `performance.now()`; default: when it is read. */
  readonly arrived?: number;
  /** How a client of the older protocols is asked; default: over the connection. */
  readonly forwardOf?: ForwardOf;
  /** Tools of another process; one whose name a tool of the gateway has is left out. */
  readonly further?: FurtherTools;
}

/** What one call is answered with. */
interface Caller extends Pick<ServerOptions, "gateway" | "session" | "ending"> {
  readonly principal: Principal;
  readonly arrived: number;
  readonly doors: CallDoors;
  /** How a client of the newer protocol is asked. */
  readonly rounds?: CallRounds;
  /** Name of the client program, where it says one. */
  readonly client?: string;
}

type Answering = (caller: Caller, input: unknown, hooks: CallHooks) => CallToolResult | Promise<CallToolResult>;

/** One line a gateway tool: its definition is in `tools.ts`, its answer here. */
const ANSWERS: ReadonlyMap<string, Answering> = new Map<string, Answering>([
  [
    "run",
    async ({ gateway, principal }, input, hooks) => {
      const { text, isError } = await gateway.run(input, principal, hooks);
      return toResult(text, isError);
    },
  ],
  [
    "tool_help",
    ({ gateway, principal, session }, input) => {
      const value = gateway.help(input, principal, session);
      return toResult(value, isHelpFailure(value));
    },
  ],
  [
    "tool_exec",
    async ({ gateway, principal, rounds, arrived }, input, hooks) => {
      const value = await gateway.dispatch(input, principal, { ...hooks, rounds, arrived });
      return toResult(value, !value.ok);
    },
  ],
  [
    "tool_batch",
    async ({ gateway, principal }, input, hooks) => {
      const value = await gateway.batch(input, principal, hooks);
      return toResult(value, isBatchRefusal(value));
    },
  ],
]);

/** The specification's spelling of a tool's name, which providers do not allow on the wire. */
const wireName = (name: string): string => name.replace(/^tool\./, "tool_");

/** An op as a tool of its own. */
const hotAnswering =
  (server: Server, hot: HotTool): Answering =>
  async ({ gateway, principal, rounds, arrived }, input, hooks) =>
    resultOf(server, hot, await gateway.dispatch(callOf(hot, input), principal, { ...hooks, rounds, arrived }));

const capabilitiesOf = ({ subscriptions }: ServerOptions) => ({
  tools: { listChanged: true },
  resources: { listChanged: true, ...(subscriptions ? { subscribe: true } : {}) },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
});

/** Makes the server of one connection or request. What it lists and calls is always of the configuration in force. */
export function createServer(options: ServerOptions): Server {
  const { gateway, version, isSilent, subscriptions: era } = options;
  const told = isSilent ? {} : { instructions: instructionsOf(gateway.settings, gateway.index.registry) };
  const server = new PlainServer({ name: "toolwright", version }, { capabilities: capabilitiesOf(options), ...told });
  const calling = { ...options, doorsOf: clientDoors(server, options.forwardOf ?? askConnected) };
  serveTools(server, calling);
  serveResources(server, calling);
  servePrompts(server, calling);
  serveCompletions(server, options);
  tellOfSwaps(server, options);
  if (era && options.onSwap) serveSubscriptions(server, options, era);
  if (options.further) tellOfFurther(server, options.further, gateway.log);
  return server;
}

/** What a caller is shown: the gateway tools, then the ops that are tools of their own. */
interface Shown {
  readonly fixed: readonly GatewayTool[];
  readonly hot: ReadonlyMap<string, HotTool>;
}

function serveTools(server: Server, options: Calling): void {
  const { gateway, principal, session, ending, further, doorsOf } = options;
  const shown = (who: Principal): Shown => {
    const view = gateway.index.view(who.grant);
    return { fixed: gatewayTools(gateway.settings, view), hot: hotTools(gateway.settings, view) };
  };
  const connection = countedOnce(options, shown);
  server.setRequestHandler(
    "tools/list",
    guarded(gateway.log, async ({ params }) => {
      const who = await orNobody(principal);
      if (!who) return { tools: [] };
      if (gateway.settings.run.exposed) gateway.warm();
      await further?.ready();
      connection(who);
      const { fixed, hot } = shown(who);
      const own = [...fixed, ...hot.values()];
      const others = further?.list(new Set(own.map(({ name }) => name))) ?? [];
      const { entries, more } = pageOf<GatewayTool | HotTool | WireTool>([...own, ...others], params?.cursor);
      return { tools: entries.map(entryOf), ...more };
    }),
  );
  const roundOf = guarded(gateway.log, beginRound);
  server.setRequestHandler("tools/call", async (request, context) => {
    const { name, arguments: input } = request.params;
    const { arrived = performance.now() } = options;
    const asked = await callerOrRefusal(options, name, input);
    if ("error" in asked) return toResult(asked, true);
    const own = answeringOf(server, shown(asked), name);
    const answering = own ?? furtherAnswering(further, name, context) ?? unknownTool(name);
    const client = clip(scrub(server.getClientVersion()?.name ?? ""), LONGEST_NAME);
    const rounds = await roundOf(gateway, context, { principal: asked, name, input });
    const who = { principal: asked, ...(session ? { session } : {}), ...(client ? { client } : {}) };
    const surroundings = { doors: doorsOf(context), ...(rounds ? { rounds } : {}), ...(ending ? { ending } : {}) };
    const caller = { gateway, arrived, ...surroundings, ...who };
    return callTool(caller, answering, input, context);
  });
}

/** Who calls a tool, or what a caller is answered who may not call anything. */
async function callerOrRefusal(
  { gateway: { log }, principal }: ServerOptions,
  tool: string,
  input: unknown,
): Promise<Principal | FailureEnvelope> {
  try {
    return await principal(callsIn(tool, input));
  } catch (error) {
    return isToolFailure(error) ? refused(error, input) : ownFault(log, error);
  }
}

function answeringOf(server: Server, { fixed, hot }: Shown, name: string): Answering | undefined {
  const wire = wireName(name);
  if (fixed.some((tool) => tool.name === wire)) return ANSWERS.get(wire);
  const tool = hot.get(name);
  return tool && hotAnswering(server, tool);
}

/** A tool of another process. */
function furtherAnswering(
  further: FurtherTools | undefined,
  name: string,
  context: ServerContext,
): Answering | undefined {
  const call = further?.find(name);
  return call && (async (_, input, { signal }) => marked(await call(input, furtherCall(context, signal))));
}

/** Has the client list everything anew when another configuration is in force. */
function tellOfSwaps(server: Server, { gateway, onSwap }: ServerOptions): void {
  const stop = onSwap?.(() => {
    const told = [server.sendToolListChanged(), server.sendResourceListChanged(), server.sendPromptListChanged()];
    for (const one of told) tolerate(one, "list_changed", gateway.log);
  });
  if (stop) whenClosed(server, stop);
}

const BYTES_A_TOKEN = 4;

/** Counts what a connection did not have to load, the first time it lists the tools; without a session there is no connection. */
function countedOnce({ gateway, session }: ServerOptions, shown: (who: Principal) => Shown): (who: Principal) => void {
  let counted = session === undefined;
  return (who) => {
    if (counted) return;
    counted = true;
    const { listed: ops } = gateway.index.view(who.grant);
    const { fixed, hot } = shown(who);
    const isHot = new Set([...hot.values()].map(({ tool }) => tool));
    const behind = ops.reduce((sum, tool) => sum + (isHot.has(tool) ? 0 : tool.tokens.definition), 0);
    const listed = Math.ceil(JSON.stringify(fixed).length / BYTES_A_TOKEN);
    gateway.recorder?.add("definition_tokens", Math.max(0, behind - listed));
  };
}

const entryOf = (one: GatewayTool | HotTool | WireTool): WireTool =>
  "tool" in one ? wireTool(one as HotTool) : onWire(one as GatewayTool);

const onWire = ({ name, description, inputSchema, annotations }: GatewayTool): WireTool => ({
  name,
  description,
  inputSchema: { ...inputSchema },
  annotations: { ...annotations },
});

/** Answers one call. Nothing that goes wrong inside may become a JSON-RPC error, whose message would tell too much. */
async function callTool(
  caller: Caller,
  answering: Answering,
  input: unknown,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { gateway, doors, rounds } = caller;
  const { log } = gateway;
  const reporter = progressReporter(context, log);
  const { signal } = context.mcpReq;
  const hooks: CallHooks = {
    signal: caller.ending ? AbortSignal.any([signal, caller.ending]) : signal,
    ...{ forward: doors.forward, attach: doors.attach },
    ...tellingOf(context, log),
    ...(reporter ? { progress: reporter.report } : {}),
    ...(caller.session ? { session: caller.session } : {}),
    ...(caller.client === undefined ? {} : { client: caller.client }),
  };
  try {
    const answer = await answering(caller, input, hooks);
    // Clients lose progress that arrives in one chunk with the result.
    if (reporter?.used()) await nextTurn();
    return (await rounds?.outcome()) ?? { ...answer, content: [...answer.content, ...doors.blocks()] };
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    return toResult(ownFault(log, error), true);
  }
}

/** One text block; of an object its JSON, and the same value as structured content. */
function toResult(value: object | string, isError: boolean): CallToolResult {
  const error = isError ? { isError: true } : {};
  if (typeof value === "string") return { content: [{ type: "text", text: value }], ...error };
  const { text, isExact } = written(value);
  return { content: [{ type: "text", text }], structuredContent: { ...(isExact ? marked(value) : value) }, ...error };
}

function ownFault(log: Logger, error: unknown): FailureEnvelope {
  const trace_id = newTraceId();
  log.error("gateway failed", { trace_id, error: error instanceof Error ? error.stack : String(error) });
  const message = `The call failed; see the log under ${trace_id}.`;
  const body = errorBody({ code: "INTERNAL", message, help_path: "root" });
  return { op: "", ok: false, error: body, meta: { trace_id, latency_ms: 0, warnings: [] } };
}

/** The envelope of a call that was refused before anything looked at it. */
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
