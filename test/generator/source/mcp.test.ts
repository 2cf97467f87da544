/** Snapshots of MCP servers, and files that are not snapshots. */

import { describe, expect, test } from "vitest";
import { buildProject, type Outcome } from "../../support/generator-host.js";

const TOOL = { name: "get_a", description: "Gets a.", inputSchema: { type: "object" } };
const read = (kind: string, content: unknown): Promise<Outcome> =>
  buildProject({
    "toolwright.yaml": `sources: [{ ${kind}: s.json, pack: p }]\n`,
    "s.json": JSON.stringify(content),
  });
const said = ({ diagnostics }: Outcome): readonly string[] =>
  diagnostics.map((one) => `${one.severity} ${one.code} ${one.message}; ${one.fix}`);

describe("files", () => {
  test.each([[{ tools: [TOOL] }], [{ jsonrpc: "2.0", id: 1, result: { tools: [TOOL] } }]])(
    "the tools are read from %j",
    async (content) => {
      const made = await read("mcp", content);
      expect(said(made)).toEqual([]);
      expect(made.registry?.tools.map((one) => one.op)).toEqual(["p.get_a"]);
    },
  );

  test.each([[{ tools: {} }], [[]], [[TOOL]], [{ result: {} }], [1]])("%j is no snapshot", async (content) => {
    expect(said(await read("mcp", content))).toEqual([
      'error not-a-tool definitions/s.json has no list `tools`; write { "tools": [{ name, description, inputSchema }] }; `toolwright snapshot` does',
    ]);
  });

  test("a server without tools is one all the same", async () => {
    expect(said(await read("mcp", { tools: [] }))).toEqual([]);
  });

  test("the remedy for function tools fits a JSON file", async () => {
    expect(said(await read("chat-tools", { tools: "a" }))).toEqual([
      'error no-tools no tool was read from definitions/s.json; write [{ type: "function", function: { name, description, parameters } }], or take the file out of `sources`; `allow_empty: true` of the source allows it',
    ]);
    // Tools in a group are read, whatever it is called.
    expect(said(await read("chat-tools", { result: { tools: [TOOL] } }))).toEqual([]);
  });
});

describe("dialects", () => {
  test.each([
    ["http://json-schema.org/draft-04/schema#", 1],
    ["https://weird.example/schema", 1],
    ["http://json-schema.org/draft-07/schema#", 0],
    ["https://json-schema.org/draft-07/schema", 0],
    ["https://json-schema.org/draft/2019-09/schema", 0],
    ["https://json-schema.org/draft/2020-12/schema#", 0],
    [4, 1],
  ])("only one that is not supported is reported: %s", async ($schema, count) => {
    const inputSchema = { $schema, type: "object" };
    const made = await read("mcp", { tools: [{ ...TOOL, inputSchema }] });
    expect(said(made).filter((one) => one.includes("schema-dialect"))).toHaveLength(count);
  });

  test("the different meaning of an older one is reported with it", async () => {
    const inputSchema = {
      $schema: "http://json-schema.org/draft-04/schema#",
      properties: { n: { type: "number", minimum: 1, exclusiveMinimum: true } },
    };
    const made = await read("mcp", { tools: [{ ...TOOL, inputSchema }] });
    expect(said(made).map((one) => one.split(" ")[1])).toEqual(["schema-dialect", "schema-invalid"]);
  });
});
