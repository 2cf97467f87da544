/** HTTP APIs whose description is broken, hostile or both. */

import fc from "fast-check";
import type { Tool } from "toolwright/codegen";
import { describe, expect, test } from "vitest";
import { buildProject, type Outcome, onlyTool, openapi, openapiProject } from "../support/generator-host.js";
import { runs } from "../support/random.js";

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

describe("broken and hostile descriptions", () => {
  test.each<readonly [string, unknown, string]>([
    ["no object", [], "openapi-version"],
    ["no version", { paths: {} }, "openapi-version"],
    ["a version to come", { openapi: "4.0.0" }, "openapi-version"],
    ["paths that are none", openapi([] as object), "no-operations"],
  ])("%s", async (_, description, code) => {
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

  test("a schema that is none costs its own operation, as a warning", async () => {
    const description = openapi({
      "/a": { get: op({ parameters: [query("q", { type: "dat" })] }) },
      "/b": { get: op() },
    });
    const outcome = await buildProject(openapiProject(description));
    expect(outcome.registry?.tools.map((each) => each.op)).toEqual(["p.get_b"]);
    expect(codesOf(outcome)).toEqual(["12:9 schema-invalid"]);
  });

  test("references in circles, out of the file and deep nesting end", async () => {
    let deep: object = { type: "string" };
    for (let i = 0; i < 400; i++) deep = { type: "array", items: deep };
    const components = {
      parameters: { P: { $ref: "#/components/parameters/Q" }, Q: { $ref: "#/components/parameters/P" } },
      schemas: { S: { $ref: "#/components/schemas/S" } },
    };
    const parameters = [
      { $ref: "#/components/parameters/P" },
      query("s", { $ref: "#/components/schemas/S" }),
      query("d", deep),
      query("e", { $ref: "../../../etc/passwd" }),
      query("h", { $ref: "http://127.0.0.1/x" }),
    ];
    const { parameters_schema } = await one(op({ parameters }), { components });
    expect(Object.keys(parameters_schema["properties"] ?? {})).toEqual(["s", "d", "e", "h"]);
  });

  test("components that refer to each other in every way do not multiply", { timeout: 120_000 }, async () => {
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
