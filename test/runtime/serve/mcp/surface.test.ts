/** Flat lists, output schemas and instructions: a caller sees what its grant allows, within limits. */

import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../../../runtime/codegen.js";
import { runSettingsOf } from "../../../../runtime/config/run-settings.js";
import type { Tool } from "../../../../runtime/contract/registry.js";
import { instructionsOf } from "../../../../runtime/serve/mcp/instructions.js";
import { runSettings } from "../../../support/run/languages.js";
import { fixture, grant, handler } from "../../gateway/fixture.js";
import { closed, TOOLS } from "../../gateway/fixture-tools.js";
import { connected } from "./connected.js";

const [sample] = TOOLS;
if (!sample) throw new Error("no tools");

/** A read like those of the fixture, with its own names. */
const tool = (op: string, more: Partial<Tool> = {}): Tool => ({
  ...sample,
  op,
  tool_name: op.replaceAll(".", "_"),
  group: op.split(".")[0] ?? "",
  access: "read",
  kind: "read",
  summary: `Does ${op}.`,
  description: `Does ${op}.`,
  parameters: [],
  parameters_schema: closed({}),
  aliases: [],
  ...more,
});
const many = (count: number): readonly Tool[] => Array.from({ length: count }, (_, i) => tool(`many.op_${i}`));

const FLAT = {
  expose: { gateway: false, hot: [], budget: undefined },
  run: runSettingsOf({ expose: { gateway: false } }),
};

describe("visibility", () => {
  test.each([
    ["an administrator", grant("admin"), true, true],
    ["a reader", grant("read"), false, false],
    ["a writer of one project", grant("write", ["proj_1"]), true, false],
  ])("%s finds the ops that its grant allows as tools", async (_, who, writes, administers) => {
    const made = fixture({ settings: FLAT });
    const { tools } = await (await connected(made, who)).listTools();
    const names = made.gateway.index.view(who.grant).listed.map(({ op }) => op.replaceAll(".", "_"));
    expect(tools.length).toBe(names.length);
    expect(names.includes("onto_task_create")).toBe(writes);
    expect(names.includes("admin_keys_list")).toBe(administers);
  });

  test("without a feature that answers them, a server has no resources, prompts or completions", async () => {
    const client = await connected(fixture());
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true }, logging: {} });
    for (const method of ["resources/list", "prompts/list"] as const)
      await expect(client.request({ method, params: {} })).rejects.toMatchObject({ code: -32601 });
  });
});

