/** A tool may have its op in another pack than that of its source. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildProject, tool } from "../../support/generator-host.js";
import { temporaryFolder, toolwright } from "../../support/project.js";

const PROJECT = {
  "toolwright.yaml": `use: []
sources:
  - { chat-tools: tools.json, pack: p, kind: read, handlers: h.mjs }
  - { chat-tools: others.json, pack: q, kind: read }
packs: { shop: { summary: Orders. } }
ops:
  list_orders: { op: shop.order.list, hidden: true }
  p/find_page: { op: q.page.find }
`,
  "tools.json": JSON.stringify([tool("list_orders"), tool("find_page"), tool("get_a")]),
  "others.json": JSON.stringify([tool("get_b")]),
  "h.mjs": `const told = (op) => () => op;
export const handlers = { "shop.order.list": told("orders"), "q.page.find": told("page"), "p.get_a": told("a") };
`,
};

test("it is an op of that pack, bound with the handlers of its source", async () => {
  const { registry, files, diagnostics } = await buildProject(PROJECT);
  expect(diagnostics).toEqual([]);
  expect(registry?.tools.map(({ op, group, source }) => [op, group, source.pack])).toEqual([
    ["p.get_a", "p", undefined],
    ["q.get_b", "q", undefined],
    ["q.page.find", "q", "p"],
    ["shop.order.list", "shop", "p"],
  ]);
  expect(registry?.packs.map(({ name, summary }) => [name, summary])).toContainEqual(["shop", "Orders."]);
  const types = files.find(({ path }) => path === "handlers.ts")?.text ?? "";
  expect(/interface PHandlers \{[^}]*\}/.exec(types)?.[0]).toMatch(/"p\.get_a".*"q\.page\.find".*"shop\.order\.list"/s);
});

test("it is called by its op, and its entry under ops still counts", { tags: "full", timeout: 60_000 }, async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  for (const [name, text] of Object.entries(PROJECT)) writeFileSync(join(root, "definitions", name), text);
  expect((await toolwright(["generate", "--root", root])).code).toBe(0);
  writeFileSync(join(root, "a.py"), "[shop.order.list(), q.page.find(), p.get_a()]\n");
  const { stdout } = await toolwright(["run", join(root, "a.py"), "--root", root]);
  expect(JSON.parse(stdout)).toEqual(["orders", "page", "a"]);
  expect((await toolwright(["help", "--root", root])).stdout).not.toContain("shop");
});
