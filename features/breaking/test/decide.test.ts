/** Changes that are decided by a proof, by a value, or not at all; and what is shown of it. */

import type { JsonSchema } from "toolwright/codegen";
import { describe, expect, test } from "vitest";
import { loadChecks } from "../../../generator/core/checker.js";
import type { Finding } from "../../../runtime/contract/finding.js";
import type { Constraint } from "../../../runtime/contract/registry.js";
import { completeTool } from "../../../test/support/partial-registry.js";
import { BREAKING_RULES, type BreakingRule } from "../breaking-rules.js";
import { compareTools } from "../compare.js";
import { ruleExplanation } from "../explain.js";
import { isContained } from "../proof.js";

await loadChecks();

const THEN = "then";
const input = (properties: object, rest: object = {}): JsonSchema =>
  ({ type: "object", properties, ...rest }) as unknown as JsonSchema;
const one = (schema: unknown, rest: object = {}): JsonSchema => input({ a: schema, b: { type: "string" } }, rest);
const inputs = (before: JsonSchema, after: JsonSchema): readonly Finding[] =>
  compareTools([completeTool({ parameters_schema: before })], [completeTool({ parameters_schema: after })]);
const results = (before: JsonSchema, after: JsonSchema): readonly Finding[] =>
  compareTools([completeTool({ result_schema: before })], [completeTool({ result_schema: after })]);
const worst = (findings: readonly Finding[]): string => findings[0]?.level ?? "nothing";

const TEXT = { type: "string" };
const node = (rest: object) => input({ kids: { type: "array", items: { $ref: "#/$defs/node" }, ...rest } });
/** Nodes of a chart, which refer to a place inside the input. */
const chart = (rest: object): JsonSchema => {
  const kids = { type: "array", items: { $ref: "#/properties/data/properties/kids/items" }, ...rest };
  return input({ data: input({ kids: { type: "array", items: input({ kids }) } }) });
};
/** Definitions of a condition: a text, several, or the opposite of one. */
const filterIn = (name: string) => {
  const closed = (key: string, schema: object) =>
    input({ [key]: schema }, { required: [key], additionalProperties: false });
  const own = { $ref: `#/$defs/${name}` };
  return { $defs: { [name]: { oneOf: [TEXT, closed("and", { type: "array", items: own }), closed("not", own)] } } };
};
const PAIR = { type: "array", prefixItems: [TEXT, { type: "integer" }], minItems: 2 };
const LISTED = { enum: ["ab", "abc", "Z"] };

test("the place of a refusal is a property, whatever its name begins with", () => {
  const of = (more: object): JsonSchema => input({ "1st": { enum: ["ab", "Z"], ...more }, b: TEXT });
  expect(inputs(of({}), of({ allOf: [{ pattern: "^a" }] }))[0]?.pointer).toContain("/properties/1st");
});

