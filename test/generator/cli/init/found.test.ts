/** What `toolwright init` finds in `definitions/`, and what it leaves out. */

import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildSchema, introspectionFromSchema } from "graphql";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { findLeftOut, findSources } from "../../../../generator/cli/init/found.js";
import { importsOf } from "../../../../generator/entry/start.js";
import { ownOps, temporaryFolder, toolwright } from "../../../support/project.js";
import { onTerminal } from "../../../support/terminal.js";

function project(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

describe("what init finds in definitions/", () => {
  const SDL = "type Query { book(id: ID!): Book }\ntype Book { id: ID! }\n";

  test("GraphQL schemas, whose addresses are variables that it names; operations are none", async () => {
    const root = project({
      "definitions/shop/library.graphql": SDL,
      "definitions/apis/2fa.graphqls": `schema { query: Root }\n${SDL.replace("Query", "Root")}`,
      "definitions/queries.graphql": "query Books { book(id: 1) { id } }",
      "definitions/told.json": JSON.stringify({ data: introspectionFromSchema(buildSchema(SDL)) }),
    });
    const { code, stdout } = await toolwright(["init", "--root", root], { env: { HOME: temporaryFolder() } });
    expect(code).toBe(0);
    expect(parse(readFileSync(join(root, "definitions/toolwright.yaml"), "utf8")).sources).toEqual([
      { graphql: "apis/2fa.graphqls", url: "$" + "{_2FA_URL}" },
      { graphql: "told.json", url: "$" + "{TOLD_URL}" },
      { graphql: "shop/library.graphql", url: "$" + "{LIBRARY_URL}" },
    ]);
    expect(stdout).toContain("shop/library.graphql: set LIBRARY_URL to the address of the API");
    expect(ownOps(root)).toEqual(["_2fa.book", "library.book", "told.book"]);
  });

  test("a description of 5 MB; a larger file than it reads is named with the reason", () => {
    const root = project({
      "definitions/large.json": JSON.stringify({ openapi: "3.0.3", info: { description: "x".repeat(5_000_000) } }),
      "definitions/huge.yaml": "",
    });
    truncateSync(join(root, "definitions/huge.yaml"), 70_000_000);
    expect(findSources(root).map((one) => one.entries)).toEqual([[{ openapi: "large.json" }]]);
    expect(findLeftOut(root)).toEqual([
      "definitions/huge.yaml: it has 70 MB, more than 64 MB; add it to `sources` yourself",
    ]);
  });
});

/** Throws when it is run. */
const MODULE = `import { z } from "zod";
export const get_a = { description: "Gets a.", inputSchema: z.object({}), execute: () => 1 };
throw new Error("was run");
`;
const MEANS = "its code is run by generate";

describe("a module of tools in definitions/", () => {
  const SDL = "type Query { book(id: ID!): String }\n";
  const env = () => ({ HOME: temporaryFolder() });
  const sources = (root: string) => parse(readFileSync(join(root, "definitions/toolwright.yaml"), "utf8")).sources;

  test("is not added or run without a question, and named with what it means", async () => {
    const root = project({ "definitions/tools.ts": MODULE, "definitions/shop.graphql": SDL });
    const ran = await toolwright(["init", "--yes", "--root", root], { env: env() });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain(
      `left out definitions/tools.ts: it is a module of tools, and ${MEANS}; if you trust it, add it to \`sources\` yourself: - module: tools.ts\n`,
    );
    expect(sources(root)).toEqual([{ graphql: "shop.graphql", url: "$" + "{SHOP_URL}" }]);
  });

  test("alone is nothing to start from, with --yes too", async () => {
    const root = project({ "definitions/shop/tools.ts": MODULE });
    const ran = await toolwright(["init", "--yes", "--root", root], { env: env() });
    expect([ran.code, ran.stderr]).toEqual([
      2,
      expect.stringMatching(
        new RegExp(`nothing to start from; definitions/shop/tools\\.ts: .*${MEANS}.*module: shop/tools`),
      ),
    ]);
  });

  test("is offered on a terminal, unchosen, and added on consent", async ({ skip }) => {
    const root = project({ "definitions/tools.ts": MODULE });
    const ran = await onTerminal(["init", "--root", root], {
      env: env(),
      // Out with the servers, down to the module.
      steps: [
        ["◆  What tools are there?", " \u001b[B"],
        [MEANS, " \r"],
        ["◆  Generate now?", "n"],
      ],
    });
    if (!ran) return skip("python3 is not there");
    expect([ran.code, sources(root)]).toEqual([0, [{ module: "tools.ts" }]]);
    expect(ran.text).not.toMatch(/left out|was run/);
  });

  test("is told from typed functions, function tools, handlers and types by its text", () => {
    const functions = `import { z } from "zod";\n/** Gets a. */\nexport function get_a(): string { return "a"; }`;
    const root = project({
      "definitions/a.ts": functions,
      "definitions/b.ts": `import type { z } from "zod";\nexport const run = () => 1;`,
      "definitions/handlers.ts": MODULE,
      "definitions/packs/c.ts": functions,
      "definitions/d.ts": `import { z } from "zod";\nexport const D = [{ type: "function", function: { name: "d" } }];`,
    });
    expect(findSources(root).map((one) => one.kind)).toEqual(["chat-tools", "functions"]);
  });
});

test("toolwright itself is told apart from the servers of clients, so that it is not offered", async () => {
  const entry = { command: "node", args: ["node_modules/toolwright/dist/generator/main.js", "serve", "--stdio"] };
  const root = project({ ".mcp.json": JSON.stringify({ mcpServers: { shop: entry, notes: { command: "notes" } } }) });
  const { clients } = await importsOf(root);
  const found = (await clients.find()).filter((one) => one.scope === "project");
  expect(found.map((one) => [one.name, one.isOwn])).toEqual([
    ["shop", true],
    ["notes", false],
  ]);
});
