/** Proxied tools over HTTP: both protocol eras, the older SDK, lost sessions, refusals and broken answers. */

import type { ServerResponse } from "node:http";
import { inputRequired, type ServerContext } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import type { Forward } from "../../../runtime/call/client-access.js";
import { freePort } from "../../support/ports.js";
import type { Json } from "../../support/project.js";
import { guardedServer, listening, mcpRoute } from "../../support/upstream/http.js";
import { olderServer } from "../../support/upstream/older-sdk.js";
import { called } from "../../support/upstream/upstreams.js";
import { threadMb } from "../../support/used.js";

const tool = (name: string): object => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  annotations: { readOnlyHint: name !== "write" },
});
const ERAS = ["legacy", "modern"] as const;
const only = (era: (typeof ERAS)[number]) => (era === "modern" ? { legacy: "reject" as const } : {});

/** A server of the official SDK, to be called. */
async function served(
  era: (typeof ERAS)[number],
  call: Parameters<typeof mcpRoute>[1] & object,
  names: readonly string[],
) {
  const { origin, headers, seen } = await listening(mcpRoute(names.map(tool), { ...only(era), ...call }));
  const entry = { url: `${origin}/mcp`, headers: { Authorization: `Bearer \${KEY}` }, timeout: 10 };
  return { ...(await called({ servers: { web: entry }, secrets: { KEY: "k-12345678" } })), headers, seen };
}

describe.each(ERAS)("the official SDK, %s era", (era) => {
  test("calls, with static headers from secrets", async () => {
    const call = async ({ arguments: given }: Json) => ({
      content: [{ type: "text", text: "x" }],
      structuredContent: { given },
    });
    const { call: make, headers, upstreams } = await served(era, { call }, ["echo"]);
    expect(await make("web.echo", { text: "é" })).toEqual({ given: { text: "é" }, content: "x" });
    expect(headers.get("/mcp")).toMatchObject({ authorization: "Bearer k-12345678" });
    expect(upstreams.states().get("web")).toEqual({ state: "connected" });
  });

  test("progress is passed on, an abort reaches the tool", async () => {
    let aborted = 0;
    const call = async ({ name }: Json, { mcpReq }: ServerContext) => {
      if (name === "hang")
        return new Promise<object>((resolve) => {
          mcpReq.signal.addEventListener("abort", () => {
            aborted++;
            resolve({ content: [] });
          });
        });
      const progressToken = mcpReq._meta?.progressToken ?? "";
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: 2, total: 2 } });
      return { content: [{ type: "text", text: "done" }] };
    };
    const { call: make } = await served(era, { call }, ["work", "hang"]);
    const seen: number[] = [];
    expect(await make("web.work", {}, { progress: (done) => void seen.push(done) })).toBe("done");
    expect(seen).toEqual([2]);
    const controller = new AbortController();
    const hanging = make("web.hang", {}, { signal: controller.signal });
    setTimeout(() => controller.abort("CANCELLED"), 200);
    await expect(hanging).rejects.toMatchObject({ code: "CANCELLED" });
    // In the older protocol it is sent as a message, which a server without sessions cannot relate to the call.
    if (era === "modern") await expect.poll(() => aborted).toBe(1);
    expect(await make("web.work")).toBe("done");
  });
});

test("in the newer protocol questions come as the answer of a call, and its client is asked", async () => {
  const call = async (_: Json, { mcpReq }: ServerContext) => {
    const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
    const given = mcpReq.inputResponses as Json;
    return given
      ? { content: [], structuredContent: { given: given.who } }
      : inputRequired({ inputRequests: { who: inputRequired.elicit({ message: "Who?", requestedSchema }) } });
  };
  const { failure } = await served("modern", { call }, ["ask"]);
  expect((await failure("web.ask")).message).toMatch(/client/);
  const asked: Json[] = [];
  const forward: Forward = {
    client: 1,
    capabilities: { elicitation: { form: {} } },
    request: async (question) => {
      asked.push(question);
      return { action: "accept", content: { name: "Anna" } };
    },
  };
  const other = await served("modern", { call }, ["ask"]);
  expect(await other.call("web.ask", {}, { forward })).toEqual({
    given: { action: "accept", content: { name: "Anna" } },
  });
  expect(asked).toMatchObject([{ method: "elicitation/create", params: { message: "Who?" } }]);
});

