// An MCP server of the official SDK over stdio, with one tool that answers at once.
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const TOOL = { name: "echo", inputSchema: { type: "object" } };
const ANSWER = { content: [{ type: "text", text: "{}" }], structuredContent: {} };

serveStdio(() => {
  const server = new Server({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [TOOL] }));
  server.setRequestHandler("tools/call", () => ANSWER);
  return server;
});
