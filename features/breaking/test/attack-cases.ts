/** Changes that look harmless, or are hard to judge, each with a value that the old schema takes and the new one refuses. */

import type { Json } from "../../../test/support/project.js";

/** A schema of one argument `a`, its later form, and a value that tells them apart. */
export type Attack = readonly [title: string, before: Json, after: Json, refused: unknown];

/** The keyword, spelled so that no linter takes the schema for a promise. */
const THEN = "then";

const TEXT = { type: "string" };
const WHOLE = { type: "integer" };
const object = (properties: Json, rest: Json = {}): Json => ({ type: "object", properties, ...rest });
const kinds = (...branches: readonly Json[]): Json => ({ oneOf: branches });
const kind = (name: string, properties: Json, required: readonly string[] = []): Json =>
  object({ kind: { const: name }, ...properties }, { required: ["kind", ...required] });

const numbers: readonly Attack[] = [
  ["whole numbers only, with a step of one half", { type: "number" }, { type: "number", multipleOf: 0.5 }, 0.25],
  ["a step that is a fraction, then another", { multipleOf: 0.1 }, { multipleOf: 0.2 }, 0.1],
  ["a step of 0.35 is no step of 0.1", { const: 0.35 }, { multipleOf: 0.1 }, 0.35],
  [
    "1.0 is an integer, 1.5 is not",
    { type: "number", minimum: 1, maximum: 2 },
    { type: "integer", minimum: 1, maximum: 2 },
    1.5,
  ],
  ["bounds that look alike", { ...WHOLE, maximum: 10 }, { ...WHOLE, exclusiveMaximum: 10 }, 10],
  ["a bound between two whole numbers", { ...WHOLE, minimum: 1 }, { ...WHOLE, minimum: 1.5 }, 1],
  ["a large bound", { ...WHOLE }, { ...WHOLE, maximum: Number.MAX_SAFE_INTEGER - 1 }, Number.MAX_SAFE_INTEGER],
  ["a tiny exclusive bound", { type: "number", minimum: 0 }, { type: "number", exclusiveMinimum: 0 }, 0],
  ["negative steps of two", { ...WHOLE, multipleOf: 2 }, { ...WHOLE, multipleOf: 4 }, -2],
  ["a format with a range", WHOLE, { ...WHOLE, format: "int32" }, 2_147_483_648],
  ["numbers beside texts", { type: ["number", "string"] }, { anyOf: [{ type: "number", minimum: 0 }, TEXT] }, -1],
  [
    "one value left out in the middle",
    { ...WHOLE, minimum: 0, maximum: 500 },
    { ...WHOLE, minimum: 0, maximum: 500, not: { const: 237 } },
    237,
  ],
  ["all but one remainder", WHOLE, { ...WHOLE, not: { multipleOf: 97 } }, 97],
];

const texts: readonly Attack[] = [
  ["lengths count characters, not code units", { ...TEXT, pattern: "^.{2}$" }, { ...TEXT, maxLength: 1 }, "😀😀"],
  ["one emoji has length one", { enum: ["😀", "ab"] }, { enum: ["😀", "ab"], minLength: 2 }, "😀"],
  ["a pattern that loses one letter", { ...TEXT, pattern: "^[a-z]+$" }, { ...TEXT, pattern: "^[a-pr-z]+$" }, "q"],
  ["a pattern without its anchor", { ...TEXT, pattern: "abc" }, { ...TEXT, pattern: "^abc" }, "xabc"],
  ["digits of other scripts", { ...TEXT, pattern: "^\\p{Nd}+$" }, { ...TEXT, pattern: "^[0-9]+$" }, "٣"],
  [
    "an alternative that vanishes",
    { ...TEXT, pattern: "^(?:foo|bar|bazqux)$" },
    { ...TEXT, pattern: "^(?:foo|bar)$" },
    "bazqux",
  ],
  ["a repetition that is bounded", { ...TEXT, pattern: "^a*$" }, { ...TEXT, pattern: "^a{0,64}$" }, "a".repeat(65)],
  ["a lookahead", { ...TEXT, pattern: "^[a-z0-9]+$" }, { ...TEXT, pattern: "^(?=.*\\d)[a-z0-9]+$" }, "abc"],
  ["a negative lookahead for one word", TEXT, { ...TEXT, pattern: "^(?!admin$)" }, "admin"],
  ["a newline that a dot does not match", { ...TEXT, minLength: 1 }, { ...TEXT, pattern: "^.+$" }, "a\nb\n"],
  ["no white space at the ends", TEXT, { ...TEXT, pattern: "^\\S(?:.*\\S)?$" }, " a"],
  [
    "a second format beside the first",
    { ...TEXT, format: "uri" },
    { ...TEXT, format: "uri", pattern: "^https:" },
    "http://a.example/",
  ],
  [
    "dates that have a time",
    { ...TEXT, format: "date-time" },
    { ...TEXT, format: "date-time", maxLength: 20 },
    "2026-01-15T09:00:00.123Z",
  ],
  ["a forbidden word", TEXT, { ...TEXT, not: { enum: ["drop table"] } }, "drop table"],
  ["a forbidden beginning, nested twice", TEXT, { ...TEXT, not: { not: { not: { pattern: "^zz9" } } } }, "zz9"],
];