describe("the older SDK", () => {
  test("calls in a session, which is ended when it is no longer needed", async () => {
    const server = await olderServer();
    const { call, failure, upstreams } = await called({ servers: { old: { url: `${server.origin}/mcp` } } });
    const seen: number[] = [];
    expect(await call("old.slow", {}, { progress: (done) => void seen.push(done) })).toBe("slow");
    expect(seen).toEqual([1]);
    expect(await failure("old.fail")).toMatchObject({ code: "INTERNAL", message: "it was not to be" });
    expect(server.sessions.size).toBe(1);
    await upstreams.close();
    expect(server.sessions.size).toBe(0);
  });

  test("a session that the server has forgotten is opened again, and the call is made once more", async () => {
    const server = await olderServer();
    const { call } = await called({ servers: { old: { url: `${server.origin}/mcp` } } });
    expect(await call("old.hello")).toBe("hello");
    server.forget();
    expect(await call("old.hello")).toBe("hello");
    expect(server.sessions.size).toBe(1);
  });

  test("an unused connection is checked from time to time, and a lost one is reported", async () => {
    const server = await olderServer();
    const { call, upstreams } = await called({ servers: { old: { url: `${server.origin}/mcp` } }, pingMs: 100 });
    expect(await call("old.hello")).toBe("hello");
    server.forget();
    await expect.poll(() => upstreams.states().get("old")?.state).toBe("disconnected");
    expect(await call("old.hello")).toBe("hello");
  });
});

/** A server of the older protocol that gives the scripted answers. */
async function raw(answer: (response: ServerResponse, id: number) => void, options: object = {}) {
  const json = (response: ServerResponse, value: object): void => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", ...value }));
  };
  let isUp = true;
  const { origin } = await listening((request, response, body) => {
    const { id, method, params } = body === "" ? ({} as Json) : JSON.parse(body);
    if (request.method !== "POST" || id === undefined) {
      response.writeHead(request.method === "POST" ? 202 : 405);
      return void response.end();
    }
    const capabilities = { tools: {} };
    const serverInfo = { name: "raw", version: "1" };
    if (method === "initialize")
      json(response, { id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo } });
    else if (method === "tools/list") json(response, { id, result: { tools: [tool("read"), tool("write")] } });
    else if (isUp) answer(response, id);
    else json(response, { id, result: { content: [{ type: "text", text: "better" }] } });
  });
  const opened = await called({ servers: { raw: { url: `${origin}/mcp`, timeout: 10 } }, ...options });
  return { ...opened, mend: () => (isUp = false) };
}

function stream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(": hello\n\n");
  return response;
}

