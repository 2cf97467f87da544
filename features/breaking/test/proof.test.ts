/** Proofs keyword by keyword: what is contained in what, and never the other way round. */

import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../../runtime/codegen.js";
import { isContained } from "../proof.js";

const THEN = "then";
const contained = (a: object, b: object, lenient?: boolean): boolean =>
  isContained(a as JsonSchema, b as JsonSchema, lenient);

const TEXT = { type: "string" };
const WHOLE = { type: "integer" };
const NUMBER = { type: "number" };
const ONE = { const: 1 };
const number = (rest: object) => ({ type: "number", ...rest });
const text = (rest: object) => ({ type: "string", ...rest });
const list = (rest: object = {}) => ({ type: "array", ...rest });
const map = (rest: object = {}) => ({ type: "object", ...rest });
const closed = map({ properties: { a: TEXT }, additionalProperties: false });

describe("contained, and not the other way round", () => {
  test.each<readonly [less: object, more: object]>([
    [WHOLE, NUMBER],
    [TEXT, {}],
    [TEXT, { type: ["string", "null"] }],
    [TEXT, text({ nullable: true })],
    [ONE, { enum: [1, 2] }],
    [{ enum: ["a"] }, TEXT],
    [{ type: "integer", minimum: 1, maximum: 3 }, { enum: [0, 1, 2, 3] }],
    [{ type: "boolean" }, { enum: [true, false, null] }],
    [number({ minimum: 2 }), number({ minimum: 1 })],
    [number({ maximum: 1 }), number({ maximum: 2 })],
    [number({ exclusiveMinimum: 1 }), number({ minimum: 1 })],
    [number({ minimum: 2 }), number({ exclusiveMinimum: 1 })],
    [number({ exclusiveMinimum: 2 }), number({ exclusiveMinimum: 1 })],
    [number({ exclusiveMaximum: 5 }), number({ maximum: 5 })],
    [number({ maximum: 4 }), number({ exclusiveMaximum: 5 })],
    [number({ multipleOf: 4 }), number({ multipleOf: 2 })],
    [WHOLE, number({ multipleOf: 0.5 })],
    [text({ minLength: 2 }), text({ minLength: 1 })],
    [text({ maxLength: 1 }), text({ maxLength: 2 })],
    [text({ pattern: "^ab" }), text({ pattern: "^a" })],
    [text({ pattern: "^abc$" }), text({ minLength: 3 })],
    [text({ pattern: "^abc$" }), text({ maxLength: 3 })],
    [text({ format: "date" }), TEXT],
    [list({ minItems: 2 }), list({ minItems: 1 })],
    [list({ maxItems: 1 }), list({ maxItems: 2 })],
    [list({ maxItems: 1 }), list({ uniqueItems: true })],
    [list({ uniqueItems: true }), list()],
    [list({ uniqueItems: true, minItems: 1 }), list({ uniqueItems: true })],
    [list({ minItems: 1, maxItems: 1 }), list({ uniqueItems: true })],
    [list({ uniqueItems: true }), list({ uniqueItems: false })],
    [list({ items: WHOLE }), list({ items: NUMBER })],
    [list({ items: TEXT }), list({ prefixItems: [TEXT] })],
    [list({ prefixItems: [TEXT, TEXT] }), list({ prefixItems: [TEXT] })],
    [list({ prefixItems: [WHOLE], items: TEXT }), list({ items: { type: ["string", "integer"] } })],
    [list({ prefixItems: [TEXT], items: WHOLE, maxItems: 1 }), list({ items: TEXT })],
    [list({ prefixItems: [TEXT], items: false }), list({ items: TEXT })],
    [list({ contains: ONE }), list({ contains: WHOLE })],
    [list({ contains: ONE, minContains: 2 }), list({ contains: ONE })],
    [list({ items: ONE, minItems: 1 }), list({ contains: ONE })],
    [list({ prefixItems: [ONE], minItems: 1 }), list({ contains: ONE })],
    [list({ prefixItems: [ONE, ONE], minItems: 2 }), list({ contains: ONE, minContains: 2 })],
    [list({ prefixItems: [ONE], items: ONE, minItems: 3 }), list({ contains: ONE, minContains: 3 })],
    [list({ contains: ONE, maxContains: 1 }), list({ contains: ONE, maxContains: 2 })],
    [list({ contains: ONE, maxItems: 2 }), list({ contains: ONE, maxContains: 2 })],
    [map({ required: ["a"] }), map()],
    [map({ properties: { a: WHOLE } }), map({ properties: { a: NUMBER } })],
    [closed, map({ properties: { a: TEXT } })],
    [map({ required: ["a", "b"] }), map({ minProperties: 2 })],
    [map({ minProperties: 2 }), map({ minProperties: 1 })],
    [map({ maxProperties: 1 }), map({ maxProperties: 2 })],
    [closed, map({ maxProperties: 1 })],
    [map({ additionalProperties: WHOLE }), map({ additionalProperties: NUMBER })],
    [map({ patternProperties: { "^x": WHOLE } }), map({ patternProperties: { "^x": NUMBER } })],
    [map({ additionalProperties: TEXT }), map({ patternProperties: { "^x": TEXT } })],
    [map({ propertyNames: { enum: ["a"] } }), map({ propertyNames: { pattern: "^a" } })],
    [map({ propertyNames: { minLength: 2 } }), map({ propertyNames: { minLength: 1 } })],
    [closed, map({ propertyNames: { enum: ["a", "b"] } })],
    [map({ required: ["b"] }), map({ dependentRequired: { a: ["b"] } })],
    [map({ dependentSchemas: { a: { required: ["b", "c"] } } }), map({ dependentRequired: { a: ["b"] } })],
    [map({ dependencies: { a: ["b", "c"] } }), map({ dependencies: { a: ["b"] } })],
    [map({ required: ["a"], dependentRequired: { a: ["b"] } }), map({ required: ["b"] })],
    [map({ required: ["a"], dependencies: { a: { required: ["b"] } } }), map({ required: ["b"] })],
    [list({ prefixItems: [TEXT], items: false }), list({ prefixItems: [TEXT], unevaluatedItems: TEXT })],
    [
      list({ prefixItems: [TEXT, TEXT], items: WHOLE }),
      list({ prefixItems: [TEXT], unevaluatedItems: { type: ["string", "integer"] } }),
    ],
    [list({ prefixItems: [TEXT, WHOLE], maxItems: 1 }), list({ unevaluatedItems: TEXT })],
    [map({ additionalProperties: WHOLE }), map({ properties: { a: NUMBER }, unevaluatedProperties: NUMBER })],
    [
      map({ properties: { a: WHOLE }, additionalProperties: TEXT }),
      map({ unevaluatedProperties: { type: ["string", "integer"] } }),
    ],
    [map({ patternProperties: { "^x": WHOLE }, additionalProperties: false }), map({ additionalProperties: NUMBER })],
    [map({ patternProperties: { "^x": WHOLE }, additionalProperties: WHOLE }), map({ additionalProperties: NUMBER })],
    [map({ additionalProperties: false, properties: { a: WHOLE } }), map({ propertyNames: { maxLength: 1 } })],
    [
      map({ required: ["a"], properties: { a: WHOLE }, additionalProperties: false }),
      map({ dependentSchemas: { a: { minProperties: 1 } } }),
    ],
    [text({ minLength: 2 }), { if: TEXT, [THEN]: { minLength: 1 }, else: WHOLE }],
    [list({ items: WHOLE, contains: { const: 1 } }), list({ items: NUMBER, contains: WHOLE, minContains: 1 })],
    [list({ contains: ONE, minContains: 3 }), list({ contains: WHOLE, minContains: 2 })],
    [list({ maxItems: 2 }), list({ contains: ONE, minContains: 0, maxContains: 2 })],
    [{ allOf: [TEXT, { minLength: 1 }] }, TEXT],
    [text({ minLength: 2, maxLength: 3 }), { allOf: [TEXT, { minLength: 1 }] }],
    [TEXT, { anyOf: [TEXT, WHOLE] }],
    [{ anyOf: [TEXT, WHOLE] }, { type: ["string", "integer", "null"] }],
    [TEXT, { oneOf: [TEXT, WHOLE] }],
    [{ oneOf: [TEXT, WHOLE] }, { type: ["string", "integer", "boolean"] }],
    [TEXT, { not: WHOLE }],
    [text({ not: { const: "a" } }), TEXT],
    [{ enum: ["a", "b"] }, { not: { const: "c" } }],
    [{ type: "integer", minimum: 5 }, { not: { type: "integer", maximum: 4 } }],
    [number({ exclusiveMinimum: 5 }), { not: number({ maximum: 5 }) }],
    [text({ minLength: 3 }), { not: text({ maxLength: 2 }) }],
    [text({ pattern: "^a" }), { not: text({ pattern: "^b" }) }],
    [list({ minItems: 2 }), { not: list({ maxItems: 1 }) }],
    [list({ minItems: 1, items: TEXT }), { not: list({ minItems: 1, items: WHOLE }) }],
    [map({ required: ["a"] }), { not: map({ maxProperties: 0 }) }],
    [map({ required: ["a"], properties: { a: TEXT } }), { not: map({ required: ["a"], properties: { a: WHOLE } }) }],
    [map({ required: ["a", "b"] }), map({ if: { required: ["a"] }, [THEN]: { required: ["b"] } })],
    [WHOLE, { if: TEXT, [THEN]: { minLength: 1 } }],
    [text({ minLength: 2 }), { if: WHOLE, else: { minLength: 1 } }],
    [text({ if: TEXT, [THEN]: { minLength: 2 } }), text({ minLength: 1 })],
    [
      { type: ["string", "integer"], if: TEXT, else: { minimum: 5 } },
      { anyOf: [TEXT, { type: "integer", minimum: 4 }] },
    ],
    [{ $ref: "#/$defs/a", $defs: { a: WHOLE } }, NUMBER],
    [WHOLE, { $ref: "#/$defs/a", $defs: { a: NUMBER } }],
    [{ $ref: "#/$defs/a", minLength: 2, $defs: { a: TEXT } }, text({ minLength: 1 })],
  ])("%j in %j", (less, more) => {
    expect([contained(less, more), contained(more, less)]).toEqual([true, false]);
  });
});

