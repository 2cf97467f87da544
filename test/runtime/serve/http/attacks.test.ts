/** Refusals of an HTTP server: hostile pages, invalid requests, slow and large ones. */

import { writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HttpServed, LIST, MODERN, type Raw, raw, serveHttp } from "../../../support/http.js";
import { CHECKOUT, generatedRoot } from "../../../support/project.js";

const SLOW = 120_000;
const BODY_BYTES = 20_000;
const cleaning: (() => unknown)[] = [];
let server: HttpServed;

beforeAll(async () => {
  const later = (clean: () => unknown): void => void cleaning.push(clean);
  const root = await generatedRoot(join(CHECKOUT, "test/support/demos/http-demo/definitions"), later);
  writeFileSync(
    join(root, "definitions", "toolwright.yaml"),
    `sources: [{ functions: demo.ts }]\nlimits: { http: { body_bytes: ${BODY_BYTES}, header_ms: 3000, body_ms: 1000 } }\n`,
  );
  server = await serveHttp(root, [], async (clean) => later(clean));
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const meta = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const modern = (more: object = {}) => ({ ...LIST, params: { _meta: { ...meta, ...more } } });
const call = (args: unknown) => ({ ...LIST, method: "tools/call", params: { name: "tool_exec", arguments: args } });

type Attack = readonly [what: string, request: Raw, status: number, says?: RegExp];
/** The same list, with a pattern that matches any answer if none is given. */
const each = (list: readonly Attack[]) =>
  test.each(list.map(([what, request, status, says = /^/]) => [what, request, status, says] as const));

const PAGES: readonly Attack[] = [
  ["a name that was made to point here", { headers: { host: "evil.example" } }, 403, /Invalid Host/],
  ["such a name with our port", { headers: { host: "evil.example:8080" } }, 403],
  ["a name that begins like ours", { headers: { host: "localhost.evil.example" } }, 403],
  ["a name that ends like ours", { headers: { host: "evil-localhost" } }, 403],
  ["our name with a dot", { headers: { host: "localhost." } }, 403],
  ["a user before our name", { headers: { host: "evil.example@127.0.0.1" } }, 400],
  ["our name before a path", { headers: { host: "127.0.0.1/evil.example" } }, 400],
  ["another address of this network", { headers: { host: "192.168.0.1" } }, 403],
  ["every address", { headers: { host: "0.0.0.0" } }, 403],
  ["a whole URL of another host", { path: "http://evil.example/mcp" }, 403, /Invalid Host/],
  ["a whole URL of another host over TLS", { path: "https://evil.example:1/mcp" }, 403, /Invalid Host/],
  ["a whole URL with a user", { path: "http://localhost@evil.example/mcp" }, 403, /Invalid Host/],
  ["a whole URL of another scheme", { path: "ftp://localhost/mcp" }, 400],
  ["two hosts", { headers: { host: "127.0.0.1, evil.example" } }, 400],
  ["a page elsewhere", { headers: { origin: "http://evil.example" } }, 403, /Invalid Origin/],
  ["a page elsewhere over TLS", { headers: { origin: "https://evil.example" } }, 403],
  ["a page whose name begins like ours", { headers: { origin: "http://127.0.0.1.evil.example" } }, 403],
  ["a page with a user", { headers: { origin: "http://localhost@evil.example" } }, 403],
  ["a page without an origin of its own", { headers: { origin: "null" } }, 403],
  ["a file", { headers: { origin: "file://" } }, 403],
  ["an extension", { headers: { origin: "chrome-extension://abcdefghijklmnop" } }, 403],
  ["no origin at all", { headers: { origin: "evil" } }, 403],
  ["a page elsewhere that asks for the console", { method: "GET", path: "/", headers: { host: "evil.example" } }, 403],
  ["a form", { headers: { "content-type": "text/plain" } }, 415],
  ["a form in parts", { headers: { "content-type": "multipart/form-data; boundary=x" } }, 415],
  ["an encoded form", { headers: { "content-type": "application/x-www-form-urlencoded" } }, 415],
  ["a page that asks whether it may", { method: "OPTIONS", headers: { origin: "http://localhost:1" } }, 405],
];

const REQUESTS: readonly Attack[] = [
  ...["GET", "HEAD", "PUT", "PATCH", "DELETE", "TRACE", "OPTIONS"].map((method): Attack => [method, { method }, 405]),
  ["another path", { path: "/" }, 404],
  ["a path below", { path: "/mcp/x" }, 404],
  ["a path out of the folder", { path: "/mcp/../../etc/passwd" }, 404],
  ["a path with a NUL", { path: "/mcp%00" }, 404],
  ["no type", { headers: { "content-type": "" } }, 415],
  ["another type", { headers: { "content-type": "text/html" } }, 415],
  ["an answer as text only", { headers: { accept: "text/html" } }, 406],
  ["no body", { body: "" }, 400, /-32700/],
  ["a body that is no JSON", { body: "{" }, 400, /-32700/],
  ["two values", { body: "{}{}" }, 400, /-32700/],
  ["bytes", { body: Buffer.from([0xff, 0xfe, 0x00]) }, 400, /-32700/],
  ["no object", { body: "7" }, 400],
  ["null", { body: "null" }, 400],
  ["an object that is no message", { body: {} }, 400],
  ["another version of JSON-RPC", { body: { ...LIST, jsonrpc: "1.0" } }, 400],
  ["an invalid method", { body: { ...LIST, method: 7 } }, 400],
  ["an id that is an object", { body: { ...LIST, id: {} } }, 400],
  ["an empty batch", { body: [] }, 400],
  [
    "a batch over the limit",
    { body: Array.from({ length: 150 }, (_one, id) => ({ jsonrpc: "2.0", id, method: "x" })) },
    400,
  ],
  [
    "a batch larger than what may run",
    { body: Array.from({ length: 300 }, (_one, id) => ({ jsonrpc: "2.0", id, method: "x" })) },
    503,
  ],
  ["a body of the largest size and one", { body: `"${"x".repeat(BODY_BYTES - 1)}"` }, 413, /20000 bytes/],
  ["such a body in chunks", { body: `"${"x".repeat(BODY_BYTES)}"`, headers: { "transfer-encoding": "chunked" } }, 413],
  ["a body much larger", { body: "x".repeat(3_000_000) }, 413],
  ["nesting that would break a parser", { body: nested(9_000) }, 400, /nests deeper/],
  [
    "nesting in the arguments",
    { body: `{"jsonrpc":"2.0","id":1,"method":"x","params":${nested(200)}}` },
    400,
    /nests deeper/,
  ],
  ["an unknown protocol version", { headers: { "mcp-protocol-version": "1999-01-01" } }, 400],
  ["a protocol that is no text", { headers: { "mcp-protocol-version": "%00" } }, 400],
  ["the newest protocol without its headers", { body: modern() }, 400],
  [
    "headers that contradict the message",
    { body: modern(), headers: { "mcp-protocol-version": MODERN, "mcp-method": "tools/call" } },
    400,
  ],
  ["headers over 16 kB", { headers: { "x-long": "x".repeat(20_000) } }, 431],
];

each([...PAGES, ...REQUESTS])("refused: %s", async (_what, request, status, says) => {
  const answer = await raw(server.url, request);
  expect(answer.status).toBe(status);
  expect(answer.text).toMatch(says);
  expect(answer.text).not.toMatch(/at \w+ \(|node_modules|\.ts:|\.js:|file:\/\/\//);
  if (status === 405) expect(answer.headers["allow"]).toBe("POST");
  expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
});

const LARGE = Buffer.alloc(4_000_000, "1");

/** It takes longer to send than to refuse, and the client asks to close the connection. */
each([
  ["too large", { body: LARGE }, 413],
  ["too large for a login", { path: "/api/login", body: LARGE }, 413],
  ["too large, in chunks", { headers: { "transfer-encoding": "chunked" }, body: LARGE }, 413],
  ["of another type", { headers: { "content-type": "text/plain" }, body: LARGE }, 415],
  ["from a page elsewhere", { headers: { origin: "https://evil.example" }, body: LARGE }, 403],
  ["with a wrong key", { headers: { authorization: "Bearer oub_wrong" }, body: LARGE }, 401],
])("who sends a body that is refused gets the answer each time: %s", async (_what, request, status) => {
  for (let i = 0; i < 8; i++) expect((await raw(server.url, request)).status).toBe(status);
});

/** A request with invalid params, and the sentence that reports them. */
const unfit = (method: string, params: object, says: string): Attack => [
  `${method} with ${JSON.stringify(params)}`,
  { body: { ...LIST, method, params } },
  200,
  new RegExp(`"code":-32602,"message":"Invalid params for ${method}: ${says}"`),
];

const UNFIT: readonly Attack[] = [
  unfit(
    "prompts/get",
    { name: "explore", arguments: { topic: 7 } },
    "arguments.topic: expected string, received number",
  ),
  unfit("prompts/get", { name: 7 }, "name: expected string, received number"),
  unfit("prompts/get", { name: "explore", arguments: "x" }, "arguments: expected object, received string"),
  unfit("resources/read", { uri: {} }, "uri: expected string, received object"),
  unfit("resources/read", {}, "uri: expected string, received undefined"),
  unfit("completion/complete", { ref: 7, argument: {} }, "[^\\[{]*"),
  unfit("logging/setLevel", { level: "loud" }, "level: [^\\[{]*"),
  unfit("tools/call", { name: 7 }, "name: expected string, received number"),
  unfit("tools/call", { name: "run", arguments: [] }, "arguments: expected object, received array"),
  unfit("tools/list", { cursor: 7 }, "cursor: expected string, received number"),
];

each(UNFIT)("refused in one sentence: %s", async (_what, request, status, says) => {
  const answer = await raw(server.url, request);
  expect(answer.status).toBe(status);
  expect(answer.text).toMatch(says);
});

const GOOD: readonly Attack[] = [
  ["a whole URL of ours", { path: "http://localhost/mcp" }, 200],
  ["our address", {}, 200],
  ["our name", { headers: { host: "localhost" } }, 200],
  ["our name in capitals", { headers: { host: "LOCALHOST:1" } }, 200],
  ["our newer address", { headers: { host: "[::1]:8080" } }, 200],
  ["a page of ours", { headers: { origin: "http://localhost:6274" } }, 200],
  ["a type with a character set", { headers: { "content-type": "application/json; charset=utf-8" } }, 200],
  ["a body of the largest size", { body: JSON.stringify({ ...LIST, params: {} }).padEnd(BODY_BYTES, " ") }, 200],
  ["a batch", { body: [LIST, { ...LIST, id: 2, method: "ping" }] }, 200],
  ["a notice", { body: { jsonrpc: "2.0", method: "notifications/initialized" } }, 202],
  ["an answer to nothing", { body: { jsonrpc: "2.0", id: 1, result: {} } }, 202],
  [
    "the newest protocol",
    { body: modern(), headers: { "mcp-protocol-version": MODERN, "mcp-method": "tools/list" } },
    200,
  ],
  ["a method that is not there", { body: { ...LIST, method: "no/such" } }, 200, /-32601/],
  [
    "a tool that is not there",
    { body: { ...LIST, method: "tools/call", params: { name: "/etc/passwd" } } },
    200,
    /-32602/,
  ],
  [
    "a prototype as arguments",
    {
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool_exec","arguments":{"op":"demo.echo","args":{"text":"t","__proto__":{"x":1}}}}}',
    },
    200,
    /VALIDATION_ERROR/,
  ],
  ["an invalid op", { body: call({ op: { toString: 1 } }) }, 200, /VALIDATION_ERROR/],
];

each(GOOD)("answered: %s", async (_what, request, status, says) => {
  const answer = await raw(server.url, request);
  expect(answer.status).toBe(status);
  expect(answer.text).toMatch(says);
  expect(answer.headers).toMatchObject({
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "content-security-policy": expect.stringContaining("default-src 'self'"),
  });
});

/** Writes to a bare connection, and gives what came until it was closed. */
function bare(text: string, then?: (write: (more: string) => void) => void): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve) => {
    let answer = "";
    const socket = createConnection({ host: hostname, port: Number(port) }, () => {
      socket.write(text);
      then?.((more) => void (socket.writable && socket.write(more)));
    });
    socket.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk));
    socket.on("error", () => {});
    socket.once("close", () => resolve(answer));
  });
}