describe("refusals and broken answers", () => {
  test.each([
    [401, "UNAVAILABLE", /asks for authorization \(HTTP 401\).*run "toolwright snapshot raw"/],
    [403, "UNAVAILABLE", /HTTP 403/],
    [429, "RATE_LIMITED", /too often/],
    [500, "UNAVAILABLE", /HTTP 500/],
    [503, "UNAVAILABLE", /HTTP 503/],
  ])("HTTP %i to a call is %s, with what to do", async (status, code, words) => {
    const { failure } = await raw((response) => {
      response.writeHead(status);
      response.end("no");
    });
    const failed = await failure("raw.write");
    expect(failed).toMatchObject({ code, details: { server: "raw", status } });
    expect(failed.message).toMatch(words);
  });

  test.each([
    ["seconds", "7", 7_000, 7_000],
    ["a date", () => new Date(Date.now() + 60_000).toUTCString(), 1, 60_000],
    ["a date of the past", "Wed, 21 Oct 2015 07:28:00 GMT", 0, 0],
    ["a year", "31536000", 86_400_000, 86_400_000],
  ])("Retry-After in %s is in the details of RATE_LIMITED, a day at most", async (_, header, least, most) => {
    const { failure } = await raw((response) => {
      response.writeHead(429, { "retry-after": typeof header === "string" ? header : header() });
      response.end("slow down, please");
    });
    const failed = await failure("raw.write");
    expect(failed).toMatchObject({ code: "RATE_LIMITED", details: { server: "raw", status: 429, outcome: "none" } });
    expect(failed.message).toContain("slow down, please");
    expect(failed.details.retry_after_ms).toBeGreaterThanOrEqual(least);
    expect(failed.details.retry_after_ms).toBeLessThanOrEqual(most);
  });

  test("Retry-After that says nothing is left out; of 503 it is a detail of UNAVAILABLE", async () => {
    const answers = [
      [429, "soon"],
      [503, "3"],
    ] as const;
    const [odd, busy] = await Promise.all(
      answers.map(async ([status, header]) => {
        const { failure } = await raw((response) => {
          response.writeHead(status, { "retry-after": header });
          response.end();
        });
        return failure("raw.read");
      }),
    );
    expect(odd).toMatchObject({ code: "RATE_LIMITED", details: { status: 429 } });
    expect(odd?.details).not.toHaveProperty("retry_after_ms");
    expect(busy).toMatchObject({ code: "UNAVAILABLE", details: { status: 503, retry_after_ms: 3_000 } });
  });

  test("a server that throttles the connection itself is left alone for as long as it says", async () => {
    const open = await listening(mcpRoute([tool("page")]));
    const busy = await listening((_, response) => {
      response.writeHead(429, { "retry-after": "120" });
      response.end("later");
    });
    const { failure } = await called({
      servers: { web: { url: `${busy.origin}/mcp` } },
      accepted: { web: { url: `${open.origin}/mcp` } },
    });
    const first = await failure("web.page");
    expect(first).toMatchObject({ code: "RATE_LIMITED", details: { status: 429, retry_after_ms: 120_000 } });
    const asked = busy.seen.length;
    const second = await failure("web.page");
    expect(second).toMatchObject({ code: "RATE_LIMITED", details: { status: 429 } });
    expect(second.details.retry_after_ms).toBeGreaterThan(60_000);
    expect(second.details.retry_after_ms).toBeLessThanOrEqual(120_000);
    expect(busy.seen).toHaveLength(asked);
  });

  test("a server that refuses us from the start: UNAVAILABLE with what to do, and its token is asked for by name", async () => {
    const tools = [tool("page")];
    const open = await listening(mcpRoute(tools));
    const guarded = await guardedServer(tools);
    const accepted = { web: { url: `${open.origin}/mcp` } };
    const { failure } = await called({ servers: { web: { url: `${guarded.origin}/mcp` } }, accepted });
    const failed = await failure("web.page");
    expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { server: "web" } });
    expect(failed.message).toContain('run "toolwright snapshot web" on a terminal');
    const headers = { Authorization: "Bearer wrong-token-1234" };
    const other = await called({ servers: { web: { url: `${guarded.origin}/mcp`, headers } }, accepted });
    const refused = await other.failure("web.page");
    expect(refused.message).toContain("refuses the credentials in its headers");
    expect(refused.message).not.toContain("wrong-token");
  });

  test.each([
    ["an answer that ends early", (response: ServerResponse) => stream(response).end()],
    ["an answer that breaks off", (response: ServerResponse) => stream(response).destroy()],
    ["a connection that is cut", (response: ServerResponse) => response.destroy()],
    [
      "an answer that is no JSON",
      (response: ServerResponse) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end("{");
      },
    ],
    [
      "an answer that is a page",
      (response: ServerResponse) => {
        response.writeHead(200, { "content-type": "text/html" });
        response.end("<h1>hi</h1>");
      },
    ],
  ])("%s: UNAVAILABLE at once, unknown outcome for a write, and the next call is made", async (_, answer) => {
    const { call, failure, mend } = await raw((response) => void answer(response));
    const started = performance.now();
    const failed = await failure("raw.write");
    expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { server: "raw", outcome: "unknown" } });
    expect(performance.now() - started).toBeLessThan(8_000);
    mend();
    expect(await call("raw.read")).toBe("better");
  });

  test.each(["application/json", "text/event-stream", "text/event-stream; form=ids"])(
    "50 MB as %s are refused, and memory is bounded",
    async (type) => {
      const big = (response: ServerResponse, id: number): void => {
        response.writeHead(200, { "content-type": type });
        if (type.startsWith("text/")) response.write(type.endsWith("ids") ? "id: 7\ndata: \n\ndata: " : "data: ");
        response.write(`{"jsonrpc":"2.0","id":${id},"result":{"text":"`);
        let left = 50;
        const more = (): void => {
          if (left-- === 0) response.end('"}}\n\n');
          else response.write("x".repeat(1_000_000), (error) => error || more());
        };
        more();
      };
      const { call, failure, mend } = await raw(big, { messageBytes: 1_000_000 });
      const before = threadMb();
      const failed = await failure("raw.read");
      const grown = threadMb() - before;
      console.log(`50 MB as ${type}: ${grown.toFixed(0)} MB more memory in use`);
      expect(failed).toMatchObject({ code: "UNAVAILABLE" });
      expect(failed.message).toContain("an answer of more than 1000000 bytes");
      expect(grown).toBeLessThan(100);
      mend();
      expect(await call("raw.read")).toBe("better");
    },
  );

  test("a server that goes away and comes back", async () => {
    const port = await freePort();
    const first = await olderServer(port);
    const { call, failure, upstreams } = await called({ servers: { old: { url: `${first.origin}/mcp` } } });
    expect(await call("old.hello")).toBe("hello");
    await first.stop();
    const failed = await failure("old.hello");
    expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { server: "old" } });
    expect(failed.message).toMatch(/ECONNREFUSED|ECONNRESET|closed/);
    expect(upstreams.states().get("old")).toMatchObject({ state: "disconnected" });
    await olderServer(port);
    expect(await call("old.hello")).toBe("hello");
  });

  test("a server that is not there", async () => {
    const { origin } = await listening(mcpRoute([tool("page")]));
    const accepted = { web: { url: `${origin}/mcp` } };
    const { failure } = await called({ servers: { web: { url: "http://127.0.0.1:9/mcp" } }, accepted });
    expect((await failure("web.page")).message).toMatch(/ECONNREFUSED|bad port|fetch failed/);
  });
});
