/** Responses to MCP messages: in one piece where one message is all, otherwise as the messages come. */

import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ExactNumber, marked } from "../../../../runtime/contract/exact-number.js";
import { unmarkedResponse } from "../../../../runtime/serve/http/mcp.js";
import { type HttpServed, serveHttp } from "../../../support/http.js";
import { CHECKOUT, generatedRoot } from "../../../support/project.js";

/** A response whose messages the test sends. */
function open() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const cancelled: unknown[] = [];
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
    cancel: (reason) => void cancelled.push(reason),
  });
  return {
    response: new Response(body, { headers: { "content-type": "text/event-stream" } }),
    send: (text: string) => controller?.enqueue(Buffer.from(text)),
    end: () => controller?.close(),
    fail: (error: Error) => controller?.error(error),
    cancelled,
  };
}

test("messages arrive in order, however long the first one takes, with their numbers as spelled", async () => {
  const { response, send, end } = open();
  const number = "12345678901234567890.50";
  // Nothing is sent before it resolves.
  const answer = await unmarkedResponse(response);
  send(`data: ${JSON.stringify(marked(new ExactNumber(number)))}\n\n`);
  send("data: 2\n\n");
  end();
  expect(await answer.text()).toBe(`data: ${number}\n\ndata: 2\n\n`);
});

test("a message is passed on before the next one is there", async () => {
  const { response, send, end } = open();
  send("data: 1\n\n");
  const reader = (await unmarkedResponse(response)).body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? "").toString()).toBe("data: 1\n\n");
  send("data: 2\n\n");
  end();
  expect(Buffer.from((await reader?.read())?.value ?? "").toString()).toBe("data: 2\n\n");
  expect((await reader?.read())?.done).toBe(true);
});

test("a stream that fails or is cancelled is that for both sides", async () => {
  const failing = open();
  failing.send("data: 1\n\n");
  const failed = await unmarkedResponse(failing.response);
  failing.fail(new Error("gone"));
  await expect(failed.text()).rejects.toThrow("gone");
  const left = open();
  const answer = await unmarkedResponse(left.response);
  await answer.body?.cancel("left");
  expect(left.cancelled).toEqual(["left"]);
});

test("an answer without messages, or of another type, stays what it is", async () => {
  const { response, end } = open();
  end();
  expect(await (await unmarkedResponse(response)).text()).toBe("");
  const page = new Response("12", { headers: { "content-type": "text/html" } });
  expect(await unmarkedResponse(page)).toBe(page);
});

const cleaning: (() => unknown)[] = [];
let server: HttpServed;
beforeAll(async () => {
  const later = (clean: () => unknown): void => void cleaning.push(clean);
  server = await serveHttp(
    await generatedRoot(join(CHECKOUT, "test/support/demos/http-demo/definitions"), later),
    [],
    later,
  );
}, 120_000);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

/** The headers of an answer, and its text. */
const called = (op: string, args: object, meta: object = {}, { path = "", mark = "" } = {}) =>
  new Promise<{ readonly headers: Readonly<Record<string, unknown>>; readonly text: string }>((resolve, reject) => {
    const params = { name: "tool_exec", arguments: { op, args }, ...meta };
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const sent = request(`${server.url}${path}`, { method: "POST", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.once("end", () => resolve({ headers: response.headers, text }));
    });
    sent.once("error", reject);
    sent.end(mark + JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
  });

test("an answer of one message has a length; one with progress before it comes in pieces", async () => {
  // On a busy machine an answer may take too long.
  const one = async () => {
    const { headers, text } = await called("demo.echo", { text: "hi" });
    return [text.includes('\\"hi\\"'), Number(headers["content-length"]) === text.length];
  };
  await expect.poll(one).toEqual([true, true]);
  const steps = await called("demo.steps", { count: 5 }, { _meta: { progressToken: "p" } });
  expect(steps.headers).toMatchObject({ "transfer-encoding": "chunked" });
  expect(steps.text).toContain("notifications/progress");
  expect(steps.text).toContain('"id":1');
});

test("a slash at the end of the path, and a mark of the byte order, change nothing", async () => {
  expect((await called("demo.echo", { text: "hi" }, {}, { path: "/" })).text).toContain('\\"hi\\"');
  expect((await called("demo.echo", { text: "hi" }, {}, { mark: "\ufeff" })).text).toContain('\\"hi\\"');
  const got = await fetch(`${server.url}/`);
  expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"]);
});

test("half of a pair of UTF-16 is sent as U+FFFD, over MCP and /api", async () => {
  const text = "\ud800 😀 \udfff";
  const { text: answer } = await called("demo.echo", { text });
  expect(answer).toContain("�");
  expect(answer).not.toMatch(/\\u[dD][89a-fA-F]/);
  const api = await fetch(server.url.replace("/mcp", "/api/exec"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ op: "demo.echo", args: { text } }),
  });
  const body = await api.text();
  expect(body).toMatch(/\\ufffd|�/);
  expect(body).not.toMatch(/\\u[dD][89a-fA-F]/);
});
