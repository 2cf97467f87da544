// An MCP server of the official SDK with one tool that answers at once; prints its port.
import { createServer } from "node:http";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";

const TOOL = { name: "echo", inputSchema: { type: "object" } };
const ANSWER = { content: [{ type: "text", text: "{}" }], structuredContent: {} };
const handler = createMcpHandler(() => {
  const server = new Server({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [TOOL] }));
  server.setRequestHandler("tools/call", () => ANSWER);
  return server;
});

const listener = createServer(async (request, response) => {
  if (request.url === "/readyz") return response.end("ready");
  let body = "";
  for await (const part of request.setEncoding("utf8")) body += part;
  const url = `http://127.0.0.1${request.url}`;
  const answer = await handler.fetch(new Request(url, { method: request.method, headers: request.headers, body }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
});
listener.listen(0, "127.0.0.1", () => process.stdout.write(`${listener.address().port}\n`));
