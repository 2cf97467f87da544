/** Remote tools: tools of another process that a server offers besides those of a gateway, or without one. */

import type { CallToolResult, Server, Tool as WireTool } from "@modelcontextprotocol/server";
import { marked } from "../../contract/exact-number.js";
import type { Logger } from "../../contract/handler.js";
import type { CallContext } from "./client-capabilities.js";
import { guarded, invalidParamsError, pageOf } from "./pages.js";
import { PlainServer } from "./plain-server.js";
import { tolerate, whenClosed } from "./server-events.js";
import type { AnswerRequest } from "./tool-requests.js";
import { validResult } from "./valid-result.js";

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
export const remoteCall = ({ mcpReq }: CallContext, signal: AbortSignal = mcpReq.signal): RemoteCall => ({
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

/** What a server with remote tools only is made of. */
export interface RemoteServerOptions {
  readonly remoteTools: RemoteTools;
  readonly version: string;
  readonly log: Logger;
  /** Whether the client uses the newer protocol. */
  readonly isModern: boolean;
}

/** Creates a server with remote tools only, for one connection. */
export function createRemoteServer({ remoteTools, version, log, isModern }: RemoteServerOptions): PlainServer {
  const server = new PlainServer({ name: "toolwright", version }, { capabilities: { tools: { listChanged: true } } });
  const answer: AnswerRequest = async (request, context) => {
    if (request.method === "ping") return {};
    if (request.method === "tools/list") {
      await remoteTools.ready();
      const { entries, more } = pageOf(remoteTools.list(NONE), request.cursor);
      return { tools: [...entries], ...more };
    }
    const call = (await findRemoteTool(remoteTools, request.name)) ?? unknownTool(request.name);
    return validResult(marked(await call(request.input, remoteCall(context))));
  };
  server.answerBy(
    guarded(() => log, answer),
    { isModern },
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
