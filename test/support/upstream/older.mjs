// A stdio server of the older SDK.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "older", version: "1" });
server.registerTool("ask", { description: "Asks who calls." }, async () => {
  const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
  const answer = await server.server.elicitInput({ message: "Who?", requestedSchema }).catch((error) => error.message);
  return { content: [{ type: "text", text: JSON.stringify(answer) }] };
});
server.registerTool("think", { description: "Asks the client's model." }, async () => {
  const messages = [{ role: "user", content: { type: "text", text: "Capital of France?" } }];
  const answer = await server.server.createMessage({ messages, maxTokens: 10 }).catch((error) => error.message);
  return { content: [{ type: "text", text: JSON.stringify(answer) }] };
});
server.registerTool("folders", { description: "Asks for folders." }, async () => {
  const answer = await server.server.listRoots().catch((error) => error.message);
  return { content: [{ type: "text", text: JSON.stringify(answer) }] };
});
await server.connect(new StdioServerTransport());
