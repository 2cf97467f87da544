/** The programmatic API: `serve` opens the transports of a project in this process. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { isUsageError, serve } from "../../../generator/entry/index.js";
import { CHECKOUT, generatedRoot } from "../../support/project.js";
import { connect } from "../../support/servers/socket-connection.js";
import { makeKey } from "../../support/servers/socket-server.js";

const DEMO = join(CHECKOUT, "test/support/demos/access-demo/definitions");
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "uncaughtException"];
const listeners = () => SIGNALS.map((name) => process.listenerCount(name));

test("over HTTP and on a socket at once, until it is closed; it adds no listeners to the process", {
  tags: "full",
}, async () => {
  const root = await generatedRoot(DEMO);
  const before = listeners();
  const server = await serve({ root, http: 0, socket: join(root, ".onetool", "s"), logLevel: "silent" });
  const { url = "", socket = "" } = server;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  expect(listeners()).toEqual(before);

  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { structuredContent } = await client.callTool({ name: "tool_exec", arguments: { op: "vault.list_notes" } });
  expect(structuredContent).toMatchObject({ ok: true, result: ["one", "two"] });
  await client.close();

  const { key } = await makeKey(root, "read");
  const asked = { api_key: key, tool: "tool_exec", arguments: { op: "vault.list_notes" } };
  expect((await (await connect(socket)).ask("oubliette_call_tool", asked)).result.isError).toBe(false);

  await server.reload();
  let ended = false;
  void server.ended.then(() => {
    ended = true;
  });
  await server.close(100);
  await server.close();
  await server.ended;
  expect(ended).toBe(true);
  await expect(fetch(url)).rejects.toThrow();
  expect(existsSync(socket)).toBe(false);
});

test("without a transport, and with an address that cannot be used, it names the remedy and leaves nothing open", async () => {
  const root = await generatedRoot(DEMO);
  await expect(serve({ root })).rejects.toThrow(
    "serve() opens no transport: set stdio: true, http: PORT or socket: true",
  );
  await expect(serve({ root, http: "nowhere" })).rejects.toThrow("takes PORT or HOST:PORT");
  const first = await serve({ root, http: 0, console: false, logLevel: "silent" });
  const { port } = new URL(first.url ?? "");
  const error = await serve({ root, http: port, socket: join(root, ".onetool", "t"), logLevel: "silent" }).catch(
    (fault) => fault,
  );
  expect([isUsageError(error), error.message]).toEqual([true, expect.stringContaining(port)]);
  expect(existsSync(join(root, ".onetool", "t"))).toBe(false);
  expect((await fetch(new URL("/", first.url))).status).toBe(404);
  await first.close();
});