describe("a value that was taken is refused: an error that shows it", () => {
  test.each<readonly [string, JsonSchema, JsonSchema, string]>([
    ["a pattern beside an enum", one(LISTED), one({ ...LISTED, pattern: "^a" }), '{"a":"Z"}'],
    ["a length beside an enum", one(LISTED), one({ ...LISTED, maxLength: 2 }), '{"a":"abc"}'],
    ["a bound beside an enum of numbers", one({ enum: [1, 5] }), one({ enum: [1, 5], maximum: 4 }), '{"a":5}'],
    ["null of a nullable", one({ ...TEXT, nullable: true }), one(TEXT), '{"a":null}'],
    [
      "a second pattern in allOf",
      one({ ...TEXT, pattern: "^a" }),
      one({ allOf: [{ ...TEXT, pattern: "^a" }, { pattern: "b$" }] }),
      '{"a":"a"}',
    ],
    ["a bound without a type", one({}), one({ minLength: 1 }), '{"a":""}'],
    ["a format that validators check", one(TEXT), one({ ...TEXT, format: "date" }), '{"a":""}'],
    [
      "alternatives of oneOf that overlap",
      one({ oneOf: [TEXT, { type: "integer" }] }),
      one({ oneOf: [TEXT, { type: "integer" }, { const: "all" }] }),
      '{"a":"all"}',
    ],
    [
      "a keyword inside an alternative",
      one({ anyOf: [TEXT, { type: "array" }] }),
      one({ anyOf: [TEXT, { type: "array", contains: TEXT }] }),
      '{"a":[]}',
    ],
    [
      "an item that a closed tuple need not hold",
      one({ type: "array", prefixItems: [TEXT], items: false, minItems: 1 }),
      one({ type: "array", prefixItems: [TEXT], items: false, minItems: 1, contains: { const: "x" } }),
      '{"a":[""]}',
    ],
    [
      "what only the validators take: they count a failed if as evaluated",
      input(
        {},
        {
          if: { properties: { m: { const: "x" } }, required: ["m"] },
          [THEN]: { required: ["m"] },
          unevaluatedProperties: false,
        },
      ),
      input({ m: { enum: ["x", "y"] } }, { unevaluatedProperties: false }),
      '{"m":1}',
    ],
    [
      "equal items below a schema that is inside itself",
      one({ type: "array", items: { $ref: "#/$defs/node" } }, { $defs: { node: node({}) } }),
      one({ type: "array", items: { $ref: "#/$defs/node" } }, { $defs: { node: node({ uniqueItems: true }) } }),
      '{"a":[{"kids":[{},{}]}]}',
    ],
    [
      "equal items below a reference into the schema around it",
      chart({}),
      chart({ uniqueItems: true }),
      '{"data":{"kids":[{"kids":[{},{}]}]}}',
    ],
    ["not", one(TEXT), one({ ...TEXT, not: { const: "all" } }), '{"a":"all"}'],
    [
      "an alternative below a conjunct",
      one({ allOf: [{ anyOf: [{ type: "boolean" }, { allOf: [TEXT] }] }] }),
      one({ allOf: [{ anyOf: [{ type: "boolean" }, { allOf: [{ ...TEXT, pattern: "^a" }] }] }] }),
      '{"a":""}',
    ],
    [
      "an exclusive bound that is a flag, as in draft 4",
      one({ type: "number", minimum: 5 }),
      one({ type: "number", minimum: 5, exclusiveMinimum: true }),
      '{"a":5}',
    ],
    [
      "a condition",
      one({ enum: ["x", "y"] }),
      one(
        { enum: ["x", "y"] },
        { if: { properties: { a: { const: "y" } }, required: ["a"] }, [THEN]: { required: ["b"] } },
      ),
      '{"a":"y"}',
    ],
    [
      "names that are listed",
      one({ type: "object", propertyNames: { enum: ["en", "de"] }, additionalProperties: { type: "number" } }),
      one({ type: "object", propertyNames: { enum: ["en"] }, additionalProperties: { type: "number" } }),
      '{"a":{"de":1}}',
    ],
    [
      "listed names that are no longer taken at all",
      one({ type: "object", propertyNames: { enum: ["en", "de"] }, additionalProperties: { type: "number" } }),
      one({ type: "object", propertyNames: { enum: ["en", "de"] }, additionalProperties: false }),
      '{"a":{"en":1}}',
    ],
    [
      "lengths of names",
      one({ type: "object", propertyNames: { maxLength: 3 } }),
      one({ type: "object", propertyNames: { maxLength: 2 } }),
      '{"a":{"aaa":null}}',
    ],
    [
      "items behind a tuple, below names that are restricted",
      one({ type: "object", propertyNames: { pattern: "^[a-z]+$" }, additionalProperties: PAIR }),
      one({
        type: "object",
        propertyNames: { pattern: "^[a-z]+$" },
        additionalProperties: { ...PAIR, unevaluatedItems: false },
      }),
      '{"a":{"a":["x",1,null]}}',
    ],
    [
      "an item that a list must contain",
      one({ type: "array", contains: { type: "number", minimum: 5 } }),
      one({ type: "array", contains: { type: "integer" } }),
      '{"a":[5.5]}',
    ],
    [
      "how many items are contained",
      one({ type: "array", items: TEXT, contains: { const: "x" } }),
      one({ type: "array", items: TEXT, contains: { const: "x" }, maxContains: 1 }),
      '{"a":["x","x"]}',
    ],
    [
      "equal items that a list must contain",
      one({ type: "array", items: TEXT, contains: { const: "x" } }, { required: ["a"] }),
      one({ type: "array", items: TEXT, contains: { const: "x" }, uniqueItems: true }, { required: ["a"] }),
      '{"a":["x","x"]}',
    ],
    [
      "different items, some of which are contained",
      one({ type: "array", uniqueItems: true, contains: { type: "integer", minimum: 1 } }),
      one({ type: "array", uniqueItems: true, contains: { type: "integer", minimum: 1 }, minContains: 2 }),
      '{"a":[1]}',
    ],
    ["a dependent argument", one(TEXT), one(TEXT, { dependentRequired: { a: ["b"] } }), '{"a":""}'],
    ["names of properties", one(TEXT), one(TEXT, { propertyNames: { enum: ["a"] } }), '{"b":""}'],
    [
      "a dropped argument, others described",
      one(TEXT),
      input({ b: TEXT }, { additionalProperties: { type: "integer" } }),
      '{"a":""}',
    ],
    ["a dropped argument, unevaluated", one(TEXT), input({ b: TEXT }, { unevaluatedProperties: false }), '{"a":""}'],
    [
      "a recursive schema",
      one({ $ref: "#/$defs/t" }, { $defs: { t: input({ v: { type: "number" }, kid: { $ref: "#/$defs/t" } }) } }),
      one({ $ref: "#/$defs/t" }, { $defs: { t: input({ v: { type: "integer" }, kid: { $ref: "#/$defs/t" } }) } }),
      '{"a":{"v":0.5}}',
    ],
  ])("for %s", (_, before, after, counterexample) => {
    const found = inputs(before, after);
    expect(worst(found)).toBe("error");
    expect(found.map((finding) => finding.counterexample)).toContain(counterexample);
  });
});

