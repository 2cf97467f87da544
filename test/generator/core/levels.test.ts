/** `diagnostics` in toolwright.yaml: levels of rules for all tools and for some, and what `--strict` counts. */

import { describe, expect, test } from "vitest";
import { countsStrictly, toolPattern } from "../../../generator/core/levels.js";
import { buildProject, jsonProject, type Project, tool } from "../../support/generator-host.js";

const LONG = "x".repeat(1025);
const long = (name: string): object => tool(name, {}, {}, LONG);
const server = (...tools: readonly object[]): string => JSON.stringify({ tools });
const offers = (name: string, description = LONG): object => ({ name, description, inputSchema: { type: "object" } });
const shops = (config: string): Project => ({
  "toolwright.yaml": `use: []\nsources: [{ mcp: servers/*.json }, { chat-tools: tools.json, pack: p, kind: read }]\n${config}\n`,
  "servers/shop.json": server(offers("list_orders"), offers("get_order")),
  "servers/desk.json": server(offers("list_tickets"), {
    ...offers("get_ticket", "Get."),
    inputSchema: { type: "dict" },
  }),
  "tools.json": JSON.stringify([long("list_things")]),
});

async function found(project: Project): Promise<readonly string[]> {
  const { diagnostics } = await buildProject(project);
  return diagnostics.map(({ severity, code, message, foreign }) => {
    const name = /(?:list|get)_\w+/.exec(message)?.[0];
    return `${severity} ${code} ${name}${foreign ? " foreign" : ""}`;
  });
}

const SHOP = ["warning description-too-long list_orders foreign", "warning description-too-long get_order foreign"];
const DESK = ["warning description-too-long list_tickets foreign", "warning schema-invalid get_ticket foreign"];
const OWN = "warning description-too-long list_things";

describe("levels of diagnostics", () => {
  test.each([
    ["", [...DESK, ...SHOP, OWN]],
    ["diagnostics: { description-too-long: off }", [DESK[1]]],
    [
      "diagnostics: { description-too-long: info, schema-invalid: off }",
      [...DESK.slice(0, 1), ...SHOP, OWN].map((one) => one?.replace("warning", "info")),
    ],
    ['diagnostics: { "shop/*": { description-too-long: off } }', [...DESK, OWN]],
    ['diagnostics: { "*/list_*": { description-too-long: off } }', [DESK[1], SHOP[1]]],
    ['diagnostics: { "shop/get_order": { description-too-long: off } }', [...DESK, SHOP[0], OWN]],
    [
      'diagnostics: { description-too-long: off, "desk/*": { description-too-long: warning, schema-invalid: off } }',
      [DESK[0]],
    ],
    ['diagnostics: { "desk/get_ticket": { schema-invalid: off } }', [DESK[0], ...SHOP, OWN]],
    ['diagnostics: { "p/*": { description-too-long: error } }', [...DESK, ...SHOP, OWN.replace("warning", "error")]],
  ])("are those that are configured: %s", async (config, expected) => {
    expect([...(await found(shops(config)))].sort()).toEqual([...expected].sort());
  });

  test("a rule that is raised to an error leaves nothing to write", async () => {
    const { files, registry } = await buildProject(shops("diagnostics: { description-too-long: error }"));
    expect([files, registry]).toEqual([[], undefined]);
  });

  test("an error stays an error", async () => {
    const broken = {
      ...tool("list_things"),
      function: { name: "list_things", description: "A.", parameters: { type: "dict" } },
    };
    expect(await found(jsonProject([broken], "diagnostics: { schema-invalid: off }\n"))).toEqual([
      "error schema-invalid list_things",
    ]);
  });

  test.each([
    [
      "diagnostics: { description-to-long: off }",
      "unknown key 'diagnostics.description-to-long' (did you mean 'description-too-long'?)",
    ],
    ["diagnostics: { description-too-long: no }", "diagnostics.description-too-long"],
    ['diagnostics: { "shop/*": off }', "must be a map of rules to levels"],
    ["diagnostics: { description-too-long: { kind-differs: off } }", "must be a level"],
    ['diagnostics: { "shop/*": { description-to-long: off } }', "did you mean 'description-too-long'?"],
    ['diagnostics: { "shp/*": { description-too-long: off } }', "no tool matches shp/*"],
  ])("%s is refused", async (config, says) => {
    const { diagnostics } = await buildProject(shops(config));
    const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
    expect(errors).toEqual([expect.stringContaining(says)]);
  });

  test("a pattern names a tool by its name, its op, or its op within the pack", () => {
    const one = { pack: "shop", name: "getOrder", op: "shop.order.get" };
    for (const pattern of ["shop/*", "*/getOrder", "shop/order.get", "shop/order.*", "shop/shop.order.get"])
      expect(toolPattern(pattern)(one), pattern).toBe(true);
    for (const pattern of ["shop/get", "desk/*", "shop/order"]) expect(toolPattern(pattern)(one), pattern).toBe(false);
  });

  test("--strict counts warnings about definitions that the project writes", async () => {
    const { diagnostics } = await buildProject(shops(""));
    expect(diagnostics.filter(countsStrictly).map(({ file }) => file)).toEqual(["definitions/tools.json"]);
  });
});