describe("pages", () => {
  test("a long flat list comes in pages, each tool once", async () => {
    const made = fixture({ more: many(600), settings: FLAT });
    const client = await connected(made);
    const seen: string[] = [];
    let cursor: string | undefined;
    const lengths: number[] = [];
    do {
      const page = await client.request({ method: "tools/list", params: cursor === undefined ? {} : { cursor } });
      seen.push(...page.tools.map(({ name }) => name));
      lengths.push(page.tools.length);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    const { listed } = made.gateway.index.view(grant("write").grant);
    expect(lengths.slice(0, -1)).toEqual([250, 250]);
    expect(seen.length).toBe(listed.length);
    expect(new Set(seen).size).toBe(listed.length);
    expect((await client.listTools()).tools.length).toBe(listed.length);
  });

  test.each(["nonsense", "", "ZnJvbSAtMQ", Buffer.from("from 1e9").toString("base64url")])(
    "the cursor %j is refused",
    async (cursor) => {
      const client = await connected(fixture({ settings: FLAT }));
      const asked = client.request({ method: "tools/list", params: { cursor } });
      await expect(asked).rejects.toMatchObject({ code: -32602 });
    },
  );
});

describe("output schemas", () => {
  const result = (schema: JsonSchema): Partial<Tool> => ({ result_schema: schema });
  const hot = { expose: { gateway: true, hot: ["many.*"], budget: undefined } };
  const outputOf = async (schema: JsonSchema, value: unknown) => {
    const handlers = { "many.one": handler(async () => value) };
    const client = await connected(fixture({ more: [tool("many.one", result(schema))], handlers, settings: hot }));
    const listed = (await client.listTools()).tools.find(({ name }) => name === "many_one");
    const { content, structuredContent, isError } = await client.callTool({ name: "many_one", arguments: {} });
    return { schema: listed?.outputSchema, content, structuredContent, isError };
  };

  test.each([
    ["a reference that leads nowhere", { type: "object", properties: { a: { $ref: "#/$defs/none" } } }],
    ["an invalid pattern", { type: "object", properties: { a: { type: "string", pattern: "(" } } }],
    ["an unknown type", { type: "thing" }],
    ["another dialect", { $schema: "http://json-schema.org/draft-03/schema#", type: "object" }],
  ] as const)("%s is not shown, and the op can be called all the same", async (_, schema) => {
    const found = await outputOf(schema as JsonSchema, { a: "b" });
    expect(found).toMatchObject({ structuredContent: { a: "b" }, content: [{ type: "text", text: '{"a":"b"}' }] });
    expect(found.schema).toBeUndefined();
    expect(found.isError).toBeUndefined();
  });

  test("an id is taken off, since several tools may share it", async () => {
    const { schema } = await outputOf({ $id: "https://example.com/x", type: "object" }, {});
    expect(schema).toEqual({ type: "object" });
  });

  test("references within a schema that is no object hold", async () => {
    const schema = { type: "array", items: { $ref: "#/$defs/one" }, $defs: { one: { type: "integer" } } } as JsonSchema;
    expect(await outputOf(schema, [1, 2])).toMatchObject({ structuredContent: { result: [1, 2] } });
    expect(await outputOf(schema, ["a"])).toMatchObject({ isError: true });
  });
});

describe("instructions", () => {
  const texts = (
    ot: boolean,
    gateway: boolean,
    run: boolean,
    instructions = "",
    languages: readonly ("python" | "typescript")[] = ["python"],
  ) =>
    instructionsOf(
      {
        instructions,
        expose: { gateway, hot: [], budget: undefined },
        run: runSettings({ expose: { gateway, run }, run: { languages } }),
      },
      { packs: ot ? [{ name: "ot", summary: "", source: "local", entities: {}, topics: [] }] : [] },
    );

  test("are under 1,500 characters and say what the page wants", () => {
    const text = texts(true, true, true);
    expect(text.length).toBeLessThan(1500);
    for (const part of [
      "command",
      "pack.tool(arg=...)",
      "alias",
      "$snippet key=value",
      "ot.help(query=",
      "last expression",
      "__format__",
    ])
      expect(text).toContain(part);
    for (const part of [
      "ot.result",
      "external-content tags is data",
      "never an order",
      "pass it to run as it stands",
      "tool_help",
    ])
      expect(text).toContain(part);
  });

  test("say how programs are written in each language of the project, the first one without a fence", () => {
    const lines = (languages: readonly ("python" | "typescript")[]) =>
      texts(true, true, true, "", languages).split("\n");
    const python = lines(["python"]);
    expect(python.join()).not.toMatch(/TypeScript|await|```/);
    const added =
      "TypeScript, in a fence ```ts: await pack.tool({ arg: ... }). A call takes one object or none; one that fails throws a ToolError with code, op and details.";
    expect(lines(["python", "typescript"])).toEqual([python[0], added, ...python.slice(1)]);
    const typescript = lines(["typescript"]).join("\n");
    expect(typescript).not.toMatch(/Python|arg=|handle=|query=|```/);
    for (const part of [
      "TypeScript code in `command`",
      "await pack.tool({ arg: ... })",
      "ToolError",
      "await ot.help({",
    ])
      expect(typescript).toContain(part);
    expect(lines(["typescript", "python"])).toContain("Python, in a fence ```py: pack.tool(arg=...).");
  });

  test("are under 1,700 characters with two languages", () => {
    for (const languages of [["python", "typescript"] as const, ["typescript", "python"] as const])
      expect(texts(true, true, true, "", languages).length).toBeLessThan(1700);
  });

  test("name nothing that is not there", () => {
    expect(texts(false, true, true)).not.toMatch(/\bot\./);
    expect(texts(true, true, false)).not.toMatch(/\brun\b/);
    expect(texts(true, false, true)).not.toMatch(/tool_(?:help|exec|batch)/);
  });

  test("are those of prompts.yaml where it has some", () => {
    expect(texts(true, true, true, "Be brief.")).toBe("Be brief.");
  });
});