describe("several changes", () => {
  const before = input(
    { a: { enum: ["x", "y"] }, b: TEXT, c: { anyOf: [TEXT, { type: "array" }] } },
    { required: ["b"] },
  );

  test("each shows a value of its own, which keeps the others where it can", () => {
    const found = inputs(
      before,
      input(
        { a: { enum: ["x"] }, b: { ...TEXT, minLength: 1 }, c: { anyOf: [TEXT, { type: "array", maxItems: 1 }] } },
        { required: ["b"] },
      ),
    );
    expect(found.map(({ rule, counterexample }) => [rule, counterexample])).toEqual([
      ["arg-enum-value-removed", '{"b":"x","a":"y"}'],
      ["arg-range-narrowed", '{"b":""}'],
      ["arg-range-narrowed", '{"b":"x","c":[null,true]}'],
    ]);
  });

  test("each shows a value where one of them refuses every call", () => {
    const nothing = { ...TEXT, maxLength: 2, minLength: 3 };
    const found = inputs(
      before,
      input({ a: { enum: ["x"] }, b: nothing, c: { anyOf: [TEXT, { type: "array" }] } }, { required: ["b"] }),
    );
    expect(found.map(({ rule, counterexample }) => [rule, counterexample])).toEqual([
      ["arg-enum-value-removed", '{"b":"x","a":"y"}'],
      ["arg-range-narrowed", '{"b":"A 1"}'],
      ["arg-range-narrowed", '{"b":""}'],
    ]);
  });
});

