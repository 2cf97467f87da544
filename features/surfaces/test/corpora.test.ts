/** The emitted surfaces of real servers of others: 2,634 tools at full size. */

import { Ajv2020 } from "ajv/dist/2020.js";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { isSchema, resolvePointer } from "../../../runtime/contract/json-schema.js";
import { hasCorpora, snapshotFiles } from "../../../test/support/corpora.js";
import { buildProject } from "../../../test/support/generator-host.js";
import { pythonVersion, runPython } from "../../../test/support/generator-python.js";
import type { Json } from "../../../test/support/project.js";
import { randomOf, SCALE, shuffled } from "../../../test/support/random.js";

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const FORMS = ["anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref"];
const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Lists that do not say what their items are, at any depth: OpenAI refuses a request that has one. */
function openLists(schema: Json): readonly Json[] {
  if (typeof schema !== "object" || schema === null) return [];
  const isList = !Array.isArray(schema) && [schema.type].flat().includes("array") && !isSchema(schema.items);
  return [...(isList ? [schema] : []), ...Object.values(schema).flatMap(openLists)];
}

/** References that lead nowhere inside the schema. */
const dangling = (schema: Json): readonly string[] =>
  [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)]
    .map(([, ref]) => ref as string)
    .filter((ref) => !resolvePointer(schema, ref));

function expectDefinition(op: string, { name, description, schema }: Json): void {
  expect(name, op).toMatch(NAME);
  expect(typeof description, op).toBe("string");
  expect(schema.type, op).toBe("object");
  expect(isSchema(schema.properties), op).toBe(true);
  expect(
    FORMS.filter((form) => form in schema),
    op,
  ).toEqual([]);
  expect(
    Object.keys(schema.properties).filter((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)),
    op,
  ).toEqual([]);
  if (Object.keys(schema.properties).length > 0) expect(schema.additionalProperties, op).toBeDefined();
  for (const required of schema.required ?? []) expect(Object.keys(schema.properties), op).toContain(required);
  expect(dangling(schema), op).toEqual([]);
  expect(ajv.validateSchema(schema), `${op} ${JSON.stringify(ajv.errors)}`).toBe(true);
}

test.skipIf(!hasCorpora || pythonVersion === undefined)(
  hasCorpora
    ? "lists are well formed and closed, clients and the skill parse, and each holds every op"
    : "../shared/corpora is not there",
  { timeout: 900_000 },
  async () => {
    const all = snapshotFiles();
    const some = shuffled(all, randomOf(9)).slice(0, Math.max(8, Math.round(all.length * Math.min(1, SCALE))));
    const { files, registry } = await buildProject({
      "toolwright.yaml":
        "use: []\nsources: [{ mcp: servers/*.json }]\nsurfaces: [skill, openai, anthropic, typescript, python]\n",
      ...Object.fromEntries(some.map(([name, text]) => [`servers/${name}`, text])),
    });
    const ops = registry?.tools.map(({ op }) => op) ?? [];
    if (SCALE >= 1) expect(ops).toHaveLength(2634);
    const read = (path: string): string => files.find((one) => one.path === `surfaces/${path}`)?.text ?? "";

    const anthropic = JSON.parse(read("anthropic.json"));
    const openai = JSON.parse(read("openai.json"));
    const listed: readonly (readonly [Json, readonly Json[]])[] = [
      [anthropic, anthropic.tools.map(({ input_schema, ...rest }: Json) => ({ ...rest, schema: input_schema }))],
      [
        openai,
        openai.tools.flatMap(({ tools = [] }: Json) =>
          tools.map(({ parameters, ...rest }: Json) => ({ ...rest, schema: parameters })),
        ),
      ],
    ];
    for (const [list, definitions] of listed) {
      const tools = definitions.filter(({ schema }) => schema);
      for (const one of tools) expectDefinition(list.ops[one.name], one);
      expect(new Set(tools.map(({ name }) => name)).size).toBe(ops.length);
      expect(tools.map(({ name }) => list.ops[name]).sort()).toEqual([...ops].sort());
    }
    for (const { name, description = "", parameters } of openai.tools.flatMap(({ tools = [] }: Json) => tools)) {
      expect(description.length).toBeLessThanOrEqual(1024);
      expect(openLists(parameters), name).toEqual([]);
    }

    const script = transformSync(read("client.ts"), { loader: "ts" }).code;
    for (const op of ops) expect(script).toContain(`"${op}"`);
    const calls =
      "[c.args[0].value for c in ast.walk(ast.parse(value, feature_version=(3, 9))) if isinstance(c, ast.Call) and isinstance(c.func, ast.Attribute) and c.func.attr == '__ops']";
    expect([...(runPython(calls, read("client.py")) as readonly string[])].sort()).toEqual([...ops].sort());
    // It loads, too, and no method hides another.
    const methods =
      "sum(len(vars(c)) - len([m for m in vars(c) if m.startswith('__')]) for n, c in loaded(value).items() if n[:3] in ('_C_', '_X_'))";
    const load = "def loaded(text):\n    space = {'__name__': 'client'}\n    exec(text, space)\n    return space\n";
    expect(runPython(methods, read("client.py"), load)).toBe(ops.length);

    const skill = read("skill/SKILL.md");
    expect(parse(skill.split(/^---$/m)[1] ?? "").description.length).toBeLessThanOrEqual(1024);
    const references = files.filter(({ path }) => path.startsWith("surfaces/skill/references/"));
    const told = references.flatMap(({ text }) =>
      [...text.matchAll(/^- `([\w.]+)` \((?:read|write)\): /gm)].map(([, op]) => op),
    );
    expect(told.sort()).toEqual([...ops].sort());
  },
);
