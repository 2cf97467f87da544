/** Changes of where calls go and what goes along, from API descriptions and the configuration to the findings. */

import { describe, expect, test } from "vitest";
import { loadChecks } from "../../../generator/core/checker.js";
import type { Registry } from "../../../runtime/contract/registry.js";
import { buildProject, openapi } from "../../../test/support/generator-host.js";
import type { Json } from "../../../test/support/project.js";
import { compareTools } from "../compare.js";

await loadChecks();

const HOST = "https://api.example.com/v1";

/** A description with one operation, `getThing`. */
interface Api {
  readonly servers?: readonly Json[];
  readonly path?: string;
  readonly method?: string;
  readonly operation?: Json;
  readonly rest?: Json;
  /** Members of the entry of `sources`. */
  readonly entry?: string;
}

const parameter = (rest: Json = {}): Json => ({
  name: "tags",
  in: "query",
  schema: { type: "array", items: { type: "string" } },
  ...rest,
});
const answer = (schema: Json = { type: "object" }, media = "application/json"): Json => ({
  description: "",
  content: { [media]: { schema } },
});

function projectOf({
  servers = [{ url: HOST }],
  path = "/things",
  method = "get",
  operation = {},
  rest = {},
  entry = "",
}: Api) {
  const one = { operationId: "getThing", summary: "Get it.", responses: { 200: answer() }, ...operation };
  return {
    "toolwright.yaml": `sources: [{ openapi: api.json, pack: p${entry} }]\nops: { getThing: { kind: read } }\n`,
    "api.json": JSON.stringify(openapi({ [path]: { [method]: one } }, { servers, ...rest })),
  };
}

async function registryOf(api: Api): Promise<Registry> {
  const { registry, diagnostics } = await buildProject(projectOf(api));
  if (!registry) throw new Error(JSON.stringify(diagnostics));
  return registry;
}

const BEARER = ', auth: { bearer: "${TOKEN}" }';
const KEY: Json = { components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } } };
const LOGIN: Json = {
  components: {
    securitySchemes: {
      login: {
        type: "oauth2",
        flows: { clientCredentials: { tokenUrl: "https://login.example.com", scopes: { read: "", write: "" } } },
      },
    },
  },
};
const demands = (...scopes: readonly string[]): Json => ({ security: [{ login: scopes }] });
const body = (media: string, rest: Json = {}): Json => ({
  requestBody: { content: { [media]: { schema: { type: "object", properties: { a: { type: "string" } } }, ...rest } } },
});
const pets = (mapping: Json): Json => {
  const pet = (name: string): Json => ({
    type: "object",
    properties: { kind: { type: "string" }, [name]: { type: "string" } },
    required: ["kind", name],
  });
  return {
    operation: {
      responses: {
        200: answer({
          oneOf: [{ $ref: "#/components/schemas/Dog" }, { $ref: "#/components/schemas/Cat" }],
          discriminator: { propertyName: "kind", mapping },
        }),
      },
    },
    rest: { components: { schemas: { Dog: pet("bark"), Cat: pet("meow") } } },
  };
};
const secret = (rest: Json): Json => ({
  operation: { responses: { 200: answer({ type: "object", properties: { secret: { type: "string", ...rest } } }) } },
});

