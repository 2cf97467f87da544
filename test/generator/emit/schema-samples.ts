/** Random JSON Schemas, and values that are likely to fit them, for tests that compare what is emitted with the validator. */

import fc from "fast-check";

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

const NAMES = ["a", "b", "x1"] as const;
const name = fc.constantFrom(...NAMES);
const scalar = fc.constantFrom("s", "t", "", 0, 1, 2.5, true, false, null);
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
})).value;

/** Parts of a schema; `schema` is any of them. */
interface Parts {
  schema: Schema | boolean;
  typed: Schema;
  object: Schema;
  objectPart: Schema;
  array: Schema;
  tuple: Schema;
  composed: Schema;
}

const count = fc.option(fc.nat({ max: 3 }), { nil: undefined });
const some = (members: Schema): Schema =>
  Object.fromEntries(Object.entries(members).filter(([, one]) => one !== undefined));

const parts = fc.letrec<Parts>((tie) => {
  const below = tie("schema");
  const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
  const members = {
    properties: maybe(fc.dictionary(name, below, { maxKeys: 3 })),
    required: maybe(fc.uniqueArray(name, { maxLength: 2 })),
    patternProperties: maybe(fc.dictionary(fc.constantFrom("^x", "1$", ".*"), below, { maxKeys: 1 })),
    additionalProperties: maybe(fc.oneof(fc.boolean(), below)),
  };
  const condition = fc.record({
    if: fc.constantFrom<Schema | boolean>({ required: ["a"] }, { properties: { b: { type: "string" } } }, true),
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema.
    then: fc.record({
      properties: fc.dictionary(name, below, { maxKeys: 1 }),
      required: fc.uniqueArray(name, { maxLength: 1 }),
    }),
  });
  const counts = { minItems: count, maxItems: maybe(fc.nat({ max: 3 }).map((most) => most + 1)) };
  const lists = fc.array(below, { minLength: 1, maxLength: 2 });
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      tie("typed"),
      tie("object"),
      tie("array"),
      tie("tuple"),
      tie("composed"),
      fc.boolean(),
    ) as never,
    typed: fc.oneof(
      fc.constantFrom<Schema>(
        { type: "string" },
        { type: "integer", minimum: 0 },
        { type: "number" },
        { type: "boolean" },
        { type: "null" },
        { type: "string", minLength: 1, nullable: true },
        { type: ["string", "null"] },
        { $ref: "#/$defs/D" },
        {},
        { minLength: 1 },
        { not: { type: "string" } },
      ),
      fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }).map((all) => ({ enum: all })),
      value.map((one) => ({ const: one })),
    ),
    object: fc
      .tuple(
        fc.record({ ...members, type: fc.constantFrom("object", ["object", "null"], ["object", "string"]) }),
        maybe(condition),
      )
      .map(([one, more]) => some({ ...one, ...more })),
    objectPart: fc.record(members).map(some),
    array: fc.record({ type: fc.constantFrom("array", ["array", "string"]), items: maybe(below), ...counts }).map(some),
    tuple: fc
      .record({
        type: fc.constant("array"),
        prefixItems: lists,
        items: maybe(fc.oneof(fc.boolean(), below)),
        ...counts,
      })
      .map(some),
    composed: fc.oneof(
      fc.record({ anyOf: lists }),
      fc.record({ oneOf: lists }),
      fc.record({ allOf: lists }),
      fc
        .tuple(
          tie("object"),
          fc.constantFrom("allOf", "anyOf", "oneOf"),
          fc.array(tie("objectPart"), { minLength: 1, maxLength: 2 }),
        )
        .map(([object, key, list]) => ({ ...(object as Schema), [key]: list })),
      fc
        .tuple(
          fc.uniqueArray(name, { minLength: 1, maxLength: 2 }),
          fc.array(tie("object"), { minLength: 1, maxLength: 2 }),
        )
        .map(([required, allOf]) => ({ required, allOf })),
      tie("objectPart").map((part) => ({ $ref: "#/$defs/O", ...(part as Schema) })),
    ),
  };
});

/** The forms of tuples before 2020-12. */
function asDraft07(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(asDraft07);
  if (typeof node !== "object" || node === null) return node;
  const { prefixItems, items, ...rest } = Object.fromEntries(
    Object.entries(node).map(([key, one]) => [key, key === "const" || key === "enum" ? one : asDraft07(one)]),
  );
  if (prefixItems === undefined) return { ...rest, ...(items === undefined ? {} : { items }) };
  return { ...rest, items: prefixItems, ...(items === undefined ? {} : { additionalItems: items }) };
}

