/** A fifth gateway tool is one row of the table: every transport lists, answers and counts it. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { openSocket } from "../../../features/socket/server.js";
import { createRates } from "../../../runtime/access/rate.js";
import { GATEWAY_TOOLS } from "../../../runtime/contract/gateway-tools.js";
import type { Gateway } from "../../../runtime/gateway/gateway.js";
import { SERVED_TOOLS, type ServedTool } from "../../../runtime/serve/gateway-tools.js";
import { httpAddress } from "../../../runtime/serve/http/address.js";
import { openHttp } from "../../../runtime/serve/http/http.js";
import { createServer } from "../../../runtime/serve/mcp/server.js";
import { openStdio } from "../../../runtime/serve/stdio/stdio.js";
import type { OpenTransport } from "../../../runtime/serve/transport.js";
import { pageText, section } from "../../support/doc-pages.js";
import { temporaryFolder } from "../../support/project.js";
import { connect } from "../../support/servers/socket-connection.js";
import { fixture, liveOf, principal } from "../gateway/fixture.js";

/** Counts as three calls, and answers who asked what. */
const ECHO: ServedTool = {
  name: "tool_echo",
  definition: {
    description: "Repeat the arguments.",
    inputSchema: { type: "object", properties: { say: { type: "string" } } },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  about: "repeats the arguments",
  offered: { mcp: "gateway", socket: true, api: "/api/echo" },
  callsIn: () => 3,
  answer: ({ input, principal: { id } }) => ({ value: { id, input }, isError: false }),
};
const gatewayTools = [...SERVED_TOOLS, ECHO];
const SAID = { id: "local", input: { say: "moin" } };

const closing = (transport: OpenTransport): OpenTransport => {
  onTestFinished(async () => {
    transport.stop();
    await transport.close();
  });
  return transport;
};

/** A gateway with a key `k`, which may make four calls. */
function gatewayWithKey(): Gateway {
  const { gateway } = fixture();
  const live = { keyId: "k", grant: { level: "read", projects: "*" }, expiresAt: undefined };
  const verify = async (key: string) => (key === "secret" ? live : undefined);
  const keys = { ...gateway.keys, verify, anyMade: async () => false } as unknown as Gateway["keys"];
  return { ...gateway, keys, rates: createRates({ burst: 4, perSecond: 0 }, () => 0) };
}

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

  test("is listed and answered on the socket, and counts as its row says", async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, "run"), { mode: 0o700 });
    const path = join(root, "run", "s");
    closing(await openSocket({ live: liveOf(gatewayWithKey()), root, path, gatewayTools }));
    const client = await connect(path);
    const call = { api_key: "secret", tool: "tool_echo", arguments: SAID.input };
    expect((await client.ask("oubliette_call_tool", call)).result.structuredContent).toEqual({ ...SAID, id: "k" });
    expect((await client.ask("oubliette_call_tool", call)).error.data.code).toBe("RATE_LIMITED");
    const { result } = await client.ask("oubliette_tools", { api_key: "secret", view: "gateway" });
    expect(result.tools.at(-1).name).toBe("tool_echo");
  });
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

test("a tool that is not offered somewhere is unknown there", async () => {
  const mute: ServedTool = { ...ECHO, offered: { mcp: "gateway" } };
  const root = temporaryFolder();
  mkdirSync(join(root, "run"), { mode: 0o700 });
  const path = join(root, "run", "s");
  closing(await openSocket({ live: liveOf(gatewayWithKey()), root, path, gatewayTools: [mute] }));
  const call = { api_key: "secret", tool: "tool_echo", arguments: {} };
  expect((await (await connect(path)).ask("oubliette_call_tool", call)).error.data.code).toBe("PERMISSION_DENIED");
});

test.each(GATEWAY_TOOLS.map(({ name }) => name))("the README and the page for agents describe %s", (name) => {
  expect(section(pageText("README.md"), "What agents see")).toContain(`| \`${name}\` |`);
  expect(pageText("docs/what-agents-see.md")).toContain(`\`${name}\``);
});
