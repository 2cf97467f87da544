/** Descriptions and entries of HTTP APIs with faults that are easily missed: each is reported. */

import type { JsonSchema } from "toolwright/codegen";
import { describe, expect, test } from "vitest";
import { buildProject, onlyTool, openapi, openapiProject } from "../../../test/support/generator-host.js";

const GET = { "/a": { get: { summary: "Get." } } };
const found = async (description: object, entry = ""): Promise<readonly string[]> =>
  (await buildProject(openapiProject(description, entry))).diagnostics.map((one) => `${one.code} ${one.message}`);

describe("`server` of an entry", () => {
  test.each([
    "file:///etc",
    "not a url",
    "",
    "https://x.example/{v}",
    "ftp://x.example",
    "/v1",
    "https://x.example/a?b=1",
    `{v}$\{BASE}`,
  ])("%j is no address", async (server) => {
    const messages = await found(openapi(GET), `, server: ${JSON.stringify(server)}`);
    expect(messages).toEqual([
      `config-invalid server must be a whole http or https address, such as https://api.example.com/v1, got ${JSON.stringify(server)}`,
    ]);
  });

  test("credentials in it are refused and not shown", async () => {
    const messages = await found(openapi(GET), ', server: "https://me:hunter2@x.example"');
    expect(messages).toEqual([
      "config-invalid server must be an address without credentials, which belong under `auth`, got some",
    ]);
  });

  test.each([
    "https://x.example",
    "http://[::1]:8080/v1/",
    `$\{BASE}`,
    `$\{BASE:-https://x.example}/v1`,
    `https://$\{HOST}/v1`,
  ])("%j is left alone", async (server) => {
    expect(await found(openapi(GET), `, server: ${JSON.stringify(server)}`)).toEqual([]);
  });

  test("an address with credentials in the description is not used", async () => {
    const messages = await found(openapi(GET, { servers: [{ url: "https://me:pw@x.example" }] }));
    expect(messages.map((one) => one.split(" ")[0])).toEqual(["server-missing"]);
  });
});

describe("credentials in the configuration", () => {
  test.each([
    ['bearer: "a"', ["auth.bearer"]],
    [`bearer: "$\{A}"`, []],
    [`basic: "me:$\{A}"`, []],
    ['basic: "me:a"', ["auth.basic"]],
    ['mode: client_credentials, client: { id: "a", secret: "b" }', ["auth.client.secret"]],
    [`mode: client_credentials, client: { id: "a", secret: "$\{A}" }`, []],
    [
      'headers: { X-Api-Key: "a", X-Client: "b" }, query: { access_token: "c", v: "1" }',
      ["auth.headers.X-Api-Key", "auth.query.access_token"],
    ],
  ])("are reported where they are values, and not where they are variables: %s", async (auth, paths) => {
    const messages = await found(openapi(GET), `, auth: { ${auth} }`);
    expect(messages.map((one) => one.split(" ").slice(0, 2).join(" "))).toEqual(
      paths.map((path) => `credential-literal ${path}`),
    );
  });

  test("whatever the description calls a key is one", async () => {
    const schemes = { components: { securitySchemes: { k: { type: "apiKey", in: "header", name: "X-Who" } } } };
    expect(await found(openapi(GET, schemes), ", auth: { headers: { x-who: me } }")).toHaveLength(1);
  });
});

describe("descriptions", () => {
  test("methods that are never sent, those of 3.2 among them", async () => {
    const item = { ...GET["/a"], trace: {}, query: {}, additionalOperations: { COPY: {} }, "x-a": {}, servers: [] };
    const messages = await found(openapi({ "/a": item }));
    expect(messages.map((one) => one.split(":")[0])).toEqual([
      "operation-left-out COPY /a is no op",
      "operation-left-out QUERY /a is no op",
      "operation-left-out TRACE /a is no op",
    ]);
  });

  test("a parameter that is declared twice", async () => {
    const parameters = ["string", "integer"].map((type) => ({ in: "query", name: "a[]", schema: { type } }));
    expect(await found(openapi({ "/a": { get: { summary: "Get.", parameters } } }))).toContain(
      "parameter-left-out get_a has no argument for the first query a[]: it is declared twice, and the last counts",
    );
    const overridden = openapi({
      "/a": { parameters: parameters.slice(0, 1), get: { summary: "Get.", parameters: parameters.slice(1) } },
    });
    expect((await found(overridden)).join()).not.toContain("twice");
  });

  test("a schema that is a reference to itself", async () => {
    const schema = { $ref: "#/components/schemas/L" };
    const parameters = [{ in: "query", name: "a", schema }];
    const description = openapi(
      { "/a": { get: { summary: "Get.", parameters } } },
      { components: { schemas: { L: { $ref: "#/components/schemas/L" } } } },
    );
    expect((await found(description)).map((one) => one.split(" ").slice(0, 3).join(" "))).toEqual([
      "schema-endless the reference",
    ]);
  });

  test("what only an answer has is never required of a request", async () => {
    const id = { type: "integer", readOnly: true };
    const Owner = { type: "object", properties: { id, name: { type: "string" } }, required: ["id", "name"] };
    const Key = { allOf: [{ type: "object", properties: { id, at: { type: "string" } } }], required: ["id", "at"] };
    const schema = {
      type: "object",
      properties: {
        owner: { $ref: "#/components/schemas/Owner" },
        keys: { type: "array", items: { $ref: "#/components/schemas/Key" } },
        plain: { type: "object", properties: { id }, required: ["id"] },
      },
    };
    const content = { "application/json": { schema } };
    const post = { summary: "Post.", requestBody: { content }, responses: { 200: { description: "", content } } };
    const one = await onlyTool(
      openapiProject(openapi({ "/a": { post } }, { components: { schemas: { Owner, Key } } })),
    );
    const { properties, $defs } = one.parameters_schema as { properties: JsonSchema; $defs: JsonSchema };
    expect($defs).toMatchObject({ Owner: { required: ["name"] }, Key: { required: ["at"] } });
    expect(properties["plain"]).toEqual({ type: "object", properties: { id } });
    expect(one.result_schema?.["$defs"]).toMatchObject({ Owner: { required: ["id", "name"] } });
  });
});
