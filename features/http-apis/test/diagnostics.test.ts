/** Faults in descriptions of HTTP APIs: every code has a project that causes it, and a printed remedy works. */

import { expect, test } from "vitest";
import { formatDiagnostic } from "../../../generator/core/diagnostic.js";
import type { Fault } from "../../../test/support/generator-faults.js";
import { buildProject, openapi, openapiProject, type Project } from "../../../test/support/generator-host.js";
import { diagnosticsAfter, type RemedyEdit } from "../../../test/support/remedies.js";
import type { API_RULES } from "../diagnostics.js";

/** A parameter that OpenAPI 3 cannot describe. */
const TABS = { in: "query", name: "t", type: "array", items: { type: "string" }, collectionFormat: "tsv" };

/** A parameter that accepts no value. */
const NOTHING = { in: "query", name: "a", schema: { type: "string", enum: [] } };

/** An object one part of which allows no members of the other. */
const SHUT = { allOf: [{ additionalProperties: false, properties: { a: {} } }, { properties: { b: {} } }] };

/** A project of one GraphQL API. */
const graphqlProject = (schema: string, entry = ""): Project => ({
  "toolwright.yaml": `use: []\nsources:\n  - { graphql: api.graphql, url: "https://a.example", pack: p${entry} }\n`,
  "api.graphql": schema,
});

const FAULTS: Readonly<Record<keyof typeof API_RULES | "argument-left-out", Fault>> = {
  "openapi-version": {
    project: openapiProject({ swagger: "1.2", paths: {} }),
    says: "definitions/api.json:1:1 error openapi-version  this description is written in Swagger 1.2; give one in Swagger 2.0 or in OpenAPI 3.0, 3.1 or 3.2",
  },
  "openapi-reference": {
    project: openapiProject(
      openapi({ "/a": { get: { summary: "Get.", parameters: [{ $ref: "https://x.example/p" }] } } }),
    ),
    says: "definitions/api.json:17:16 error openapi-reference  $ref https://x.example/p leads nowhere inside this project; correct it, or copy its target into the description; nothing is downloaded",
  },
  "openapi-endless": {
    project: openapiProject(
      openapi(
        { "/a": { get: { summary: "Get.", parameters: [{ $ref: "#/components/parameters/P" }] } } },
        { components: { parameters: { P: { $ref: "#/components/parameters/P" } } } },
      ),
    ),
    says: "definitions/api.json:17:16 warning openapi-endless  $ref #/components/parameters/P leads back to itself, or over more than 16 references; operations that need it are left out; let it lead to what it describes",
  },
  "enum-type-clash": {
    project: openapiProject(
      openapi({
        "/a": { get: { summary: "Get.", parameters: [{ ...NOTHING, schema: { type: "string", enum: [1] } }] } },
      }),
    ),
    says: 'definitions/api.json:22:9 warning enum-type-clash  the value 1 has another type than this schema, string: it is read as "1"; write it with the type of the schema, texts in quotes, or correct `type`',
  },
  "members-shut-out": {
    project: openapiProject(
      openapi({ "/a": { get: { summary: "Get.", parameters: [{ ...NOTHING, schema: SHUT }] } } }),
    ),
    says: "definitions/api.json:20:8 info members-shut-out  `additionalProperties: false` in one part of this `allOf` shuts out members of another (b), so the parts are read as open; close the whole with `unevaluatedProperties: false` in place of a part",
  },
  "no-operations": {
    project: openapiProject(openapi({})),
    says: "definitions/api.json:1:1 error no-operations  definitions/api.json describes no operation; add some under `paths`, or take the file out of `sources`; `allow_empty: true` of the source allows it",
  },
  "operation-collision": {
    project: openapiProject(
      openapi({
        "/a": { get: { operationId: "a-b", summary: "Get." } },
        "/c": { put: { operationId: "a_b", summary: "Put." } },
      }),
    ),
    says: "definitions/api.json:18:9 warning operation-collision  GET /a and PUT /c are both called a_b; the second is put_c; give one of them another operationId",
  },
  "operation-empty": {
    project: openapiProject(openapi({ "/a": { get: { tags: ["t"] } } })),
    says: "definitions/api.json:12:9 warning operation-empty  the description says nothing about GET /a: no parameter, body, result or text; add to the description what is missing, or take the operation out",
  },
  "swagger-converted": {
    project: openapiProject({
      swagger: "2.0",
      ...{ info: { title: "A", version: "1" }, host: "a.example", schemes: ["https"] },
      paths: { "/a": { get: { summary: "Get.", parameters: [TABS] } } },
    }),
    says: "definitions/api.json:12:9 warning swagger-converted  GET /a is not sound Swagger 2.0: collectionFormat:tsv is no longer supported; correct the description, or compare the op with what the API takes",
  },
  "api-left-out": {
    project: openapiProject(
      openapi({ "/a": { get: { summary: "Get.", callbacks: { done: {} } } } }, { webhooks: { a: {}, b: {} } }),
    ),
    says: "definitions/api.json:1:1 info api-left-out  definitions/api.json describes more than its ops give: 2 webhooks (a, b); 1 callback (done); nothing to do, unless one of them is wanted",
  },
  "parameter-left-out": {
    project: openapiProject(
      openapi({ "/a": { get: { summary: "Get.", parameters: [{ in: "header", name: "Host" }] } } }),
    ),
    says: "definitions/api.json:12:9 info parameter-left-out  get_a has no argument for header Host: the request sets it itself; nothing to do, unless the API cannot do without it",
  },
  "argument-left-out": {
    project: openapiProject(
      openapi({
        "/a": {
          get: { summary: "Get.", parameters: [NOTHING] },
        },
      }),
    ),
    says: "definitions/api.json:12:9 warning argument-left-out  get_a has no argument a, since its schema is unusable: must NOT have fewer than 1 items at /properties/a/enum; correct the schema in the description",
  },
  "graphql-invalid": {
    project: graphqlProject("type Query {\n  a: }\n"),
    says: 'definitions/api.graphql:2:6 error graphql-invalid  this is no GraphQL schema: Syntax Error: Expected Name, found "}".; give SDL, or the JSON of an introspection query',
  },
  "selection-invalid": {
    project: graphqlProject("type Query { a: Int }", ", selections: { a: b }"),
    says: 'definitions/toolwright.yaml:3:5 error selection-invalid  the selection set of a is invalid: Field "a" must not have a selection since type "Int" has no subfields.; correct it under `selections` of its source',
  },
  "selection-unmatched": {
    project: graphqlProject("type Query { a: Int }", ", selections: { b: c }"),
    says: "definitions/toolwright.yaml:3:5 error selection-unmatched  selections.b is for no query or mutation of definitions/api.graphql; correct the name, or remove the entry",
  },
  "selection-cut": {
    project: graphqlProject(
      `type Query { a: A } type A { ${Array.from({ length: 401 }, (_, i) => `f${i}: Int`).join(" ")} }`,
    ),
    says: "definitions/api.graphql:1:14 warning selection-cut  a asks for some fields only, since there are too many; name the fields under `selections` of its source, or set a lower `depth`",
  },
  "path-parameter-undeclared": {
    project: openapiProject(openapi({ "/a/{b}": { get: { summary: "Get." } } })),
    says: "definitions/api.json:12:13 warning path-parameter-undeclared  no path parameter of get_a_by_b declares {b}, so it is taken for a text; declare it under `parameters`",
  },
  "server-missing": {
    project: openapiProject(openapi({ "/a": { get: { summary: "Get." } } }, { servers: [{ url: "/v1" }] })),
    says: 'definitions/toolwright.yaml:3:5 warning server-missing  definitions/api.json names no whole address to call (found "/v1"); add `server: https://…` to its source',
  },
  "auth-missing": {
    project: openapiProject(
      openapi(
        { "/a": { get: { summary: "Get." } } },
        { components: { securitySchemes: { k: { type: "http", scheme: "bearer" } } } },
      ),
    ),
    says: `definitions/toolwright.yaml:3:5 info auth-missing  definitions/api.json wants to know its caller, and its source sets no credentials; add to its source:  auth: { bearer: "$\{NAME}" }`,
  },
  "operation-left-out": {
    project: openapiProject(openapi({ "/a": { get: { summary: "Get." }, trace: { summary: "Trace." } } })),
    says: "definitions/api.json:12:9 info operation-left-out  TRACE /a is no op: only get, head, post, put, patch, delete, options are sent; nothing to do, unless that operation is wanted",
  },
  "credential-literal": {
    project: openapiProject(openapi({ "/a": { get: { summary: "Get." } } }), ', auth: { bearer: "ghp_a" }'),
    says: `definitions/toolwright.yaml:3:5 warning credential-literal  auth.bearer holds a credential itself, which every reader of this file can use; keep it in a variable, and write:  auth.bearer: "$\{NAME}"`,
  },
};

