/** Servers over HTTP that break the protocol: sessions, ping, errors in failures of HTTP, ids of answers. */

import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { silentLog } from "../../../runtime/config/log.js";
import { listening } from "../../support/upstream/http.js";
import { called } from "../../support/upstream/upstreams.js";

type Reply = readonly [status: number, body: unknown, type?: string];
interface Call {
  readonly id: number;
  readonly name: string;
  readonly text: string;
}

interface Odd {
  /** How a request of an unknown session is answered. */
  readonly refuses?: (id: number, method: string) => Reply;
  readonly ping?: (id: number) => Reply;
  /** How a call is answered; default: "hi". */
  readonly answers?: (call: Call) => Reply | undefined;
}

const hi = (id: unknown) => ({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "hi" }] } });
const error = (id: unknown, code: number, message: string, data?: unknown) => ({
  ...{ jsonrpc: "2.0", id },
  error: { code, message, ...(data === undefined ? {} : { data }) },
});

/** A server with sessions, which forgets them when it is told to. */
async function odd({ refuses, ping, answers }: Odd, options: object = {}) {
  const sessions = new Set<unknown>();
  const seen: string[] = [];
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  const tools = ["get_it", "create_it"].map((name) => ({
    ...{ name, description: `${name}.`, inputSchema },
    annotations: { readOnlyHint: name === "get_it" },
  }));
  const send = (response: ServerResponse, [status, body, type = "application/json"]: Reply, headers = {}): void => {
    response.writeHead(status, { "content-type": type, ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  const answerOf = (id: number, method: string, params: { name: string; arguments?: { text?: string } }): Reply => {
    if (method === "tools/list") return [200, { jsonrpc: "2.0", id, result: { tools } }];
    if (method === "ping") return ping?.(id) ?? [200, { jsonrpc: "2.0", id, result: {} }];
    return answers?.({ id, name: params.name, text: params.arguments?.text ?? "" }) ?? [200, hi(id)];
  };
  const { origin } = await listening((request, response, body) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    if (method !== "notifications/initialized") seen.push(method);
    if (method === "initialize") {
      const session = randomUUID();
      sessions.add(session);
      const serverInfo = { name: "odd", version: "1" };
      const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
      return send(response, [200, { jsonrpc: "2.0", id, result }], { "mcp-session-id": session });
    }
    if (refuses && !sessions.has(request.headers["mcp-session-id"])) return send(response, refuses(id, method));
    if (id === undefined) return void response.writeHead(202).end();
    send(response, answerOf(id, method, params));
  });
  const made = await called({ servers: { odd: { url: `${origin}/mcp`, timeout: 5 } }, ...options });
  const logged: string[] = [];
  made.pool.logTo({ ...silentLog, warn: (message) => void logged.push(message) });
  await made.call("odd.get_it");
  seen.length = 0;
  return { ...made, seen, logged, forget: () => sessions.clear() };
}

const RESTARTED: readonly (readonly [string, Required<Odd>["refuses"]])[] = [
  ["404 without a body", () => [404, ""]],
  ["400 of an SDK", () => [400, error(null, -32000, "Bad Request: No valid session ID provided")]],
  ["400, not initialized", () => [400, error(null, -32000, "Bad Request: Server not initialized")]],
  ["400 without a word", () => [400, ""]],
  ["400 as text", () => [400, "Session expired", "text/plain"]],
  ["410", () => [410, "Gone", "text/plain"]],
  ["404, -32600", () => [404, error("server-error", -32600, "Session not found")]],
  ["200, -32001", (id) => [200, error(id, -32001, "Session not found")]],
  ["200, -32001 without an id", () => [200, error(null, -32001, "session has expired")]],
  ["200, -32600", (id) => [200, error(id, -32600, "Invalid session id")]],
  ["500", (id) => [500, error(id, -32603, "Session 7 does not exist")]],
];

describe("a lost session is made again at once", () => {
  test.each(RESTARTED)("refused with %s", async (_what, refuses) => {
    const { call, seen, forget, upstreams } = await odd({ refuses });
    forget();
    expect(await call("odd.get_it")).toBe("hi");
    expect(seen.filter((one) => one === "initialize")).toHaveLength(1);
    expect(await call("odd.get_it")).toBe("hi");
    expect(upstreams.states().get("odd")).toEqual({ state: "connected" });
  });

  test.each(RESTARTED.slice(0, 8))("and a write that was refused with %s is made once more", async (_what, refuses) => {
    const { call, seen, forget } = await odd({ refuses });
    forget();
    expect(await call("odd.create_it")).toBe("hi");
    expect(seen.filter((one) => one === "initialize")).toHaveLength(1);
  });

  test("a write of which it is not certain whether it began is not repeated", async () => {
    const { call, failure, forget } = await odd({ refuses: (id) => [500, error(id, -32603, "session terminated")] });
    forget();
    const failed = await failure("odd.create_it");
    expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { outcome: "unknown" } });
    expect(failed.message).toContain("it has lost the session");
    expect(await call("odd.create_it")).toBe("hi");
  });

  test("once a call: a server that loses every session is refused with its own words", async () => {
    const { failure, seen } = await odd({
      answers: ({ text, id }) => (text === "go" ? [400, error(id, -32000, "No valid session ID")] : undefined),
    });
    const failed = await failure("odd.get_it", { text: "go" });
    expect(failed.message).toContain("No valid session ID");
    expect(seen.filter((one) => one === "initialize")).toHaveLength(1);
  });

  test.each([
    [400, -32602, "unknown city", "VALIDATION_ERROR"],
    [400, -32000, "unknown city", "INTERNAL"],
    [400, -32602, "session 7 not found", "VALIDATION_ERROR"],
    [200, -32603, "the browser session is closed", "INTERNAL"],
    [200, -32001, "request timed out", "INTERNAL"],
    [404, -32602, "no such tool", "VALIDATION_ERROR"],
  ] as const)("%i with %i %j is about the call: the session stays", async (status, code, message, ours) => {
    const { call, failure, seen } = await odd({
      refuses: () => [404, ""],
      answers: ({ text, id }) => (text === "go" ? [status, error(id, code, message)] : undefined),
    });
    const failed = await failure("odd.create_it", { text: "go" });
    expect(failed).toMatchObject({ code: ours, details: { rpc_code: code } });
    expect(failed.message).toContain(message);
    expect(await call("odd.get_it")).toBe("hi");
    expect(seen).not.toContain("initialize");
  });
});