describe("every value is still taken: no error, and the reason where a rule says otherwise", () => {
  test.each<readonly [string, JsonSchema, JsonSchema]>([
    ["a pattern that every listed value matches", one(LISTED), one({ ...LISTED, pattern: "^[a-zA-Z]+$" })],
    ["a length that every listed value keeps", one(LISTED), one({ ...LISTED, maxLength: 3 })],
    ["nullable, said otherwise", one({ ...TEXT, nullable: true }), one({ type: ["string", "null"] })],
    ["a format that no validator knows", one(TEXT), one({ ...TEXT, format: "task-id" })],
    ["not, of another type", one(TEXT), one({ ...TEXT, not: { type: "array" } })],
    [
      "alternatives that cannot overlap",
      one({ anyOf: [TEXT, { type: "integer" }] }),
      one({ oneOf: [TEXT, { type: "integer" }] }),
    ],
    [
      "a condition that always holds",
      one(TEXT, { required: ["b"] }),
      one(TEXT, { required: ["b"], if: { required: ["a"] }, [THEN]: { required: ["b"] } }),
    ],
    ["a step that the range makes idle", one({ enum: [2, 4] }), one({ enum: [2, 4], multipleOf: 2 })],
    [
      "a recursive schema, moved",
      one({ $ref: "#/$defs/t" }, { $defs: { t: input({ kid: { $ref: "#/$defs/t" } }) } }),
      one({ $ref: "#/$defs/u" }, { $defs: { u: input({ kid: { $ref: "#/$defs/u" } }) } }),
    ],
    [
      "an item that a tuple always holds",
      one({ type: "array", prefixItems: [{ const: "x" }], minItems: 1 }),
      one({ type: "array", prefixItems: [{ const: "x" }], minItems: 1, contains: TEXT }),
    ],
    [
      "a filter of conditions, moved",
      one({ $ref: "#/$defs/t" }, filterIn("t")),
      one({ $ref: "#/$defs/u" }, filterIn("u")),
    ],
    ["a price that is a multiple of a cent", one({ const: 19.99 }), one({ const: 19.99, multipleOf: 0.01 })],
    ["whole numbers, said otherwise", one({ type: "integer" }), one({ type: "number", multipleOf: 1 })],
    ["a new optional argument", one(TEXT), input({ a: TEXT, b: TEXT, c: TEXT })],
  ])("for %s", (_, before, after) => {
    const found = inputs(before, after);
    expect(found.filter((finding) => finding.level !== "info")).toEqual([]);
    for (const { rule, level, reason } of found)
      if (BREAKING_RULES[rule as BreakingRule].level !== level)
        expect(reason).toBe("every value that was accepted still is");
  });

  test("the reason is said once, with the finding that it lowers", () => {
    const [found] = inputs(one(LISTED), one({ ...LISTED, not: { const: "other" } }));
    expect(found).toMatchObject({
      rule: "arg-type-narrowed",
      level: "info",
      reason: "every value that was accepted still is",
    });
  });
});

describe("neither proven nor refuted: a warning", () => {
  const apart = [
    { ...TEXT, pattern: "^a\\b" },
    { ...TEXT, pattern: "^b\\b" },
  ];

  test("without another finding, the input is undecided", () => {
    const [found] = inputs(one({ anyOf: apart }), one({ oneOf: apart }));
    expect(found).toMatchObject({ rule: "arg-undecided", level: "warning" });
    expect(found?.message).toMatch(/^undecided whether the input still takes every value \(\d+ values tried\)$/);
  });

  test("a finding that no value confirms says how many were tried", () => {
    const [found] = inputs(one({ ...TEXT, pattern: "^[a-z]+\\b" }), one({ ...TEXT, pattern: "^[a-z0-9]+\\b" }));
    expect(found?.reason).toMatch(/^undecided: none of \d+ values that were tried is refused$/);
  });

  test("the same input gives the same findings", () => {
    const run = () => inputs(one({ anyOf: apart }), one({ oneOf: [...apart, { maxLength: 3 }] }));
    expect(run()).toEqual(run());
  });
});