const unions: readonly Attack[] = [
  [
    "branches that overlap in whole numbers",
    kinds({ type: "number", maximum: 5 }, TEXT),
    kinds({ type: "number", maximum: 5 }, TEXT, { ...WHOLE, minimum: 5 }),
    5,
  ],
  [
    "branches that overlap in one property",
    kinds(object({ a: TEXT }, { required: ["a"] }), object({ b: TEXT }, { required: ["b"], not: { required: ["a"] } })),
    kinds(object({ a: TEXT }, { required: ["a"] }), object({ b: TEXT }, { required: ["b"] })),
    { a: "", b: "" },
  ],
  [
    "anyOf that becomes oneOf",
    {
      anyOf: [
        { ...TEXT, minLength: 3 },
        { ...TEXT, maxLength: 5 },
      ],
    },
    {
      oneOf: [
        { ...TEXT, minLength: 3 },
        { ...TEXT, maxLength: 5 },
      ],
    },
    "abcd",
  ],
  [
    "a branch behind a discriminator",
    kinds(kind("a", { v: TEXT }), kind("b", { v: WHOLE })),
    kinds(kind("a", { v: TEXT }), kind("b", { v: { ...WHOLE, minimum: 0 } })),
    { kind: "b", v: -1 },
  ],
  [
    "a discriminator that is renamed",
    kinds(kind("a", {}), kind("b", {})),
    kinds(kind("a", {}), kind("B", {})),
    { kind: "b" },
  ],
  [
    "an enum in pieces, one lost",
    { enum: ["a", "b", "c", null] },
    { anyOf: [{ enum: ["a", "b"] }, { const: null }] },
    "c",
  ],
  ["types in another order, one lost", { type: ["null", "array", "string"] }, { type: ["string", "null"] }, []],
  [
    "integer and number as branches of oneOf",
    { anyOf: [WHOLE, { type: "number" }] },
    { oneOf: [WHOLE, { type: "number" }] },
    1,
  ],
  [
    "a negation of a union",
    { type: ["string", "integer", "boolean"] },
    { type: ["string", "integer", "boolean"], not: { anyOf: [{ const: false }, { const: "" }] } },
    false,
  ],
  [
    "null only in one of two conjuncts",
    { allOf: [{ type: ["string", "null"] }] },
    { allOf: [{ type: ["string", "null"] }, TEXT] },
    null,
  ],
  [
    "a branch that accepts nothing",
    { anyOf: [TEXT, WHOLE] },
    { anyOf: [TEXT, { ...WHOLE, minimum: 2, maximum: 1 }] },
    3,
  ],
  ["const true and 1 differ", { enum: [1, true] }, { const: 1 }, true],
];

