/** Verdicts on single values, keyword by keyword: true, false, or not decided. */

import { describe, expect, test } from "vitest";
import type { JsonSchema, JsonValue } from "../../../runtime/codegen.js";
import { accepts, hasFormat, jsonTypeName, patternVerdict } from "../accepts.js";
import { rootNode } from "../node.js";

const THEN = "then";
type Row = readonly [schema: object, ...values: readonly (readonly [value: JsonValue, verdict: boolean | undefined])[]];
const verdict = (schema: object, value: JsonValue, steps?: { left: number }) =>
  accepts(rootNode(schema as JsonSchema), value, steps);

const TEXT = { type: "string" };
/** A pattern that is no regular expression: nothing can be said of a text. */
const OPEN = { pattern: "(" };
/** The same for an object. */
const OPEN_OBJECT = { propertyNames: OPEN };

const ROWS: readonly Row[] = [
  [TEXT, ["a", true], [1, false], [null, false], [["a"], false]],
  [{ type: "number" }, [1, true], [1.5, true], ["1", false]],
  [{ type: "integer" }, [1, true], [1.5, false]],
  [{ type: "array" }, [[], true], [{}, false]],
  [{ type: "object" }, [{}, true], [[], false], [null, false]],
  [{ type: "boolean" }, [false, true], [0, false]],
  [{ type: ["string", "null"] }, [null, true], ["a", true], [1, false]],
  [{ type: "string", nullable: true }, [null, true], [1, false]],
  [{ type: "string", nullable: "yes" }, [null, false]],
  [{ enum: [{ a: 1, b: 2 }, 1] }, [{ b: 2, a: 1 }, true], [1, true], [2, false], [{ a: 1 }, false]],
  [{ enum: "a" }, ["a", false]],
  [{ const: [1] }, [[1], true], [[2], false], [1, false]],
  [{ minimum: 2 }, [2, true], [1, false], ["1", true]],
  [{ minimum: "2" }, [1, undefined], ["1", true]],
  [{ maximum: 2 }, [2, true], [3, false]],
  [{ exclusiveMinimum: 2 }, [2, false], [3, true]],
  [{ exclusiveMaximum: 2 }, [2, false], [1, true]],
  [{ multipleOf: 2 }, [4, true], [3, false], ["3", true]],
  [{ multipleOf: 0.5 }, [1.5, true], [1.25, false]],
  [{ minLength: 2 }, ["ab", true], ["a", false], ["\u{1f600}", false], [1, true]],
  [{ maxLength: 1 }, ["a", true], ["ab", false], ["\u{1f600}", true]],
  [{ maxLength: "1" }, ["ab", undefined], [1, true]],
  [{ pattern: "^a" }, ["ab", true], ["b", false], [1, true]],
  [{ pattern: "^\\-$" }, ["-", true], ["a", false]],
  [OPEN, ["a", undefined], [1, true]],
  [{ pattern: 7 }, ["a", undefined], [1, true]],
  [{ format: "date" }, ["2026-01-02", true], ["a", false], [1, true]],
  [{ format: "int32" }, [1, true], [2 ** 31, false], ["a", true]],
  [{ format: "task-id" }, ["a", true]],
  [{ format: 7 }, ["a", true]],
  [{ minItems: 1 }, [[1], true], [[], false], ["", true]],
  [{ maxItems: 1 }, [[1], true], [[1, 2], false]],
  [
    { uniqueItems: true },
    [[1, 2], true],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    ["aa", true],
  ],
  [{ uniqueItems: false }, [[1, 1], true]],
  [{ items: TEXT }, [["a"], true], [["a", 1], false], [[], true], ["a", true]],
  [{ items: true }, [[1], true]],
  [{ items: false }, [[], true], [[1], false]],
  [{ items: 7 }, [[1], undefined]],
  [{ prefixItems: [TEXT] }, [["a", 1], true], [[1], false], [[], true]],
  [{ prefixItems: [TEXT], items: false }, [["a"], true], [["a", "b"], false], [[1], false]],
  [{ items: [TEXT] }, [["a", 1], true], [[1], false]],
  [{ items: [TEXT], additionalItems: false }, [["a"], true], [["a", "b"], false]],
  [{ contains: { const: 1 } }, [[2, 1], true], [[2], false], [[], false], ["a", true]],
  [{ contains: { const: 1 }, minContains: 2 }, [[1, 1], true], [[1, 2], false]],
  [{ contains: { const: 1 }, minContains: 0 }, [[], true]],
  [{ contains: { const: 1 }, maxContains: 1 }, [[1, 2], true], [[1, 1], false]],
  [{ contains: { const: 1 }, minContains: "a" }, [[1], undefined]],
  [{ contains: { const: 1 }, maxContains: "a" }, [[1], undefined]],
  [{ contains: OPEN }, [["a"], undefined], [["a", 1], true]],
  [{ unevaluatedItems: false }, [[], true], [[1], false], ["a", true]],
  [{ unevaluatedItems: TEXT }, [["a"], true], [[1], false]],
  [
    { unevaluatedItems: false, prefixItems: [{}], allOf: [{ prefixItems: [{}, {}] }] },
    [[1, 1], true],
    [[1, 1, 1], false],
  ],
  [{ unevaluatedItems: false, contains: TEXT }, [["a"], true], [["a", 1], false]],
  [{ unevaluatedItems: false, allOf: [{ items: {} }] }, [[1, 1], true]],
  [{ unevaluatedItems: false, allOf: [{ unevaluatedItems: TEXT }] }, [["a"], true], [[1], false]],
  [{ unevaluatedItems: false, items: [{}] }, [[1], true], [[1, 1], false]],
  [{ minProperties: 1 }, [{ a: 1 }, true], [{}, false], [[], true]],
  [{ maxProperties: 1 }, [{ a: 1 }, true], [{ a: 1, b: 1 }, false]],
  [{ required: ["a"] }, [{ a: 1 }, true], [{}, false], ["a", true]],
  [{ properties: { a: TEXT } }, [{ a: "b" }, true], [{ a: 1 }, false], [{ b: 1 }, true], ["a", true]],
  [{ patternProperties: { "^x": TEXT } }, [{ xa: "b" }, true], [{ xa: 1 }, false], [{ ya: 1 }, true]],
  [{ additionalProperties: TEXT }, [{ a: "b" }, true], [{ a: 1 }, false]],
  [{ properties: { a: {} }, additionalProperties: false }, [{ a: 1 }, true], [{ b: 1 }, false]],
  [
    { properties: { a: {} }, patternProperties: { "^x": TEXT }, additionalProperties: false },
    [{ a: 1, xb: "c" }, true],
    [{ xb: 1 }, false],
    [{ c: 1 }, false],
  ],
  [{ patternProperties: { "^x": {} }, additionalProperties: false }, [{ xa: 1 }, true], [{ a: 1 }, false]],
  [{ propertyNames: { pattern: "^a" } }, [{ ab: 1 }, true], [{ ab: 1, b: 1 }, false], [["b"], true]],
  [{ unevaluatedProperties: false }, [{}, true], [{ a: 1 }, false], ["a", true]],
  [{ unevaluatedProperties: TEXT, properties: { a: {} } }, [{ a: 1, b: "c" }, true], [{ b: 1 }, false]],
  [{ unevaluatedProperties: false, allOf: [{ properties: { a: {} } }] }, [{ a: 1 }, true], [{ b: 1 }, false]],
  [{ unevaluatedProperties: false, allOf: [{ patternProperties: { "(": {} } }] }, [{ a: 1 }, undefined]],
  [{ unevaluatedProperties: false, $ref: "#/$defs/a", $defs: { a: { properties: { a: {} } } } }, [{ a: 1 }, true]],
  [{ unevaluatedProperties: false, $ref: "other.json" }, [{ a: 1 }, undefined]],
  [
    { unevaluatedProperties: false, anyOf: [{ properties: { a: TEXT }, required: ["a"] }, { required: ["b"] }] },
    [{ a: "x" }, true],
    [{ b: 1 }, false],
    [{ a: "x", b: 1 }, false],
  ],
  [
    {
      unevaluatedProperties: false,
      if: { required: ["a"] },
      [THEN]: { properties: { a: {} } },
      else: { additionalProperties: true },
    },
    [{ a: 1 }, true],
    [{ a: 1, b: 1 }, false],
    [{ b: 1 }, true],
  ],
  [{ unevaluatedProperties: false, $dynamicRef: "#a" }, [{ a: 1 }, undefined]],
  [{ unevaluatedProperties: false, $recursiveRef: "#" }, [{ a: 1 }, undefined]],
  [
    { unevaluatedProperties: false, oneOf: [{ properties: { a: TEXT }, required: ["a"] }, { required: ["b"] }] },
    [{ a: "x" }, true],
    [{ a: "x", c: 1 }, false],
  ],
  [{ unevaluatedProperties: false, allOf: [{ additionalProperties: TEXT }] }, [{ a: "x" }, true], [{ a: 1 }, false]],
  [{ unevaluatedProperties: false, allOf: [{ unevaluatedProperties: TEXT }] }, [{ a: "x" }, true]],
  [{ unevaluatedProperties: TEXT, patternProperties: { "^x": {} } }, [{ x: 1, a: "b" }, true], [{ a: 1 }, false]],
  [
    {
      unevaluatedProperties: false,
      if: OPEN_OBJECT,
      [THEN]: { properties: { a: {} } },
      else: { properties: { a: {} } },
    },
    [{ a: 1 }, undefined],
    [{ b: 1 }, false],
  ],
  [
    { unevaluatedProperties: false, dependentSchemas: { a: { properties: { a: {}, b: {} } } } },
    [{ a: 1, b: 1 }, true],
    [{ b: 1 }, false],
  ],
  [{ unevaluatedItems: false, if: { minItems: 2 }, [THEN]: { items: {} } }, [[1, 1], true], [[1], false]],
  [{ unevaluatedItems: false, $ref: "#/$defs/a", $defs: { a: { prefixItems: [{}] } } }, [[1], true], [[1, 1], false]],
  [
    { properties: { a: TEXT }, patternProperties: { "^a": { minLength: 2 } } },
    [{ a: "x" }, false],
    [{ a: "xy" }, true],
    [{ ab: "x" }, false],
  ],
  [
    { propertyNames: { maxLength: 1 }, additionalProperties: TEXT },
    [{ a: "b" }, true],
    [{ ab: "b" }, false],
    [{ a: 1 }, false],
  ],
  [{ unevaluatedProperties: false, not: { not: { properties: { a: {} } } } }, [{ a: 1 }, false]],
  [
    { unevaluatedProperties: false, properties: { a: {} }, dependentSchemas: { a: { properties: { b: {} } } } },
    [{ a: 1, b: 1 }, true],
    [{ b: 1 }, false],
  ],
  [{ dependentRequired: { a: ["b"] } }, [{ a: 1, b: 1 }, true], [{ a: 1 }, false], [{ c: 1 }, true], ["a", true]],
  [{ dependentSchemas: { a: { required: ["b"] } } }, [{ a: 1, b: 1 }, true], [{ a: 1 }, false], [{ c: 1 }, true]],
  [{ dependencies: { a: ["b"], c: { required: ["d"] } } }, [{ a: 1 }, false], [{ c: 1 }, false], [{ b: 1 }, true]],
  [{ allOf: [TEXT, { minLength: 2 }] }, ["ab", true], ["a", false]],
  [{ allOf: [OPEN, { minLength: 2 }] }, ["ab", undefined], ["a", false]],
  [{ allOf: TEXT }, [1, undefined]],
  [{ anyOf: [TEXT, { type: "integer" }] }, ["a", true], [1, true], [1.5, false]],
  [{ anyOf: [OPEN, { type: "integer" }] }, ["a", undefined]],
  [{ anyOf: [OPEN, TEXT] }, ["a", true]],
  [{ oneOf: [TEXT, { type: "integer" }] }, ["a", true], [1.5, false]],
  [{ oneOf: [TEXT, { minLength: 1 }] }, ["a", false], ["", true]],
  [{ oneOf: [OPEN, TEXT] }, ["a", undefined]],
  [{ oneOf: [OPEN, TEXT, { minLength: 1 }] }, ["a", false]],
  [{ not: TEXT }, [1, true], ["a", false]],
  [{ not: OPEN }, ["a", undefined]],
  [{ if: TEXT, [THEN]: { minLength: 2 }, else: { minimum: 5 } }, ["ab", true], ["a", false], [5, true], [4, false]],
  [{ if: TEXT }, ["a", true], [1, true]],
  [{ if: OPEN, [THEN]: { minLength: 2 }, else: { minLength: 2 } }, ["a", false], ["ab", true]],
  [{ if: OPEN, [THEN]: { minLength: 2 } }, ["a", undefined], ["ab", true]],
  [{ $ref: "#/$defs/a", $defs: { a: TEXT } }, ["a", true], [1, false]],
  [{ $ref: "#/$defs/a%20~1b", $defs: { "a /b": TEXT } }, ["a", true], [1, false]],
  [{ $ref: "#/$defs/no", $defs: {} }, ["a", undefined]],
  [{ $ref: "other.json" }, ["a", undefined]],
  [{ $ref: "#" }, ["a", undefined]],
  [{ $dynamicRef: "#a" }, ["a", undefined]],
  [{ $recursiveRef: "#" }, ["a", undefined]],
  [
    { required: ["v"], properties: { kid: { $ref: "#" } } },
    [{ v: 1, kid: { v: 1 } }, true],
    [{ v: 1, kid: {} }, false],
  ],
  [{ unknown: 1, constructor: {} }, ["a", true]],
];

