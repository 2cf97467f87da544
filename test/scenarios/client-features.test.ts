/** Features of a client other than calls: elicitation by upstream servers, and answers other than text. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { MODERN } from "../support/http.js";
import { CHECKOUT, generatedRoot, type Json, serverCommand, toolwright } from "../support/project.js";
import { SLOW } from "../support/run/run-demo.js";
import { ASKS, answering, askingRoot, SAID } from "../support/servers/asking.js";

const HOT_DEMO = join(CHECKOUT, "test/support/demos/hot-demo/definitions");

let root: string;

beforeAll(async () => {
  root = await askingRoot(afterAll);
}, SLOW);

async function connect(client: Client, at = root): Promise<Client> {
  await client.connect(new StdioClientTransport(serverCommand(at)));
  onTestFinished(() => client.close());
  return client;
}

/** The envelope of a call. */
async function exec(client: Client, op: string, args: Json = {}): Promise<Json> {
  const { structuredContent } = (await client.callTool({ name: "tool_exec", arguments: { op, args } })) as Json;
  return structuredContent;
}

const newer = { versionNegotiation: { mode: { pin: MODERN } } };

test("questions of a server reach the client that called, and its answers the server", { timeout: SLOW }, async () => {
  const asked: string[] = [];
  const client = await connect(answering({}, (method) => void asked.push(method)));
  for (const [op, said] of ASKS) expect(await exec(client, op)).toMatchObject({ ok: true, result: said });
  expect(asked).toEqual(["elicitation/create", "sampling/createMessage", "roots/list"]);
  const { content } = (await client.callTool({
    name: "run",
    arguments: { command: "older.ask()['content']" },
  })) as Json;
  expect(content).toEqual([{ type: "text", text: '{"name":"Anna"}' }]);
});

test("a client without elicitation is not asked, and the server is told so", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const silent = await connect(new Client({ name: "silent", version: "1" }));
  const modern = await connect(answering(newer));
  const words = [/elicitation/, /-32601/, /-32601/];
  for (const client of [silent, modern])
    for (const [index, [op]] of ASKS.entries())
      expect(await exec(client, op)).toMatchObject({ ok: true, result: expect.stringMatching(words[index] ?? "") });
});

test("a server of the newer protocol asks clients of both", { tags: "full", timeout: SLOW }, async () => {
  for (const options of [{}, newer]) {
    const asked: string[] = [];
    const client = await connect(answering(options, (method) => void asked.push(method)));
    const envelope = await exec(client, "asking.confirm", { about: "it" });
    expect(envelope, JSON.stringify(envelope)).toMatchObject({ ok: true, result: { about: "it", answer: SAID.form } });
    expect(asked).toEqual(["elicitation/create"]);
  }
});

test("images, audio and resources follow the text, through every tool", { timeout: SLOW }, async () => {
  const client = await connect(new Client({ name: "eyes", version: "1" }));
  const media = { op: "calls.media" };
  const asked: readonly (readonly [string, object])[] = [
    ["tool_exec", media],
    ["tool_batch", { ops: [{ type: "exec", ...media }] }],
    ["run", { command: "calls.media()" }],
    ["run", { command: 'ot.batch(calls=[("calls.media", {})])[0]' }],
  ];
  for (const [name, given] of asked) {
    const { content, isError } = (await client.callTool({ name, arguments: { ...given } })) as Json;
    expect(isError, JSON.stringify(content)).toBeFalsy();
    const [first, ...rest] = content;
    expect(first.type).toBe("text");
    expect(rest.map((one: Json) => one.type)).toEqual(["image", "audio", "resource", "resource", "resource_link"]);
    expect(rest[0]).toEqual({ type: "image", mimeType: "image/png", data: "AAAA" });
  }
});

test("warnings of calls reach the client, including those of ot.batch", { tags: "full", timeout: SLOW }, async () => {
  const shop = await generatedRoot(HOT_DEMO);
  const file = join(shop, "definitions", "toolwright.yaml");
  writeFileSync(file, `use: [ot]\n${readFileSync(file, "utf8")}`);
  const { code, stderr } = await toolwright(["generate", "--root", shop]);
  expect(stderr, stderr).not.toContain("error");
  expect(code).toBe(0);
  const client = new Client({ name: "log", version: "1" });
  const warned: Json[] = [];
  client.setNotificationHandler("notifications/message", ({ params: { level, data } }) => {
    if (level === "warning") warned.push(data);
  });
  await connect(client, shop);
  const batch = { op: "ot.batch", args: { calls: [["shop.wait", {}]] } };
  await client.callTool({ name: "tool_exec", arguments: batch });
  await client.callTool({ name: "run", arguments: { command: 'ot.batch(calls=[("shop.wait", {})])' } });
  const warning = { op: "shop.wait", warnings: ["slow_shop: the shop is slow today"] };
  await expect.poll(() => warned).toMatchObject([warning, warning]);
});