describe("the same, said in two ways", () => {
  test.each<readonly [one: object, other: object]>([
    [
      { type: "integer", exclusiveMinimum: 1 },
      { type: "integer", minimum: 2 },
    ],
    [
      { type: "integer", exclusiveMaximum: 1.5 },
      { type: "integer", maximum: 1 },
    ],
    [
      { type: "integer", minimum: 0.5 },
      { type: "integer", exclusiveMinimum: 0 },
    ],
    [TEXT, text({ format: "task-id" })],
    [TEXT, text({ format: "int32" })],
    [WHOLE, { type: "integer", format: "date" }],
    [list(), list({ contains: ONE, minContains: 0 })],
    [text({ pattern: "^[0-9]$" }), text({ pattern: "^\\d$" })],
    [number({ exclusiveMinimum: 1, minimum: 1 }), number({ exclusiveMinimum: 1 })],
    [{ enum: [1, 2] }, { anyOf: [{ const: 2 }, { const: 1 }] }],
    [{ const: null }, { type: "null" }],
    [
      map({ required: ["a"], properties: { a: TEXT } }),
      { allOf: [map({ required: ["a"] }), { properties: { a: TEXT } }] },
    ],
    [{ type: ["string", "integer"] }, { anyOf: [TEXT, WHOLE] }],
    [{ type: "string", title: "A" }, text({ description: "b", "x-c": 1, default: "d" })],
  ])("%j and %j", (one, other) => {
    expect([contained(one, other), contained(other, one)]).toEqual([true, true]);
  });
});