const objects: readonly Attack[] = [
  [
    "a dependent schema",
    object({ x: TEXT, y: {} }),
    object({ x: TEXT, y: {} }, { dependentSchemas: { x: { properties: { y: WHOLE } } } }),
    { x: "", y: "t" },
  ],
  [
    "a dependency of a dependency",
    object({ x: {}, y: {}, z: {} }, { dependentRequired: { x: ["y"] } }),
    object({ x: {}, y: {}, z: {} }, { dependentRequired: { x: ["y"], y: ["z"] } }),
    { y: 1 },
  ],
  [
    "unevaluated through a reference",
    { $ref: "#/$defs/r", type: "object" },
    { $ref: "#/$defs/r", type: "object", unevaluatedProperties: false },
    { q: 1 },
  ],
  [
    "unevaluated through nested references",
    { allOf: [{ $ref: "#/$defs/r" }, object({ q: TEXT })], unevaluatedProperties: false },
    { allOf: [{ $ref: "#/$defs/r" }], unevaluatedProperties: false, properties: {} },
    { q: "" },
  ],
  [
    "a pattern that covers a declared property",
    object({ count: { type: ["integer", "string"] } }),
    object({ count: { type: ["integer", "string"] } }, { patternProperties: { "^c": WHOLE } }),
    { count: "many" },
  ],
  [
    "a pattern in place of the others",
    object({}, { additionalProperties: TEXT }),
    object({}, { patternProperties: { "^[a-z]+$": TEXT }, additionalProperties: false }),
    { A: "" },
  ],
  [
    "names that may not be long",
    object({ identifier: TEXT }),
    object({ identifier: TEXT }, { propertyNames: { maxLength: 9 } }),
    { identifier: "" },
  ],
  [
    "no more than one of two",
    object({ x: {}, y: {} }),
    object({ x: {}, y: {} }, { not: { required: ["x", "y"] } }),
    { x: 1, y: 1 },
  ],
  [
    "as many properties as were possible, less one",
    object({ x: TEXT, y: TEXT }, { additionalProperties: false }),
    object({ x: TEXT, y: TEXT }, { additionalProperties: false, maxProperties: 1 }),
    { x: "", y: "" },
  ],
  [
    "a condition on an absent property",
    object({ m: { enum: ["u", "v"] }, n: {} }),
    object(
      { m: { enum: ["u", "v"] }, n: {} },
      { if: { properties: { m: { const: "u" } } }, [THEN]: { required: ["n"] } },
    ),
    {},
  ],
  [
    "a condition on a value deep inside",
    object({ m: object({ k: { enum: [1, 2] } }), n: {} }),
    object(
      { m: object({ k: { enum: [1, 2] } }), n: {} },
      {
        if: { required: ["m"], properties: { m: { required: ["k"], properties: { k: { const: 2 } } } } },
        [THEN]: { required: ["n"] },
      },
    ),
    { m: { k: 2 } },
  ],
  [
    "else without then",
    object({ m: {}, n: {} }),
    object({ m: {}, n: {} }, { if: { required: ["m"] }, else: { required: ["n"] } }),
    {},
  ],
  [
    "required in every branch",
    object({ x: {}, y: {} }),
    object({ x: {}, y: {} }, { anyOf: [{ required: ["x"] }, { required: ["y"] }] }),
    {},
  ],
  [
    "what was described is described otherwise",
    object({ x: TEXT, y: TEXT }),
    object({ x: TEXT }, { additionalProperties: { type: "number" } }),
    { y: "" },
  ],
  [
    "closed in a conjunct that does not see its siblings",
    { allOf: [object({ x: TEXT }), object({ y: TEXT })] },
    { allOf: [object({ x: TEXT }, { additionalProperties: false }), object({ y: TEXT })] },
    { y: "" },
  ],
  [
    "three properties that may not meet",
    object({ x: {}, y: {}, z: {} }),
    object({ x: {}, y: {}, z: {} }, { not: { required: ["x", "y", "z"] } }),
    { x: 1, y: 1, z: 1 },
  ],
  [
    "a pair of values",
    object({ m: { enum: ["u", "v"] }, n: { enum: ["p", "q"] } }, { required: ["m", "n"] }),
    object(
      { m: { enum: ["u", "v"] }, n: { enum: ["p", "q"] } },
      { required: ["m", "n"], not: { properties: { m: { const: "v" }, n: { const: "q" } } } },
    ),
    { m: "v", n: "q" },
  ],
  [
    "a name that reads like a keyword",
    object({ required: TEXT }),
    object({ required: TEXT }, { required: ["required"] }),
    {},
  ],
];

