/** Values that are tried on two schemas: at and beside the edges of either, the same ones each time, edges first. */

import { describe, expect, test } from "vitest";
import type { JsonSchema, JsonValue } from "../../../runtime/contract/registry.js";
import { rootNode } from "../node.js";
import { numberValues, textValues } from "../scalar-values.js";
import { rootValues } from "../values.js";

/** The different values, in order. */
function valuesOf(before: object, after: object = {}, given: readonly JsonValue[] = []): readonly unknown[] {
  const values = rootValues(rootNode(before as JsonSchema), rootNode(after as JsonSchema), given);
  return [...new Set(values.map((one) => JSON.stringify(one)))].map((one) => JSON.parse(one));
}

describe("numbers", () => {
  const of = (schema: object, type: "integer" | "number") =>
    numberValues([rootNode(schema as JsonSchema)] as never, type);
  const PLAIN = [7, 11, 10, 50, 100, 1000, 2147483648, 1000000007, -1000];

  test("are at the bounds and beside them, those between first; whole ones for an integer", () => {
    expect(of({ minimum: 2, maximum: 4 }, "integer")).toEqual([2, 3, 1, 4, 5, 0, -1, ...PLAIN]);
    expect(of({ exclusiveMaximum: 2.5, enum: [9, "x"] }, "number")).toEqual([
      ...[2.5, 1.5, 3.5, 2.499, 2.501, 8.5, 9.5, 8.999, 9.001],
      ...[0.5, -0.5, 0.1, 2.25, 99.99],
    ]);
    expect(of({}, "integer")).toEqual([1, 0, -1, 2, 3, 5, ...PLAIN]);
    expect(of({ minimum: "2", multipleOf: "3" }, "integer")).toEqual([1, 0, -1, 2, 3, 5, ...PLAIN]);
  });

  test("are multiples, at the bounds too", () => {
    expect(of({ exclusiveMinimum: 2, multipleOf: 3 }, "integer")).toEqual([0, 3, -3, 6, 9, 2, 1, -1, 5, ...PLAIN]);
    expect(of({ minimum: 100, multipleOf: 7 }, "integer").slice(0, 8)).toEqual([0, 7, -7, 14, 21, 98, 105, 91]);
    expect(of({ multipleOf: 0.5 }, "number").slice(0, 3)).toEqual([0.5, -0.5, 1.5]);
  });
});

describe("texts", () => {
  const of = (before: object, after: object) =>
    textValues([rootNode(before as JsonSchema)] as never, [rootNode(after as JsonSchema)] as never, { left: 1e6 });

  test("have the lengths of the bounds, one less and one more, in several letters", () => {
    const texts = of({ minLength: 3 }, { maxLength: 5 });
    for (const length of [2, 3, 4, 5, 6])
      for (const letter of ["x", "7", "é"]) expect(texts).toContain(letter.repeat(length));
    expect(texts).toContain("A 1aa");
    expect(texts).toContain("A ");
    expect(of({ maxLength: 5000 }, {}).map((one) => one.length)).toContain(5001);
    expect(of({ maxLength: 1_000_001 }, {}).map((one) => one.length)).not.toContain(1_000_001);
  });

  test("have the format, match the pattern, or tell two patterns apart", () => {
    expect(of({ format: "ipv4" }, {})[0]).toBe("127.0.0.1");
    expect(of({ pattern: "^q[0-9]$" }, {})[0]).toBe("q0");
    expect(of({}, { enum: ["one", 7] })).toContain("one");
    expect(of({}, { format: "duration" })).toContain("PT1H30M");
    const apart = of({ pattern: "^[a-z]{4,5}$" }, { pattern: "^[a-y]+$" });
    const [old, now] = [/^[a-z]{4,5}$/u, /^[a-y]+$/u];
    expect(apart.some((one) => old.test(one) && !now.test(one))).toBe(true);
    expect(apart.some((one) => old.test(one) && now.test(one))).toBe(true);
    const long = of({ pattern: "^[a-z]+$" }, { maxLength: 6 });
    expect(long.some((one) => /^[a-z]{7,}$/.test(one))).toBe(true);
  });
});

