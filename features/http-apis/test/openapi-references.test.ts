/** References anywhere in a description, in one file or several: resolved, or an error at their place. Nothing is downloaded. */

import { describe, expect, test } from "vitest";
import { buildProject, openapi, openapiProject, type Project } from "../../../test/support/generator-host.js";

/** Signatures of the ops, and diagnostics. */
async function seen(project: Project): Promise<readonly string[]> {
  const { registry, diagnostics } = await buildProject(project);
  const ops = (registry?.tools ?? []).map(({ op, parameters, result_schema }) =>
    [
      op,
      ...parameters.map((one) => `${one.name}:${one.type}`),
      ...(result_schema ? ["=", result_schema["type"]] : []),
    ].join(" "),
  );
  return [
    ...ops,
    ...diagnostics.map(({ file, line, column, code, message }) => `${file}:${line}:${column} ${code} ${message}`),
  ];
}

const LOST = "leads nowhere inside this project";

describe("references", () => {
  test.each<readonly [string, object, object, Project, readonly string[]]>([
    [
      "an operation, its parameters, its responses and a media type",
      { "/a": { get: { $ref: "ops.yaml#/getA" } } },
      {},
      {
        "ops.yaml":
          "getA: { operationId: getA, parameters: { $ref: '#/list' }, responses: { $ref: 'r.yaml' } }\nlist: [{ in: query, name: x, schema: { $ref: 's.yaml#S' } }]\n",
        "r.yaml":
          "'200': { description: d, content: { application/json: { $ref: '#/m' } } }\nm: { schema: { type: integer } }\n",
        "s.yaml": "defs: { a: { $anchor: S, type: boolean } }\n",
      },
      ["p.getA x:boolean = integer"],
    ],
    [
      "a path item in another file, beside an operation and a parameter",
      {
        "/b": {
          $ref: "b.yaml#/b",
          post: { operationId: "make" },
          parameters: [{ in: "query", name: "n", schema: { type: "integer" } }],
        },
      },
      {},
      {
        "b.yaml": "b: { parameters: [{ in: query, name: m, schema: { type: string } }], get: { operationId: read } }\n",
      },
      ["p.make m:string n:integer", "p.read m:string n:integer"],
    ],
    [
      "a YAML file that begins with a brace",
      { "/a": { get: { operationId: "a", parameters: [{ $ref: "x.yaml" }, { $ref: "y.yml" }] } } },
      {},
      {
        "x.yaml": "{ in: query, name: x, schema: { type: integer } }\n",
        "y.yml": '{ "in": "query", "name": "y", "schema": { "type": "boolean" } }\n',
      },
      ["p.a x:integer y:boolean"],
    ],
    [
      "all paths",
      {},
      { paths: { $ref: "sub/paths.yaml" } },
      { "sub/paths.yaml": "/a: { $ref: 'a.yaml' }\n", "sub/a.yaml": "get: { operationId: a, requestBody: {} }\n" },
      ["p.a"],
    ],
    [
      "a body and its schema, by a chain",
      { "/a": { post: { operationId: "a", requestBody: { $ref: "#/components/requestBodies/A" } } } },
      {
        components: {
          requestBodies: {
            A: { $ref: "#/components/requestBodies/B" },
            B: { content: { "application/json": { schema: { $ref: "s.json" } } } },
          },
        },
      },
      { "s.json": '{ "type": "object", "properties": { "x": { "$ref": "#/x" } }, "x": { "type": "string" } }' },
      ["p.a x:string"],
    ],
  ])("are followed: %s", async (_, paths, rest, files, wanted) => {
    expect(await seen(openapiProject(openapi(paths, rest), "", files))).toEqual(wanted);
  });

  test.each<readonly [string, object, readonly string[]]>([
    [
      "an operation",
      { "/a": { get: { $ref: "gone.yaml" } } },
      [`definitions/api.json:14:14 openapi-reference $ref gone.yaml ${LOST}`],
    ],
    [
      "a path item",
      { "/a": { $ref: "#/nope", get: { summary: "Get." } } },
      [`definitions/api.json:13:13 openapi-reference $ref #/nope ${LOST}`],
    ],
    [
      "a body",
      { "/a": { post: { summary: "Post.", requestBody: { $ref: "https://a.example/b" } } } },
      [`definitions/api.json:16:15 openapi-reference $ref https://a.example/b ${LOST}`],
    ],
    [
      "a response",
      { "/a": { get: { summary: "Get.", responses: { 200: { $ref: "#/components/responses/R" } } } } },
      [`definitions/api.json:17:16 openapi-reference $ref #/components/responses/R ${LOST}`],
    ],
  ])("without a target is an error: %s", async (_, paths, wanted) => {
    const found = await seen(openapiProject(openapi(paths)));
    expect(found.filter((one) => !one.includes("no-operations"))).toEqual(wanted);
  });

  test("an op of which the description says nothing is named", async () => {
    expect(await seen(openapiProject(openapi({ "/a": { get: {} } })))).toEqual([
      "p.get_a",
      "definitions/api.json:12:9 operation-empty the description says nothing about GET /a: no parameter, body, result or text",
    ]);
  });
});

