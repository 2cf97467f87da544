/** `types.ts` and `stubs.pyi`: type names stay ours, and shapes that the printers would get wrong are correct. */

import { describe, expect, test } from "vitest";
import { buildProject, errorsOf, jsonProject, tool } from "../../support/generator-host.js";

async function fileOf(path: string, tools: readonly object[], config = ""): Promise<string> {
  const { files, diagnostics } = await buildProject(jsonProject(tools, config));
  expect(errorsOf(diagnostics)).toEqual([]);
  return files.find((one) => one.path === path)?.text ?? "";
}

const types = (...tools: readonly object[]): Promise<string> => fileOf("types.ts", tools);
const exported = (text: string): readonly string[] =>
  [...text.matchAll(/^export (?:interface|type) (\S+)/gm)].map((one) => one[1] ?? "");

describe("names of types", () => {
  test("are spelled as everywhere else: digits and shared names too", async () => {
    const text = await fileOf(
      "types.ts",
      [tool("list_k8s"), tool("get_v2beta"), tool("x_y")],
      "ops: { list_k8s: { op: p.k8s.list }, get_v2beta: { op: p.x.y } }\n",
    );
    expect(exported(text)).toEqual(["PK8sListArgs", "P$x$y$Args", "P$x_y$Args"]);
  });

  test("of definitions and of properties that are referred to begin with the tool's, so that two tools' never meet", async () => {
    const node = { type: "object", properties: { next: { $ref: "#/properties/node" } } };
    const shared = { $defs: { item: { type: "object", properties: { a: { type: "string" } } } } };
    const one = tool("set_a", { node, item: { $ref: "#/$defs/item" } }, shared);
    const other = tool("set_b", { node, item: { $ref: "#/$defs/item" } }, shared);
    const names = exported(await types(one, other));
    expect(names).toEqual([
      "PSetAArgs",
      "PSetAArgsNode",
      "PSetAArgsItem",
      "PSetBArgs",
      "PSetBArgsNode",
      "PSetBArgsItem",
    ]);
  });

  test("are not overruled by titles and ids", async () => {
    expect(
      exported(
        await types(
          tool("set_a", { a: { type: "object", title: "Other", $id: "other", properties: {} } }, { title: "Mine" }),
        ),
      ),
    ).toEqual(["PSetAArgs"]);
  });
});

describe("shapes", () => {
  const member = async (schema: object): Promise<string | undefined> =>
    /^ {2}v\?: ([^;]*);$/m.exec(await types(tool("set_a", { v: schema })))?.[1];

  test.each([
    [
      "a tuple of 2020",
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false, minItems: 2 },
      "[string, number]",
    ],
    [
      "a tuple of draft-07",
      { type: "array", items: [{ type: "string" }], additionalItems: false, minItems: 1 },
      "[string]",
    ],
    ["nothing that is known", {}, "unknown"],
    ["an object without properties", { type: "object", properties: {} }, "{}"],
    ["a line separator in a value", { enum: ["\u2028"] }, '"\\u2028"'],
    [
      "code that the printer would write as it is",
      { type: "string", tsType: "string }; evil(); type X = {" },
      "string",
    ],
    ["values that look like references", { enum: [{ $ref: "#" }] }, '{"$ref":"#"}'],
    ["names of the printer's own for values", { enum: ["x"], tsEnumNames: ["A }; evil(); enum B {"] }, '"x"'],
    ["a remark where a boolean belongs", { type: "string", deprecated: "use b" }, "string"],
    [
      "more entries than are allowed",
      { type: "array", items: { type: "string" }, minItems: 5, maxItems: 2 },
      "string[]",
    ],
  ])("the type fits %s", async (_what, schema, type) => expect(await member(schema)).toBe(type));

  test("an absent additionalProperties admits no typos; a written one is kept", async () => {
    expect(await types(tool("set_a", { a: {} }))).not.toContain("[k: string]");
    expect(await types(tool("set_a", { a: {} }, { additionalProperties: true }))).toContain("[k: string]: unknown");
  });

  test("the comment stands at the tool's own type, and no remark of the printer is left", async () => {
    const text = await types(
      tool(
        "set_a",
        { l: { $ref: "#/$defs/level" }, k: { type: "object", patternProperties: { "^x*/": { type: "string" } } } },
        { $defs: { level: { enum: [1, 2] } } },
      ),
    );
    expect(text).toMatch(
      /export type PSetAArgsLevel = \(1 \| 2\);\n[\s\S]*\/\*\*\n \* Arguments of p\.set_a\.\n \*\/\nexport interface PSetAArgs \{/,
    );
    expect(text).not.toContain("was referenced by");
  });
});

describe("stubs", () => {
  test("a method that has the name of a built-in type does not stand for it", async () => {
    const text = await fileOf("stubs.pyi", [
      tool("list", { names: { type: "array", items: { type: "string" } } }),
      tool("get_a", { o: { type: "object" } }),
    ]);
    expect(text).toContain("import builtins\n");
    expect(text).toContain(
      "    def get_a(self, o: dict = ...) -> Any: ...\n    def list(self, names: builtins.list[str] = ...) -> Any: ...\n",
    );
  });

  test("an argument called self leaves the receiver another name", async () => {
    expect(await fileOf("stubs.pyi", [tool("get_a", { self: { type: "string" } })])).toContain(
      "def get_a(_self, self: str = ...)",
    );
  });
});

test.each([
  ["$defs of draft-07", { properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: { enum: "abc" } } }],
  ["what is no place of a schema", { properties: { a: { $ref: "#/properties" }, enum: { type: "string" } } }],
])("a result whose reference leads to %s, which is no schema, is unknown and said", async (_where, result) => {
  const one = { name: "get_a", inputSchema: { type: "object" }, outputSchema: { type: "object", ...result } };
  const { files, diagnostics } = await buildProject({
    "toolwright.yaml": "use: []\nsources: [{ mcp: p.json }]\n",
    "p.json": JSON.stringify({ tools: [one] }),
  });
  expect(diagnostics.map(({ code }) => code)).toContain("result-invalid");
  expect(files.find(({ path }) => path === "types.ts")?.text).not.toContain("Result");
});