describe("a value", () => {
  for (const [schema, ...values] of ROWS)
    test(JSON.stringify(schema), () => {
      expect(values.map(([value]) => [value, verdict(schema, value)])).toEqual(values);
    });

  test("is not decided once the work is used up", () => {
    expect(verdict(TEXT, "a", { left: 0 })).toBeUndefined();
    expect(verdict({ items: TEXT }, ["a"], { left: 2 })).toBe(true);
    expect(verdict({ items: TEXT }, ["a", "b"], { left: 2 })).toBeUndefined();
    expect(verdict({ properties: { a: { $ref: "#" } } }, { a: {} }, { left: 3 })).toBe(true);
    expect(verdict({ properties: { a: { $ref: "#" } } }, { a: {} }, { left: 2 })).toBeUndefined();
  });

  test("has a type", () => {
    expect([null, [], 1, 1.5, "a", true, {}].map(jsonTypeName)).toEqual([
      "null",
      "array",
      "integer",
      "number",
      "string",
      "boolean",
      "object",
    ]);
  });

  test("matches patterns and formats, as far as they are known", () => {
    expect([patternVerdict("a", "ba"), patternVerdict("a", "b"), patternVerdict("(", "a")]).toEqual([
      true,
      false,
      undefined,
    ]);
    expect([hasFormat("date", "a"), hasFormat("date", 1), hasFormat("constructor", "a")]).toEqual([false, true, true]);
  });
});
