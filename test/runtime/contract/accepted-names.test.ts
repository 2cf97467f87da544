/** The names that arguments may have, by what their schema declares. */

import { describe, expect, test } from "vitest";
import { acceptedNames } from "../../../runtime/contract/accepted-names.js";
import type { JsonSchema } from "../../../runtime/contract/registry.js";

const TEXT = { type: "string" } as const;
const A = { properties: { a: TEXT } } as const;
const B = { properties: { b: TEXT } } as const;
const MET = "then";
const conditional = (condition: object, met: object): object =>
  Object.fromEntries([
    ["if", condition],
    [MET, met],
  ]);
const namesOf = (schema: object) => acceptedNames(schema as JsonSchema);

describe("arguments of any name", () => {
  test.each<readonly [why: string, schema: object]>([
    ["nothing is said", {}],
    ["only the type is said", { type: "object" }],
    ["a number of arguments is required", { type: "object", minProperties: 1 }],
    ["more arguments are required than there are names", { ...A, minProperties: 2 }],
    ["only the form of names is said", { propertyNames: { pattern: "^x-" } }],
    ["names of another form may be given too", { ...A, propertyNames: { pattern: "^x-" } }],
    ["others are described", { ...A, additionalProperties: TEXT }],
    ["others are allowed", { ...A, unevaluatedProperties: true }],
    ["a part allows others", { ...A, allOf: [{ additionalProperties: true }] }],
    ["only dependencies declare any", { dependentSchemas: { a: B } }],
    ["only dependencies of draft-07 declare any", { dependencies: { a: B, b: ["c"] } }],
    ["only needs are said", { dependentRequired: { a: ["b"] } }],
    ["only branches declare any", { anyOf: [A, B] }],
    ["only parts declare any", { allOf: [A, B] }],
    ["only a condition declares any", conditional(A, B)],
    ["only patterns are declared", { patternProperties: { "^x": TEXT } }],
    ["the list is empty beside branches", { properties: {}, oneOf: [A, B] }],
    ["the list is empty and one is required", { properties: {}, minProperties: 1 }],
    ["only required names are said", { required: ["a"] }],
    ["a reference leads nowhere", { $ref: "#/$defs/none" }],
    ["a reference leads to itself", { $ref: "#" }],
  ])("are accepted where %s: %j", (_, schema) => {
    expect(namesOf(schema).open).toBe(true);
    expect(namesOf(schema).accepts("constructor")).toBe(true);
  });
});

describe("arguments of some names", () => {
  test.each<readonly [schema: object, names: string, others: string]>([
    [A, "a", "b constructor __proto__"],
    [{ properties: {} }, "", "a"],
    [{ type: "object", additionalProperties: false }, "", "a"],
    [{ ...A, required: ["b"] }, "a b", "c"],
    [{ ...A, dependentSchemas: { a: B } }, "a b", "c"],
    [{ ...A, dependencies: { a: B, b: ["c"] } }, "a b c", "d"],
    [{ ...A, dependentRequired: { a: ["b"], c: [] } }, "a b c", "d"],
    [{ ...A, ...conditional({ properties: { c: TEXT } }, B), else: { properties: { d: TEXT } } }, "a b c d", "e"],
    [{ ...A, allOf: [B, { allOf: [{ properties: { c: TEXT } }] }] }, "a b c", "d"],
    [{ ...A, oneOf: [B, { required: ["c"] }] }, "a b c", "d"],
    [{ ...A, patternProperties: { "^x": TEXT } }, "a x1", "b"],
    [{ ...A, propertyNames: { enum: ["a", "b"] } }, "a b", "c"],
    [{ ...A, minProperties: 1 }, "a", "b"],
    [{ ...A, unevaluatedProperties: false, anyOf: [B] }, "a b", "c"],
    [{ $ref: "#/$defs/it", $defs: { it: A } }, "a", "b"],
    [{ ...A, anyOf: [{ $ref: "#/$defs/it" }], $defs: { it: { ...B, anyOf: [{ $ref: "#/$defs/it" }] } } }, "a b", "c"],
  ])("are accepted, and no others, by %j", (schema, names, others) => {
    const { open, accepts } = namesOf(schema);
    expect(open).toBe(false);
    expect(names.split(" ").filter((name) => name !== "" && !accepts(name))).toEqual([]);
    expect(others.split(" ").filter(accepts)).toEqual([]);
  });

  test("have the schemas of all parts, and conditions give none if there is another", () => {
    const integer = { type: "integer" };
    expect([...namesOf({ anyOf: [A, { properties: { a: integer } }, A] }).declared]).toEqual([
      ["a", { anyOf: [TEXT, integer] }],
    ]);
    expect([
      ...namesOf({ ...A, ...conditional({}, { properties: { a: { minLength: 2 }, b: false } }) }).declared,
    ]).toEqual([["a", TEXT]]);
    expect([...namesOf(conditional({ properties: { a: { const: 1 } } }, A)).declared]).toEqual([["a", TEXT]]);
  });
});
