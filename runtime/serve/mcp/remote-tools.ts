/** Remote tools: tools of another process that a server offers besides those of a gateway, or without one. */

import type { CallToolResult, Server, ServerContext, Tool as WireTool } from "@modelcontextprotocol/server";
import { marked } from "../../contract/exact-number.js";
import type { Logger } from "../../contract/handler.js";
import { guarded, invalidParamsError, pageOf } from "./pages.js";
import { PlainServer, tolerate, whenClosed } from "./plain-server.js";

/** Context of one call of a remote tool. */
export interface RemoteCall {
  readonly signal: AbortSignal;
  /** `_meta` of the request. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Tools of another process. The list may change at any time. */
export interface RemoteTools {
  /** Resolves when the first list has arrived, or after a time limit. */
  ready(): Promise<void>;
  /** The tools without those whose names are taken. */
  list(taken: ReadonlySet<string>): readonly WireTool[];
  /** The function that calls a tool; `undefined` for an unknown name. Calls never reject. */
  find(name: string): ((input: unknown, call: RemoteCall) => Promise<CallToolResult>) | undefined;
  /** Calls back when the tools differ from the last list; the returned function stops that. */
  onChange(listener: () => void): () => void;
}

/** The context of a call, from its request. */
export const remoteCall = ({ mcpReq }: ServerContext, signal: AbortSignal = mcpReq.signal): RemoteCall => ({
  signal,
  meta: { ...mcpReq._meta },
});

/** The function that calls a tool. A name that is not known is looked for again once the first list has arrived. */
export async function findRemoteTool(remoteTools: RemoteTools, name: string): Promise<ReturnType<RemoteTools["find"]>> {
  const known = remoteTools.find(name);
  if (known) return known;
  await remoteTools.ready();
  return remoteTools.find(name);
}

/** Notifies the client when the remote tools change. */
export function notifyOfRemoteTools(server: Server, remoteTools: RemoteTools, log: Logger): void {
  whenClosed(
    server,
    remoteTools.onChange(() => tolerate(server.sendToolListChanged(), "list_changed", log)),
  );
}

const NONE: ReadonlySet<string> = new Set();

/** Creates a server with remote tools only, for one connection. */
export function createRemoteServer(remoteTools: RemoteTools, version: string, log: Logger): Server {
  const server = new PlainServer({ name: "toolwright", version }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler(
    "tools/list",
    guarded(log, async ({ params }) => {
      await remoteTools.ready();
      const { entries, more } = pageOf(remoteTools.list(NONE), params?.cursor);
      return { tools: [...entries], ...more };
    }),
  );
  server.setRequestHandler(
    "tools/call",
    guarded(log, async ({ params }, context: ServerContext) => {
      const call = (await findRemoteTool(remoteTools, params.name)) ?? unknownTool(params.name);
      return marked(await call(params.arguments, remoteCall(context)));
    }),
  );
  notifyOfRemoteTools(server, remoteTools, log);
  return server;
}

/** Characters of a name that are kept. */
export const MAX_NAME_LENGTH = 100;

/**
 * Refuses an unknown tool name.
 *
 * @param remedy - what to call instead
 * @throws ProtocolError always
 */
export function unknownTool(name: string, remedy = ""): never {
  throw invalidParamsError(`Unknown tool: ${name.slice(0, MAX_NAME_LENGTH)}${remedy}`);
}
