/** HTTP APIs whose description is broken, hostile or both. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Tool } from "../../../runtime/contract/registry.js";
import { buildProject, type Outcome, onlyTool, openapi, openapiProject } from "../../../test/support/generator-host.js";
import { runs } from "../../../test/support/random.js";

const op = (rest: object = {}): object => ({ summary: "Do it.", responses: {}, ...rest });
const query = (name: string, schema: unknown = { type: "string" }, rest: object = {}): object => ({
  name,
  in: "query",
  schema,
  ...rest,
});
const json = (schema: unknown): object => ({ content: { "application/json": { schema } } });

const one = (operation: object, rest: object = {}, path = "/a", method = "post"): Promise<Tool> =>
  onlyTool(openapiProject(openapi({ [path]: { [method]: operation } }, rest)));
const codesOf = ({ diagnostics }: Outcome): readonly string[] =>
  diagnostics.map((each) => `${each.line}:${each.column} ${each.code}`);

const aliasBomb = (): string => {
  const names = [..."abcdefghi"];
  const lines = names.map((name, i) => `x${name}: &${name} [${Array(10).fill(i === 0 ? "x" : `*${names[i - 1]}`)}]`);
  return `${lines.join("\n")}\nopenapi: 3.1.0\n`;
};
const manyKeys = (count: number): string => Array.from({ length: count }, (_, i) => `k${i}: ${i}`).join("\n");

describe("broken and hostile descriptions", () => {
  test.each<readonly [string, unknown, string]>([
    ["no object", [], "openapi-version"],
    ["no version", { paths: {} }, "openapi-version"],
    ["a version to come", { openapi: "4.0.0" }, "openapi-version"],
    ["paths that are none", openapi([] as object), "no-operations"],
  ])("one with %s gets one diagnostic", async (_, description, code) => {
    expect((await buildProject(openapiProject(description as object))).diagnostics.map((each) => each.code)).toEqual([
      code,
    ]);
  });

  test("YAML is read with its places, and an alias that holds itself is an error", async () => {
    const project = (text: string) => ({
      "toolwright.yaml": "sources: [{ openapi: api.yaml, pack: p, server: 'https://a.example' }]",
      "api.yaml": text,
    });
    const paths = "openapi: 3.1\npaths:\n  /a:\n    get: { operationId: a }\n  /b:\n    get:\n      operationId: a\n";
    expect(codesOf(await buildProject(project(paths)))).toEqual(["6:5 operation-collision"]);
    expect(codesOf(await buildProject(project("openapi: 3.1.0\npaths: &a\n  x: *a\n")))).toEqual(["1:1 yaml-invalid"]);
    expect(codesOf(await buildProject(project("openapi: [")))[0]).toMatch(/yaml-invalid/);
  });

  test.each<readonly [string, string, string]>([
    ["lists in lists", `a: ${"[".repeat(4_000_000)}`, "1:203 yaml-invalid it nests too deeply"],
    ["lists in a line", "- ".repeat(500_000), "1:400 yaml-invalid it nests too deeply"],
    [
      "maps in maps",
      Array.from({ length: 2000 }, (_, i) => `${" ".repeat(i)}a:`).join("\n"),
      "200:201 yaml-invalid it nests too deeply",
    ],
    [
      "a key twice",
      "openapi: 3.1.0\ninfo: {}\ninfo: {}\n",
      "3:1 yaml-invalid the key info occurs twice in one map, first in line 2",
    ],
    [
      "aliases that repeat aliases",
      aliasBomb(),
      "6:9 yaml-invalid aliases up to this one repeat more than 200000 values",
    ],
    ["100,000 keys", `${manyKeys(100_000)}\n`, "1:1 openapi-version"],
    [
      "more than may be read",
      "a\n".repeat(9_000_000),
      "1:1 yaml-invalid it has 18000000 characters, and may have 16777216",
    ],
  ])("YAML whose reading could take for ever: %s", { tags: "full" }, async (_, text, says) => {
    const { diagnostics } = await buildProject({
      "toolwright.yaml": "sources: [{ openapi: api.yaml, pack: p, server: 'https://a.example' }]",
      "api.yaml": text,
    });
    const [first] = diagnostics.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);
    expect(first).toContain(says);
  });

  test("an invalid schema leaves out its own operation, with a warning", async () => {
    const description = openapi({
      "/a": { get: op({ parameters: [query("q", { type: "dat" }, { required: true })] }) },
      "/b": { get: op() },
    });
    const outcome = await buildProject(openapiProject(description));
    expect(outcome.registry?.tools.map((each) => each.op)).toEqual(["p.get_b"]);
    expect(codesOf(outcome)).toEqual(["12:9 schema-invalid"]);
  });

  test("deep nesting ends", async () => {
    let deep: object = { type: "string" };
    for (let i = 0; i < 400; i++) deep = { type: "array", items: deep };
    const { parameters_schema } = await one(op({ parameters: [query("d", deep)] }));
    expect(Object.keys(parameters_schema["properties"] ?? {})).toEqual(["d"]);
  });

  test("references out of the project are errors at their places, those in circles cost their operation", async () => {
    const components = {
      parameters: { P: { $ref: "#/components/parameters/Q" }, Q: { $ref: "#/components/parameters/P" } },
      schemas: { S: { $ref: "#/components/schemas/S" } },
    };
    const parameters = [
      { $ref: "#/components/parameters/P" },
      query("s", { $ref: "#/components/schemas/S" }),
      query("e", { $ref: "../../../etc/passwd" }),
      query("h", { $ref: "http://127.0.0.1/x" }),
    ];
    const outcome = await buildProject(openapiProject(openapi({ "/a": { post: op({ parameters }) } }, { components })));
    expect(outcome.registry).toBeUndefined();
    expect(outcome.diagnostics.map(({ line, code, message }) => `${line} ${code} ${message.split(" ")[1]}`)).toEqual([
      "31 openapi-reference ../../../etc/passwd",
      "38 openapi-reference http://127.0.0.1/x",
      "48 openapi-endless #/components/parameters/Q",
    ]);
  });

  test("components that refer to each other in every way do not multiply", {
    tags: "full",
    timeout: 120_000,
  }, async () => {
    const names = Array.from({ length: 30 }, (_, i) => `S${i}`);
    const schemas = Object.fromEntries(
      names.map((name) => [
        name,
        {
          type: "object",
          properties: Object.fromEntries(names.map((each) => [each, { $ref: `#/components/schemas/${each}` }])),
        },
      ]),
    );
    const tool = await one(
      op({
        responses: { 200: json({ $ref: "#/components/schemas/S0" }) },
        requestBody: json({ $ref: "#/components/schemas/S1" }),
      }),
      { components: { schemas } },
    );
    expect(JSON.stringify(tool).length).toBeLessThan(400_000);
  });

  test("any names and texts: the build says something or gives tools, and every tool has the names it was given", async () => {
    const text = fc.oneof(
      fc.constantFrom("__proto__", "constructor", "*/", "`", "-->", "\u2028", "a b", "{x}", "]]>"),
      fc.string({ maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(text, text, fc.uniqueArray(text, { maxLength: 3 }), async (operationId, words, names) => {
        const operation = {
          operationId,
          summary: words,
          description: words.repeat(99),
          parameters: names.map((name) => query(name, { type: "string", description: words })),
        };
        const { registry, diagnostics } = await buildProject(
          openapiProject(openapi({ [`/a/${words}`]: { get: operation } })),
        );
        const errors = diagnostics.filter((each) => each.severity === "error");
        if (!registry) expect(errors.map((each) => each.code)).toEqual(["name-collision"]);
        for (const tool of registry?.tools ?? [])
          expect(Object.keys(tool.parameters_schema["properties"] ?? {})).toEqual(
            expect.arrayContaining(names.filter((name) => name !== "__proto__")),
          );
      }),
      runs(300),
    );
  });
});
