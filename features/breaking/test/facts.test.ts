/** What schemas say of one value: references, `allOf` and dependents spread out, types, ranges, names, and the views that differ. */

import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../../runtime/contract/registry.js";
import {
  alwaysPresentNames,
  boundsOf,
  declaresProperty,
  type Facts,
  factsOf,
  greatestLimit,
  isOpen,
  itemFacts,
  leastLimit,
  listedIn,
  memberFacts,
  namesIn,
  possibleValues,
  stepsOf,
  textPatterns,
  typesIn,
} from "../facts.js";
import { comparableSchema, equalityText, isSameText, referencedSchema, rootNode } from "../node.js";
import { possibleNames } from "../possible-names.js";
import { differingSchemas, newViews, viewsOf } from "../views.js";

const THEN = "then";
const node = (schema: object) => rootNode(schema as JsonSchema);
const facts = (...schemas: readonly object[]): Facts => factsOf(schemas.map(node)) ?? [];
const own = (all: readonly { readonly schema: unknown }[] | undefined) => all?.map(({ schema }) => schema);

describe("facts", () => {
  test("follow references and allOf, each schema once", () => {
    const root = {
      $ref: "#/$defs/a",
      minLength: 1,
      $defs: { a: { type: "string", allOf: [{ maxLength: 9 }, { $ref: "#" }] } },
    };
    expect(own(facts(root))).toEqual([root, root.$defs.a, { maxLength: 9 }, { $ref: "#" }]);
    expect(own(facts({ $ref: "#/$defs/none" }))).toEqual([{ $ref: "#/$defs/none" }]);
    expect(own(facts({ allOf: [true] }))).toEqual([{ allOf: [true] }]);
  });

  test("are undefined for a schema that accepts no value", () => {
    expect(factsOf([node({ allOf: [false] })])).toBeUndefined();
    expect(factsOf([node({ $ref: "#/$defs/a", $defs: { a: false } })])).toBeUndefined();
    expect(factsOf([node({ required: ["a"], dependentSchemas: { a: false } })])).toBeUndefined();
    expect(own(factsOf([node({ dependentSchemas: { a: false } })]))).toHaveLength(1);
  });

  test("hold what depends on a property that is always there", () => {
    for (const keyword of ["dependentSchemas", "dependencies"]) {
      const schema = { required: ["a"], [keyword]: { a: { minProperties: 2 }, b: { maxProperties: 1 } } };
      expect(own(facts(schema))).toEqual([schema, { minProperties: 2 }]);
    }
    expect(own(facts({ required: ["a"], dependencies: { a: ["b"] } }))).toHaveLength(1);
  });

  test("are two hundred at most", () => {
    expect(facts({ allOf: Array.from({ length: 300 }, (_, i) => ({ minLength: i })) })).toHaveLength(200);
  });
});

describe("types and values", () => {
  test.each<readonly [schemas: readonly object[], types: readonly string[]]>([
    [[{}], ["null", "boolean", "integer", "number", "string", "array", "object"]],
    [[{ type: "number" }], ["integer", "number"]],
    [[{ type: "integer" }], ["integer"]],
    [[{ type: ["string", "null"] }, { type: ["null", "array"] }], ["null"]],
    [[{ type: "string", nullable: true }], ["null", "string"]],
    [[{ type: "string", nullable: false }], ["string"]],
    [[{ type: "number", multipleOf: 2 }], ["integer"]],
    [[{ type: "number", multipleOf: 0.5 }], ["integer", "number"]],
    [[{ type: "string" }, { type: "array" }], []],
  ])("of %j are %j", (schemas, types) => expect(typesIn(facts(...schemas))).toEqual(types));

  test.each<readonly [schemas: readonly object[], values: readonly unknown[] | undefined]>([
    [[{ enum: [1, 2, 3] }, { enum: [2, 3] }, { maximum: 2 }], [2]],
    [[{ const: 1 }, { enum: [1, 2] }], [1]],
    [[{ const: 1, enum: [2] }], []],
    [[{ type: "boolean" }], [true, false]],
    [[{ type: ["boolean", "null"] }], [null, true, false]],
    [[{ type: "integer", minimum: 2, exclusiveMaximum: 5 }], [2, 3, 4]],
    [[{ type: "integer", minimum: 2, maximum: 1 }], []],
    [[{ type: "integer", minimum: 1, maximum: 100 }], Array.from({ length: 100 }, (_, i) => i + 1)],
    [[{ type: "integer", minimum: 1, maximum: 101 }], undefined],
    [[{ type: "integer", minimum: 1 }], undefined],
    [[{ type: "number", minimum: 1, maximum: 2 }], undefined],
    [[{ type: "string" }], undefined],
    [[{ enum: "ab" }], undefined],
  ])("of %j are listed: %j", (schemas, values) => {
    const found = possibleValues(facts(...schemas), { left: 1e6 });
    expect(found).toEqual(values);
  });

  test("const comes before enum", () => {
    expect([
      listedIn({ const: 1, enum: [2] }),
      listedIn({ enum: [2] }),
      listedIn({}),
      listedIn({ const: null }),
    ]).toEqual([[1], [2], undefined, [null]]);
  });
});

