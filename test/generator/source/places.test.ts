/** Faults of schemas are reported at the part that is wrong, with the word that was probably meant. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  buildProject,
  functionsProject,
  jsonProject,
  openapi,
  openapiProject,
  type Project,
  tool,
  tsProject,
} from "../../support/generator-host.js";
import { temporaryFolder, toolwright } from "../../support/project.js";

/** What a project is told, without messages that are about something else. */
const told = async (project: Project) =>
  (await buildProject(project)).diagnostics
    .filter(({ code }) => !["server-missing", "kind-unknown", "kind-described"].includes(code))
    .map(({ file, line, column, code, message, fix }) => {
      const place = `${file.replace("definitions/", "")}:${line}:${column}`;
      return `${place} ${code} ${/did you mean [^?]*\?/.exec(`${message} ${fix}`)?.[0] ?? "-"}`;
    });

const toolsOf = (parameters: string, before = ""): string => `${before}export const TOOLS = [
  { type: "function", function: { name: "list_things", description: "List things.", parameters: {
    type: "object",
    ${parameters}
  } } },
];
`;

describe("in an array of TypeScript", () => {
  test.for([
    ["a type", 'properties: {\n a: { type: "strnig" } },', ["tools.ts:5:7 schema-invalid did you mean string?"]],
    [
      "a keyword",
      'properties: {\n a: { type: "string", minLenght: 1 } },',
      ["tools.ts:5:23 keyword-misspelled did you mean minLength?"],
    ],
    [
      "a required name",
      'properties: { name: {} },\n required: ["nme"],',
      ["tools.ts:5:13 required-not-declared did you mean name?"],
    ],
    [
      "a required name below",
      'properties: { x: { properties: { name: {} },\n required: ["nme"] } },',
      ["tools.ts:5:13 required-not-declared did you mean name?"],
    ],
    [
      "a reference",
      'properties: {\n a: { $ref: "#/$defs/Thnig" } }, $defs: { Thing: {} },',
      ["tools.ts:5:7 schema-remote-ref did you mean #/$defs/Thing?"],
    ],
    ["a default", 'properties: {\n a: { type: "integer", default: "x" } },', ["tools.ts:5:24 default-invalid -"]],
    ["words that are no misspellings", 'properties: { minLenght: { style: 1, note: 2, unit: 3, "x-tite": 4 } },', []],
  ] as const)("a fault is found at its part: %s", async ([, parameters, says]) => {
    expect(await told(tsProject(toolsOf(parameters)))).toEqual(says);
  });

  test("a part that is spread is reported where it is written", async () => {
    const before = 'const NAME = {\n  name: { type: "strnig" },\n};\n';
    expect(await told(tsProject(toolsOf("properties: { ...NAME },", before)))).toEqual([
      "tools.ts:2:11 schema-invalid did you mean string?",
    ]);
  });
});

test("in JSON, below any depth and after escapes", async () => {
  const nested = { list: { type: "array", items: { properties: { 'a/b~c"': { type: "txet", title: "x" } } } } };
  const project = jsonProject([tool("get_things"), tool("list_things", nested)]);
  const line = (project["tools.json"] ?? "").split("\n").findIndex((one) => one.includes("txet")) + 1;
  expect(await told(project)).toEqual([expect.stringMatching(`^tools.json:${line}:\\d+ schema-invalid`)]);
});

describe("in an OpenAPI description", () => {
  const API = `openapi: 3.1.0
info: { title: A }
servers: [{ url: "https://api.example.com" }]
paths:
  /pets/{petId}:
    put:
      operationId: putPet
      parameters:
        - { in: path, name: petID, required: true, schema: { type: string } }
      requestBody:
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Pet" }
components:
  schemas:
    Pet:
      type: object
      required:
        - nme
      properties:
        name: { type: string }
        tags: { type: array, items: { type: string, minLenght: 1 } }
`;
  const says = (...places: readonly string[]) => [
    `api.yaml:${places[0]} path-parameter-undeclared did you mean {petID}?`,
    `api.yaml:${places[1]} required-not-declared did you mean name?`,
    `api.yaml:${places[2]} keyword-misspelled did you mean minLength?`,
  ];

  test("of YAML", async () => {
    const project = { "toolwright.yaml": "use: []\nsources:\n  - { openapi: api.yaml, pack: p }\n", "api.yaml": API };
    expect(await told(project)).toEqual(says("5:3", "19:11", "22:53"));
  });

  test("of JSON, and each fault once for all operations", async () => {
    const body = { content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } };
    const schemas = { Pet: { type: "object", properties: { name: { minLenght: 1 } } } };
    const paths = { "/a": { put: { requestBody: body }, post: { requestBody: body } } };
    const project = openapiProject(openapi(paths, { components: { schemas } }));
    const line = (project["api.json"] ?? "").split("\n").findIndex((one) => one.includes("minLenght")) + 1;
    expect(await told(project)).toEqual([`api.json:${line}:7 keyword-misspelled did you mean minLength?`]);
  });
});

test("an unknown type of TypeScript, at the type", async () => {
  const source =
    "/** Gets it. */\nexport function getIt(args: {\n  name: Strng;\n  all: Qqqux[];\n}): Promise<Bokk> { throw 1; }\ntype Book = { a: 1 };\n";
  expect(await told(functionsProject(source))).toEqual([
    "p.ts:3:9 type-unsupported did you mean string?",
    "p.ts:4:8 type-unsupported -",
    "p.ts:5:13 type-unsupported did you mean Book?",
  ]);
});

test("generate prints the place of the part", { tags: "full", timeout: 60_000 }, async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  const project = tsProject(toolsOf('properties: {\n  a: { type: "strnig" },\n  b: { maxLenght: 2 },\n },'));
  for (const [name, text] of Object.entries(project)) writeFileSync(join(root, "definitions", name), text);
  const { code, stderr } = await toolwright(["generate", "--root", root]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^definitions\/tools\.ts:5:8 error schema-invalid .*did you mean string\?/),
  ]);
});
