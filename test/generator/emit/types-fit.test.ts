/** Emitted types beside the validator: over random schemas, through the type checker. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { loadCompiler } from "../../../generator/core/compile.js";
import type { JsonValue } from "../../../runtime/codegen.js";
import { pythonLiteral } from "../../../runtime/contract/python-types.js";
import { compile } from "../../support/compile.js";
import { buildProject } from "../../support/generator-host.js";
import { temporaryFolder, toolwright } from "../../support/project.js";
import { inputs, type Schema, valuesFor } from "./schema-samples.js";

const SEED = Number(process.env["SEED"] ?? 42);
const RUNS = Number(process.env["RUNS"] ?? 40);

const CONFIGURATION = "use: []\nsources: [{ mcp: servers/*.json }]\n";

/** A snapshot of a server `s` whose tools have these inputs. */
const snapshotOf = (schemas: readonly Schema[]): string =>
  JSON.stringify({
    tools: schemas.map((inputSchema, at) => ({ name: `t${at}`, description: "Get it.", inputSchema })),
  });

async function built(schemas: readonly Schema[]) {
  const build = await buildProject({ "toolwright.yaml": CONFIGURATION, "servers/s.json": snapshotOf(schemas) });
  const types = build.files.find(({ path }) => path === "types.ts")?.text ?? "";
  return { types, tools: build.registry?.tools ?? [], said: build.diagnostics };
}

