// A stdio server whose tools answer what a file says: node telling.mjs tools.json. It writes the text of each result as it is.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const tools = JSON.parse(readFileSync(process.argv[2], "utf8"));
const write = (text) => process.stdout.write(`${text}\n`);
const send = (message) => write(JSON.stringify({ jsonrpc: "2.0", ...message }));

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize") {
    const result = {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "odd", version: "1" },
    };
    return send({ id, result });
  }
  if (method === "tools/list") {
    const list = Object.entries(tools).map(([name, { isWrite = false, outputSchema }]) => ({
      ...{ name, description: `Does ${name}.`, inputSchema: { type: "object", properties: {} } },
      ...(outputSchema ? { outputSchema } : {}),
      annotations: { readOnlyHint: !isWrite },
    }));
    return send({ id, result: { tools: list } });
  }
  const tool = method === "tools/call" ? tools[params.name] : undefined;
  if (!tool) return send({ id, error: { code: -32601, message: "Method not found" } });
  const { progressToken } = params._meta ?? {};
  const reports = progressToken === undefined ? [] : (tool.progress ?? []);
  const outcome = tool.error === undefined ? `"result":${tool.result}` : `"error":${tool.error}`;
  const answer = () => write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}`);
  for (const report of reports) send({ method: "notifications/progress", params: { progressToken, ...report } });
  // Clients lose progress that arrives in one chunk with the result.
  if (reports.length > 0) setTimeout(answer, 200);
  else answer();
});
