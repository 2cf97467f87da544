/** Hoisting: every referenced or repeated schema becomes a definition, and validation results stay the same. */

import { Ajv } from "ajv";
import fc from "fast-check";
import type { JsonSchema } from "toolwright/codegen";
import { describe, expect, test } from "vitest";
import { hoist } from "../../../generator/core/hoist.js";
import { endlessRef } from "../../../generator/pass/link.js";

const point = {
  type: "object",
  properties: {
    x: { type: "number", minimum: -1000, maximum: 1000 },
    y: { type: "number" },
    label: { type: "string" },
  },
  required: ["x", "y"],
  additionalProperties: false,
};

describe("what is named", () => {
  test("a repeated schema, where it is long enough to be worth it", () => {
    const once = { type: "object", properties: { a: point, n: { type: "string" }, m: { type: "string" } } };
    expect(hoist(once)).toEqual(once);
    expect(hoist({ ...once, properties: { ...once.properties, b: { type: "array", items: point } } })).toEqual({
      type: "object",
      properties: {
        a: { $ref: "#/$defs/d1" },
        n: { type: "string" },
        m: { type: "string" },
        b: { type: "array", items: { $ref: "#/$defs/d1" } },
      },
      $defs: { d1: point },
    });
  });

  test("not two schemas whose JSON alone is the same", () => {
    const [a, b] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((maximum) => ({
      ...point,
      properties: { ...point.properties, z: { type: "number", maximum } },
    }));
    const both = { type: "object", properties: { a, b } } as unknown as JsonSchema;
    expect(hoist(both)).toEqual(both);
  });

  test("what a reference into the properties leads to, with the place it leads to, however deep they hold each other", () => {
    const tree = { type: "object", properties: { next: { $ref: "#/properties/a" }, up: { $ref: "#" } } };
    expect(hoist({ type: "object", properties: { a: tree } })).toEqual({
      type: "object",
      properties: { a: { $ref: "#/$defs/d1" } },
      $defs: { d1: { type: "object", properties: { next: { $ref: "#/$defs/d1" }, up: { $ref: "#" } } } },
    });
  });

  test("nothing where a schema's place has a meaning", () => {
    for (const placed of [{ $anchor: "here" }, { unevaluatedProperties: false }, { $dynamicRef: "#here" }]) {
      const schema = { type: "object", properties: { a: point, b: point, c: { ...placed } } };
      expect(hoist(schema)).toBe(schema);
    }
  });

  test("a property called $ref and data that looks like a schema stay what they are", () => {
    const schema = {
      type: "object",
      properties: { $ref: { type: "string" }, a: { enum: [point, 1] }, b: { enum: [point, 2] }, c: { const: point } },
    };
    expect(hoist(schema)).toEqual(schema);
  });
});

/** Schemas that repeat and refer: three parts under `properties`, each of which may hold copies of and references to the others. */
const schemas = fc
  .array(
    fc.letrec<{ readonly schema: JsonSchema }>((tie) => ({
      schema: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.constantFrom<JsonSchema>(
          { type: "string", minLength: 2 },
          { type: "integer", minimum: 0 },
          { $ref: "#/properties/p0" },
          { $ref: "#/properties/p1" },
          { $ref: "#/properties/p2" },
          { $ref: "#" },
          point,
        ),
        fc.record({ type: fc.constant("array"), items: tie("schema") }) as fc.Arbitrary<JsonSchema>,
        fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }) as fc.Arbitrary<JsonSchema>,
        fc.record({
          type: fc.constant("object"),
          properties: fc.dictionary(fc.constantFrom("a", "b", "p0"), tie("schema"), { maxKeys: 3 }),
          additionalProperties: fc.constant(false),
        }) as fc.Arbitrary<JsonSchema>,
      ),
    })).schema,
    { minLength: 3, maxLength: 3 },
  )
  .map(
    (parts): JsonSchema => ({
      type: "object",
      properties: Object.fromEntries(parts.map((part, i) => [`p${i}`, part])) as never,
    }),
  );

function verdictsOf(schema: JsonSchema): (value: unknown) => readonly string[] {
  const validate = new Ajv({ strict: false, allErrors: true, inlineRefs: false }).compile(schema);
  return (value) =>
    validate(value) ? [] : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.keyword}`).sort();
}

test("the issues of any value are the same, by place and keyword", { tags: "full" }, () => {
  const values = fc.dictionary(fc.constantFrom("p0", "p1", "p2"), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 });
  const points = fc.record({ p0: fc.record({ x: fc.integer(), y: fc.integer() }), p1: fc.constantFrom("a", "ab", -1) });
  fc.assert(
    fc.property(schemas, fc.array(fc.oneof(values, points), { minLength: 5 }), (schema, given) => {
      fc.pre(endlessRef(schema) === undefined);
      const before = verdictsOf(schema);
      const after = verdictsOf(hoist(schema));
      for (const value of given) expect(after(value), JSON.stringify(value)).toEqual(before(value));
    }),
    { numRuns: 150, seed: 11 },
  );
});
