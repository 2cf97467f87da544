// A stdio server whose tools behave as they are called: node calls.mjs [JSON: { pids, delay, silent, stubborn,
// refuses }]. Plain JSON-RPC, since no library allows such faults. If `list.json` is in its folder, the server lists
// it.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const given = JSON.parse(process.argv[2] ?? "{}");
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (...texts) => ({ content: texts.map((one) => ({ type: "text", text: one })) });
const data = (structuredContent) => ({ ...text(JSON.stringify(structuredContent)), structuredContent });
const cancelled = [];
const waiting = new Map();
let asked = 0;
let capabilities;

const chatter = () => {
  for (let i = 0; i < 500; i++)
    send({ method: "notifications/message", params: { level: "info", data: "x".repeat(200) } });
  setImmediate(chatter);
};

/** What a call answers; undefined answers nothing. */
const tools = {
  echo: (args) => data({ tool: "echo", arguments: args }),
  "odd-name": (args) => data({ tool: "odd-name", arguments: args }),
  pid: () => data({ pid: process.pid }),
  environment: () => data(process.env),
  capabilities: () => data({ capabilities }),
  die: () => process.exit(7),
  write_and_die: () => process.exit(7),
  hang: () => undefined,
  cancelled: () => data({ cancelled }),
  flood: () => void process.stdout.write(`{"jsonrpc":"2.0","id":1,"result":"${"x".repeat(50_000_000)}"}\n`),
  chatter: () => void chatter(),
  garbage: (args) => {
    for (const line of [
      "{",
      "not json",
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"1.0","id":1,"result":{}}',
      "[1,2]",
      "\u0000",
    ])
      process.stdout.write(`${line}\n`);
    return data({ survived: true, ...args });
  },
  text_id_first: (_, __, id) => {
    send({ id: String(id), result: data({ own: false }) });
    send({ id, result: data({ own: true }) });
  },
  text_id_only: (_, __, id) => void send({ id: String(id), result: data({ own: false }) }),
  fails: () => ({ ...text("Disk full:", "42 bytes missing"), isError: true }),
  refuses: ({ code = -32602 }) => {
    throw Object.assign(new Error("no such thing"), { code });
  },
  json: () => text('{"a":[1,2]}'),
  words: () => text("plain words"),
  given_structured: ({ result }) => data(result),
  given_text: ({ result }) => text(JSON.stringify(result)),
  several: () => text("one", '{"two":2}'),
  meta: (_, { _meta }) => data({ traceparent: _meta?.traceparent, tracestate: _meta?.tracestate }),
  nothing: () => ({ content: [] }),
  media: () => ({
    content: [
      { type: "text", text: "look" },
      { type: "image", mimeType: "image/png", data: "AAAA" },
      { type: "audio", mimeType: "audio/wav", data: "BBBB" },
      { type: "resource", resource: { uri: "file:///a", mimeType: "text/plain", text: "inside" } },
      { type: "resource", resource: { uri: "file:///b", blob: "CCCC" } },
      { type: "resource_link", uri: "file:///c", name: "c" },
    ],
  }),
  deep: () => ({ structuredContent: JSON.parse(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`) }),
  progress: (_, { _meta }, id) => {
    for (let i = 1; i <= 3; i++)
      setTimeout(
        () =>
          send({
            method: "notifications/progress",
            params: { progressToken: _meta.progressToken, progress: i, total: 3 },
          }),
        i * 80,
      );
    setTimeout(() => send({ id, result: data({ done: true }) }), 400);
  },
  ask: (_, __, id) => {
    const question = `q${++asked}`;
    waiting.set(question, (answer) => send({ id, result: data({ answer }) }));
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
    send({ id: question, method: "elicitation/create", params: { mode: "form", message: "Who?", requestedSchema } });
  },
  change: (args) => {
    Object.assign(given, args);
    send({ method: "notifications/tools/list_changed" });
    return text("changed");
  },
};

const WRITES = new Set(["write_and_die", "change"]);
const PROPERTIES = {
  echo: { $filter: { type: "string" }, "max-items": { type: "integer" }, text: { type: "string" } },
  "odd-name": { class: { type: "string" } },
  refuses: { code: { type: "integer" } },
  change: { list: {}, echo: { type: "object" } },
};

const listed = () =>
  given.list ??
  Object.keys(tools).map((name) => ({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object", properties: PROPERTIES[name] ?? {} },
    annotations: { readOnlyHint: !WRITES.has(name) },
    ...(name === "echo" ? given.echo : {}),
  }));

function stubborn() {
  process.on("SIGTERM", () => {});
  const child = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"]);
  appendFileSync(given.pids, `${child.pid}\n`);
  setInterval(() => {}, 1_000);
}

function initialize(id, params) {
  if (given.silent) return;
  capabilities = params.capabilities;
  const serverInfo = { name: "calls", version: "1" };
  const result = {
    protocolVersion: params.protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo,
  };
  setTimeout(() => send({ id, result }), given.delay ?? 0);
}

function call(id, params) {
  try {
    const known = tools[params.name] ?? ((args) => data({ tool: params.name, arguments: args }));
    const result = known(params.arguments ?? {}, params, id);
    if (result) send({ id, result });
  } catch (error) {
    send({ id, error: { code: error.code, message: error.message } });
  }
}

if (given.pids) appendFileSync(given.pids, `${process.pid}\n`);
if (given.refuses && existsSync(given.refuses)) {
  process.stderr.write(`${readFileSync(given.refuses, "utf8")}\n`);
  process.exit(1);
}
if (given.stubborn) stubborn();
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === "initialize") initialize(id, params);
  else if (method === "tools/list") send({ id, result: { tools: listed() } });
  else if (method === "tools/call") call(id, params);
  else if (method === "notifications/cancelled") cancelled.push(params.requestId);
  else if (method === "ping") send({ id, result: {} });
  else if (method === undefined) waiting.get(id)?.(result ?? error);
  else if (id !== undefined) send({ id, error: { code: -32601, message: `no method ${method}` } });
});
