/** Schemas that lead back to themselves without a step into the value: each costs its tool, and the others are generated. */

import { describe, expect, test } from "vitest";
import {
  buildProject,
  functionsProject,
  openapi,
  openapiProject,
  type Project,
  tsProject,
} from "../../support/generator-host.js";

/** Schemas that no value can be checked against, each inside an object with `$defs`. */
const ENDLESS: Readonly<Record<string, object>> = {
  "a reference to itself": { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } },
  "two that name each other": { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } },
  "allOf of itself": { $ref: "#/$defs/A", $defs: { A: { allOf: [{ $ref: "#/$defs/A" }] } } },
  "anyOf of itself": { $ref: "#/$defs/A", $defs: { A: { anyOf: [{ type: "string" }, { $ref: "#/$defs/A" }] } } },
  "oneOf over three": {
    $ref: "#/$defs/A",
    $defs: { A: { oneOf: [{ $ref: "#/$defs/B" }] }, B: { not: { $ref: "#/$defs/C" } }, C: { $ref: "#/$defs/A" } },
  },
  "if and else": { $ref: "#/$defs/A", $defs: { A: { if: { $ref: "#/$defs/A" }, else: false } } },
};
const ROOTS: Readonly<Record<string, object>> = {
  "the root is itself": { $ref: "#" },
  "allOf of the root": { type: "object", allOf: [{ $ref: "#" }] },
  "an argument whose allOf is the root": { type: "object", properties: { a: { $ref: "#/properties/a" } } },
};

const withArgument = ({ $defs, ...schema }: { readonly $defs?: object }): object => ({
  type: "object",
  properties: { a: schema },
  $defs,
});
const mcp = (inputSchema: object): Project => ({
  "toolwright.yaml": "use: []\nsources:\n  - { mcp: shop.json }\n",
  "shop.json": JSON.stringify({
    tools: [
      { name: "list_bad", description: "Lists.", inputSchema },
      { name: "list_good", description: "Lists.", inputSchema: { type: "object", properties: {} } },
    ],
  }),
});

/** The same schema below `components.schemas`. */
const inComponents = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll("#/$defs/", "#/components/schemas/"));

function api({ $defs, ...schema }: { readonly $defs?: object }, of: (schema: object) => object): Project {
  const good = { operationId: "list_good", responses: {} };
  return openapiProject(
    openapi(
      {
        "/bad": { post: { operationId: "list_bad", responses: {}, ...of(inComponents(schema)) } },
        "/good": { get: good },
      },
      { components: { schemas: inComponents($defs ?? {}) } },
    ),
  );
}

async function read(project: Project) {
  const { registry, diagnostics } = await buildProject(project);
  const said = diagnostics.filter(({ severity }) => severity !== "info");
  return {
    names: (registry?.tools ?? []).map((one) => one.tool_name),
    said: said.map(({ severity, code, line }) => `${severity} ${code} ${line > 0}`),
    diagnostics,
  };
}

describe("a schema that leads back to itself costs its tool alone", () => {
  test.each([
    ...Object.entries(ENDLESS).map(([name, schema]) => [name, withArgument(schema)] as const),
    ...Object.entries(ROOTS),
  ])("in a snapshot: %s", async (_, schema) => {
    const { names, said } = await read(mcp(schema));
    expect(names).toEqual(["list_good"]);
    expect(said).toEqual(["warning schema-endless true"]);
  });

  test.each(Object.entries(ENDLESS))("in a parameter of an API: %s", async (_, schema) => {
    const parameters = (one: object) => ({ parameters: [{ in: "query", name: "a", schema: one }] });
    const { names, said } = await read(api(schema, parameters));
    expect(names).toEqual(["list_good"]);
    expect(said).toEqual(["warning schema-endless true"]);
  });

  test.each(Object.entries(ENDLESS))("in a body of an API: %s", async (_, schema) => {
    const body = (one: object) => ({ requestBody: { content: { "application/json": { schema: one } } } });
    const { names, said } = await read(api(schema, body));
    expect(names).toEqual(["list_good"]);
    expect(said.length).toBeGreaterThan(0);
    expect(said.join()).not.toContain("error");
  });

  test.each(Object.entries(ENDLESS))("in an answer of an API, where the result is unknown: %s", async (_, schema) => {
    const responses = (one: object) => ({
      responses: { 200: { description: "", content: { "application/json": { schema: one } } } },
    });
    const { names, said } = await read(api(schema, responses));
    expect(names).toEqual(["list_bad", "list_good"]);
    expect(said).toEqual(["warning result-invalid true"]);
  });

  test.each([
    ["parameters", { parameters: [{ $ref: "#/components/parameters/P" }] }],
    ["requestBodies", { requestBody: { $ref: "#/components/requestBodies/P" } }],
    ["responses", { responses: { 200: { $ref: "#/components/responses/P" } } }],
  ])("references in a circle in place of %s", async (kind, operation) => {
    const circle = { P: { $ref: `#/components/${kind}/Q` }, Q: { $ref: `#/components/${kind}/P` } };
    const good = { operationId: "list_good", responses: {} };
    const { names, said } = await read(
      openapiProject(
        openapi(
          { "/bad": { post: { operationId: "list_bad", responses: {}, ...operation } }, "/good": { get: good } },
          { components: { [kind]: circle } },
        ),
      ),
    );
    expect(names).toEqual(["list_good"]);
    expect(said).toEqual(["warning openapi-endless true"]);
  });

  test("a path that leads back to itself", async () => {
    const good = { get: { operationId: "list_good", responses: {} } };
    const { names, said } = await read(openapiProject(openapi({ "/bad": { $ref: "#/paths/~1bad" }, "/good": good })));
    expect(names).toEqual(["list_good"]);
    expect(said).toEqual(["warning openapi-endless true"]);
  });

  test.each(Object.entries(ROOTS))("in a tool of TypeScript: %s", async (_, parameters) => {
    const of = (name: string, schema: object) => ({
      type: "function",
      function: { name, description: "Lists.", parameters: schema },
    });
    const tools = [of("list_bad", parameters), of("list_good", { type: "object", properties: {} })];
    const { names, said } = await read(tsProject(`export const TOOLS = ${JSON.stringify(tools)};\n`));
    expect(names).toEqual(["list_good"]);
    expect(said).toEqual(["warning schema-endless true"]);
  });

  test("a type of a GraphQL schema, and one of TypeScript, whose argument accepts anything", async () => {
    const graphql = {
      "toolwright.yaml": 'use: []\nsources:\n  - { graphql: api.graphql, url: "https://a.example", pack: p }\n',
      "api.graphql": "type Query { list_good: String list_bad(a: A): String }\ninput A { a: A b: [A!] }",
    };
    expect((await read(graphql)).names).toEqual(["list_bad", "list_good"]);
    const typed = await read(
      functionsProject(
        "type A = A;\ntype B = B | B[];\n/** Lists. */\nexport function list_bad(a: A): string { return '' }\n/** Lists. */\nexport function list_worse(a: B): string { return '' }\n/** Lists. */\nexport function list_good(): string { return '' }\n",
      ),
    );
    expect(typed.names).toEqual(["list_bad", "list_good", "list_worse"]);
    expect(typed.said).toEqual(["warning type-unsupported true", "warning type-unsupported true"]);
  });
});