test("a value that the validator accepts is one of the emitted types", async () => {
  const { issuesOf } = await loadCompiler();
  const schemas = fc.sample(inputs, { numRuns: RUNS, seed: SEED });
  const { types, tools } = await built(schemas);
  const root = temporaryFolder();
  const lines: string[] = [];
  const about = new Map<number, string>();
  const head =
    'import type * as T from "./types.js";\ntype Fits<V, X extends V | unknown> = [V] extends [X] ? true : false;\ntype Is<X extends true> = X;\n';
  for (const tool of tools) {
    const at = Number(tool.tool_name.slice(1));
    const schema = tool.parameters_schema;
    const args = /\(args\??: (.*)\): Promise<unknown>$/s.exec(tool.signature.typescript)?.[1] ?? "never";
    const values = valuesFor(schemas[at] as Schema, SEED + at).filter((v) => issuesOf(schema, { v }).length === 0);
    for (const v of values)
      for (const type of [`T.ST${at}Args`, args]) {
        lines.push(`export type C${lines.length} = Is<Fits<${JSON.stringify({ v })}, ${type}>>;`);
        about.set(
          lines.length + 3,
          `${type}: ${JSON.stringify(v)} of ${JSON.stringify((schema as never as { properties: Schema }).properties["v"])} ${JSON.stringify(schema["$defs"])}`,
        );
      }
  }
  writeFileSync(join(root, "package.json"), '{"type":"module"}');
  writeFileSync(join(root, "types.ts"), types);
  writeFileSync(join(root, "checks.ts"), head + lines.join("\n"));
  const said = compile(root, ["*.ts"])
    .split("\n")
    .filter((one) => one !== "" && !one.startsWith(" "));
  const faults = said.map((one) => about.get(Number(/checks\.ts\((\d+),/.exec(one)?.[1] ?? 0)) ?? one);
  expect(lines.length).toBeGreaterThan(RUNS);
  expect(faults.sort((a, b) => a.length - b.length).slice(0, 24)).toEqual([]);
});

test("a value that the validator accepts passes the check of programs", { timeout: 120_000 }, async () => {
  const { issuesOf } = await loadCompiler();
  const schemas = fc.sample(inputs, { numRuns: RUNS, seed: SEED });
  const { tools } = await built(schemas);
  const calls = tools.flatMap((tool) => {
    const at = Number(tool.tool_name.slice(1));
    const values = valuesFor(schemas[at] as Schema, SEED + at).filter(
      (v) => issuesOf(tool.parameters_schema, { v }).length === 0,
    );
    return values.map((v) => `${tool.op}(v=${pythonLiteral(v as JsonValue)})`);
  });
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions", "servers"), { recursive: true });
  writeFileSync(join(root, "definitions", "toolwright.yaml"), CONFIGURATION);
  writeFileSync(join(root, "definitions", "servers", "s.json"), snapshotOf(schemas));
  writeFileSync(join(root, "calls.py"), `${calls.join("\n")}\ns.t0(w=1)\n`);
  expect((await toolwright(["generate", "--root", root])).code).toBe(0);
  const { stdout } = await toolwright(["run", join(root, "calls.py"), "--check", "--root", root]);
  const lines = new Set([...stdout.matchAll(/calls\.py:(\d+) /g)].map(([, line]) => Number(line)));
  const faults = [...lines].map((line) => calls[line - 1] ?? "the last call");
  // The last call is wrong, so that a check that finds nothing is seen.
  expect(faults).toEqual(["the last call"]);
  expect(calls.length).toBeGreaterThan(RUNS);
});

test.each([
  [
    { required: ["id"], allOf: [{ type: "object", properties: { id: { type: "integer" } } }] },
    "{ v: { id: number } }",
    /id: unknown/,
  ],
  [
    { type: "array", prefixItems: [{ type: "string" }], minItems: 1 },
    "{ v: [string, ...unknown[]] }",
    /v: \[string, \.\.\.unknown\[\]\]/,
  ],
  [
    { type: "array", prefixItems: [{ type: "string" }], items: false },
    "{ v: [string?] }",
    /v: \(never\[\] \| \[string\]\)/,
  ],
  [{ type: "array", prefixItems: [{ type: "string" }], minItems: 1, maxItems: 1 }, "{ v: [string] }", /v: \[string\]/],
  [
    { type: "array", items: { type: "array", items: { type: "null" }, minItems: 1, maxItems: 2 } },
    "{ v: null[][] }",
    /v: \(\[null\] \| \[null, null\]\)\[\]/,
  ],
])("%j is %s in signatures, and as narrow in types.ts", async (v, signature, type) => {
  const { types, tools } = await built([{ type: "object", properties: { v }, required: ["v"] }]);
  expect(types).toMatch(type);
  expect(tools[0]?.signature.typescript).toBe(`s.t0(args: ${signature}): Promise<unknown>`);
});

test("members that are required but not declared, and those of patterns and conditions, are in help and types", async () => {
  const a = { type: "string" };
  const schema = {
    type: "object",
    properties: {
      required: { type: "object", properties: { a }, required: ["a", "token"] },
      alone: { type: "object", required: ["token"] },
      patterns: { type: "object", properties: { a }, patternProperties: { "^x-/": a } },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
      condition: { type: "object", properties: { a }, if: { required: ["a"] }, then: { required: ["extra"] } },
      known: { type: "object", properties: { a, b: a }, dependentRequired: { a: ["b"] } },
      words: { enum: ["null", "~", null] },
    },
  };
  const { types, tools } = await built([schema]);
  expect(tools[0]?.parameters.map(({ name, type }) => [name, type])).toEqual([
    ["required", "{a, token}"],
    ["alone", "{token}"],
    ["patterns", "{a?, /^x-\\//}"],
    ["condition", "{a?}"],
    ["known", "{a?, b?}"],
    ["words", '"null"|~ | null'],
  ]);
  expect(tools[0]?.signature.typescript).toContain("required?: { a: string; token: ");
  expect(types).toMatch(/condition\?: \{\s+a\?: string;?\s+\[k: string\]: unknown/);
  expect(types).toMatch(/known\?: \{\s+a\?: string;?\s+b\?: string;?\s+\}/);
});

test("help says that a tuple may be longer, and which members are required", async () => {
  const tuple = { type: "array", prefixItems: [{ type: "string" }] };
  const record = { required: ["id"], allOf: [{ type: "object", properties: { id: { type: "integer" }, b: {} } }] };
  const schema = {
    type: "object",
    properties: { tuple, closed: { ...tuple, items: false }, record, text: { type: "string", nullable: true } },
  };
  const { tools } = await built([schema]);
  expect(tools[0]?.parameters.map(({ name, type }) => [name, type])).toEqual([
    ["tuple", "[string, ...any[]]"],
    ["closed", "[string]"],
    ["record", "{id, b?}"],
    ["text", "string | null"],
  ]);
});
