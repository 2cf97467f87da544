/** HTTP APIs: names, inputs, results, servers and credentials. */

import type { JsonSchema } from "toolwright/codegen";
import { describe, expect, test } from "vitest";
import type { Tool } from "../../../runtime/contract/registry.js";
import { buildProject, type Outcome, onlyTool, openapi, openapiProject } from "../../../test/support/generator-host.js";

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
const inputOf = async (operation: object, rest: object = {}, path = "/a"): Promise<JsonSchema> =>
  (await one(operation, rest, path)).parameters_schema;
const callOf = async (operation: object, path = "/a", method = "post") => {
  const { files } = await buildProject(openapiProject(openapi({ [path]: { [method]: operation } })));
  return Object.values(JSON.parse(files.find((file) => file.path === "http/p.json")?.text ?? "{}"))[0];
};
const codesOf = ({ diagnostics }: Outcome): readonly string[] =>
  diagnostics.map((each) => `${each.line}:${each.column} ${each.code}`);

describe("ops", () => {
  test.each([
    ["GET /users/{id}/keys", undefined, "p.get_users_by_id_keys"],
    ["GET /", undefined, "p.get_root"],
    ["POST /a.b/{x-y}.json", undefined, "p.post_a_b_by_x_y_json"],
    ["GET /a", "repos/list-for-org", "p.repos_list_for_org"],
    ["GET /a", "import", "p.import_"],
    ["GET /a", " ", "p.get_a"],
  ])("%s called %s is %s", async (request, operationId, name) => {
    const [method = "", path = ""] = request.split(" ");
    expect((await one(op({ operationId }), {}, path, method.toLowerCase())).op).toBe(name);
  });

  test.each([
    ["get", { kind: "read", annotations: { readOnlyHint: true, destructiveHint: false } }],
    ["head", { kind: "read" }],
    ["post", { kind: "write", annotations: { destructiveHint: true, idempotentHint: false } }],
    ["patch", { kind: "write" }],
    ["put", { kind: "write", annotations: { destructiveHint: true, idempotentHint: true } }],
    ["delete", { kind: "write", annotations: { destructiveHint: true, idempotentHint: true } }],
  ])("what one does follows from its method %s", async (method, said) => {
    expect(await one(op({ operationId: "list_things" }), {}, "/a", method)).toMatchObject(said);
  });

  test.each([
    [["Code scanning", "other"], "code_scanning"],
    [["pulls"], "pulls"],
    [["🙂"], undefined],
    [["x".repeat(41)], undefined],
    [[], undefined],
    [[7], undefined],
    [undefined, undefined],
  ])("the tags %j give the topic %s, which changes no digest", async (tags, topic) => {
    const made = await one(op({ operationId: "a", ...(tags ? { tags } : {}) }));
    expect(made.topic).toBe(topic);
    expect(made.digest).toEqual((await one(op({ operationId: "a" }))).digest);
  });

  test("configuration wins over the method", async () => {
    const description = openapi({ "/a": { get: op({ operationId: "list" }) } });
    const project = {
      ...openapiProject(description),
      "toolwright.yaml": "sources: [{ openapi: api.json, pack: p }]\nops: { list: { kind: write } }\n",
    };
    expect((await onlyTool(project)).kind).toBe("write");
  });

  test("an operation without words is described by its request", async () => {
    expect((await one({}, {}, "/a/{b}", "get")).description).toBe("GET /a/{b}");
    expect((await one({ summary: "List.", description: "List. All of them.", deprecated: true })).description).toBe(
      "List. All of them.\n\nDeprecated.",
    );
  });

  test("these ops need no handlers", async () => {
    const { files } = await buildProject(openapiProject(openapi({ "/a": { get: op() } })));
    expect(files.find((file) => file.path === "handlers.ts")?.text).not.toContain("p.get_a");
  });
});