const CHANGES: readonly (readonly [
  title: string,
  before: Api,
  after: Api,
  rule: string,
  level: string,
  says?: string,
])[] = [
  [
    "another host",
    { entry: BEARER },
    { entry: BEARER, servers: [{ url: "https://api.example.net/v1" }] },
    "request-host-changed",
    "error",
    "bearer ${TOKEN}",
  ],
  [
    "another host without credentials",
    {},
    { servers: [{ url: "https://api.example.net/v1" }] },
    "request-host-changed",
    "error",
    "no credential",
  ],
  [
    "no encryption",
    { entry: BEARER },
    { entry: BEARER, servers: [{ url: "http://api.example.com/v1" }] },
    "request-host-changed",
    "error",
    "bearer ${TOKEN}",
  ],
  ["another port", {}, { servers: [{ url: "https://api.example.com:8443/v1" }] }, "request-host-changed", "error"],
  [
    "a host in the configuration",
    {},
    { entry: ", server: https://proxy.example.net/v1" },
    "request-host-changed",
    "error",
  ],
  [
    "a host of the operation",
    {},
    { operation: { servers: [{ url: "https://eu.example.com/v1" }] } },
    "request-host-changed",
    "error",
  ],
  ["another base path", {}, { servers: [{ url: "https://api.example.com/v2" }] }, "request-path-changed", "warning"],
  ["another path", {}, { path: "/objects" }, "request-path-changed", "warning"],
  ["a method that acts", {}, { method: "post" }, "request-method-changed", "error"],
  ["another method that acts", { method: "put" }, { method: "patch" }, "request-method-changed", "warning"],
  [
    "another credential",
    { entry: BEARER },
    { entry: ', auth: { headers: { X-Key: "${KEY}" } }' },
    "request-auth-changed",
    "warning",
    "X-Key",
  ],
  [
    "a credential for a public op",
    { entry: BEARER, operation: { security: [] } },
    { entry: BEARER },
    "request-auth-changed",
    "warning",
  ],
  [
    "a list in another style",
    { operation: { parameters: [parameter()] } },
    { operation: { parameters: [parameter({ explode: false })] } },
    "request-argument-changed",
    "warning",
    "tags",
  ],
  [
    "a parameter in another place",
    { operation: { parameters: [parameter()] } },
    { operation: { parameters: [parameter({ in: "header" })] } },
    "request-argument-changed",
    "warning",
    "header",
  ],
  [
    "another media type",
    { method: "post", operation: body("application/json") },
    { method: "post", operation: body("application/x-www-form-urlencoded") },
    "request-body-changed",
    "warning",
  ],
  [
    "a field in another style",
    { method: "post", operation: body("application/x-www-form-urlencoded") },
    {
      method: "post",
      operation: body("application/x-www-form-urlencoded", { encoding: { a: { style: "pipeDelimited" } } }),
    },
    "request-argument-changed",
    "warning",
  ],
  [
    "another media type of the answer",
    {},
    { operation: { responses: { 200: answer({ type: "string" }, "application/xml") } } },
    "request-accept-changed",
    "warning",
  ],
  [
    "credentials are demanded",
    { rest: KEY },
    { rest: KEY, operation: { security: [{ key: [] }] } },
    "security-added",
    "error",
    "X-Key",
  ],
  [
    "one more scope",
    { rest: LOGIN, operation: demands("read") },
    { rest: LOGIN, operation: demands("read", "write") },
    "security-widened",
    "error",
    "write",
  ],
  [
    "one scope less",
    { rest: LOGIN, operation: demands("read", "write") },
    { rest: LOGIN, operation: demands("read") },
    "security-narrowed",
    "info",
  ],
  [
    "one more success answer",
    {},
    { operation: { responses: { 200: answer(), 202: answer({ type: "string" }) } } },
    "result-answer-added",
    "warning",
    "202",
  ],
  [
    "an answer without content",
    {},
    { operation: { responses: { 200: answer(), 204: { description: "" } } } },
    "result-answer-added",
    "warning",
    "204",
  ],
  [
    "another value of a discriminator",
    pets({ dog: "#/components/schemas/Dog" }),
    pets({ hound: "#/components/schemas/Dog" }),
    "result-type-changed",
    "error",
    "hound",
  ],
  [
    "a property that is write-only",
    secret({}),
    secret({ writeOnly: true }),
    "result-property-removed",
    "error",
    "secret",
  ],
  ["a sunset", {}, { operation: { "x-sunset": "2027-03-01" } }, "sunset-added", "warning", "2027-03-01"],
  [
    "a sooner sunset",
    { operation: { "x-sunset": "2027-03-01" } },
    { operation: { "x-sunset": "2026-12-24" } },
    "sunset-sooner",
    "error",
  ],
  [
    "a lower stage",
    { operation: { "x-stability-level": "beta" } },
    { operation: { "x-stability-level": "alpha" } },
    "stability-lowered",
    "error",
  ],
  ["a deprecation", {}, { operation: { deprecated: true } }, "deprecated-added", "info", "the op"],
];

describe("an op of an HTTP API", () => {
  test.each(
    CHANGES.map(([title, before, after, rule, level, says = ""]) => ({ title, before, after, rule, level, says })),
  )("$title is reported, and changes the version of the registry", async ({ before, after, rule, level, says }) => {
    const [old, now] = [await registryOf(before), await registryOf(after)];
    const found = compareTools(old.tools, now.tools);
    const fitting = found.filter((one) => one.rule === rule);
    expect(fitting, JSON.stringify(found.map((one) => [one.rule, one.level, one.message]))).not.toEqual([]);
    expect(fitting[0]).toMatchObject({ level, message: expect.stringContaining(says) });
    expect(now.registry_version).not.toBe(old.registry_version);
  });

  test.each([
    [
      "an optional argument is new",
      { operation: { parameters: [parameter()] } },
      { operation: { parameters: [parameter(), parameter({ name: "other" })] } },
    ],
    [
      "a field of the body is new",
      { method: "post", operation: body("application/json") },
      {
        method: "post",
        operation: {
          requestBody: {
            content: {
              "application/json": {
                schema: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } },
              },
            },
          },
        },
      },
    ],
    ["a slash at the end of the address", {}, { servers: [{ url: `${HOST}/` }] }],
    ["the usual port", {}, { servers: [{ url: "https://api.example.com:443/v1" }] }],
    ["a second server", {}, { servers: [{ url: HOST }, { url: "https://eu.example.com/v1" }] }],
    [
      "one more way to authenticate",
      { rest: LOGIN, operation: demands("read") },
      { rest: LOGIN, operation: { security: [{ login: ["read"] }, { login: ["write"] }] } },
    ],
    ["base64 in the words of OpenAPI 3.1", secret({ contentEncoding: "base64" }), secret({ format: "byte" })],
  ] as readonly (readonly [string, Api, Api])[])("%s: nothing that warns", async (_, before, after) => {
    const found = compareTools((await registryOf(before)).tools, (await registryOf(after)).tools);
    expect(found.filter((one) => one.level !== "info")).toEqual([]);
  });

  test("a registry of a version that recorded no requests is compared without them", async () => {
    const { tools } = await registryOf({ entry: BEARER, operation: { "x-sunset": "2027-03-01", security: [] } });
    const earlier = tools.map(({ request: _, lifecycle: __, ...one }) => one);
    expect(compareTools(earlier, tools)).toEqual([]);
    expect(compareTools(tools, earlier)).toEqual([]);
  });

  test("no secret of the configuration is in the registry", async () => {
    const literal = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";
    const registry = await registryOf({
      entry: `, auth: { headers: { X-Version: "2026-01", X-Key: "${literal}" }, query: { token: ${literal} } }`,
    });
    expect(JSON.stringify(registry)).not.toContain(literal);
    expect(registry.tools[0]?.request?.auth).toContain("header X-Version: 2026-01");
  });
});

