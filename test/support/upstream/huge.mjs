// An MCP server whose answers are large: `node huge.mjs` over stdio, `node huge.mjs http` over HTTP, whose address it prints.
// The tool `answer` takes the form of the answer and its size in bytes.
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { setImmediate as turn } from "node:timers/promises";

const PIECE = 64 * 1024;
const TOOL = {
  name: "answer",
  description: "Answers much.",
  inputSchema: {
    type: "object",
    properties: { form: { type: "string" }, bytes: { type: "integer" } },
    required: ["form", "bytes"],
  },
  annotations: { readOnlyHint: true },
};

const text = (json) => `{"content":[{"type":"text","text":${json}}]}`;
const list = (item, bytes) =>
  Array.from({ length: Math.max(1, Math.floor(bytes / (item.length + 1))) }, () => item).join();
const nested = (depth) => "[".repeat(depth) + "]".repeat(depth);

/** Results of about that many bytes. */
const RESULTS = {
  text: (bytes) => text(`"${"x".repeat(bytes)}"`),
  escapes: (bytes) => text(`"${'\\"'.repeat(bytes / 2)}"`),
  unicode: (bytes) => text(`"${"é".repeat(bytes / 2)}"`),
  lines: (bytes) => text(`"${`${"word ".repeat(10)}\\n`.repeat(bytes / 52)}"`),
  json: (bytes) => text(JSON.stringify(`[${list('{"name":"a","text":"some words of text"}', bytes)}]`)),
  numbers: (bytes) => `{"content":[],"structuredContent":{"all":[${list("123456", bytes)}]}}`,
  exact: (bytes) => `{"content":[],"structuredContent":{"all":[${list("12345678901234567890", bytes)}]}}`,
  objects: (bytes) => `{"content":[],"structuredContent":{"all":[${list('{"a":1}', bytes)}]}}`,
  nested: (bytes) => `{"content":[],"structuredContent":{"all":[${list(nested(60), bytes)}]}}`,
  deep: (bytes) => `{"content":[],"structuredContent":{"all":[${list(nested(1900), bytes)}]}}`,
  blocks: (bytes) => `{"content":[${list('{"type":"text","text":"a"}', bytes)}]}`,
};
const PROGRESS = JSON.stringify({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data: "x".repeat(100) },
});

/** Messages before the answer, or the size of its pieces. */
const WAYS = {
  notifications: (bytes) => ({ before: list(PROGRESS, bytes).replaceAll("},{", "}\n{") }),
  "lines that are no messages": (bytes) => ({ before: "a line of a log\n".repeat(Math.min(19_000, bytes / 16)) }),
  "small pieces": (bytes) => ({ result: RESULTS.objects(bytes), piece: 1000 }),
};

/** What is sent for a call. */
function answerOf(id, { form, bytes }) {
  const { before, result = RESULTS[form]?.(bytes) ?? text('"done"'), piece = PIECE } = WAYS[form]?.(bytes) ?? {};
  return { before: before?.split("\n") ?? [], answer: `{"jsonrpc":"2.0","id":${id},"result":${result}}`, piece };
}

const SIMPLE = {
  initialize: () => ({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {}, logging: {} },
    serverInfo: { name: "huge", version: "1" },
  }),
  "tools/list": () => ({ tools: [TOOL] }),
  ping: () => ({}),
};

/** The messages that answer one; `undefined` where it needs none. */
function answered(line) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return undefined;
  if (method === "tools/call") return answerOf(id, params.arguments);
  const result = SIMPLE[method]?.();
  const rest = result ? { result } : { error: { code: -32601, message: "unknown" } };
  return { before: [], answer: JSON.stringify({ jsonrpc: "2.0", id, ...rest }), piece: PIECE };
}

/** Waits until a stream takes more, or has ended. */
async function free(stream) {
  const end = new AbortController();
  const told = (name) => once(stream, name, { signal: end.signal }).catch(() => undefined);
  await Promise.race([told("drain"), told("close")]);
  end.abort();
}

async function send(stream, bytes, piece) {
  const all = Buffer.from(bytes);
  for (let at = 0; at < all.length && !stream.destroyed; at += piece) {
    if (!stream.write(all.subarray(at, at + piece))) await free(stream);
    if (piece < PIECE) await turn();
  }
}

const framed = (message) => `event: message\ndata: ${message}\n\n`;

function serve() {
  createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const found = request.method === "POST" ? answered(body) : undefined;
    const isEvents = new URL(request.url, "http://x").pathname === "/events";
    if (!found) return response.writeHead(request.method === "POST" ? 202 : 405).end();
    const type = isEvents ? "text/event-stream" : "application/json";
    response.on("error", () => undefined).writeHead(200, { "content-type": type });
    const { before, answer, piece } = found;
    await send(response, isEvents ? [...before, answer].map(framed).join("") : answer, piece);
    response.end();
  }).listen(0, "127.0.0.1", function () {
    process.stdout.write(`http://127.0.0.1:${this.address().port}\n`);
  });
  process.stdin.resume().on("end", () => process.exit(0));
}

/** One answer after the other. */
function speak() {
  let sending = Promise.resolve();
  createInterface({ input: process.stdin }).on("line", (line) => {
    sending = sending.then(async () => {
      const found = answered(line);
      if (found) await send(process.stdout, `${[...found.before, found.answer].join("\n")}\n`, found.piece);
    });
  });
}

if (process.argv[2] === "http") serve();
else speak();
process.stdout.on("error", () => process.exit(0));