describe("contained", () => {
  test.each<readonly [less: object, more: object]>([
    [list({ maxItems: 0 }), list({ items: false })],
    [closed, map({ properties: { a: TEXT }, unevaluatedProperties: false })],
    [list({ prefixItems: [TEXT], items: false }), list({ prefixItems: [TEXT], unevaluatedItems: false })],
    [list({ items: TEXT }), list({ prefixItems: [TEXT], unevaluatedItems: TEXT })],
    [list({ items: TEXT }), list({ items: TEXT, unevaluatedItems: false })],
    [map({ properties: { a: TEXT } }), map({ properties: { a: TEXT, b: WHOLE } })],
    [{ allOf: [TEXT, WHOLE] }, { type: "null" }],
    [number({ minimum: 2, maximum: 1 }), TEXT],
    [number({ minimum: 1, exclusiveMaximum: 1 }), TEXT],
    [text({ minLength: 2, maxLength: 1 }), WHOLE],
    [list({ minItems: 2, maxItems: 1 }), WHOLE],
    [list({ minItems: 1, items: false }), WHOLE],
    [map({ required: ["a"], properties: { a: false } }), WHOLE],
    [map({ required: ["a", "b"], maxProperties: 1 }), WHOLE],
    [map({ minProperties: 2, maxProperties: 1 }), WHOLE],
    [text({ allOf: [{ pattern: "^a" }, { pattern: "^b" }] }), WHOLE],
    [text({ not: TEXT }), WHOLE],
  ])("%j in %j", (less, more) => expect(contained(less, more)).toBe(true));
});