describe("input", () => {
  test("parameters of the path item are those of its operations, which may replace them", async () => {
    const description = openapi({
      "/a/{id}": { parameters: [query("n"), query("m")], get: op({ parameters: [query("n", { type: "integer" })] }) },
    });
    const { parameters_schema } = await onlyTool(openapiProject(description));
    expect(parameters_schema).toEqual({
      type: "object",
      properties: { id: { type: "string" }, n: { type: "integer" }, m: { type: "string" } },
      required: ["id"],
      additionalProperties: false,
    });
  });

  test("a name in several places gets its place before it, unless that is taken too", async () => {
    const parameters = [query("id"), { name: "id", in: "header", schema: {} }, query("header_id")];
    expect(
      await callOf(op({ parameters, requestBody: json({ type: "object", properties: { id: {}, x: {} } }) }), "/a/{id}"),
    ).toMatchObject({
      arguments: [
        { argument: "path_id", name: "id", in: "path" },
        { argument: "query_id", name: "id", in: "query" },
        { argument: "header_id_", name: "id", in: "header" },
        { argument: "header_id", in: "query" },
      ],
      body: { fields: { body_id: "id", x: "x" } },
    });
  });

  test.each<readonly [string, unknown, unknown]>([
    ["nullable", { type: "string", nullable: true, enum: ["a"] }, { type: ["string", "null"], enum: ["a", null] }],
    [
      "a nullable union",
      { oneOf: [{ type: "string" }], nullable: true },
      { anyOf: [{ oneOf: [{ type: "string" }] }, { type: "null" }] },
    ],
    [
      "bounds of 3.0",
      { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: false },
      { type: "number", exclusiveMinimum: 1, maximum: 2 },
    ],
    [
      "what only OpenAPI reads",
      { type: "object", discriminator: { propertyName: "a" }, xml: {}, "x-y": 1, example: {}, title: "T" },
      { type: "object" },
    ],
    [
      "members that are called like keywords",
      { type: "object", properties: { xml: { type: "string" }, nullable: { type: "string", nullable: true } } },
      { type: "object", properties: { xml: { type: "string" }, nullable: { type: ["string", "null"] } } },
    ],
    [
      "another dialect's required",
      { type: "object", properties: { a: { type: "string", required: true } } },
      { type: "object", properties: { a: { type: "string" } } },
    ],
  ])("is JSON Schema of what OpenAPI writes: %s", async (_, schema, converted) => {
    expect((await inputOf(op({ parameters: [query("q", schema)] })))["properties"]).toEqual({ q: converted });
  });

  test("a schema that is referred to is carried once, with what it reaches and no more", async () => {
    const schemas = {
      A: {
        type: "object",
        properties: { b: { $ref: "#/components/schemas/B" }, a: { $ref: "#/components/schemas/A" } },
      },
      B: { $ref: "#/components/schemas/C" },
      C: { type: "string" },
      Unused: { type: "string" },
    };
    const input = await inputOf(
      op({
        parameters: [query("q", { $ref: "#/components/schemas/A" }), query("r", { $ref: "#/components/schemas/A" })],
      }),
      { components: { schemas } },
    );
    expect(input["properties"]).toEqual({ q: { $ref: "#/$defs/A" }, r: { $ref: "#/$defs/A" } });
    expect(Object.keys(input["$defs"] ?? {})).toEqual(["A", "B", "C"]);
  });

  test("schemas of one name in two files stay apart", async () => {
    const description = openapi(
      {
        "/a": {
          post: op({
            parameters: [query("q", { $ref: "other.yaml#/A" }), query("r", { $ref: "#/components/schemas/A" })],
          }),
        },
      },
      { components: { schemas: { A: { type: "string" } } } },
    );
    const { parameters_schema } = await onlyTool(
      openapiProject(description, "", {
        "other.yaml": "A: { type: object, properties: { c: { $ref: '#/B' } } }\nB: { type: boolean }\n",
      }),
    );
    expect(parameters_schema["$defs"]).toEqual({
      A: { type: "object", properties: { c: { $ref: "#/$defs/B" } } },
      A_2: { type: "string" },
      B: { type: "boolean" },
    });
  });

  test.each<readonly [string, object, unknown]>([
    [
      "an object's properties",
      { type: "object", required: ["a"], properties: { a: {}, b: { readOnly: true } } },
      ["a"],
    ],
    ["alternatives that only require", { type: "object", properties: { a: {} }, anyOf: [{ required: ["a"] }] }, ["a"]],
    ["a map is whole", { type: "object", additionalProperties: { type: "string" } }, ["body"]],
    ["an open object is whole", { type: "object", properties: { a: {} }, additionalProperties: true }, ["body"]],
    ["a union is whole", { oneOf: [{ type: "string" }, { type: "null" }] }, ["body"]],
    ["a list is whole", { type: "array", items: {} }, ["body"]],
    [
      "allOf is read as one",
      { allOf: [{ properties: { a: {} } }, { type: "object", properties: { b: {} } }] },
      ["a", "b"],
    ],
  ])("a body: %s", async (_, schema, names) => {
    expect(Object.keys((await inputOf(op({ requestBody: json(schema) })))["properties"] ?? {})).toEqual(names);
  });

  test("a body that says that it may be absent requires nothing; one that says nothing requires what its object does", async () => {
    const body = json({ type: "object", required: ["a"], properties: { a: {} } });
    expect((await inputOf(op({ requestBody: body })))["required"]).toEqual(["a"]);
    expect((await inputOf(op({ requestBody: { ...body, required: false } })))["required"]).toBeUndefined();
  });

  test.each([
    [["text/plain", "application/json"], "json"],
    [["application/x-www-form-urlencoded", "multipart/form-data"], "form"],
    [["application/vnd.api+json; charset=utf-8"], "json"],
    [["application/xml"], "text"],
    [["image/png"], "base64"],
  ])("of %j, %s is sent", async (media, encoding) => {
    const content = Object.fromEntries(media.map((each) => [each, { schema: { type: "string" } }]));
    expect(await callOf(op({ requestBody: { content } }))).toMatchObject({ body: { encoding } });
  });

  test("files of a form come as base64, alone or in a list", async () => {
    const schema = {
      type: "object",
      properties: {
        a: { type: "string", format: "binary" },
        b: { type: "array", items: { type: "string", contentMediaType: "image/png" } },
        c: { type: "string" },
      },
    };
    const operation = op({ requestBody: { content: { "multipart/form-data": { schema } } } });
    expect(await callOf(operation)).toMatchObject({ body: { encoding: "multipart", files: ["a", "b"] } });
    expect((await inputOf(operation))["properties"]).toMatchObject({
      a: { contentEncoding: "base64" },
      b: { items: { contentEncoding: "base64" } },
    });
  });
});

