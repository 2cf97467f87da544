// A stdio server of the older SDK.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "older", version: "1" });
server.registerTool("ask", { description: "Asks who calls." }, async () => {
  const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
  const answer = await server.server.elicitInput({ message: "Who?", requestedSchema }).catch((error) => error.message);
  return { content: [{ type: "text", text: JSON.stringify(answer) }] };
});
await server.connect(new StdioServerTransport());
