/** Counterexamples: one for each place and keyword, as small as it can be, and where it is refused. */

import { describe, expect, test } from "vitest";
import { loadChecks } from "../../../generator/core/checker.js";
import { loadCompiler } from "../../../generator/core/compile.js";
import type { JsonSchema, JsonValue } from "../../../runtime/contract/registry.js";
import { hasValueAt, placeAgreement, searchEvidence, stepsTo } from "../evidence.js";

await loadChecks();

await loadCompiler();

function found(before: object, after: object, given: readonly JsonValue[] = [], lenient = false) {
  const { counterexamples } = searchEvidence(before as JsonSchema, after as JsonSchema, given, lenient);
  return counterexamples.map(({ value, steps, issue }) => [value, steps.join("/"), issue.keyword]);
}

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const TEXT = { type: "string" };

describe("a counterexample", () => {
  test.each<readonly [before: object, after: object, found: readonly unknown[]]>([
    [{ type: "integer" }, { type: "integer", minimum: 0 }, [[-1, "", "minimum"]]],
    [{ enum: ["a", "b"] }, { enum: ["a"] }, [["b", "", "enum"]]],
    [object({ a: {} }), object({ a: {} }, { required: ["a"] }), [[{}, "a", "required"]]],
    [object({ a: { enum: [1, 2] }, b: TEXT }), object({ a: { enum: [1] }, b: TEXT }), [[{ a: 2 }, "a", "enum"]]],
    [
      object({ a: { enum: [1, 2] }, b: { enum: ["x", "y"] } }, { required: ["a", "b"] }),
      object({ a: { enum: [1] }, b: { enum: ["x"] } }, { required: ["a", "b"] }),
      [
        [{ a: 2, b: "x" }, "a", "enum"],
        [{ a: 1, b: "y" }, "b", "enum"],
      ],
    ],
    [
      object({ o: object({ c: { enum: [1, 2] }, d: { const: 3 } }, { required: ["d"] }) }),
      object({ o: object({ c: { enum: [1] }, d: { const: 3 } }, { required: ["d"] }) }),
      [[{ o: { d: 3, c: 2 } }, "o/c", "enum"]],
    ],
    [
      { type: "array", items: { enum: [1, 2] }, minItems: 2 },
      { type: "array", items: { enum: [1] }, minItems: 2 },
      [[[1, 2], "1", "enum"]],
    ],
    [{ type: "array", items: { const: 1 } }, { type: "array", maxItems: 1 }, [[[1, 1], "", "maxItems"]]],
    [
      object({}, { additionalProperties: { const: 1 } }),
      object({}, { additionalProperties: false }),
      [
        [{ extra: 1 }, "extra", "additionalProperties"],
        [{ "Extra 1": 1 }, "Extra 1", "additionalProperties"],
        [{ x_2: 1 }, "x_2", "additionalProperties"],
      ],
    ],
    [{ anyOf: [{ const: 1 }, { const: 2 }] }, { anyOf: [{ const: 1 }, { const: 3 }] }, [[2, "", "anyOf"]]],
    [{ type: "integer" }, { type: "number" }, []],
    [object({ "a/b": { enum: [1, 2] } }), object({ "a/b": { const: 1 } }), [[{ "a/b": 2 }, "a/b", "const"]]],
  ])("of %j, %j", (before, after, expected) => expect(found(before, after)).toEqual(expected));

  test("is made smaller: members and items that do not matter are left out, at every level", () => {
    const before = object({ l: { type: "array" }, o: {}, x: TEXT });
    const after = object({ l: { type: "array", items: { type: "integer" } }, o: {}, x: TEXT });
    const given = [{ l: [1, "bad", 2, { a: 1 }], o: { p: 1 }, x: "y" }];
    const [[value] = []] = found(before, after, given);
    expect(value).toEqual({ l: [null] });
    const nested = object({ o: object({ n: {}, keep: {}, drop: {} }, { required: ["keep"] }) }, { required: ["o"] });
    const strict = object({ o: object({ n: { type: "integer" }, keep: {}, drop: {} }) });
    expect(
      found(nested, strict, [{ o: { n: "long text", keep: 1, drop: 2 }, z: 3 }]).map(([one]) =>
        Object.keys(Object(one)),
      ),
    ).toEqual([["o"]]);
  });

  test("is one of twelve places at most", () => {
    const all = (values: readonly number[]) =>
      object(Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`a${i}`, { enum: values }])));
    expect(found(all([1, 2]), all([1]))).toHaveLength(12);
  });

  test("is no property that the later side does not know, where it need not know it", () => {
    const [before, after] = [object({ a: TEXT, b: TEXT }), object({ a: TEXT }, { additionalProperties: false })];
    expect(found(before, after).map(([, place]) => place)).toEqual(["b", "undeclared"]);
    expect(found(before, after, [], true)).toEqual([]);
    const shut = object({ a: { const: { additionalProperties: false } } }, { unevaluatedProperties: false });
    expect(found(object({ a: {}, b: {} }), shut, [], true).map(([, place]) => place)).toEqual(["a"]);
  });
});

test("what was tried is what the old schema accepts, given values first", () => {
  const { tried } = searchEvidence({ enum: [1, 2] } as JsonSchema, {} as JsonSchema, [2, 9]);
  expect(tried).toEqual([2, 1, 2]);
});

test("values reach a place, any item for a star", () => {
  const values: readonly JsonValue[] = [{ a: [{ b: 1 }] }, 7, null];
  expect(
    [["a"], ["a", "*", "b"], ["a", "0", "b"], ["*", "*", "b"], []].map((steps) => hasValueAt(values, steps)),
  ).toEqual([true, true, true, true, true]);
  expect(
    [["b"], ["a", "b"], ["a", "1"], ["a", "*", "b", "c"], ["constructor"]].map((steps) => hasValueAt(values, steps)),
  ).toEqual([false, false, false, false, false]);
  expect(hasValueAt([], [])).toBe(false);
});

test.each([
  ["", []],
  ["/properties/a", ["a"]],
  ["/properties/properties/items", ["properties", "*"]],
  ["/properties/a~1b/items/prefixItems/0", ["a/b", "*", "0"]],
  ["/additionalProperties/anyOf/1/properties/x", ["*", "x"]],
])("the pointer %j leads to %j", (pointer, steps) => expect(stepsTo(pointer)).toEqual(steps));

test.each<readonly [a: readonly string[], b: readonly string[], agree: number]>([
  [[], [], 1],
  [["a"], ["a"], 3],
  [["a"], ["b"], -1],
  [["a"], ["a", "b"], 2],
  [["a", "*"], ["a", "0"], 5],
  [["a", "0"], ["a", "*"], 5],
  [["a", "0"], ["a", "1"], -1],
  [[], ["a"], 0],
])("%j and %j agree by %d", (a, b, agree) => expect(placeAgreement(a, b)).toBe(agree));
