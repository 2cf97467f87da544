/** The tools of one snapshot are those of the whole build. */

import { describe, expect, test } from "vitest";
import { snapshotSource, toolsFromSnapshot } from "../../../generator/cli/snapshot-tools.js";
import { type Config, loadConfig } from "../../../generator/config/config.js";
import { Report } from "../../../generator/core/diagnostic.js";
import { registryOf } from "../../support/generator-host.js";

const tool = (name: string, rest: object = {}): object => ({
  name,
  description: `Does ${name}. Do not use it at night.`,
  inputSchema: { type: "object", properties: { id: { type: "string" } } },
  ...rest,
});
const snapshot = (...tools: readonly object[]): string => JSON.stringify({ tools });

function configOf(text: string): Config {
  const report = new Report();
  const config = loadConfig((file) => (file === "toolwright.yaml" ? text : undefined), report);
  if (!config)
    throw new Error(
      report
        .sorted()
        .map((one) => one.message)
        .join("\n"),
    );
  return config;
}

const SHOP = snapshot(
  tool("list_items"),
  tool("remove_item"),
  tool("odd_thing", { annotations: { readOnlyHint: true } }),
);
const NEWS = snapshot(tool("list_items"), tool("get_headline"));
const YAML = `
sources:
  - { mcp: servers/news.json, pack: paper }
  - { mcp: servers/*.json }
  - { chat-tools: absent.ts }
servers: { shop: { command: x }, news: { command: x } }
packs: { shop: { entities: { item: items } } }
ops:
  shop/list_items: { op: shop.item.all, aliases: [shop.item.ls] }
  remove_item: { op: shop.item.drop, kind: write }
  odd_thing: { op: shop.odd }
  get_headline: { op: paper.headline }
policies:
  shop.item.all: { do: [Ask first] }
  paper.headline: { do: [Read aloud] }
aliases: { things: shop.item.all, top: paper.headline }
reserved: [{ tool: gone, op: shop.gone, since: 2026-01-01 }]
`;

describe("tools of one snapshot", () => {
  test("are those of the whole build: ops, kinds, aliases, pins", async () => {
    const sources = "\nsources: [{ mcp: servers/shop.json }, { mcp: servers/news.json, pack: paper }]\n";
    const whole = await registryOf({
      "toolwright.yaml": YAML.replace(/\nsources:\n( .*\n)+/, sources),
      "servers/shop.json": SHOP,
      "servers/news.json": NEWS,
    });
    const config = configOf(YAML);
    const [shop, news] = [await toolsFromSnapshot("shop", SHOP, config), await toolsFromSnapshot("news", NEWS, config)];
    const counted = [...shop, ...news].map((one) => ({ ...one, tokens: undefined }));
    expect(new Set(counted.map((one) => one.op))).toEqual(new Set(whole.tools.map((one) => one.op)));
    for (const one of whole.tools)
      expect(counted.find(({ op }) => op === one.op)).toEqual({ ...one, tokens: undefined });
    expect(shop.find((one) => one.op === "shop.item.all")).toMatchObject({
      aliases: ["shop.item.ls"],
      policy: { do: ["Ask first"] },
    });
  });

  test("a tool that is configured and gone is no error", async () => {
    const tools = await toolsFromSnapshot("shop", snapshot(tool("list_items")), configOf(YAML));
    expect(tools.map((one) => one.op)).toEqual(["shop.item.all"]);
  });

  test("a build that fails says why", async () => {
    const wrong = YAML.replace("aliases: [shop.item.ls]", "arguments: { x: nothing }");
    await expect(toolsFromSnapshot("shop", SHOP, configOf(wrong))).rejects.toThrow(/argument-unmatched/);
  });

  test("an entry of sources reads a snapshot by its pattern", () => {
    const config = configOf(YAML);
    expect(snapshotSource("news", config)).toMatchObject({ pack: "paper" });
    expect(snapshotSource("shop", config)).toMatchObject({ mcp: "servers/*.json" });
    expect(snapshotSource("shop", configOf("sources: [{ mcp: ./servers/s*p.json }]"))).toBeDefined();
    expect(
      snapshotSource("shop", configOf("sources: [{ mcp: other/*.json }, { chat-tools: servers/shop.json }]")),
    ).toBeUndefined();
  });
});
