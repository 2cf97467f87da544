// An MCP server on stdio whose transport is odd in the way that each of its tools is called for. No dependencies.
// node odd.mjs PIDS: it writes its process id to the file PIDS.
import { appendFileSync, closeSync } from "node:fs";
import { createInterface } from "node:readline";

const [pids] = process.argv.slice(2);
if (pids) appendFileSync(pids, `${process.pid}\n`);
setInterval(() => {}, 60_000);

const inputSchema = { type: "object", properties: { text: { type: "string" } } };
const read = { readOnlyHint: true };
const waiting = [];
let isSilent = false;
const silence = () => {
  isSilent = true;
};
const line = (text) => isSilent || process.stdout.write(`${text}\n`);
const send = (message) => line(JSON.stringify({ jsonrpc: "2.0", ...message }));
const text = (value) => ({ content: [{ type: "text", text: value }] });

/** What each tool does with the id of a call and its `text`. */
const TOOLS = {
  get_pid: (id) => send({ id, result: text(`pid ${process.pid}`) }),
  get_line: (id, told) => line(told.replaceAll("ID", JSON.stringify(id))),
  get_error: (id, told) => send({ id, error: JSON.parse(told) }),
  get_late: (id) => waiting.push(id),
  get_deaf: (id) => {
    send({ id, result: text("the last words") });
    process.stdout.end();
  },
  get_mute: () => closeSync(1),
  create_mute: () => closeSync(1),
  get_silent: () => silence(),
  create_silent: () => silence(),
};

createInterface({ input: process.stdin }).on("line", (one) => {
  const { id, method, params } = JSON.parse(one);
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
    const tools = Object.keys(TOOLS).map((name) => ({
      ...{ name, description: `${name}.`, inputSchema },
      annotations: name.startsWith("get") ? read : {},
    }));
    return send({ id, result: { tools } });
  }
  if (method !== "tools/call") return send({ id, error: { code: -32601, message: "Method not found" } });
  TOOLS[params.name](id, params.arguments?.text ?? "");
});