describe("lists", () => {
  const A = { enum: [1, 2] };

  test.each<readonly [before: object, after: object, values: readonly unknown[]]>([
    [
      { type: "array", items: A, minItems: 1, maxItems: 3 },
      { type: "array", items: { enum: [1] } },
      [[1], [1, 2], [1, 1], [2], [1, 2, 1], [1, 1, 1]],
    ],
    [
      { type: "array", prefixItems: [A, { enum: ["a", "b"] }], items: { const: null } },
      { maxItems: 2 },
      [[], [1], [1, "a"], [2, "a"], [1, "b"], [2, "b"], [1, "a", null]],
    ],
    [
      { type: "array", items: { type: "integer", minimum: 0, maximum: 1 }, uniqueItems: true, maxItems: 2 },
      { uniqueItems: true, minItems: 1 },
      [[], [1], [0], [2], [1, 0], [1, 1], [1, 0, 2]],
    ],
    [
      { type: "array", items: { type: "boolean" }, contains: { const: true } },
      { maxContains: 2, contains: { const: true } },
      [[true], [true, true], [true, true, true], [true, false], [], [false], [true, false, true]],
    ],
    [{ type: "array" }, {}, [[], ["x"], [1, "x"]]],
  ])("of %j, %j are %j", (before, after, values) => expect(valuesOf(before, after)).toEqual(values));
});

describe("objects", () => {
  test.each<readonly [before: object, after: object, values: readonly unknown[]]>([
    [
      { type: "object", properties: { a: { enum: [1, 2] }, b: { enum: ["x"] } }, required: ["a"] },
      { properties: { a: { enum: [1] } } },
      [
        { a: 1 },
        { a: 1, b: "x" },
        { a: 2 },
        { a: 1, undeclared: null },
        { a: 1, undeclared: true },
        { a: 1, undeclared: false },
      ],
    ],
    [
      { type: "object", patternProperties: { "^x": { const: 1 } }, additionalProperties: false },
      {},
      [{}, { x: 1, xx: 1, "x-": 1 }, { x: 1 }, { xx: 1 }, { "x-": 1 }],
    ],
    [{ type: "object" }, {}, [{}, { a: 1 }]],
  ])("of %j, %j are %j", (before, after, values) => expect(valuesOf(before, after)).toEqual(values));

  test("have as many members as a bound asks for, and names of either side", () => {
    const values = valuesOf(
      { type: "object", properties: { a: { const: 1 } }, additionalProperties: { const: 7 }, maxProperties: 2 },
      { minProperties: 1 },
    );
    for (const one of [{}, { extraa: 7 }, { extraa: 7, extrab: 7 }, { a: 1 }, { extra: 7 }, { a: 1, extra: 7 }])
      expect(values).toContainEqual(one);
    const depends = valuesOf({
      type: "object",
      properties: { a: { const: 1 }, b: { const: 2 } },
      dependentRequired: { a: ["b"] },
    });
    for (const one of [{}, { a: 1 }, { b: 2 }, { a: 1, b: 2 }]) expect(depends).toContainEqual(one);
    const named = valuesOf(
      { type: "object", propertyNames: { pattern: "^a" }, additionalProperties: { const: 1 } },
      { maxProperties: 3 },
    );
    for (const one of [{ a: 1 }, { ax: 1 }, { a: 1, ax: 1 }]) expect(named).toContainEqual(one);
  });
});

/** The different values as text, in order. */
const textOf = (before: object, after: object): string =>
  valuesOf(before, after)
    .map((one) => JSON.stringify(one))
    .join(" ");
const E = (...values: readonly unknown[]) => ({ enum: values });
const map = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const shut = (properties: object, more: object = {}) => map(properties, { additionalProperties: false, ...more });
const list = (items: object, more: object = {}) => ({ type: "array", items, ...more });
const THEN = "then";

