// A stdio server of the official SDK: node sdk.mjs legacy|modern [PAGE SIZE]. Speaks both protocol eras, or only the
// newer one.
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const [era = "legacy", size = "2"] = process.argv.slice(2);
const tools = ["delta", "alpha", "charlie", "bravo", "echo"].map((name) => ({
  name,
  title: `The ${name}`,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  annotations: { readOnlyHint: true },
  _meta: { "example.com/order": name.length },
}));

function build() {
  const capabilities = { tools: { listChanged: true } };
  const server = new Server({ name: "sdk", version: "9.9.9" }, { capabilities, instructions: "Five letters." });
  server.setRequestHandler("tools/list", ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    const to = from + Number(size);
    return { tools: tools.slice(from, to), ...(to < tools.length ? { nextCursor: String(to) } : {}) };
  });
  server.setRequestHandler("tools/call", ({ params }) => {
    const { text } = params.arguments;
    if (text === "change") {
      tools[3].description = "Does bravo otherwise.";
      setTimeout(() => server.notification({ method: "notifications/tools/list_changed" }), 50);
    }
    return { content: [{ type: "text", text: `${params.name}: ${text}` }] };
  });
  return server;
}

serveStdio(build, era === "modern" ? { legacy: "reject" } : {});