describe("results, with the direction turned", () => {
  test("a value that was impossible is an error that shows it", () => {
    const [found] = results(one({ enum: ["x"] }), one({ enum: ["x", "y"] }));
    expect(found).toMatchObject({ rule: "result-enum-value-added", level: "error", counterexample: '{"a":"y"}' });
  });

  test("less than before is harmless; names that the old schema does not know are ignored", () => {
    expect(worst(results(one(TEXT), one({ ...TEXT, maxLength: 3 })))).toBe("nothing");
    expect(
      worst(
        results(
          one(TEXT, { additionalProperties: false }),
          input({ a: TEXT, b: TEXT, c: TEXT }, { additionalProperties: false }),
        ),
      ),
    ).toBe("info");
  });
});

describe("rules across arguments", () => {
  const schema = input({ id: TEXT, email: TEXT });
  const compare = (before: readonly Constraint[], after: readonly Constraint[], own = schema): readonly Finding[] =>
    compareTools(
      [completeTool({ parameters_schema: own, constraints: before })],
      [completeTool({ parameters_schema: own, constraints: after })],
    );

  test("a new one shows a call that it refuses", () => {
    const [found] = compare([], [{ kind: "one_of", branches: [["id"], ["email"]] }]);
    expect(found).toMatchObject({ rule: "constraint-added", level: "error", counterexample: "{}" });
  });

  test("a second group of arguments that asks for one of them is a new rule", () => {
    const set = { kind: "at_least_one_change", of: ["id", "email"] } as const;
    const [found] = compare([set], [set, { ...set, of: ["id"] }]);
    expect(found).toMatchObject({ rule: "constraint-added", level: "error", counterexample: '{"email":""}' });
  });

  test("one that holds for a rare value shows that value", () => {
    const [found] = compare([], [{ kind: "requires", argument: "id", equals: "a@example.com", needs: ["email"] }]);
    expect(found).toMatchObject({ level: "error", counterexample: '{"id":"a@example.com"}' });
  });

  test("one that follows from what held before is harmless", () => {
    const both = { ...schema, required: ["id", "email"] } as JsonSchema;
    const [found] = compare([], [{ kind: "at_least_one_change", of: ["id", "email"] }], both);
    expect(found).toMatchObject({
      rule: "constraint-added",
      level: "info",
      reason: "it follows from what had to hold before",
    });
  });
});

describe("hostile schemas", () => {
  const many = (to: string) => Array.from({ length: 30 }, () => ({ $ref: to }));

  test("alternatives that hold each other end, and are no proof", () => {
    const webbed = (end: string) =>
      one(
        { $ref: "#/$defs/x" },
        {
          $defs: {
            x: { anyOf: [...many("#/$defs/y"), ...many("#/$defs/x")] },
            y: { oneOf: [...many("#/$defs/x"), { type: end }] },
          },
        },
      );
    expect(isContained(webbed("string"), webbed("integer"))).toBe(false);
  });

  test("a reference to itself ends", () => {
    const loop = one({ $ref: "#/properties/a" });
    expect(isContained(loop, one({ $ref: "#/properties/b" }))).toBe(false);
    expect(worst(inputs(loop, one({ type: "string" })))).not.toBe("nothing");
  });
});

describe("--explain", () => {
  test.each(Object.keys(BREAKING_RULES))("%s: what it finds, how it is decided, an example", (rule) => {
    const text = ruleExplanation(rule, BREAKING_RULES);
    expect(text).toMatch(/^[a-z-]+: .+\nlevel {4}(error|warning|info)\ntouches {2}.+\ndecided {2}.+\n/);
    expect(text).toMatch(/\nexample {2}.+\n$/);
    expect(text).not.toMatch(/undefined|NaN/);
  });

  test("a rule that does not exist is named, with the nearest one", () => {
    expect(() => ruleExplanation("arg-range-narowed", BREAKING_RULES)).toThrow("did you mean arg-range-narrowed?");
  });
});