describe("objects whose properties are tied to each other", () => {
  test("of a few properties have every subset of them", () => {
    expect(textOf(shut({ a: E(1), b: E(2), c: E(3) }, { required: ["a"] }), { dependentRequired: { b: ["c"] } })).toBe(
      '{"a":1} {"a":1,"b":2,"c":3} {"a":1,"b":2} {"a":1,"c":3} {"b":2,"a":1} {"c":3,"a":1} {"a":1,"c":3,"b":2}',
    );
    expect(textOf(shut({ a: E(1), b: E(2) }, { minProperties: 1 }), {})).toBe(
      '{} {"a":1,"b":2} {"a":1} {"b":2} {"b":2,"a":1}',
    );
  });

  test("of many have each alone, each pair, and all but one", () => {
    const names = [..."abcdef"];
    const values = valuesOf(shut(Object.fromEntries(names.map((name) => [name, E(1)])), { maxProperties: 2 }));
    const of = (...some: readonly string[]) => Object.fromEntries(some.map((name) => [name, 1]));
    expect(values.slice(0, 8)).toEqual([of(), of(...names), ...names.map((name) => of(name))]);
    expect(values.slice(8, 23)).toEqual(names.flatMap((a, i) => names.slice(i + 1).map((b) => of(a, b))));
    expect(values.slice(23, 29)).toEqual(names.map((name) => of(...names.filter((one) => one !== name))));
  });

  test("have each value beside each other property, and pairs of values", () => {
    const condition = { if: { properties: { a: { const: "x" } } }, [THEN]: { properties: { b: { const: 1 } } } };
    expect(textOf(shut({ a: E("x", "y"), b: E(1, 2) }), condition)).toBe(
      '{} {"a":"x","b":1} {"a":"x"} {"b":1} {"a":"y"} {"b":2} {"b":1,"a":"x"} {"b":1,"a":"y"} {"a":"x","b":2} {"a":"y","b":1} {"a":"y","b":2}',
    );
    expect(textOf(shut({ a: E(1, 2, 3, 4, 5), b: E(1) }), { not: { required: ["b"] } })).toBe(
      '{} {"a":1,"b":1} {"a":1} {"b":1} {"a":2} {"a":3} {"b":1,"a":1} {"b":1,"a":2}',
    );
  });

  test("have names that patterns and rules of names take, one that two patterns share among them", () => {
    expect(textOf(shut({}, { patternProperties: { "^x": E(1) } }), { patternProperties: { y$: E(2) } })).toBe(
      '{} {"x":1,"xx":1,"x-":1,"xy":1} {"x":1} {"xx":1} {"x-":1} {"xy":1}',
    );
    const named = valuesOf(map({}, { propertyNames: E("a", "bb"), additionalProperties: E(1) }), {
      propertyNames: { maxLength: 1 },
    });
    expect(named.slice(0, 4)).toEqual([{}, { a: 1 }, { bb: 1 }, { a: 1, bb: 1 }]);
    const bounded = valuesOf(map({}, { additionalProperties: E(7), required: ["r"] }), {
      maxProperties: 2,
      properties: { z: {} },
    });
    expect(bounded.slice(0, 4)).toEqual([
      { r: 7 },
      { r: 7, extraa: 7 },
      { r: 7, extraa: 7, extrab: 7 },
      { r: 7, extra: 7 },
    ]);
    expect(bounded).toContainEqual({ r: 7, z: 7 });
    const crowd = valuesOf(map({}, { additionalProperties: E(7) }), { maxProperties: 100 }).map(
      (one) => Object.keys(Object(one)).length,
    );
    expect(crowd.slice(0, 3)).toEqual([99, 100, 101]);
    expect(
      valuesOf(map({}, { additionalProperties: E(7) }), { maxProperties: 101 }).map(
        (one) => Object.keys(Object(one)).length,
      ),
    ).not.toContain(100);
  });
});

