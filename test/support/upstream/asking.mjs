// A stdio server of the newer protocol that asks before it answers, and stores the question in the call state.
import { inputRequired, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });

const TOOLS = {
  confirm: ({ about }, { inputResponses, requestState }) =>
    inputResponses?.sure && requestState() === `about ${about}`
      ? text({ about, answer: inputResponses.sure })
      : inputRequired({
          inputRequests: { sure: inputRequired.elicit({ message: `Sure about ${about}?`, requestedSchema }) },
          requestState: `about ${about}`,
        }),
  declared: (_, { envelope }) => text(envelope["io.modelcontextprotocol/clientCapabilities"]),
};

function build() {
  const server = new Server({ name: "asking", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: Object.keys(TOOLS).map((name) => ({
      name,
      description: `Does ${name}.`,
      inputSchema: { type: "object", properties: { about: { type: "string" } } },
      annotations: { readOnlyHint: true },
    })),
  }));
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) =>
    TOOLS[params.name](params.arguments ?? {}, mcpReq),
  );
  return server;
}

serveStdio(build, { legacy: "reject" });
