/** Notifications to a client in both protocol eras: changed lists, and warnings of its own calls. */

import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { CHECKOUT, generatedRoot, type Json, serverCommand } from "../../../support/project.js";
import { SLOW } from "../../../support/run/run-demo.js";
import { sides } from "../../../support/servers/sides.js";
import { MODERN } from "../../../support/servers/surface.js";

const ERAS = [
  ["2025", { versionNegotiation: { mode: "legacy" } }],
  ["2026", MODERN],
] as const;

const LISTS = ["tools", "resources", "prompts"] as const;

describe.each(ERAS)("protocol of %s", { timeout: SLOW }, (era, options) => {
  async function clientOf(root: string, before: (client: Client) => void): Promise<Client> {
    const client = new Client({ name: "test", version: "1" }, options);
    before(client);
    await client.connect(new StdioClientTransport(serverCommand(root)));
    onTestFinished(() => client.close());
    return client;
  }
  /** The level rides on each request since 2026, and is set once before. */
  const meta = (level: string): object =>
    era === "2026" ? { _meta: { "io.modelcontextprotocol/logLevel": level } } : {};

  test("a reload changes every list, and the client is notified", { tags: "full" }, async () => {
    const { root, show } = await sides(onTestFinished);
    const told = new Set<string>();
    const client = await clientOf(root, (one) => {
      for (const list of LISTS)
        one.setNotificationHandler(`notifications/${list}/list_changed`, () => void told.add(list));
    });
    if (era === "2026")
      await client.listen({ toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true });
    const seen = async () => ({
      resources: (await client.listResources(undefined, { cacheMode: "refresh" })).resources.map(({ name }) => name),
      prompt: (await client.getPrompt({ name: "hi" })).messages[0]?.content,
    });
    expect(await seen()).toMatchObject({ prompt: { text: expect.stringContaining("'A'") } });
    expect((await seen()).resources).toContain("mark_only_a");
    show("B");
    await client.callTool({ name: "run", arguments: { command: "ot.reload()" } });
    await expect.poll(() => [...told].sort()).toEqual(["prompts", "resources", "tools"]);
    expect(await seen()).toMatchObject({ prompt: { text: expect.stringContaining("'B'") } });
    expect((await seen()).resources).toContain("mark_only_b");
    expect((await seen()).resources).not.toContain("mark_only_a");
  });

  test("warnings and faults of a call, and of the calls of a run, at the level that was asked for", async () => {
    const root = await generatedRoot(join(CHECKOUT, "test/support/demos/hot-demo/definitions"));
    const messages: Json[] = [];
    const client = await clientOf(root, (one) =>
      one.setNotificationHandler("notifications/message", ({ params }) => void messages.push(params)),
    );
    const call = async (level: string, name: string, given: Json): Promise<readonly Json[]> => {
      messages.length = 0;
      if (era === "2025") await client.setLoggingLevel(level as "warning");
      await client.callTool({ name, arguments: given, ...meta(level) });
      return [...messages];
    };
    const slow = {
      level: "warning",
      logger: "toolwright",
      data: {
        op: "shop.wait",
        trace_id: expect.stringMatching(/^tr_/),
        warnings: ["slow_shop: the shop is slow today"],
      },
    };
    expect(await call("warning", "wait", {})).toEqual([slow]);
    const asks = { ...slow.data, message: "asks the shop with Bearer ***" };
    const { warnings: _, ...line } = asks;
    expect(await call("debug", "tool_exec", { op: "shop.wait" })).toEqual([
      { level: "info", logger: "toolwright", data: line },
      slow,
    ]);
    const batch = { ops: [{ op: "shop.wait" }, { op: "shop.titles" }] };
    expect(await call("notice", "tool_batch", batch)).toEqual([slow]);
    expect(await call("warning", "run", { command: "shop.wait(); shop.titles(); 1" })).toEqual([slow]);
    expect(await call("error", "wait", {})).toEqual([]);
    expect(await call("warning", "shop_name", {})).toEqual([]);
    expect(await call("warning", "tool_exec", { op: "shop.nothing" })).toEqual([]);
    const [fault, ...more] = await call("error", "tool_exec", { op: "shop.broken" });
    expect(more).toEqual([]);
    expect(fault).toMatchObject({ level: "error", data: { op: "shop.broken", code: "INTERNAL" } });
    expect(JSON.stringify(fault)).not.toContain("/etc/secret");
  });
});

test("before 2026 a client that sets no level gets all but debugging, after it nothing", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const root = await generatedRoot(join(CHECKOUT, "test/support/demos/hot-demo/definitions"));
  const counts: number[] = [];
  for (const [, options] of ERAS) {
    let count = 0;
    const client = new Client({ name: "test", version: "1" }, options);
    client.setNotificationHandler("notifications/message", () => void count++);
    await client.connect(new StdioClientTransport(serverCommand(root)));
    await client.callTool({ name: "wait", arguments: {} });
    await client.close();
    counts.push(count);
  }
  expect(counts).toEqual([2, 0]);
});
