// A stdio server that misbehaves on request: node server.mjs BEHAVIOUR [JSON]. Plain JSON-RPC, since no library
// allows this.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [behaviour, json = "null"] = process.argv.slice(2);
const given = JSON.parse(json);
const tool = (name, description = `Does ${name}.`) => ({ name, description, inputSchema: { type: "object" } });
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
let asked = 0;

/** What tools/list answers, by behaviour. */
const lists = {
  tools: () => ({ tools: given }),
  pages: (cursor) => page(given, cursor),
  circle: () => ({ tools: [tool("a")], nextCursor: "again" }),
  endless: () => ({ tools: [tool(`t${++asked}`)], nextCursor: String(asked) }),
  crowd: () => ({ tools: Array.from({ length: 400 }, (_, i) => tool(`t${++asked}_${i}`)), nextCursor: String(asked) }),
  fat: () => ({ tools: [tool(`t${++asked}`, "x".repeat(5_000_000))], nextCursor: String(asked) }),
  giant: () => ({ tools: [tool("giant", "x".repeat(40_000_000))] }),
  deep: () => ({ tools: [{ name: "deep", inputSchema: nested(1_000) }] }),
  "no-list": () => ({ tools: "none" }),
  "odd-cursor": () => ({ tools: [], nextCursor: { page: 2 } }),
  "no-object": () => 7,
  // One tool is added in front between the first two pages, so that the second page repeats the first page's last tool.
  shifting: (cursor) => page([...(asked++ === 0 ? [] : [tool("aa")]), tool("a"), tool("b"), tool("c")], cursor),
  restless: (cursor) =>
    page([...Array.from({ length: ++asked }, (_, i) => tool(`n${i}`)), tool("y"), tool("z")], cursor),
  repeats: (cursor) => page([tool("a"), tool("b"), tool("b")], cursor),
  announces: () => {
    if (asked++ === 0) send({ method: "notifications/tools/list_changed" });
    return { tools: asked === 1 ? [tool("old")] : [tool("new")] };
  },
  environment: () => ({ tools: [tool("environment", JSON.stringify(process.env))] }),
  echo: () => ({ tools: [tool("echo", `${process.argv.slice(4).join(" ")} ${process.env.TOKEN}`)] }),
};

function page(tools, cursor = "0", size = 2) {
  const from = Number(cursor);
  const to = from + size;
  return { tools: tools.slice(from, to), ...(to < tools.length ? { nextCursor: String(to) } : {}) };
}

const nested = (depth) => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);

function stubborn() {
  process.on("SIGTERM", () => {});
  const child = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"]);
  writeFileSync(given, `${process.pid} ${child.pid}`);
  setInterval(() => {}, 1_000);
}

const starts = {
  stubborn,
  dies: () => {
    process.stderr.write(`starting\nno key ${process.env.TOKEN}\n`);
    process.exit(3);
  },
  wails: () => {
    for (let i = 0; i < 400; i++) process.stderr.write(`${`${process.env.TOKEN} `.repeat(i % 7)}\n`);
    process.stderr.write("the end\n");
    process.exitCode = 1;
  },
  silent: () => setInterval(() => {}, 1_000),
  babbles: () => setInterval(() => process.stdout.write("I am no message\n"), 20),
};

if (starts[behaviour]) starts[behaviour]();
else {
  process.stdout.write("server is starting\n");
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    if (method === "initialize")
      send({
        id,
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: behaviour === "no-tools" ? {} : { tools: { listChanged: true } },
          serverInfo: { name: `the ${behaviour} server`, version: "1.2.3" },
          instructions: "Use with care.",
        },
      });
    else if (method === "tools/list" && behaviour === "text-ids") send({ id: String(id), result: { tools: [] } });
    else if (method === "tools/list" && lists[behaviour]) send({ id, result: lists[behaviour](params?.cursor) });
    else send({ id, error: { code: -32601, message: `no method ${method}` } });
  });
}
