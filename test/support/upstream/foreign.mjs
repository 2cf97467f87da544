// An MCP server on stdio all of whose texts are those of the file that is named: node foreign.mjs TEXTS. No dependencies.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const texts = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const all = texts.join(" ");
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const capabilities = { tools: {}, resources: {}, prompts: {} };
const serverInfo = { name: all, title: all, version: all };
const argument = (text) => ({ type: "string", title: text, description: text, default: text, examples: [text] });
const tools = [
  {
    name: "get_text",
    title: all,
    description: `Gets a text. ${all}`,
    inputSchema: {
      type: "object",
      properties: { n: { type: "integer", description: all }, fail: { type: "boolean" } },
    },
    annotations: { title: all, readOnlyHint: true },
  },
  {
    name: "update_texts",
    description: `Updates texts.\n${texts.join("\n")}`,
    inputSchema: {
      type: "object",
      description: all,
      properties: {
        ...Object.fromEntries(texts.map((text, i) => [`a${i}`, argument(text)])),
        ...Object.fromEntries(texts.map((text, i) => [`${text.toWellFormed()}${i}`, argument(text)])),
        kind: { enum: texts, description: `One of: ${texts.join(", ")}` },
        mode: { type: "string", description: all.slice(0, 40) },
      },
    },
    outputSchema: {
      type: "object",
      description: all,
      properties: { [all.toWellFormed()]: { type: "string", description: all } },
    },
  },
  // Names that are left out, with a message.
  ...texts.slice(0, 8).map((text) => ({ name: `list_${text}`, description: text, inputSchema: { type: "object" } })),
  { name: "list_odd", description: all, inputSchema: { type: "object", properties: { a: { $ref: `#/${all}` } } } },
];

process.stderr.write(`${all}\n`);
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize")
    return send({ id, result: { protocolVersion: "2025-06-18", capabilities, serverInfo, instructions: all } });
  if (method === "tools/list") return send({ id, result: { tools } });
  if (method === "resources/list") return send({ id, result: { resources: [] } });
  if (method === "prompts/list") return send({ id, result: { prompts: [] } });
  if (method !== "tools/call") return send({ id, error: { code: -32601, message: all } });
  const { n, fail } = params.arguments ?? {};
  const text = n === undefined ? all : texts[n];
  if (fail) return send({ id, error: { code: -32000, message: text, data: text } });
  send({ id, result: { content: [{ type: "text", text }] } });
});