const lists: readonly Attack[] = [
  [
    "contains in a pair of numbers, as an alternative",
    {
      anyOf: [
        { type: "boolean" },
        { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], minItems: 2 },
      ],
    },
    {
      anyOf: [
        { type: "boolean" },
        {
          type: "array",
          prefixItems: [{ type: "number" }, { type: "number" }],
          minItems: 2,
          contains: { enum: ["must", 12] },
        },
      ],
    },
    [1, 20],
  ],
  [
    "contains behind a tuple",
    { type: "array", prefixItems: [TEXT] },
    { type: "array", prefixItems: [TEXT], contains: WHOLE },
    ["x"],
  ],
  [
    "at most one",
    { type: "array", items: { enum: ["a", "b"] } },
    { type: "array", items: { enum: ["a", "b"] }, contains: { const: "a" }, maxContains: 1 },
    ["a", "a"],
  ],
  [
    "contains none is fewer than two",
    { type: "array", items: WHOLE, contains: { minimum: 3 }, minContains: 1 },
    { type: "array", items: WHOLE, contains: { minimum: 3 }, minContains: 2 },
    [3],
  ],
  [
    "a tuple that is closed",
    { type: "array", prefixItems: [TEXT, TEXT] },
    { type: "array", prefixItems: [TEXT, TEXT], items: false },
    ["", "", ""],
  ],
  ["the third item only", { type: "array" }, { type: "array", prefixItems: [true, true, TEXT] }, [1, 1, 1]],
  [
    "items without a repetition, of two values",
    { type: "array", items: { enum: ["a", "b"] } },
    { type: "array", items: { enum: ["a", "b"] }, uniqueItems: true },
    ["a", "a"],
  ],
  [
    "equal objects in another order of keys",
    { type: "array" },
    { type: "array", uniqueItems: true },
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
  ],
  [
    "unevaluated items behind contains",
    { type: "array", contains: TEXT },
    { type: "array", contains: TEXT, allOf: [{ prefixItems: [TEXT] }], unevaluatedItems: { type: "boolean" } },
    [1, "x"],
  ],
  [
    "a long list",
    { type: "array", items: WHOLE },
    { type: "array", items: WHOLE, maxItems: 1000 },
    Array.from({ length: 1001 }, () => 1),
  ],
  [
    "a list in a list in a list",
    { type: "array", items: { type: "array", items: { type: "array", items: TEXT } } },
    { type: "array", items: { type: "array", items: { type: "array", items: { ...TEXT, minLength: 1 } } } },
    [[[""]]],
  ],
  [
    "items as a list in the older form",
    { type: "array", items: [TEXT, WHOLE] },
    { type: "array", items: [TEXT, WHOLE], additionalItems: false },
    ["", 1, 2],
  ],
];

const references: readonly Attack[] = [
  ["a recursive schema, narrowed at depth two", { $ref: "#/$defs/t" }, { $ref: "#/$defs/u" }, { k: { k: { v: -1 } } }],
  ["a reference with a sibling", { $ref: "#/$defs/r" }, { $ref: "#/$defs/r", required: ["p"] }, {}],
  ["a reference to a reference", { $ref: "#/$defs/s" }, { $ref: "#/$defs/s", maxProperties: 1 }, { p: "", q: "" }],
  ["mutual recursion", { $ref: "#/$defs/even" }, { $ref: "#/$defs/odd" }, {}],
];

/** Definitions that references of the attacks lead to. */
export const DEFINITIONS: Json = {
  r: object({ p: TEXT }),
  s: { $ref: "#/$defs/r" },
  t: object({ v: WHOLE, k: { $ref: "#/$defs/t" } }),
  u: object({
    v: WHOLE,
    k: object({ v: WHOLE, k: object({ v: { ...WHOLE, minimum: 0 }, k: { $ref: "#/$defs/t" } }) }),
  }),
  even: object({ next: { $ref: "#/$defs/odd" } }),
  odd: object({ next: { $ref: "#/$defs/even" } }, { required: ["next"] }),
};

/** Every attack. */
export const ATTACKS: readonly Attack[] = [...numbers, ...texts, ...unions, ...objects, ...lists, ...references];