/** A tool's input of one argument, `v`, of a random schema. */
export const inputs: fc.Arbitrary<Schema> = fc
  .tuple(parts.schema, parts.typed, parts.object, fc.boolean())
  .map(([v, D, O, isOld]) => {
    const $defs = { D: "$ref" in D ? { type: "string" } : D, O };
    const whole = { type: "object", properties: { v }, required: ["v"], $defs };
    return isOld
      ? { $schema: "http://json-schema.org/draft-07/schema#", ...(asDraft07(whole) as Schema) }
      : { $schema: "https://json-schema.org/draft/2020-12/schema", ...whole };
  });

const isMap = (one: unknown): one is Schema => typeof one === "object" && one !== null && !Array.isArray(one);

/** Values that are likely to fit a schema; `pick` is a number below its argument. */
function likely(schema: unknown, defs: Schema, pick: (below: number) => number, depth = 0): unknown {
  const of = (one: unknown): unknown => likely(one, defs, pick, depth + 1);
  const oneOf = (all: readonly unknown[]): unknown => all[pick(all.length)];
  if (!isMap(schema) || depth > 6) return oneOf(["s", 1, true, null, [], {}]);
  const { $ref, const: fixed, enum: values, allOf, anyOf, oneOf: either, type, ...own } = schema;
  if ("const" in schema) return fixed;
  if (Array.isArray(values)) return oneOf(values);
  const joined = [
    ...(typeof $ref === "string" ? [defs[$ref.slice("#/$defs/".length)]] : []),
    ...(Array.isArray(allOf) ? allOf : []),
    ...(Array.isArray(anyOf) ? [oneOf(anyOf)] : []),
    ...(Array.isArray(either) ? [oneOf(either)] : []),
  ];
  if (joined.length > 0) {
    const rest = { ...own, ...(type === undefined ? {} : { type }) };
    const made = [...(Object.keys(rest).length > 0 ? [of(rest)] : []), ...joined.map(of)];
    return made.every(isMap) ? Object.assign({}, ...made.toReversed()) : oneOf(made);
  }
  const isNull = schema["nullable"] === true && pick(2) === 0;
  const chosen = isNull
    ? "null"
    : Array.isArray(type)
      ? oneOf(type)
      : (type ?? ("required" in own || "properties" in own ? "object" : "any"));
  return byType(String(chosen), own, { of, oneOf, pick });
}

interface Making {
  readonly of: (one: unknown) => unknown;
  readonly oneOf: (all: readonly unknown[]) => unknown;
  readonly pick: (below: number) => number;
}

function byType(type: string, own: Schema, { of, oneOf, pick }: Making): unknown {
  const { properties, patternProperties, additionalProperties, required, items, prefixItems, additionalItems } = own;
  if (type === "string") return oneOf(["s", "t", ""]);
  if (type === "integer") return oneOf([0, 1]);
  if (type === "number") return oneOf([0, 2.5]);
  if (type === "boolean") return oneOf([true, false]);
  if (type === "null") return null;
  if (type === "array") {
    const tuple = [prefixItems, items].find(Array.isArray) ?? [];
    const rest = Array.isArray(prefixItems) ? items : Array.isArray(items) ? additionalItems : items;
    return Array.from({ length: pick(4) }, (_, at) => of(at < tuple.length ? tuple[at] : rest));
  }
  if (type !== "object") return oneOf(["s", 1, true, null, [], {}]);
  const then = isMap(own["then"]) && isMap(own["then"]["properties"]) ? own["then"]["properties"] : {};
  const declared = { ...then, ...(isMap(properties) ? properties : {}) };
  const extra = isMap(patternProperties) || additionalProperties !== undefined ? NAMES : [];
  const names = [...Object.keys(declared), ...(Array.isArray(required) ? required : []), ...extra];
  const matching = (one: string): unknown =>
    Object.entries(isMap(patternProperties) ? patternProperties : {}).find(([pattern]) =>
      new RegExp(pattern).test(one),
    )?.[1];
  const kept = [...new Set(names)].filter((one) => pick(3) > 0 || (Array.isArray(required) && required.includes(one)));
  return Object.fromEntries(kept.map((one) => [one, of(declared[one] ?? matching(one) ?? additionalProperties)]));
}

/**
 * Values for `v` of an input, with random ones among them. Objects have members that the schema names, or allows by a word of its own:
 * TypeScript takes no object that has no member in common with a type whose members are all optional.
 */
export function valuesFor(input: Schema, seed: number): readonly unknown[] {
  const { properties, $defs, definitions } = input as Readonly<Record<string, Schema>>;
  let state = seed;
  const pick = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
  const guided = Array.from({ length: 24 }, () => likely(properties?.["v"], $defs ?? definitions ?? {}, pick));
  const all = [...guided, ...fc.sample(fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), { numRuns: 6, seed })];
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}
