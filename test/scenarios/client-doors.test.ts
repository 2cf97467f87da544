/** What a client takes part in beside calling: questions of upstream servers, and answers that are no text. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { CHECKOUT, generatedRoot, type Json, serverCommand, temporaryFolder, toolwright } from "../support/project.js";
import { SLOW } from "../support/run-demo.js";
import { olderSdkServer } from "../support/upstream/servers.js";
import { calls } from "../support/upstream/upstreams.js";

const HOT_DEMO = join(CHECKOUT, "test/support/hot-demo/definitions");

let root: string;

beforeAll(async () => {
  root = temporaryFolder(afterAll);
  mkdirSync(join(root, "definitions"));
  const servers = { older: olderSdkServer, calls: calls() };
  const kinds = { "older/ask": { kind: "read" } };
  const config = { use: ["ot"], sources: [{ mcp: "servers/*.json" }], servers, ops: kinds };
  writeFileSync(join(root, "definitions", "toolwright.yaml"), stringify(config));
  for (const command of ["snapshot", "generate"]) {
    const { code, stdout, stderr } = await toolwright([command, "--root", root]);
    if (code !== 0) throw new Error(stdout + stderr);
  }
}, SLOW);

async function connect(client: Client, at = root): Promise<Client> {
  await client.connect(new StdioClientTransport(serverCommand(at)));
  onTestFinished(() => client.close());
  return client;
}

const ANSWER = { action: "accept" as const, content: { name: "Anna" } };

function answering(): Client {
  const client = new Client({ name: "asked", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler("elicitation/create", ({ params }) => {
    expect(params.message).toBe("Who?");
    return ANSWER;
  });
  return client;
}

const EXEC = { name: "tool_exec", arguments: { op: "older.ask" } };

test("a question of a server reaches the client that called, and its answer the server", {
  timeout: SLOW,
}, async () => {
  const client = await connect(answering());
  const { structuredContent } = (await client.callTool(EXEC)) as Json;
  expect(structuredContent).toMatchObject({ ok: true, result: ANSWER });
  const { content } = (await client.callTool({
    name: "run",
    arguments: { command: "older.ask()['content']" },
  })) as Json;
  expect(content).toEqual([{ type: "text", text: '{"name":"Anna"}' }]);
});

test("a client that cannot be asked is not, and the server is told so", { timeout: SLOW }, async () => {
  const client = await connect(new Client({ name: "silent", version: "1" }));
  const { structuredContent } = (await client.callTool(EXEC)) as Json;
  expect(structuredContent).toMatchObject({ ok: true, result: expect.stringMatching(/elicitation/) });
  const modern = new Client(
    { name: "newer", version: "1" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await connect(modern);
  const answer = (await modern.callTool(EXEC)) as Json;
  expect(answer.structuredContent).toMatchObject({ ok: true, result: expect.stringMatching(/elicitation/) });
});

test("images, audio and resources follow the text, through every tool", { timeout: SLOW }, async () => {
  const client = await connect(new Client({ name: "eyes", version: "1" }));
  const media = { op: "calls.media" };
  const asked: readonly (readonly [string, object])[] = [
    ["tool_exec", media],
    ["tool_batch", { ops: [{ type: "exec", ...media }] }],
    ["run", { command: "len(calls.media())" }],
    ["run", { command: 'len(ot.batch(calls=[("calls.media", {})])[0])' }],
  ];
  for (const [name, given] of asked) {
    const { content, isError } = (await client.callTool({ name, arguments: { ...given } })) as Json;
    expect(isError, JSON.stringify(content)).toBeFalsy();
    const [first, ...rest] = content;
    expect(first.type).toBe("text");
    if (name === "run") expect(first.text).toBe("6");
    expect(rest.map((one: Json) => one.type)).toEqual(["image", "audio", "resource", "resource", "resource_link"]);
    expect(rest[0]).toEqual({ type: "image", mimeType: "image/png", data: "AAAA" });
  }
});

test("warnings of calls are told to the client, those that ot.batch makes too", { timeout: SLOW }, async () => {
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
