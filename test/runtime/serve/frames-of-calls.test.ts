/** How many functions of ours lie between a transport and a handler: each is one more that a reader has to go through. */

import { PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import { createMcp } from "../../../runtime/serve/http/mcp.js";
import { openStdio } from "../../../runtime/serve/stdio/stdio.js";
import { fixture, handler, liveOf, principal } from "../gateway/fixture.js";

/** Most functions of ours between the two. */
const MOST = 15;

/** A gateway whose op keeps the frames of ours that are on the stack when it is called. */
function counting() {
  const seen: string[] = [];
  const list = handler(async () => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 200;
    seen.push(...(new Error("here").stack ?? "").split("\n").filter((line) => line.includes("/runtime/")));
    Error.stackTraceLimit = stackTraceLimit;
    return 1;
  });
  const { gateway } = fixture({ handlers: { "onto.task.list": list } });
  return { gateway, frames: () => seen.filter((line) => !line.includes("/test/")) };
}

function expectFew(frames: readonly string[]): void {
  // The two ends of the way: what reads the request, and what calls the handler.
  expect(frames.at(-1)).toContain("runtime/serve/mcp/tool-requests.ts");
  expect(frames[0]).toContain("runtime/call/call-handler.ts");
  expect(frames.length, frames.join("\n")).toBeLessThanOrEqual(MOST);
}

const asked = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "tool_exec", arguments: { op: "onto.task.list" } },
};

test("over stdio", async () => {
  const { gateway, frames } = counting();
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let text = "";
  stdout.on("data", (chunk) => (text += String(chunk)));
  openStdio({ live: liveOf(gateway), principal: () => principal(), version: "0", stdin, stdout });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const opening = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params },
    { jsonrpc: "2.0", method: "notifications/initialized" },
  ];
  for (const message of opening) stdin.write(`${JSON.stringify(message)}\n`);
  await vi.waitFor(() => expect(text).toContain('"id":1'));
  stdin.write(`${JSON.stringify(asked)}\n`);
  await vi.waitFor(() => expect(text).toContain('"id":2'));
  expectFew(frames());
});

test("over HTTP", async () => {
  const { gateway, frames } = counting();
  const mcp = createMcp({ live: liveOf(gateway), version: "0" });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers, body: JSON.stringify(asked) });
  const caller = { principal: principal(), ending: new AbortController().signal };
  expect(await (await mcp.answer(request, asked, caller)).text()).toContain('"id":2');
  await mcp.close();
  expectFew(frames());
});
