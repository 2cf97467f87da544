/** A fifth gateway tool is one row of the table: every transport lists, answers and counts it. */

import { PassThrough } from "node:stream";
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { GATEWAY_TOOLS } from "../../../runtime/contract/gateway-tools.js";
import { httpAddress } from "../../../runtime/serve/http/address.js";
import { openHttp } from "../../../runtime/serve/http/http.js";
import { createServer } from "../../../runtime/serve/mcp/server.js";
import { openStdio } from "../../../runtime/serve/stdio/stdio.js";
import { pageText, section } from "../../support/doc-pages.js";
import { fixture, liveOf, principal } from "../gateway/fixture.js";
import { closing, ECHO, gatewayTools, gatewayWithKey, SAID } from "./echo-tool.js";

const echo = async (client: Client) =>
  (await client.callTool({ name: "tool_echo", arguments: SAID.input })).structuredContent;

describe("a fifth row", () => {
  test("is listed and answered by an MCP server, which names it in its instructions", async () => {
    const [here, there] = InMemoryTransport.createLinkedPair();
    const { gateway } = fixture({ settings: { instructions: "" } });
    const server = createServer({ live: liveOf(gateway), principal: () => principal(), version: "0", gatewayTools });
    const client = new Client({ name: "test", version: "1" });
    await Promise.all([server.connect(there), client.connect(here)]);
    expect((await client.listTools()).tools.at(-1)).toEqual({ name: "tool_echo", ...ECHO.definition });
    expect(await echo(client)).toEqual(SAID);
    expect(client.getInstructions()).toContain(
      "tool_batch several in one round trip, tool_echo repeats the arguments.",
    );
  });

  test("is answered over stdio", async () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    closing(
      openStdio({
        live: liveOf(fixture().gateway),
        principal: () => principal(),
        version: "0",
        stdin,
        stdout,
        gatewayTools,
      }),
    );
    const line = new Promise<string>((resolve) => stdout.once("data", (chunk) => resolve(String(chunk))));
    const params = { name: "tool_echo", arguments: SAID.input, _meta: META };
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`);
    expect(JSON.parse(await line).result.structuredContent).toEqual(SAID);
  });

  test("is answered over HTTP by both endpoints, and counts as its row says", async () => {
    const live = liveOf(gatewayWithKey());
    const options = {
      live,
      principal,
      version: "0",
      root: "",
      address: httpAddress("0"),
      hasConsole: false,
      gatewayTools,
    };
    const { transport, url } = await openHttp({ ...options, principal: () => principal() });
    closing(transport);
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    expect(await echo(client)).toEqual(SAID);
    await client.close();
    const post = (path: string, key?: string) =>
      fetch(new URL(path, url), {
        method: "POST",
        headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
        body: JSON.stringify(SAID.input),
      });
    expect(await (await post("/api/echo")).json()).toEqual(SAID);
    expect(await (await post("/api/echo", "secret")).json()).toEqual({ ...SAID, id: "k" });
    expect((await post("/api/echo", "secret")).status).toBe(429);
    expect((await post("/api/help", "secret")).status).toBe(200);
  });
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

test.each(GATEWAY_TOOLS.map(({ name }) => name))("the README and the page for agents describe %s", (name) => {
  expect(section(pageText("README.md"), "What agents see")).toContain(`| \`${name}\` |`);
  expect(pageText("docs/what-agents-see.md")).toContain(`\`${name}\``);
});