describe("Swagger 2.0", () => {
  const swagger = (paths: object, rest: object = {}): object => ({
    swagger: "2.0",
    ...{ info: { title: "A", version: "1" }, host: "a.example", basePath: "/v1", schemes: ["http", "https"] },
    paths,
    ...rest,
  });

  test("is read: server, parameters, lists, bodies, forms, files and results", async () => {
    const description = swagger(
      {
        "/a/{id}": {
          parameters: [{ in: "path", name: "id", required: true, type: "integer" }],
          get: {
            operationId: "read",
            parameters: [
              { in: "query", name: "tags", type: "array", items: { type: "string" }, collectionFormat: "multi" },
              { in: "query", name: "ids", type: "array", items: { type: "integer" }, collectionFormat: "csv" },
            ],
            responses: { 200: { description: "", schema: { $ref: "#/definitions/D" } } },
          },
          post: {
            operationId: "make",
            consumes: ["application/json"],
            parameters: [{ $ref: "#/parameters/B" }],
            responses: {},
          },
          put: {
            operationId: "send",
            consumes: ["multipart/form-data"],
            parameters: [
              { in: "formData", name: "file", type: "file" },
              { in: "formData", name: "e", type: "string", enum: ["a", "b"] },
            ],
            responses: {},
          },
        },
      },
      {
        definitions: { D: { type: "object", properties: { x: { type: "integer" } } } },
        parameters: { B: { in: "body", name: "b", required: true, schema: { $ref: "#/definitions/D" } } },
      },
    );
    const project = openapiProject(description);
    expect(await seen(project)).toEqual([
      "p.make id:integer x:integer",
      "p.read id:integer tags:string[] ids:integer[] = object",
      "p.send id:integer file:base64 e:a|b file_filename:string",
    ]);
    const { files } = await buildProject(project);
    expect(JSON.parse(files.find(({ path }) => path === "http/p.json")?.text ?? "{}")).toMatchObject({
      "p.make": { server: "https://a.example/v1", method: "POST", body: { encoding: "json", fields: { x: "x" } } },
      "p.read": { arguments: [{ in: "path" }, { argument: "tags" }, { argument: "ids", explode: false }] },
      "p.send": { body: { encoding: "multipart", files: ["file"] } },
    });
  });

  test("is read from several files", async () => {
    const files = {
      "paths/a.yaml":
        "get:\n  operationId: a\n  parameters: [{ $ref: '../ps.yaml#/limit' }]\n  responses: { '200': { description: d, schema: { $ref: '../d.yaml#/D' } } }\n",
      "ps.yaml": "limit: { in: query, name: limit, type: integer }\n",
      "d.yaml": "D: { type: object, properties: { d: { $ref: '#/D' }, e: { $ref: '#/E' } } }\nE: { type: string }\n",
    };
    const project = openapiProject(swagger({ "/a": { $ref: "paths/a.yaml" } }), "", files);
    expect(await seen(project)).toEqual(["p.a limit:integer = object"]);
  });

  test("a reference without a target is an error, wherever it is; one in an example is a value", async () => {
    const lost = { get: { parameters: [{ $ref: "#/parameters/x" }], responses: {} } };
    expect(await seen(openapiProject(swagger({ "/a": { $ref: "a.yaml" }, "/b": lost })))).toEqual([
      `definitions/api.json:15:13 openapi-reference $ref a.yaml ${LOST}`,
      `definitions/api.json:21:16 openapi-reference $ref #/parameters/x ${LOST}`,
    ]);
    const schema = { type: "object", properties: { a: { type: "string" } }, example: { $ref: "#/no" } };
    const fine = { post: { operationId: "a", parameters: [{ in: "body", name: "b", schema }], responses: {} } };
    expect(await seen(openapiProject(swagger({ "/a": fine })))).toEqual(["p.a a:string"]);
  });
});

