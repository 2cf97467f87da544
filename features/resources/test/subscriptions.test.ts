/**
 * Subscriptions to single resources, on transports with a stream for notifications: stdio in both eras, HTTP since
 * 2026.
 */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { indexRegistry } from "../../../runtime/catalog/registry.js";
import { changedPages, heardOnly, pagesShownTo } from "../../../runtime/serve/mcp/subscriptions.js";
import { fixture } from "../../../test/runtime/gateway/fixture.js";
import { connected } from "../../../test/runtime/serve/mcp/connected.js";
import { serveHttp } from "../../../test/support/http.js";
import { serverCommand } from "../../../test/support/project.js";
import { SLOW } from "../../../test/support/run/run-demo.js";
import { type Sides, sides } from "../../../test/support/servers/sides.js";
import { MODERN } from "../../../test/support/servers/surface.js";
import { withResources } from "./with-resources.js";

const LEGACY = { versionNegotiation: { mode: "legacy" } } as const;
const PAGES = ["onetool://tools", "onetool://tool/mark_which", "onetool://tool/mark.only_a"];
const SAME = "onetool://tool/mark_wait";
/** An op that is a resource, a tool of the other side, another spelling, and nothing at all. */
const UNTOLD = ["side://A", "onetool://tool/mark_only_b", "onetool://tool/MARK_WHICH", "nowhere://x"];

interface Told {
  readonly client: Client;
  readonly told: Set<string>;
}

async function clientOf(
  options: ConstructorParameters<typeof Client>[1],
  transport: StdioClientTransport | StreamableHTTPClientTransport,
): Promise<Told> {
  const told = new Set<string>();
  const client = new Client({ name: "test", version: "1" }, options);
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void told.add(params.uri));
  await client.connect(transport);
  onTestFinished(() => client.close());
  expect(client.getServerCapabilities()?.resources).toEqual({ listChanged: true, subscribe: true });
  return { client, told };
}

/** Reloads, waits for exactly these notifications, and checks after another request that there are no more. */
async function reloaded({ client, told }: Told, show: Sides["show"], expected: readonly string[]): Promise<void> {
  show("B");
  await client.callTool({ name: "run", arguments: { command: "ot.reload()" } });
  await expect.poll(() => [...told].sort(), { timeout: SLOW / 4 }).toEqual([...expected].sort());
  const { contents } = await client.readResource({ uri: "side://B" }, { cacheMode: "refresh" });
  expect(contents).toEqual([{ uri: "side://B", mimeType: "text/plain", text: "BB" }]);
  expect([...told].sort()).toEqual([...expected].sort());
}

describe("over stdio", { timeout: SLOW }, () => {
  test("before 2026: changed and removed pages are notified, others not, and none after unsubscribing", async () => {
    const { root, show } = await sides(onTestFinished);
    const made = await clientOf(LEGACY, new StdioClientTransport(serverCommand(root)));
    const { client } = made;
    for (const uri of [...PAGES, SAME]) await client.subscribeResource({ uri });
    for (const uri of UNTOLD) await expect(client.subscribeResource({ uri })).rejects.toMatchObject({ code: -32602 });
    await client.unsubscribeResource({ uri: "onetool://tool/mark_which" });
    await client.unsubscribeResource({ uri: "nowhere://x" });
    await reloaded(made, show, ["onetool://tools", "onetool://tool/mark.only_a"]);
  });

  test("since 2026: the listener gets the notifications", { tags: "full" }, async () => {
    const { root, show } = await sides(onTestFinished);
    const made = await clientOf(MODERN, new StdioClientTransport(serverCommand(root)));
    const { honoredFilter } = await made.client.listen({ resourceSubscriptions: [...PAGES, ...UNTOLD, SAME] });
    expect(honoredFilter).toEqual({ resourceSubscriptions: [...PAGES, SAME] });
    await reloaded(made, show, PAGES);
  });
});

describe("over HTTP", { timeout: SLOW }, () => {
  test("since 2026: the listener gets the notifications", async () => {
    const { root, show } = await sides(onTestFinished);
    const { url } = await serveHttp(root);
    const made = await clientOf(MODERN, new StreamableHTTPClientTransport(new URL(url)));
    const { honoredFilter } = await made.client.listen({ resourceSubscriptions: [...PAGES, ...UNTOLD, SAME] });
    expect(honoredFilter).toEqual({ resourceSubscriptions: [...PAGES, SAME] });
    await reloaded(made, show, PAGES);
  });

  test("before 2026 there is nothing to tell through, and nothing is promised", { tags: "full" }, async () => {
    const { root } = await sides(onTestFinished);
    const { url } = await serveHttp(root);
    const client = new Client({ name: "test", version: "1" }, LEGACY);
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    onTestFinished(() => client.close());
    expect(client.getServerCapabilities()?.resources).toEqual({ listChanged: true });
    await expect(client.request({ method: "resources/subscribe", params: { uri: PAGES[0] ?? "" } })).rejects.toThrow();
  });
});

test("a server whose configuration cannot change promises nothing", async () => {
  const client = await connected(fixture({ options: await withResources() }));
  expect(client.getServerCapabilities()?.resources).toEqual({ listChanged: true });
});

describe("what is heard", async () => {
  const { gateway } = fixture({ options: await withResources() });
  const shown = (level: "read" | "admin") => pagesShownTo(gateway, { level, projects: "*" });
  const listen = (uris: readonly unknown[]) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "subscriptions/listen",
    params: { notifications: { toolsListChanged: true, resourceSubscriptions: uris }, _meta: {} },
  });

  test("a tool that the caller may not see has no page to listen to", async () => {
    const asked = ["onetool://tool/admin_keys_list", "onetool://tool/onto_task_list"];
    expect(await heardOnly(listen(asked), () => shown("admin"))).toEqual(listen(asked));
    expect(await heardOnly(listen(asked), () => shown("read"))).toEqual(listen(asked.slice(1)));
  });

  test.each([
    [{ jsonrpc: "2.0", id: 1, method: "tools/list", params: { notifications: { resourceSubscriptions: ["x"] } } }],
    [{ jsonrpc: "2.0", id: 1, method: "subscriptions/listen" }],
    [
      {
        jsonrpc: "2.0",
        id: 1,
        method: "subscriptions/listen",
        params: { notifications: { resourceSubscriptions: 1 } },
      },
    ],
    [[listen(["x"])]],
    [null],
  ])("%j is passed on as it is", (message) => {
    expect(heardOnly(message, () => shown("read"))).toBe(message);
  });

  test("a changed visibility of a tool is a change of its page, though its text is the same", async () => {
    const tools = gateway.index.registry.tools.map((tool) =>
      tool.op === "onto.task.list" ? { ...tool, access: "admin" as const } : tool,
    );
    const other = indexRegistry({ ...gateway.index.registry, tools }, gateway.settings);
    const after = pagesShownTo({ index: other, mcp: gateway.mcp }, { level: "admin", projects: "*" });
    expect(await changedPages(shown("admin"), after)).toEqual([
      "onetool://tools",
      "onetool://tool/onto_task_list",
      "onetool://tool/onto.task.list",
    ]);
    expect(await changedPages(after, after)).toEqual([]);
  });
});
