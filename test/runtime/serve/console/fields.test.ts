/** Forms from schemas: their fields, the arguments that are sent, and that no typed value is lost. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJson } from "../../../../runtime/contract/read-json.js";
import type { JsonObject } from "../../../../runtime/contract/registry.js";
import { formFields, typedArguments, typedFrom } from "../../../../runtime/serve/console/app/fields.js";

const field = (schema: object) => formFields({ type: "object", properties: { x: schema as never } })[0];

describe("fields", () => {
  test.each([
    ["text with a limit", { type: "string", maxLength: 20 }, "text"],
    ["text with a form", { type: "string", pattern: "^a" }, "text"],
    ["text", { type: "string" }, "long"],
    ["text or nothing", { type: ["string", "null"] }, "long"],
    ["one of two forms of text", { anyOf: [{ type: "string", format: "date" }, { type: "string" }] }, "text"],
    ["whole number", { type: "integer" }, "number"],
    ["number", { type: "number" }, "number"],
    ["text or number", { type: ["string", "number"] }, "json"],
    ["truth", { type: "boolean" }, "choice"],
    ["values", { enum: ["a", 1] }, "choice"],
    ["one value", { const: "a" }, "choice"],
    ["list", { type: "array" }, "json"],
    ["object without members", { type: "object" }, "json"],
    ["anything", {}, "json"],
  ])("are of the kind that fits: %s", (_name, schema, kind) => {
    expect(field(schema)?.kind).toBe(kind);
  });

  test.each<[string, object, string]>([
    ["project_id", {}, "text"],
    ["projectId", {}, "text"],
    ["owner", { description: "The account owner." }, "text"],
    ["new_name", {}, "text"],
    ["body", {}, "long"],
    ["description", { maxLength: 10_000 }, "long"],
    ["prompt", { pattern: "\\S" }, "long"],
    ["notes", { pattern: "^[^\\u0000]*$" }, "long"],
    ["anything", { pattern: "^prj_[a-z2-7]{16}$" }, "text"],
    ["notes", { pattern: "(" }, "long"],
    ["anything", { maxLength: 500, format: "uri" }, "text"],
    ["anything", { default: "summary" }, "text"],
    ["anything", { default: "one\ntwo" }, "long"],
  ])("the text %s with %j has a field for %s", (name, schema, kind) => {
    const [only] = formFields({ type: "object", properties: { [name]: { type: "string", ...schema } as never } });
    expect(only?.kind).toBe(kind);
  });

  test.each<[string, object]>([
    ["such as 2026-12-31", { type: "string", format: "date" }],
    ["such as 2026-12-31T23:59:00Z", { anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] }],
    ["default: 2020-01-01", { type: "string", format: "date", default: "2020-01-01" }],
    ["", { type: "string", format: "email" }],
  ])("a date says how it is written: %j", (placeholder, schema) => {
    expect(field(schema)?.placeholder).toBe(placeholder);
  });

  test.each<[string, object]>([
    [
      "date or date-time",
      {
        anyOf: [
          { type: "string", format: "date" },
          { type: "string", format: "date-time" },
        ],
      },
    ],
    ["1 to 5", { type: "integer", minimum: 1, maximum: 5 }],
    ["from 0", { type: ["number", "null"], minimum: 0 }],
    ["up to 9", { type: "number", maximum: 9 }],
    ["JSON list", { type: "array" }],
    ["JSON object", { type: "object" }],
    ["JSON", { type: ["string", "number"] }],
    ["", { enum: ["a", 1], minimum: 1 }],
    ["", { type: "string" }],
  ])("is told beside the field: %j", (hint, schema) => {
    expect(field(schema)?.hint).toBe(hint);
  });

  test("members of objects have fields of their own, needed only where every object around them is", () => {
    const inner = { type: "object", properties: { b: { type: "string" } }, required: ["b"] };
    const schema = { type: "object", properties: { a: inner, c: inner }, required: ["a"] };
    expect(formFields(schema).map(({ name, required }) => [name, required])).toEqual([
      ["a.b", true],
      ["c.b", false],
    ]);
  });

  test("definitions of the schema are followed, a circle of them ends as JSON", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
    const fields = formFields({ type: "object", properties: { first: { $ref: "#/$defs/node" } }, $defs: { node } });
    expect(fields.map(({ name, kind }) => [name, kind])).toEqual([["first.next.next", "json"]]);
  });
});

describe("arguments", () => {
  const schema = {
    type: "object",
    properties: { s: { type: "string" }, n: { type: "number" }, b: { type: "boolean" }, j: { type: "array" } },
  };
  const fields = formFields(schema);

  test("what is empty is not sent", () => {
    expect(typedArguments(fields, { s: "", n: "1" })).toEqual({ args: { n: 1 } });
  });

  test.each([
    ["n", "one"],
    ["n", " "],
    ["j", "[1"],
    ["b", "perhaps"],
  ])("a fault names its field: %s is %s", (name, text) => {
    expect(typedArguments(fields, { [name]: text })).toMatchObject({ name, fault: expect.stringContaining(name) });
  });

  test("a fault in JSON says where it is", () => {
    expect(typedArguments(fields, { j: "[1,\n2,,3]" })).toEqual({
      name: "j",
      fault: 'j is no JSON, line 2, column 3: expected a value; a text is in double quotes, found ",".',
    });
  });

  test("arguments come back from the fields as they were put in", () => {
    const args = fc.record(
      {
        s: fc.string({ minLength: 1 }),
        n: fc.integer(),
        b: fc.boolean(),
        j: fc.array(fc.jsonValue({ maxDepth: 2 })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(args, (given) => {
        const plain = readJson(JSON.stringify(given)) as JsonObject;
        const typed = typedFrom(fields, plain);
        expect(typed && typedArguments(fields, typed)).toEqual({ args: plain });
      }),
    );
  });

  test("arguments without a field are not lost in silence", () => {
    expect(typedFrom(fields, { s: "a", other: 1 })).toBeUndefined();
    expect(typedFrom(fields, { s: "a", other: {} })).toBeUndefined();
    expect(typedFrom(fields, { s: "a", other: [] })).toBeUndefined();
  });

  test.each([[{ s: null }], [{ s: "" }], [{ s: 5 }], [{ n: "5" }], [{ b: "true" }]])(
    "%j is not turned into something else",
    (args) => {
      expect(typedFrom(fields, args as never)).toBeUndefined();
    },
  );

  test("hostile names are names", () => {
    const hostile = formFields(
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string","maxLength":9}}}'),
    );
    const filled = typedArguments(hostile, Object.fromEntries([["__proto__", "x"]]));
    expect(JSON.stringify(filled)).toBe('{"args":{"__proto__":"x"}}');
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});
