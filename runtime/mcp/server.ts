/** The gateway as an MCP server, on the SDK's low-level `Server`: our own checks, our own answers. Rules: `gateway.md` (d); decision D3. */

import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool as WireTool,
} from "@modelcontextprotocol/server";
import { isBatchRefusal } from "../batch.js";
import type { Logger, Principal } from "../contract/handler.js";
import { type CallHooks, newTraceId } from "../dispatch/job.js";
import { errorBody, type FailureEnvelope } from "../envelope.js";
import type { Gateway } from "../gateway.js";
import { isHelpFailure } from "../help.js";
import type { Live } from "../live.js";
import type { Session } from "../session.js";
import { exposedTools, type GatewayTool } from "./tools.js";

/** What one connection (stdio) or one request (HTTP) is served with. */
export interface ServerOptions {
  readonly gateway: Gateway;
  /** Who calls, asked at each request. */
  readonly principal: () => Principal;
  /** Calls back when another configuration is in force, until the function that it returns is called. */
  readonly onSwap?: Live["onSwap"];
  /** Absent over HTTP, where there are no sessions. */
  readonly session?: Session;
  readonly version: string;
  /** Fires when the server cannot wait for running calls any longer. */
  readonly ending?: AbortSignal;
}

/** What one call is answered with. */
interface Caller extends Pick<ServerOptions, "gateway" | "session" | "ending"> {
  readonly principal: Principal;
  /** Name of the client program, where it says one. */
  readonly client?: string;
}

/** An answer, and whether the MCP result is an error. */
interface Answer {
  /** Text is sent as it is, an object as JSON and as structured content. */
  readonly value: object | string;
  readonly isError: boolean;
}

type Answering = (caller: Caller, input: unknown, hooks: CallHooks) => Answer | Promise<Answer>;

/** One line a gateway tool: its definition is in `tools.ts`, its answer here. */
const ANSWERS: ReadonlyMap<string, Answering> = new Map<string, Answering>([
  [
    "run",
    async ({ gateway, principal }, input, hooks) => {
      const { text, isError } = await gateway.run(input, principal, hooks);
      return { value: text, isError };
    },
  ],
  [
    "tool_help",
    ({ gateway, principal, session }, input) => {
      const value = gateway.help(input, principal, session);
      return { value, isError: isHelpFailure(value) };
    },
  ],
  [
    "tool_exec",
    async ({ gateway, principal }, input, hooks) => {
      const value = await gateway.dispatch(input, principal, hooks);
      return { value, isError: !value.ok };
    },
  ],
  [
    "tool_batch",
    async ({ gateway, principal }, input, hooks) => {
      const value = await gateway.batch(input, principal, hooks);
      return { value, isError: isBatchRefusal(value) };
    },
  ],
]);

/** The specification's spelling of a tool's name, which providers do not allow on the wire. */
const wireName = (name: string): string => name.replace(/^tool\./, "tool_");

/** For projects whose `prompts.yaml` says nothing. */
const ORIENTATION =
  "Find ops with tool_help, run one with tool_exec, several with tool_batch, or Python over them with run.";

/** Makes the server of one connection or request. What it lists and calls is always of the configuration in force. */
export function createServer(options: ServerOptions): Server {
  const { gateway, version, principal, session, ending } = options;
  const instructions = gateway.settings.instructions || ORIENTATION;
  const capabilities = { tools: { listChanged: true } };
  const server = new Server({ name: "toolwright", version }, { capabilities, instructions });
  const exposed = (): readonly GatewayTool[] => exposedTools(gateway.settings, gateway.index.view(principal().grant));
  const connection = countedOnce(options, exposed);
  server.setRequestHandler("tools/list", () => {
    if (gateway.settings.run.exposed) gateway.warm();
    connection();
    return { tools: exposed().map(onWire) };
  });
  server.setRequestHandler("tools/call", async (request, context) => {
    const name = wireName(request.params.name);
    const answering = exposed().some((tool) => tool.name === name) ? ANSWERS.get(name) : undefined;
    if (!answering)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${request.params.name.slice(0, 100)}`);
    const client = server.getClientVersion()?.name.slice(0, LONGEST_NAME);
    const asked = { gateway, principal: principal(), ...(session ? { session } : {}), ...(client ? { client } : {}) };
    const caller = ending ? { ...asked, ending } : asked;
    return callTool(caller, answering, request.params.arguments, context);
  });
  tellOfSwaps(server, options);
  return server;
}

/** Has the client list everything anew when another configuration is in force. */
function tellOfSwaps(server: Server, { gateway, onSwap }: ServerOptions): void {
  const stop = onSwap?.(() => {
    server.sendToolListChanged().catch((error: unknown) => {
      gateway.log.debug("list_changed not sent", { error: String(error) });
    });
  });
  const before = server.onclose;
  server.onclose = () => {
    stop?.();
    before?.();
  };
}

/** Characters of a client's name that are kept. */
const LONGEST_NAME = 100;
const BYTES_A_TOKEN = 4;

/** Counts what a connection did not have to load, the first time it lists the tools; without a session there is no connection. */
function countedOnce(
  { gateway, session, principal }: ServerOptions,
  exposed: () => readonly GatewayTool[],
): () => void {
  let counted = session === undefined;
  return () => {
    if (counted) return;
    counted = true;
    const { listed: ops } = gateway.index.view(principal().grant);
    const behind = ops.reduce((sum, { tokens }) => sum + tokens.definition, 0);
    const listed = Math.ceil(JSON.stringify(exposed()).length / BYTES_A_TOKEN);
    gateway.recorder?.add("definition_tokens", Math.max(0, behind - listed));
  };
}

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
): Promise<CallToolResult> {
  const { log } = caller.gateway;
  const reporter = progressReporter(context, log);
  const { signal } = context.mcpReq;
  const hooks: CallHooks = {
    signal: caller.ending ? AbortSignal.any([signal, caller.ending]) : signal,
    ...(reporter ? { progress: reporter.report } : {}),
    ...(caller.session ? { session: caller.session } : {}),
    ...(caller.client === undefined ? {} : { client: caller.client }),
  };
  try {
    const answer = await answering(caller, input, hooks);
    // Clients lose progress that arrives in one chunk with the result.
    if (reporter?.used()) await nextTurn();
    return toResult(answer);
  } catch (error) {
    return toResult({ value: ownFault(log, error), isError: true });
  }
}

/** One text block; of an object its JSON, and the same value as structured content. */
function toResult({ value, isError }: Answer): CallToolResult {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const structured = typeof value === "string" ? {} : { structuredContent: { ...value } };
  return { content: [{ type: "text", text }], ...structured, ...(isError ? { isError: true } : {}) };
}

function ownFault(log: Logger, error: unknown): FailureEnvelope {
  const trace_id = newTraceId();
  log.error("gateway failed", { trace_id, error: error instanceof Error ? error.stack : String(error) });
  const message = `The call failed; see the log under ${trace_id}.`;
  const body = errorBody({ code: "INTERNAL", message, help_path: "root" });
  return { op: "", ok: false, error: body, meta: { trace_id, latency_ms: 0, warnings: [] } };
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
      mcpReq.notify({ method: "notifications/progress", params }).catch((error: unknown) => {
        log.debug("progress not sent", { error: String(error) });
      });
    },
  };
}