describe("values inside values", () => {
  test.each<readonly [before: object, after: object, values: string]>([
    [
      list(E("x", "y"), { uniqueItems: true, minItems: 3 }),
      { minItems: 5 },
      '["x","y","xx"] ["x","x","x"] ["x","y","xx","xxx"] ["x","x","x","x"] ["y","y","xx"] ["x","x","xx"] ["x","y","x"] ["x","y","y"] ["y","y","y"] ["xx","xx","xx"] ["xxx","xxx","xxx"] ["xxxx","xxxx","xxxx"] ["xxxxx","xxxxx","xxxxx"] ["x","y","xx","xxx","xxxx"] ["x","x","x","x","x"] ["x","y","xx","xxx","xxxx","xxxxx"] ["x","x","x","x","x","x"]',
    ],
    [
      list({ type: "string", maxLength: 1 }, { uniqueItems: true }),
      { maxItems: 2 },
      '[] [""] ["x"] ["0"] ["","x"] ["",""] ["","x","0"] ["","",""]',
    ],
    [
      { type: "array", prefixItems: [E(1, 2), E("a", "b", "c")], minItems: 2, items: false },
      { prefixItems: [E(1)] },
      '[1,"a"] [2,"a"] [1,"b"] [1,"c"] [2,"b"]',
    ],
    [
      list(E(1, 2, 3), { contains: { const: 2 }, minContains: 2, maxItems: 4 }),
      { contains: { minimum: 2 }, maxContains: 3 },
      "[2] [2,2] [2,2,2] [2,2,2,2] [2,2,2,2,2] [2,1] [3] [2,3] [3,3] [3,3,3] [3,3,3,3] [3,3,3,3,3] [] [1] [1,2] [1,1] [1,2,3] [1,1,1] [1,2,3,1] [1,1,1,1]",
    ],
    [
      map({ o: map({ p: E(1, 2) }, { required: ["p"] }) }),
      map({ o: map({ p: E(1) }) }),
      '{} {"o":{"p":1}} {"o":{"p":2}} {"o":{"p":1,"undeclared":null}} {"o":{"p":1,"undeclared":true}} {"o":{"p":1,"undeclared":false}} {"undeclared":null} {"undeclared":true} {"undeclared":false}',
    ],
    [
      list(list(list(E(1, 2)))),
      { items: { items: { maxItems: 1 } } },
      "[] [[]] [[[]]] [[[1]]] [[[2]]] [[[1,2]]] [[[1,1]]] [[[],[1]]] [[[],[]]] [[[],[1],[2],[1,2],[1,1]]] [[],[[]]] [[],[]] [[],[[]],[[1]],[[2]],[[1,2]],[[1,1]],[[],[1]],[[],[]],[[],[1],[2],[1,2],[1,1]]]",
    ],
    [
      { anyOf: [map({ k: E("a") }, { required: ["k"] }), map({ k: E("b") }, { required: ["k"] })] },
      {},
      '{"k":"a"} {"k":"a","undeclared":null} {"k":"a","undeclared":true} {"k":"a","undeclared":false} {"undeclared":null,"k":"a"} {"k":"b"} {"k":"b","undeclared":null} {"k":"b","undeclared":true} {"k":"b","undeclared":false} {"undeclared":null,"k":"b"}',
    ],
  ])("of %j, %j", (before, after, values) => expect(textOf(before, after)).toBe(values));

  test("are first the ones that the new side takes, then edges of it", () => {
    const values = valuesOf(
      map({ t: { type: "string", minLength: 2, maxLength: 3 } }, { required: ["t"] }),
      map({ t: { maxLength: 2 } }),
    );
    expect(values.slice(0, 6)).toEqual(["aa", "aaa", "A 1", "abc", "-1", "xx"].map((t) => ({ t })));
    const kept = valuesOf(map({ n: E(5, 6, 7) }, { required: ["n"] }), map({ n: E(7) }));
    expect(kept[0]).toEqual({ n: 7 });
  });
});

test("alternatives are tried one after the other, given values first", () => {
  const either = { anyOf: [{ const: 1 }, { type: "null" }, { type: "boolean" }] };
  expect(valuesOf(either)).toEqual([1, null, true, false]);
  expect(valuesOf(either, {}, ["given"])).toEqual(["given", 1, null, true, false]);
  expect(valuesOf({ oneOf: [{ const: 1 }, { enum: [2, 3] }] })).toEqual([1, 2, 3]);
  expect(valuesOf({ type: ["null", "boolean"] })).toEqual([null, true, false]);
});

test("a schema inside itself ends", () => {
  const tree = {
    type: "object",
    properties: { v: { const: 1 }, next: { $ref: "#" } },
    required: ["v"],
    additionalProperties: false,
  };
  const values = valuesOf(tree);
  expect(values).toContainEqual({ v: 1 });
  expect(values).toContainEqual({ v: 1, next: { v: 1 } });
});