describe("what costs its operation only", () => {
  const query = (name: string): object => ({ in: "query", name, schema: { type: "string" } });

  test("parameters with one name in Python are renamed; the request keeps theirs", async () => {
    const project = openapiProject(
      openapi({ "/a": { get: { operationId: "a", parameters: ["T<", "T>", "T"].map(query) } } }),
    );
    expect(await seen(project)).toEqual([
      "p.a T_:string T__2:string T:string",
      "definitions/api.json:12:9 parameter-renamed arguments of a have other names in Python: T< is T_, T> is T__2",
    ]);
    const { files } = await buildProject(project);
    expect(JSON.parse(files.find(({ path }) => path === "http/p.json")?.text ?? "{}")["p.a"].arguments).toEqual(
      ["T<", "T>", "T"].map((argument) => ({ argument, in: "query" })),
    );
  });

  test("an operation with the name of another one gets that of its request, or is left out", async () => {
    const get = (operationId: string): object => ({ get: { operationId, summary: "Get." } });
    const found = await seen(openapiProject(openapi({ "/a": get("same"), "/b": get("Same"), "/b/": get("same") })));
    expect(found).toEqual([
      "p.get_b",
      "p.same",
      "definitions/api.json:18:9 operation-collision GET /a and GET /b are both called Same; the second is get_b",
      "definitions/api.json:24:10 operation-collision GET /a and GET /b/ are both called same; the second is left out",
    ]);
  });
});

describe("schemas that no validator can be made for", () => {
  const query = (name: string, schema: object, required = false): object => ({ in: "query", name, schema, required });
  const chain = Object.fromEntries(
    Array.from({ length: 1001 }, (_, i) => [
      `S${i}`,
      i === 1000 ? {} : { type: "object", properties: { next: { $ref: `#/components/schemas/S${i + 1}` } } },
    ]),
  );
  const none = { type: "string", enum: [] };

  test.each<readonly [string, object, string, string]>([
    ["an enum without values", query("bad", none), "bad", "must NOT have fewer than 1 items at /properties/bad/enum"],
    [
      "half of a surrogate pair",
      query("bad\ud800", { type: "string" }),
      "bad\\ud800",
      "a name in it holds half of a surrogate pair, which is no character",
    ],
    [
      "1,000 definitions in a row",
      query("bad", { $ref: "#/components/schemas/S0" }),
      "bad",
      "its definitions refer to each other in a chain that is too long to follow",
    ],
  ])("%s: the argument is left out, and the op kept", { tags: "full" }, async (_, parameter, name, reason) => {
    const get = { operationId: "a", parameters: [query("good", { type: "string" }), parameter] };
    const project = openapiProject(openapi({ "/a": { get } }, { components: { schemas: chain } }));
    expect(await seen(project)).toEqual([
      "p.a good:string",
      `definitions/api.json:12:9 argument-left-out a has no argument ${name}, since its schema is unusable: ${reason}`,
    ]);
    const { files } = await buildProject(project);
    expect(JSON.parse(files.find(({ path }) => path === "http/p.json")?.text ?? "{}")["p.a"].arguments).toEqual([
      { argument: "good", in: "query" },
    ]);
  });

  test("an op that cannot do without the argument is left out, and no other", async () => {
    const bad = { get: { operationId: "bad", parameters: [query("a", none, true)] } };
    const body = { content: { "application/json": { schema: { type: "array", items: none } } } };
    const part = { post: { operationId: "part", requestBody: body } };
    expect(await seen(openapiProject(openapi({ "/a": bad, "/b": part })))).toEqual([
      "p.part",
      "definitions/api.json:12:9 schema-invalid input schema of bad is invalid at /properties/a/enum: must NOT have fewer than 1 items",
      "definitions/api.json:28:9 argument-left-out part has no argument body, since its schema is unusable: must NOT have fewer than 1 items at /properties/body/items/enum",
    ]);
  });

  test("a path that cannot be sent is named", async () => {
    const get = { get: { operationId: "a" } };
    expect((await seen(openapiProject(openapi({ "/a\udc00": get, "/b": get }))))[1]).toBe(
      'definitions/api.json:12:15 operation-left-out "/a\\udc00" is no op: its path holds half of a surrogate pair, which is no character',
    );
  });
});

test("webhooks, callbacks and cookies are named and counted", async () => {
  const webhooks = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [name, {}]));
  const description = openapi(
    { "/a": { get: { operationId: "a", callbacks: { done: {} }, parameters: [{ in: "cookie", name: "c" }] } } },
    { webhooks, components: { securitySchemes: { s: { type: "apiKey", in: "cookie", name: "sid" } } } },
  );
  expect(await seen(openapiProject(description, ", auth: { bearer: T }"))).toContain(
    "definitions/api.json:1:1 api-left-out definitions/api.json describes more than its ops give: 6 webhooks (a, b, c, d, e, …); 1 callback (done); 1 cookie parameter (c); 1 cookie credential (sid)",
  );
});