test.each([
  ["-32601", (id) => [200, error(id, -32601, "Method not found")]],
  ["-32600", (id) => [200, error(id, -32600, "Invalid Request")]],
  ["-32603", (id) => [200, error(id, -32603, "Internal error")]],
  ["HTTP 400", () => [400, "Bad Request", "text/plain"]],
  ["HTTP 400 with an error", (id) => [400, error(id, -32601, "Method not found")]],
  ["HTTP 404 with an error", (id) => [404, error(id, -32601, "Method not found")]],
  ["HTTP 500", () => [500, "oops", "text/html"]],
  ["a page", () => [200, "<html></html>", "text/html"]],
  ["a result that is null", (id) => [200, { jsonrpc: "2.0", id, result: null }]],
  ["HTTP 202", () => [202, ""]],
  ["HTTP 204", () => [204, ""]],
] as readonly (readonly [string, Required<Odd>["ping"]])[])(
  "a ping that is answered with %s is a sign of life",
  async (_what, ping) => {
    const { call, seen, upstreams, logged } = await odd({ ping, refuses: () => [404, ""] }, { pingMs: 30 });
    await expect.poll(() => seen.filter((one) => one === "ping").length).toBeGreaterThan(2);
    expect(upstreams.states().get("odd")).toEqual({ state: "connected" });
    expect(await call("odd.get_it")).toBe("hi");
    expect(seen).not.toContain("initialize");
    expect(logged.filter((one) => one.includes("it refuses ping"))).toHaveLength(1);
  },
);

describe("an error of JSON-RPC in a failure of HTTP is the error that it is", () => {
  const failing = async (status: number, body: (id: number) => unknown, tool = "odd.get_it") => {
    const { failure } = await odd({ answers: ({ id, text }) => (text === "go" ? [status, body(id)] : undefined) });
    return failure(tool, { text: "go" });
  };

  test("-32602 in 400, with its data", async () => {
    const failed = await failing(400, (id) => error(id, -32602, "unknown city", { field: "city" }));
    expect(failed).toMatchObject({
      code: "VALIDATION_ERROR",
      details: { server: "odd", rpc_code: -32602, status: 400, upstream: { field: "city" } },
    });
    expect(failed.message).toContain("unknown city");
  });

  test.each([422, 403, 500, 502])("-32603 in %i, of a write", async (status) => {
    const failed = await failing(status, (id) => error(id, -32603, "the store is read-only"), "odd.create_it");
    expect(failed).toMatchObject({ code: "INTERNAL", details: { rpc_code: -32603, outcome: "unknown" } });
    expect(failed.message).toContain("the store is read-only");
  });

  test.each([
    ["a page", () => "<html>bad gateway</html>"],
    ["an error of another kind", () => ({ error: { code: 502, message: "bad gateway" } })],
  ])("%s is none", async (_what, body) => {
    const failed = await failing(502, body);
    expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { status: 502 } });
  });

  test("429 and 401 keep their meaning", async () => {
    expect((await failing(429, () => "")).message).toBe("The server odd is asked too often: it answered HTTP 429.");
    expect(await failing(429, (id) => error(id, -32000, "slow"))).toMatchObject({ code: "RATE_LIMITED" });
    expect((await failing(401, (id) => error(id, -32000, "who"))).message).toContain("HTTP 401");
  });
});