describe("ranges", () => {
  const bounds = (type: "integer" | "number", ...schemas: readonly object[]) => {
    const { low, high, lowOpen, highOpen } = boundsOf(facts(...schemas), type);
    return [low, high, lowOpen, highOpen];
  };

  test("are the narrowest of all facts, whole for an integer", () => {
    expect(bounds("number", { minimum: 1, maximum: 9 }, { minimum: 2, maximum: 8 })).toEqual([2, 8, false, false]);
    expect(bounds("number", { minimum: 1, exclusiveMinimum: 1 }, { maximum: 9, exclusiveMaximum: 9 })).toEqual([
      1,
      9,
      true,
      true,
    ]);
    expect(bounds("number", { exclusiveMinimum: 1, minimum: 2, maximum: 3, exclusiveMaximum: 4 })).toEqual([
      2,
      3,
      false,
      false,
    ]);
    expect(bounds("integer", { minimum: 1.5, maximum: 4.5 })).toEqual([2, 4, false, false]);
    expect(bounds("integer", { exclusiveMinimum: 1, exclusiveMaximum: 4 })).toEqual([2, 3, false, false]);
    expect(bounds("integer", { exclusiveMinimum: 1.5, exclusiveMaximum: 3.5 })).toEqual([2, 3, false, false]);
    expect(bounds("integer", { minimum: "1" })).toEqual([-Infinity, Infinity, false, false]);
  });

  test("of one keyword, and steps", () => {
    const all = facts({ minLength: 2, maxLength: 7, multipleOf: 3 }, { minLength: 4, maxLength: 6 });
    expect([
      greatestLimit(all, "minLength", 0),
      greatestLimit(all, "minItems", 1),
      leastLimit(all, "maxLength"),
      leastLimit(all, "maxItems"),
    ]).toEqual([4, 1, 6, Infinity]);
    expect([stepsOf(all, "integer"), stepsOf(all, "number")]).toEqual([[3, 1], [3]]);
  });

  test("of texts are patterns", () => {
    expect(textPatterns(facts({ pattern: "^a" }, { pattern: "^a" }, { pattern: 7 }))).toEqual(["^a"]);
    const lengths = textPatterns(facts({ pattern: "^a", minLength: 2 }));
    expect([lengths[0], lengths.length]).toEqual(["^a", 2]);
    expect([..."abc"].map((_, i) => new RegExp(lengths[1] ?? "", "u").test("x".repeat(i + 1)))).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe("names", () => {
  test("that are always there follow from each other", () => {
    const names = (...schemas: readonly object[]) => [...alwaysPresentNames(facts(...schemas))];
    expect(names({ required: ["a"] }, { required: ["b", 7] })).toEqual(["a", "b"]);
    expect(
      names({ required: ["a"], dependentRequired: { a: ["b"], x: ["y"] } }, { dependencies: { b: ["c"] } }),
    ).toEqual(["a", "b", "c"]);
    expect(names({ required: ["a"], dependencies: { a: { required: ["z"] } } })).toEqual(["a", "z"]);
    expect([...namesIn(facts({ required: ["a"], properties: { b: {}, a: {} } }))]).toEqual(["b", "a"]);
  });

  test("are declared by name or pattern; undecided patterns count", () => {
    const [one] = facts({ properties: { a: {} }, patternProperties: { "^x": {}, "(": {} } });
    const [plain] = facts({ properties: { a: {} }, patternProperties: { "^x": {} } });
    const said = (name: string) => [one && declaresProperty(one, name), plain && declaresProperty(plain, name)];
    expect(["a", "xa", "b", "constructor"].map(said)).toEqual([
      [true, true],
      [true, true],
      [true, false],
      [true, false],
    ]);
  });

  test("are free where nothing is said of further ones", () => {
    const open = (schema: object) => facts(schema).map(isOpen);
    expect([{}, { additionalProperties: true }, { additionalProperties: {} }].flatMap(open)).toEqual([
      true,
      true,
      true,
    ]);
    expect([{ additionalProperties: false }, { additionalProperties: { type: "null" } }].flatMap(open)).toEqual([
      false,
      false,
    ]);
  });

  test("have schemas, and so have items", () => {
    const all = facts(
      { properties: { a: { minLength: 1 } }, additionalProperties: { maxLength: 2 } },
      { patternProperties: { "^a": { type: "string" } } },
    );
    expect([own(memberFacts(all, "a")), own(memberFacts(all, "b"))]).toEqual([
      [{ minLength: 1 }, { type: "string" }],
      [{ maxLength: 2 }],
    ]);
    const items = facts(
      { prefixItems: [{ const: 1 }], items: { const: 2 } },
      { items: [{ const: 3 }], additionalItems: false },
      {},
    );
    expect([own(itemFacts(items, 0)), own(itemFacts(items, 1))]).toEqual([
      [{ const: 1 }, { const: 3 }, true],
      [{ const: 2 }, false, true],
    ]);
  });

  test.each<readonly [schemas: readonly object[], names: readonly string[] | undefined]>([
    [[{}], undefined],
    [[{ properties: { a: {} }, additionalProperties: false }], ["a"]],
    [[{ additionalProperties: false }], []],
    [[{ properties: { a: {} }, patternProperties: { x: {} }, additionalProperties: false }], undefined],
    [[{ properties: { a: {} }, patternProperties: {}, additionalProperties: false }], ["a"]],
    [
      [
        { properties: { a: {}, b: {} }, additionalProperties: false },
        { properties: { b: {}, c: {} }, additionalProperties: false },
      ],
      ["b"],
    ],
    [[{ properties: { a: {} }, unevaluatedProperties: false }], ["a"]],
    [[{ properties: { a: {} }, unevaluatedProperties: { type: "null" } }], undefined],
    [[{ properties: { a: {} }, additionalProperties: {}, unevaluatedProperties: false }], undefined],
    [[{ properties: { a: {} }, anyOf: [{ properties: { b: {} } }, true], unevaluatedProperties: false }], ["a", "b"]],
    [[{ oneOf: [{ properties: { b: {} } }], unevaluatedProperties: false }], ["b"]],
    [
      [
        {
          if: { properties: { a: {} } },
          [THEN]: { properties: { b: {} } },
          else: { properties: { c: {} } },
          unevaluatedProperties: false,
        },
      ],
      ["a", "b", "c"],
    ],
    [[{ dependentSchemas: { a: { properties: { b: {} } } }, unevaluatedProperties: false }], ["b"]],
    [[{ dependencies: { a: { properties: { b: {} } }, c: ["d"] }, unevaluatedProperties: false }], ["b"]],
    [[{ $ref: "#/$defs/a", $defs: { a: { properties: { b: {} } } }, unevaluatedProperties: false }], ["b"]],
    [[{ $ref: "#/$defs/none", unevaluatedProperties: false }], undefined],
    [[{ $dynamicRef: "#a", unevaluatedProperties: false }], undefined],
    [[{ $recursiveRef: "#", unevaluatedProperties: false }], undefined],
    [[{ anyOf: [{ patternProperties: { x: {} } }], unevaluatedProperties: false }], undefined],
    [[{ anyOf: [{ unevaluatedProperties: {} }], unevaluatedProperties: false }], undefined],
    [[{ anyOf: [{ $ref: "#" }], properties: { a: {} }, unevaluatedProperties: false }], ["a"]],
  ])("that %j may have at all: %j", (schemas, names) => {
    const found = possibleNames(schemas.map(node));
    expect(found && [...found]).toEqual(names);
  });
});

describe("views", () => {
  test("are all schemas about the same value, at any depth", () => {
    const parts = Array.from({ length: 9 }, (_, i) => ({ minimum: i }));
    const [a, b, c, d, e, f, g, h, i] = parts;
    const schema = {
      $ref: "#/$defs/r",
      allOf: [a, { not: b }],
      anyOf: [c],
      oneOf: [d],
      if: e,
      [THEN]: f,
      else: g,
      dependentSchemas: { x: h },
      dependencies: { y: i, z: ["x"] },
      properties: { no: { minimum: 99 } },
      $defs: { r: { minimum: 50 } },
    };
    const views = own(viewsOf([node(schema)])) ?? [];
    for (const one of [schema, ...parts, { not: b }, { minimum: 50 }]) expect(views).toContainEqual(one);
    expect(views).toHaveLength(12);
    expect(viewsOf([node({ anyOf: Array.from({ length: 100 }, (_, at) => ({ minimum: at })) })])).toHaveLength(80);
  });

  test("of the new side are those that the old one lacks; conditions stay", () => {
    const old = viewsOf([node({ allOf: [{ minimum: 1 }, { minimum: 2 }] })]);
    const later = node({
      anyOf: [{ minimum: 1 }, { minimum: 3 }],
      if: { minimum: 2 },
      [THEN]: { minimum: 2 },
      not: { allOf: [{ minimum: 1 }] },
    });
    expect(own(newViews(old, [later]))?.slice(1)).toEqual([
      { minimum: 3 },
      { allOf: [{ minimum: 1 }] },
      { minimum: 2 },
      { minimum: 1 },
    ]);
  });

  test("of a part differ unless a fact says the same", () => {
    const [one, other] = [node({ minimum: 1 }), node({ minimum: 2 })];
    const every = { schema: true, root: {} as JsonSchema };
    expect(differingSchemas([one], [node({ minimum: 1 }), other, every])).toEqual([other]);
  });
});

describe("schemas", () => {
  test("are compared without prose", () => {
    const prose =
      "title description default examples example $comment $schema deprecated readOnly writeOnly x-any".split(" ");
    const schema = {
      type: "object",
      ...Object.fromEntries(prose.map((one) => [one, "a"])),
      properties: { title: { title: "b", type: "string" } },
    };
    expect(node(schema).schema).toEqual({ type: "object", properties: { title: { type: "string" } } });
  });

  test("of draft 4 have bounds that are flags; unevaluated members are additional ones where nothing else evaluates", () => {
    const of = (schema: object) => comparableSchema(schema as JsonSchema);
    expect(of({ minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: false })).toEqual({
      exclusiveMinimum: 1,
      maximum: 2,
    });
    expect(of({ exclusiveMaximum: true })).toEqual({});
    expect(of({ properties: { a: { maximum: 2, exclusiveMaximum: true } } })).toEqual({
      properties: { a: { exclusiveMaximum: 2 } },
    });
    expect(of({ unevaluatedProperties: false })).toEqual({ additionalProperties: false });
    expect(of({ unevaluatedProperties: false, additionalProperties: {} })).toEqual({ additionalProperties: {} });
    expect(of({ unevaluatedItems: false })).toEqual({ items: false });
    expect(of({ unevaluatedItems: false, items: [{}] })).toEqual({ items: [{}], additionalItems: false });
    const kept = [
      { unevaluatedItems: false, contains: {} },
      ...["$ref", "$dynamicRef", "$recursiveRef"].map((one) => ({ [one]: "#", unevaluatedProperties: false })),
      ...["allOf", "anyOf", "oneOf"].map((one) => ({ [one]: [{}], unevaluatedProperties: false })),
      { if: {}, unevaluatedProperties: false },
      { dependentSchemas: {}, unevaluatedProperties: false },
    ];
    for (const one of kept) expect(of(one)).toEqual(one);
  });

  test("are found by references into the same document", () => {
    const root = node({ $defs: { "a/b": { const: 1 }, no: false, n: 7 }, items: [{ const: 2 }] });
    const found = (ref: unknown) => referencedSchema(root, ref)?.schema;
    expect([
      found("#"),
      found("#/$defs/a~1b"),
      found("#/$defs/a%2Fb"),
      found("#/$defs/no"),
      found("#/items/0"),
    ]).toEqual([root.schema, { const: 1 }, { const: 1 }, false, { const: 2 }]);
    for (const ref of [
      "#/$defs/n",
      "#/$defs/none",
      "#/$defs/n/x",
      "#/%",
      "#a",
      "other",
      "#/$defs/constructor",
      7,
      undefined,
    ])
      expect([ref, found(ref)]).toEqual([ref, undefined]);
    expect(referencedSchema(root, "#")).toBe(referencedSchema(root, "#"));
  });

  test("are the same if their text is, and the definitions that they name", () => {
    expect([equalityText({ b: 1, a: 2 }), equalityText(undefined), equalityText(false)]).toEqual([
      '{"a":2,"b":1}',
      "true",
      "false",
    ]);
    const at = (schema: object, root: object) => ({ schema, root: root as JsonSchema });
    const same = (schema: object, a: object, b: object) => isSameText(at(schema, a), at({ ...schema }, b));
    const [one, two] = [{ $defs: { x: { const: 1 } } }, { $defs: { x: { const: 2 } } }];
    expect([
      same({ type: "string" }, one, two),
      same({ $ref: "#/$defs/x" }, one, two),
      same({ $ref: "#/$defs/x" }, one, { ...one }),
    ]).toEqual([true, false, true]);
    expect(same({ $ref: "#/definitions/x" }, { definitions: { x: {} } }, { definitions: { x: {} } })).toBe(true);
    expect([same({ $ref: "#" }, one, { ...one }), same({ $dynamicRef: "#a" }, one, { ...one })]).toEqual([
      false,
      false,
    ]);
    const leading = { $defs: { x: { $ref: "#/properties/y" } } };
    expect(same({ $ref: "#/$defs/x" }, leading, { ...leading })).toBe(false);
    expect(isSameText(at({ const: 1 }, one), at({ const: 2 }, one))).toBe(false);
    expect([same({ $ref: "#" }, one, one)]).toEqual([true]);
  });
});