const START = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
const drip = (letter: string) => (write: (more: string) => void) => {
  const timer = setInterval(() => write(letter), 200);
  setTimeout(() => clearInterval(timer), 20_000).unref();
};

test.each([
  ["headers that never end", START, undefined, /^HTTP\/1\.1 408 /],
  ["headers letter by letter", `${START}X-Slow: `, drip("x"), /^HTTP\/1\.1 408 /],
  ["a body that never comes", `${START}Content-Length: 10\r\n\r\n`, undefined, /^HTTP\/1\.1 408 /],
  ["a body letter by letter", `${START}Content-Length: 1000\r\n\r\n`, drip("x"), /^HTTP\/1\.1 408 /],
  ["no HTTP", "hello\r\n\r\n", undefined, /^HTTP\/1\.1 400 /],
  ["no host", "POST /mcp HTTP/1.1\r\n\r\n", undefined, /^HTTP\/1\.1 400 /],
  [
    "an empty host",
    "POST /mcp HTTP/1.1\r\nHost:\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    undefined,
    /^HTTP\/1\.1 4/,
  ],
  ["two lengths", `${START}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`, undefined, /^HTTP\/1\.1 400 /],
  [
    "a length beside chunks",
    `${START}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    undefined,
    /^HTTP\/1\.1 400 /,
  ],
  [
    "a header with a bare line feed",
    `${START}X: a\nHost: evil.example\r\nContent-Length: 0\r\n\r\n`,
    undefined,
    /^HTTP\/1\.1 4/,
  ],
])("cut off: %s", { tags: "full", timeout: SLOW }, async (_what, text, then, says) => {
  expect(await bare(text, then)).toMatch(says);
  expect((await raw(server.url)).status).toBe(200);
});

test.each([
  ["of HTTP/1.1 that asks for it", "HTTP/1.1", "Connection: close\r\n"],
  ["of HTTP/1.0, which has no other", "HTTP/1.0", ""],
])("the connection of a client %s is closed after the answer", { timeout: 20_000 }, async (_what, version, close) => {
  const body = JSON.stringify(LIST);
  const accept = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
  const answer = await bare(
    `POST /mcp ${version}\r\nHost: localhost\r\n${accept}${close}Content-Length: ${body.length}\r\n\r\n${body}`,
    undefined,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/is);
});

test("a probe of HTTP/1.0 without Host is answered, as balancers send it, and no other request", async () => {
  for (const path of ["/healthz", "/readyz"])
    expect(await bare(`GET ${path} HTTP/1.0\r\n\r\n`, undefined), path).toMatch(/^HTTP\/1\.1 200 /);
  expect(await bare("GET /api/registry HTTP/1.0\r\n\r\n", undefined)).toMatch(/^HTTP\/1\.1 403 /);
});