describe("results", () => {
  test.each<readonly [string, object, unknown]>([
    [
      "the first JSON of a success",
      { 201: json({ type: "integer" }), 200: json({ type: "string" }), 404: json({ type: "null" }) },
      { type: "string" },
    ],
    ["a range of codes", { "2XX": json({ type: "string" }) }, { type: "string" }],
    ["nothing", { 204: { description: "" } }, undefined],
    ["text", { 200: { content: { "text/csv": {} } } }, { type: "string" }],
    ["a reference", { 200: { $ref: "#/components/responses/R" } }, { type: "boolean" }],
  ])("have the schema of %s", async (_, responses, schema) => {
    const components = { responses: { R: json({ type: "boolean" }) } };
    expect((await one(op({ responses }), { components })).result_schema).toEqual(schema);
  });
});

describe("servers and credentials", () => {
  const serverOf = async (servers: unknown): Promise<unknown> => {
    const { files } = await buildProject(openapiProject(openapi({ "/a": { get: op() } }, { servers })));
    return JSON.parse(files.find((file) => file.path === "http/p.json")?.text ?? "")["p.get_a"].server;
  };
  test.each<readonly [unknown, unknown]>([
    [[{ url: "https://a.example/v1/" }, { url: "https://b.example" }], "https://a.example/v1"],
    [
      [{ url: "https://{r}.a.example:{p}", variables: { r: { default: "eu" }, p: { default: 8443 } } }],
      "https://eu.a.example:8443",
    ],
    [[{ url: "https://{r}.a.example" }], undefined],
    [[{ url: "/v1" }], undefined],
    [[{ url: "file:///etc" }], undefined],
    [undefined, undefined],
    ["x", undefined],
  ])("of the servers %j, the callable address is taken", async (servers, url) => {
    expect(await serverOf(servers)).toBe(url);
  });

  test("no secret of `auth` reaches generated code; the address and names of variables reach the registry alone", async () => {
    const variable = "$" + "{TOKEN}";
    const entry = `, server: "https://secret.example", auth: { bearer: "${variable}", query: { key: abc123 } }`;
    const { files } = await buildProject(
      openapiProject(openapi({ "/a": { get: op({ parameters: [query("key")] }) } }), entry),
    );
    expect(files.length).toBeGreaterThan(5);
    const hidden = (path: string) => (path === "registry.json" ? /abc123/ : /secret\.example|abc123|TOKEN/);
    for (const { path, text } of files) expect(text).not.toMatch(hidden(path));
  });

  test("bearer and basic at once are refused", async () => {
    const outcome = await buildProject(
      openapiProject(openapi({ "/a": { get: op() } }), ", auth: { bearer: a, basic: b }"),
    );
    expect(codesOf(outcome)).toEqual(["3:5 config-invalid"]);
  });
});

test("operations, components and methods in any order give the same bytes", async () => {
  const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
  const entries = (values: object, reverse: boolean): object =>
    Object.fromEntries(reverse ? Object.entries(values).reverse() : Object.entries(values));
  const described = (reverse: boolean): object => {
    const schemas = {
      A: { type: "object", properties: { b: ref("B") } },
      B: { type: "array", items: ref("A") },
      C: ref("B"),
    };
    const get = op({ parameters: [query("a", ref("A"))], responses: { 200: json(ref("C")) } });
    const paths = { "/a": entries({ get, post: op({ requestBody: json(ref("A")) }) }, reverse), "/b": { get } };
    return openapi(entries(paths, reverse), { components: { schemas: entries(schemas, reverse) } });
  };
  const filesOf = async (reverse: boolean) => (await buildProject(openapiProject(described(reverse)))).files;
  expect(await filesOf(true)).toEqual(await filesOf(false));
});