describe("not contained, or not proven", () => {
  test.each<readonly [one: object, other: object]>([
    [TEXT, WHOLE],
    [TEXT, text({ format: "date" })],
    [WHOLE, { type: "integer", format: "int32" }],
    [TEXT, { $dynamicRef: "#a" }],
    [TEXT, { $ref: "#/$defs/no" }],
    [number({ minimum: "a" }), number({ minimum: "b" })],
    [number({ multipleOf: 0.3 }), number({ multipleOf: 0.1 })],
    [number({ multipleOf: 3 }), number({ multipleOf: 2 })],
    [list({ contains: ONE, minContains: "a" }), list({ contains: ONE, minContains: "b" })],
    [list({ prefixItems: [ONE] }), list({ contains: ONE })],
    [list({ prefixItems: [ONE], minItems: 2 }), list({ contains: ONE, minContains: 2 })],
    [list({ prefixItems: [ONE], items: TEXT, minItems: 3 }), list({ contains: ONE, minContains: 2 })],
    [list({ contains: ONE, maxContains: 2 }), list({ contains: WHOLE, maxContains: 2 })],
    [list({ prefixItems: [TEXT, WHOLE] }), list({ items: TEXT })],
    [map({ required: ["a"] }), map({ properties: { a: TEXT } })],
    [map({ additionalProperties: TEXT }), map({ properties: { a: WHOLE } })],
    [map({ patternProperties: { "^a": TEXT } }), map({ properties: { ab: WHOLE } })],
    [map({ patternProperties: { "^a": TEXT }, additionalProperties: false }), map({ additionalProperties: WHOLE })],
    [map({ properties: { a: TEXT } }), closed],
    [map({ properties: { a: TEXT, b: TEXT } }), closed],
    [map({ properties: { a: TEXT, b: TEXT } }), map({ properties: { a: TEXT }, unevaluatedProperties: false })],
    [list({ items: TEXT }), list({ prefixItems: [TEXT], unevaluatedItems: WHOLE })],
    [list({ prefixItems: [TEXT, WHOLE] }), list({ prefixItems: [TEXT], unevaluatedItems: TEXT })],
    [list({ prefixItems: [TEXT], items: WHOLE }), list({ prefixItems: [TEXT], unevaluatedItems: TEXT })],
    [map({ properties: { a: WHOLE } }), map({ unevaluatedProperties: NUMBER })],
    [map({ patternProperties: { "^x": TEXT }, additionalProperties: WHOLE }), map({ unevaluatedProperties: NUMBER })],
    [map({ patternProperties: { "^x": TEXT }, additionalProperties: WHOLE }), map({ additionalProperties: NUMBER })],
    [map({ properties: { ab: WHOLE }, additionalProperties: false }), map({ propertyNames: { maxLength: 1 } })],
    [{ type: ["integer", "string"] }, { if: WHOLE, [THEN]: true, else: { minLength: 1 } }],
    [list({ contains: ONE, minContains: 1 }), list({ contains: WHOLE, minContains: 2 })],
    [list(), list({ contains: ONE, minContains: 0, maxContains: 2 })],
    [list({ maxItems: 3 }), list({ contains: ONE, minContains: 0, maxContains: 2 })],
    [list({ maxContains: 1 }), list({ contains: ONE, minContains: 0, maxContains: 2 })],
    [{ anyOf: [TEXT, WHOLE] }, TEXT],
    [{ enum: ["a", 1] }, TEXT],
    [text({ minLength: 1 }), { oneOf: [TEXT, { minLength: 1 }] }],
    [TEXT, { not: { const: "a" } }],
    [{ type: ["string", "integer"] }, { if: TEXT, [THEN]: true, else: { minimum: 1 } }],
  ])("%j in %j", (one, other) => expect(contained(one, other)).toBe(false));
});

describe("for who ignores what it does not know", () => {
  const more = map({ properties: { a: TEXT, b: TEXT } });

  test("further properties of a closed object count as accepted, known ones do not", () => {
    expect([contained(more, closed, true), contained(more, closed)]).toEqual([true, false]);
    expect(contained(map({ properties: { a: WHOLE } }), closed, true)).toBe(false);
    const unevaluated = map({ properties: { a: TEXT }, unevaluatedProperties: false });
    expect([contained(more, unevaluated, true), contained(more, unevaluated)]).toEqual([true, false]);
  });
});
