/** Results that the SDK refuses: handshakes in another form, and results of the newer protocol without what it asks for. */

import { describe, expect, test } from "vitest";
import { silentLog } from "../../../runtime/config/log.js";
import { listening } from "../../support/upstream/http.js";
import { called } from "../../support/upstream/upstreams.js";

type Fields = Readonly<Record<string, unknown>>;

interface Told {
  /** The result of `initialize`; without one, the server speaks the newer protocol only. */
  readonly initialize?: unknown;
  readonly discover?: unknown;
  readonly list?: Fields;
  readonly result?: unknown;
}

const inputSchema = { type: "object", properties: { text: { type: "string" } } };
const TOOLS = ["get_it", "create_it"].map((name) => ({
  ...{ name, description: `${name}.`, inputSchema },
  annotations: { readOnlyHint: name === "get_it" },
}));
const HANDSHAKE = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "odd", version: "1" },
};
const DISCOVERED = {
  ...{ resultType: "complete", ttlMs: 0, cacheScope: "private" },
  ...{ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
};
const LIST = { resultType: "complete", ttlMs: 0, cacheScope: "private", tools: TOOLS };

async function opened({ initialize, discover = DISCOVERED, list = LIST, result }: Told) {
  const calls: unknown[] = [];
  const { origin } = await listening((request, response, body) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "tools/call") calls.push(params);
    const results: Fields = {
      ...{ initialize, "server/discover": discover },
      ...{ "tools/list": list, "tools/call": result, ping: {} },
    };
    const found = results[method];
    const rest = found === undefined ? { error: { code: -32601, message: "unknown" } } : { result: found };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...rest }));
  });
  const made = await called({ servers: { odd: { url: `${origin}/mcp`, timeout: 5 } } });
  const logged: string[] = [];
  made.pool.logTo({ ...silentLog, warn: (message) => void logged.push(message) });
  return { ...made, calls, logged };
}

const text = [{ type: "text", text: "fine" }];

describe("a result of the newer protocol", () => {
  test("without resultType is complete, and that is logged once", async () => {
    const { call, warnings, logged, calls } = await opened({
      result: { content: text, structuredContent: { id: 77 } },
    });
    expect(await call("odd.create_it")).toEqual({ id: 77, content: "fine" });
    expect(await call("odd.get_it")).toEqual({ id: 77, content: "fine" });
    expect(warnings).toEqual([]);
    expect(calls).toHaveLength(2);
    expect(logged.filter((one) => one.includes("its results lack resultType"))).toHaveLength(1);
  });

  test("in form is read as before, without a word", async () => {
    const { call, warnings, logged } = await opened({ result: { resultType: "complete", content: text } });
    expect(await call("odd.get_it")).toBe("fine");
    expect([warnings, logged]).toEqual([[], []]);
  });

  test.each<readonly [string, Fields, unknown, string]>([
    ["resultType null", { resultType: null, content: text }, "fine", ""],
    ["resultType a number", { resultType: 1, content: text }, "fine", "with resultType that is a number"],
    [
      "an unknown resultType",
      { resultType: "task", task: { id: 5 } },
      { task: { id: 5 } },
      "with resultType that is task",
    ],
    [
      "input_required that asks nothing, and content",
      { resultType: "input_required", content: text },
      "fine",
      "with resultType input_required, and asks nothing",
    ],
    ["no content", { resultType: "complete", structuredContent: { id: 7 } }, { id: 7 }, "without content"],
    [
      "content null",
      { resultType: "complete", content: null, structuredContent: [7] },
      [7],
      "with content that is null",
    ],
    ["content a text", { content: "fine" }, "fine", "with content that is a text"],
    [
      "a block that it does not have",
      { resultType: "complete", content: [{ type: "video", url: "x" }] },
      { type: "video", url: "x" },
      "with a block that the protocol does not have",
    ],
    [
      "isError as text",
      { resultType: "complete", content: text, isError: "false" },
      "fine",
      "with isError that is a text",
    ],
  ])("with %s is read", async (_what, result, data, fault) => {
    const { call, warnings, calls } = await opened({ result });
    expect(await call("odd.create_it")).toEqual(data);
    expect(warnings.join("\n")).toContain(fault);
    expect(calls).toHaveLength(1);
  });

  test.each([
    ["asks nothing", { resultType: "input_required" }, "asks nothing: nothing can be read"],
    ["is of an unknown type", { resultType: "deferred" }, "with resultType that is deferred"],
  ])("that %s leaves the outcome of a write unknown", async (_what, result, says) => {
    const { failure, calls } = await opened({ result });
    const failed = await failure("odd.create_it");
    expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { outcome: "unknown" } });
    expect(failed.message).toContain(says);
    expect(calls).toHaveLength(1);
  });

  test("with questions and no resultType asks them", async () => {
    const inputRequests = { name: { method: "elicitation/create", params: { message: "Who?" } } };
    const failed = await (await opened({ result: { inputRequests } })).failure("odd.create_it");
    expect(failed).toMatchObject({ details: { reason: "input_required", asks: ["elicitation/create"] } });
  });

  test("a list of tools without resultType, ttlMs and cacheScope is read", async () => {
    const { call } = await opened({ list: { tools: TOOLS }, result: { content: text } });
    expect(await call("odd.get_it")).toBe("fine");
  });

  test.each<readonly [string, Fields]>([
    ["capabilities null", { ...DISCOVERED, capabilities: null }],
    ["one version as text", { ...DISCOVERED, supportedVersions: "2026-07-28" }],
    ["no versions", { capabilities: { tools: {} } }],
    ["instructions a number", { ...DISCOVERED, instructions: 5 }],
  ])("server/discover with %s is read", async (_what, discover) => {
    const { call, logged } = await opened({ discover, result: { resultType: "complete", content: text } });
    expect(await call("odd.get_it")).toBe("fine");
    expect(logged.join()).toContain("its answer to initialize or server/discover");
  });
});

