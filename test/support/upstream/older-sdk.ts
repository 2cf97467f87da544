/** A server of the older SDK over HTTP, which identifies clients by sessions and may forget them. */

import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { type Listening, listening } from "./http.js";

/** A listening server of the older SDK. */
export interface OlderServer extends Listening {
  /** Ids of the sessions that it knows. */
  readonly sessions: ReadonlyMap<string, unknown>;
  forget(): void;
}

function build(): McpServer {
  const server = new McpServer({ name: "older", version: "1" });
  const text = (one: string) => ({ content: [{ type: "text" as const, text: one }] });
  server.registerTool("hello", { description: "Says hello." }, () => text("hello"));
  server.registerTool("fail", { description: "Fails." }, () => {
    throw new Error("it was not to be");
  });
  server.registerTool("slow", { description: "Reports progress." }, async (extra) => {
    const progressToken = extra._meta?.progressToken;
    if (progressToken !== undefined)
      await extra.sendNotification({
        method: "notifications/progress",
        params: { progressToken, progress: 1, total: 2 },
      });
    return text("slow");
  });
  return server;
}

/** Listens until the test ends. */
export async function olderServer(port?: number): Promise<OlderServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await build().connect(transport as never);
    return transport;
  };
  const server = await listening(async (request, response, body) => {
    const id = request.headers["mcp-session-id"];
    const message = body === "" ? undefined : JSON.parse(body);
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    const transport = known ?? (isInitializeRequest(message) ? await open() : undefined);
    if (transport) return transport.handleRequest(request, response, message);
    response.writeHead(404, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } }));
  }, port);
  return { ...server, sessions, forget: () => sessions.clear() };
}