describe.each(["JSON", "events"])("an answer that is certain is read, in %s", (form) => {
  const wire = (body: string): Reply =>
    form === "JSON" ? [200, body] : [200, `event: message\ndata: ${body}\n\n`, "text/event-stream"];
  const answered = (body: (id: number) => string) =>
    odd({ answers: ({ id, text }) => (text === "go" ? wire(body(id)) : undefined) });
  const FINE = '"result":{"content":[{"type":"text","text":"fine"}]}';

  test.each([
    ["an id as text", (id: number) => `{"jsonrpc":"2.0","id":"${id}",${FINE}}`],
    ["no version", (id: number) => `{"id":${id},${FINE}}`],
    ["an older version", (id: number) => `{"jsonrpc":"1.0","id":${id},${FINE}}`],
    ["an error that is null", (id: number) => `{"jsonrpc":"2.0","id":${id},${FINE},"error":null}`],
    ["no id", () => `{"jsonrpc":"2.0",${FINE}}`],
    ["an id that is null", () => `{"jsonrpc":"2.0","id":null,${FINE}}`],
    ["neither id nor version", () => `{${FINE}}`],
    ["members of its own", (id: number) => `{"jsonrpc":"2.0","id":${id},${FINE},"took_ms":4}`],
    ["a _meta that is null", (id: number) => `{"jsonrpc":"2.0","id":${id},${FINE.replace("{", '{"_meta":null,')}}`],
    ["a mark of the byte order", (id: number) => `\ufeff{"jsonrpc":"2.0","id":${id},${FINE}}`],
    ["a result of text", (id: number) => `{"jsonrpc":"2.0","id":${id},"result":"fine"}`],
  ])("with %s", async (_what, body) => {
    const { call } = await answered(body);
    expect(await call("odd.get_it", { text: "go" })).toBe("fine");
  });

  test.each([
    ["an error without an id", () => '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"full"}}', "full"],
    [
      "an error beside null",
      (id: number) => `{"jsonrpc":"2.0","id":${id},"result":null,"error":{"code":-32000,"message":"full"}}`,
      "full",
    ],
    [
      "an error of text",
      (id: number) => `{"jsonrpc":"2.0","id":${id},"error":"full"}`,
      "neither a result nor an error",
    ],
    ["a code of text", (id: number) => `{"jsonrpc":"2.0","id":${id},"error":{"code":"E7","message":"full"}}`, "full"],
    ["NaN", (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"a":NaN}}`, "no JSON"],
  ])("one with %s fails with one sentence, and at once", async (_what, body, says) => {
    const { failure } = await answered(body);
    const failed = await failure("odd.create_it", { text: "go" });
    expect(failed.code).not.toBe("TIMEOUT");
    expect(failed.details).toMatchObject({ outcome: "unknown" });
    expect(failed.message).toContain(says);
    expect(failed.message).not.toMatch(/invalid_union|Zod|\n/);
  });
});

test.each([
  ["with an id", "id: 7\ndata: oops <html>\n\n"],
  ["without an id", "data: oops <html>\n\n"],
  ["behind an event of the stream", "id: 6\ndata:\n\nid: 7\ndata: {\n\n"],
])("a stream whose last event is no JSON fails at once: %s", async (_what, body) => {
  const { call, failure } = await odd({
    answers: ({ text }) => (text === "go" ? [200, body, "text/event-stream"] : undefined),
  });
  const failed = await failure("odd.create_it", { text: "go" });
  expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { outcome: "unknown" } });
  expect(failed.message).toContain("its answer is no JSON. To do: check that servers.odd.url is an MCP endpoint");
  expect(await call("odd.get_it")).toBe("hi");
});

test.each([202, 204, 205])("HTTP %i in answer to a call fails with one sentence, and at once", async (status) => {
  const { failure } = await odd({ answers: ({ text }) => (text === "go" ? [status, ""] : undefined) });
  const failed = await failure("odd.create_it", { text: "go" });
  expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { outcome: "unknown", status } });
  expect(failed.message).toContain(
    `it answered HTTP ${status}: no answer to the request. To do: check that servers.odd`,
  );
});

test.each([200, 422])("an error whose code is a text keeps it, in HTTP %i", async (status) => {
  const sent = { code: "E_STOCK", message: "full", data: { left: 0 } };
  const { failure } = await odd({
    answers: ({ id, text }) => (text === "go" ? [status, { jsonrpc: "2.0", id, error: sent }] : undefined),
  });
  expect(await failure("odd.create_it", { text: "go" })).toMatchObject({
    code: "INTERNAL",
    details: { rpc_code: -32603, outcome: "unknown", upstream: sent },
  });
});

test("a scope that is asked for where nothing signs in is not said to be one of a token", async () => {
  const { origin } = await listening((request, response, body) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method } = JSON.parse(body);
    const tool = { name: "get_it", inputSchema: { type: "object" } };
    const serverInfo = { name: "odd", version: "1" };
    const result =
      method === "tools/list" ? { tools: [tool] } : { protocolVersion: "2025-06-18", capabilities: {}, serverInfo };
    const challenge = { "www-authenticate": 'Bearer error="insufficient_scope", scope="notes"' };
    if (method === "tools/call") return void response.writeHead(403, challenge).end();
    response.writeHead(id === undefined ? 202 : 200, { "content-type": "application/json" });
    response.end(id === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  const { failure } = await called({ servers: { odd: { url: `${origin}/mcp`, timeout: 5 } } });
  const { message } = await failure("odd.get_it");
  expect(message).toContain("it asks for a token with the scope notes (HTTP 403)");
  expect(message).toContain("servers.odd.headers");
});

test.each([
  ["nothing", ""],
  ["a number", "5"],
  ["an empty list", "[]"],
  ["an empty object", "{}"],
  ["a page", "<html></html>"],
])("a body of JSON that is %s fails with one sentence, and at once", async (_what, body) => {
  const { failure } = await odd({ answers: ({ text }) => (text === "go" ? [200, body] : undefined) });
  const failed = await failure("odd.create_it", { text: "go" });
  expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { outcome: "unknown" } });
  expect(failed.message).toMatch(/its answer is no (JSON|message of JSON-RPC)\./);
  expect(failed.message).toContain("To do: check that servers.odd.url is an MCP endpoint; if it is, report this to");
  expect(failed.message).not.toContain("is up");
});

describe("JSON under another content type", () => {
  const answering = (body: (id: number) => string, type: string | undefined, status = 200) =>
    odd({ answers: ({ id, text }) => (text === "go" ? [status, body(id), type ?? ""] : undefined) });

  test.each([
    ["text/plain"],
    ["text/plain; charset=utf-8"],
    ["text/html"],
    ["application/json-rpc"],
    ["application/jsonrequest"],
    ["application/vnd.api+json"],
    ["application/octet-stream"],
    ["none of them"],
    [""],
  ])("%j is read, exact numbers too, and logged once", async (type) => {
    const body = (id: number) => `\ufeff\n ${JSON.stringify(hi(id)).replace('"hi"', '"{\\"n\\":9007199254740993}"')}`;
    const { call, logged } = await answering(body, type);
    expect(String((await call("odd.get_it", { text: "go" })).n)).toBe("9007199254740993");
    await call("odd.get_it", { text: "go" });
    expect(logged.filter((one) => one.includes("it answers with JSON under another content type"))).toHaveLength(1);
  });

  test.each([
    ["a page", "<html></html>", "text/html", "Unexpected content type: text/html"],
    ["nothing", "", "text/plain", "Unexpected content type: text/plain"],
    ["a list of none", "[]", "text/plain", "its answer is no message of JSON-RPC"],
    ["half an object", '{"jsonrpc":', "text/plain", "its answer is no JSON"],
  ])("and %s is not read: one sentence, and what to do", async (_what, body, type, says) => {
    const failed = await (await answering(() => body, type)).failure("odd.create_it", { text: "go" });
    expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { outcome: "unknown" } });
    expect(failed.message).toContain(`${says}. To do: check that servers.odd.url is an MCP endpoint`);
  });
});