describe("an answer to initialize", () => {
  test.each<readonly [string, Fields]>([
    ["no serverInfo", { serverInfo: undefined }],
    ["serverInfo null", { serverInfo: null }],
    ["serverInfo a text", { serverInfo: "odd" }],
    ["serverInfo without version", { serverInfo: { name: "odd" } }],
    ["a version that is a number", { serverInfo: { name: "odd", version: 2 } }],
    ["a title that is null", { serverInfo: { name: "odd", version: "2", title: null } }],
    ["capabilities null", { capabilities: null }],
    ["no capabilities", { capabilities: undefined }],
    ["capabilities a list", { capabilities: ["tools"] }],
    ["tools true", { capabilities: { tools: true } }],
    ["listChanged a text", { capabilities: { tools: { listChanged: "yes" } } }],
    ["instructions a number", { instructions: 5 }],
    ["instructions null", { instructions: null }],
    ["no protocolVersion", { protocolVersion: undefined }],
  ])("with %s is read, and logged", async (_what, change) => {
    const { call, logged } = await opened({ initialize: { ...HANDSHAKE, ...change }, result: { content: text } });
    expect(await call("odd.get_it")).toBe("fine");
    expect(logged.join()).toContain("its answer to initialize or server/discover");
  });

  test.each<readonly [string, unknown, string]>([
    ["{}", {}, "its answer to initialize names neither a version nor what it can do"],
    ["null", null, "its answer to initialize names neither a version nor what it can do"],
    ["a text", "hello", "its answer to initialize names neither a version nor what it can do"],
    ["an unknown version", { ...HANDSHAKE, protocolVersion: 7 }, "protocol version is not supported: 7"],
  ])("that is %s fails with one sentence", async (_what, initialize, says) => {
    const failure = await opened({ initialize }).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(Error);
    const { message } = failure as Error;
    expect(message).toContain(says);
    expect(message).not.toMatch(/invalid_type|Zod|\n/);
  });
});