test.each(Object.entries(FAULTS))(
  "%s is said as it is written down, and no files are given if it is an error",
  async (code, { project, says }) => {
    const { diagnostics, files } = await buildProject(project);
    expect(diagnostics.map(formatDiagnostic)).toContain(says);
    expect(files.length > 0).toBe(!says.includes(` error ${code} `));
  },
);

const VARIABLE = "$" + "{NAME}";

test.each<readonly [code: keyof typeof FAULTS, words: string, edit: RemedyEdit]>([
  ["no-operations", "`allow_empty: true` of the source allows it", ["pack: p", "pack: p, allow_empty: true"]],
  ["selection-cut", "name the fields under `selections`", ["pack: p", 'pack: p, selections: { a: "{ f1 }" }']],
  ["server-missing", "add `server: https://…` to its source", ["pack: p", "pack: p, server: https://a.example"]],
  ["auth-missing", `auth: { bearer: "${VARIABLE}" }`, ["pack: p", `pack: p, auth: { bearer: "${VARIABLE}" }`]],
  ["credential-literal", `auth.bearer: "${VARIABLE}"`, ['"ghp_a"', `"${VARIABLE}"`]],
])("%s is gone after the edit that it asks for: %s", async (code, words, edit) => {
  expect(FAULTS[code].says).toContain(words);
  const codes = await diagnosticsAfter(FAULTS[code].project, edit);
  for (const unwanted of [code, "config-invalid", "config-unknown-key"]) expect(codes).not.toContain(unwanted);
});
