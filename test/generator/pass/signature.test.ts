/** Signatures: how a call is written in Python and in TypeScript. */

import { describe, expect, test } from "vitest";
import { explain } from "../../../generator/cli/explain.js";
import { typescriptType } from "../../../generator/pass/signature.js";
import type { Build } from "../../../generator/pipeline.js";
import type { NormalSchema } from "../../../runtime/contract/normal-schema.js";
import { pythonLiteral, pythonType } from "../../../runtime/contract/python-types.js";
import { buildProject, jsonProject, onlyTool, tool } from "../../support/generator-host.js";

const STRING: NormalSchema = { kind: "string" };
const object = (...properties: readonly (readonly [string, boolean, NormalSchema])[]): NormalSchema => ({
  kind: "object",
  open: false,
  properties: properties.map(([name, required, schema]) => ({ name, required, schema })),
});

const TYPES: readonly (readonly [string, NormalSchema, string, string])[] = [
  ["a scalar", { kind: "integer" }, "int", "number"],
  ["null", { kind: "null" }, "None", "null"],
  ["anything", { kind: "unknown" }, "Any", "unknown"],
  ["nothing", { kind: "never" }, "Any", "never"],
  [
    "literals",
    { kind: "literal", values: ["a", 1, null, true] },
    "Literal['a', 1, None, True]",
    '"a" | 1 | null | true',
  ],
  ["literals that Python has not", { kind: "literal", values: [1.5] }, "Any", "1.5"],
  ["a list", { kind: "array", items: STRING }, "list[str]", "string[]"],
  ["a list of anything", { kind: "array", items: { kind: "unknown" } }, "list", "unknown[]"],
  [
    "a list of a union",
    { kind: "array", items: { kind: "union", members: [STRING, { kind: "null" }] } },
    "list[str | None]",
    "(string | null)[]",
  ],
  [
    "a list of objects that hold a union",
    { kind: "array", items: object(["a", true, { kind: "literal", values: ["x", "y"] }]) },
    "list[dict]",
    '{ a: "x" | "y" }[]',
  ],
  [
    "a tuple",
    { kind: "tuple", least: 2, items: [STRING, { kind: "number" }], rest: { kind: "boolean" } },
    "list",
    "[string, number, ...boolean[]]",
  ],
  ["an object", object(["a", true, STRING], ["b-c", false, STRING]), "dict", '{ a: string; "b-c"?: string }'],
  ["an object without properties", object(), "dict", "Record<string, unknown>"],
  ["a union with anything", { kind: "union", members: [STRING, { kind: "unknown" }] }, "Any", "unknown"],
  [
    "a union of what reads the same",
    { kind: "union", members: [{ kind: "integer" }, { kind: "number" }] },
    "int | float",
    "number",
  ],
  ["a recursive reference", { kind: "ref", ref: "#" }, "Any", "unknown"],
];

describe("types", () => {
  test.each(TYPES)("have a Python and a TypeScript text: %s", (_what, schema, python, typescript) => {
    expect([pythonType(schema), typescriptType(schema)]).toEqual([python, typescript]);
  });

  test("nesting beyond the fourth level has no name", () => {
    const deep = [1, 2, 3, 4, 5, 6].reduce<NormalSchema>((items) => ({ kind: "array", items }), STRING);
    expect([pythonType(deep), typescriptType(deep)]).toEqual([
      "list[list[list[list[list[Any]]]]]",
      "unknown[][][][][]",
    ]);
  });
});

describe("calls", () => {
  const signature = async (properties: object, rest: object = {}) =>
    (await onlyTool(jsonProject([tool("set_a", properties, rest)]))).signature;

  test("required arguments first, then as declared; an optional one without a default is '...' in Python", async () => {
    expect(
      await signature({ b: { type: "integer", default: 2 }, c: {}, a: { type: "string" } }, { required: ["a"] }),
    ).toEqual({
      python: "p.set_a(a: str, b: int = 2, c: Any = '...')",
      typescript: "p.set_a(args: { b?: number; c?: unknown; a: string }): Promise<unknown>",
    });
  });

  test("explain and the help page of an op show valid Python", async () => {
    const build = await buildProject(
      jsonProject([tool("set_a", { a: { type: "string" }, b: {} }, { required: ["b"] })]),
    );
    const python = "p.set_a(b: Any, a: str | None = None)";
    expect(explain("p.set_a", build as Build)).toMatchObject({ explanations: [{ signature: { python } }] });
    expect(build.files.find(({ path }) => path === "help/p.set_a.md")?.text).toContain(python);
  });

  test("where nothing is required, TypeScript needs no argument at all", async () => {
    expect(await signature({ a: { type: "string" } })).toEqual({
      python: "p.set_a(a: str = '...')",
      typescript: "p.set_a(args?: { a?: string }): Promise<unknown>",
    });
  });

  test("names are safe in Python and original in TypeScript", async () => {
    expect(await signature({ class: {}, "a-b": {} }, { required: ["a-b"] })).toEqual({
      python: "p.set_a(a_b: Any, class_: Any = '...')",
      typescript: 'p.set_a(args: { class?: unknown; "a-b": unknown }): Promise<unknown>',
    });
  });

  test("aliases come from the schema, then from the configuration", async () => {
    const project = jsonProject(
      [tool("set_a", { title: { type: "string", "x-aliases": ["label"] } })],
      "ops: { set_a: { arguments: { name: title } } }\n",
    );
    expect((await onlyTool(project)).parameters).toEqual([
      { name: "title", original: "title", required: false, aliases: ["label", "name"], type: "string" },
    ]);
  });

  test("a default that does not fit is dropped", async () => {
    const one = await onlyTool(
      jsonProject([tool("set_a", { n: { type: "integer", default: null }, m: { type: "integer", default: 1 } })]),
    );
    expect(one.signature.python).toBe("p.set_a(n: int = '...', m: int = 1)");
    expect(one.parameters_schema["properties"]).toEqual({ n: { type: "integer" }, m: { type: "integer", default: 1 } });
  });
});

test("a literal in Python is a dict, a list, True, False or None", () => {
  expect(pythonLiteral({ a: [1, true, null], "b'": "it's" })).toBe(`{'a': [1, True, None], 'b\\'': 'it\\'s'}`);
});