describe("a tool of an MCP server", () => {
  const registryWith = async (server: string): Promise<Registry> => {
    const tools = [{ name: "get_thing", description: "Get it.", inputSchema: { type: "object" } }];
    const { registry, diagnostics } = await buildProject({
      "toolwright.yaml": `sources: [{ mcp: "servers/*.json" }]\nservers: { p: ${server} }\n`,
      "servers/p.json": JSON.stringify({ tools }),
    });
    if (!registry) throw new Error(JSON.stringify(diagnostics));
    return registry;
  };
  const START = "command: npx, args: [-y, things-mcp@1.2.0], env: { API_KEY: '${API_KEY}' }";
  const REMOTE = "url: https://mcp.example.com/mcp, headers: { Authorization: 'Bearer ${TOKEN}' }";

  test.each([
    [
      "another package",
      START,
      START.replace("things-mcp", "other-mcp"),
      "request-program-changed",
      "error",
      "${API_KEY}",
    ],
    ["another version", START, START.replace("1.2.0", "1.3.0"), "request-program-changed", "warning", "1.3.0"],
    ["another command", START, START.replace("npx", "bunx"), "request-program-changed", "error", "bunx"],
    ["another host", REMOTE, REMOTE.replace("example.com", "example.net"), "request-host-changed", "error", "${TOKEN}"],
    ["no encryption", REMOTE, REMOTE.replace("https", "http"), "request-host-changed", "error", "${TOKEN}"],
    ["another path", REMOTE, REMOTE.replace("/mcp,", "/v2,"), "request-path-changed", "warning", "/v2"],
    ["another credential", REMOTE, REMOTE.replace("TOKEN", "OTHER"), "request-auth-changed", "warning", "${OTHER}"],
    ["a program in place of a host", REMOTE, START, "request-program-changed", "error", "${API_KEY}"],
    ["a host in place of a program", START, REMOTE, "request-host-changed", "error", "${TOKEN}"],
  ])("%s is reported", async (_, before, after, rule, level, says) => {
    const [old, now] = [await registryWith(`{ ${before} }`), await registryWith(`{ ${after} }`)];
    const found = compareTools(old.tools, now.tools).filter((one) => one.rule === rule);
    expect(found[0]).toMatchObject({ level, message: expect.stringContaining(says) });
    expect(now.registry_version).not.toBe(old.registry_version);
  });

  test("no secret of a command is in the registry", async () => {
    const registry = await registryWith("{ command: things, args: [--token, hunter2hunter2, '--api-key=hunter3'] }");
    expect(registry.tools[0]?.request?.send).toBe("things --token *** --api-key=***");
  });
});

test("an endpoint of a GraphQL API at another host is reported with its credential", async () => {
  const registryWith = async (url: string): Promise<Registry> => {
    const entry = `{ graphql: api.graphql, pack: p, url: ${url}, auth: { bearer: "\${TOKEN}" } }`;
    const { registry } = await buildProject({
      "toolwright.yaml": `sources: [${entry}]\n`,
      "api.graphql": "type Query { thing(id: ID!): String }\n",
    });
    return registry as Registry;
  };
  const [old, now] = [
    await registryWith("https://a.example.com/graphql"),
    await registryWith("https://b.example.com/graphql"),
  ];
  const [found] = compareTools(old.tools, now.tools).filter((one) => one.rule === "request-host-changed");
  expect(found).toMatchObject({ level: "error", message: expect.stringContaining("bearer ${TOKEN}") });
});
