/**
 * Seeded changes of unions: alternatives that overlap, exclude each other, close an object or depend on a property. Every object over a few
 * names and values is tried with Ajv, so that the truth does not depend on a sample.
 */

import type { Json } from "../../../../test/support/project.js";
import { randomOf } from "../../../../test/support/random.js";
import { validatorOf } from "./oracle.js";
import type { Pair } from "./pairs.js";

/** The keyword, spelled so that no linter takes the schema for a promise. */
const THEN = "then";

type Random = () => number;

const pick = <T>(items: readonly T[], random: Random): T => items[Math.floor(random() * items.length)] as T;
const NAMES = ["id", "kind", "note"] as const;
const VALUES: readonly unknown[] = ["a", "b", 1, true, {}, { at: "a" }, { at: 1 }];
const PATTERNS = ["^i", "d", "^note$"];
const TYPES: readonly Json[] = [
  { type: "string" },
  { type: "integer" },
  { type: ["string", "integer"] },
  { enum: ["a", "b"] },
  { const: "a" },
  { const: "b" },
  { type: "boolean" },
  {},
  { type: "object" },
  { type: "object", properties: { at: { type: "string" } } },
];

/** What an alternative may say of an object. */
const PARTS: Readonly<Record<string, (random: Random) => Json>> = {
  properties: (random) => ({
    properties: Object.fromEntries(
      NAMES.filter(() => random() < 0.5).map((name) => [name, structuredClone(pick(TYPES, random))]),
    ),
  }),
  required: (random) => ({ required: NAMES.filter(() => random() < 0.4) }),
  closed: (random) => ({ additionalProperties: random() < 0.7 ? false : structuredClone(pick(TYPES, random)) }),
  not: (random) => ({ not: { required: [pick(NAMES, random)] } }),
  notValue: (random) => ({ not: { properties: { [pick(NAMES, random)]: structuredClone(pick(TYPES, random)) } } }),
  condition: (random) => ({
    if: { properties: { kind: { const: "a" } }, required: ["kind"] },
    [pick([THEN, "else"], random)]: {
      [pick(["required", "properties"], random)]: undefined,
      ...(random() < 0.5
        ? { required: [pick(NAMES, random)] }
        : { properties: { id: structuredClone(pick(TYPES, random)) } }),
    },
  }),
  dependent: (random) => ({ dependentSchemas: { [pick(NAMES, random)]: { required: [pick(NAMES, random)] } } }),
  dependentValue: (random) => ({
    dependentSchemas: {
      [pick(NAMES, random)]: { properties: { [pick(NAMES, random)]: structuredClone(pick(TYPES, random)) } },
    },
  }),
  dependentRequired: (random) => ({ dependentRequired: { [pick(NAMES, random)]: [pick(NAMES, random)] } }),
  names: (random) => ({ propertyNames: { enum: NAMES.filter(() => random() < 0.6) } }),
  count: (random) =>
    random() < 0.5 ? { minProperties: 1 + Math.floor(random() * 2) } : { maxProperties: 1 + Math.floor(random() * 2) },
  patterns: (random) => ({
    patternProperties: { [pick(PATTERNS, random)]: structuredClone(pick(TYPES, random)) },
  }),
};

const USUAL = ["properties", "properties", "required", "closed"];

function part(random: Random): Json {
  const name = random() < 0.6 ? pick(USUAL, random) : pick(Object.keys(PARTS), random);
  const made = PARTS[name]?.(random) ?? {};
  return JSON.parse(JSON.stringify(made));
}

function alternative(random: Random): Json {
  const scalar = random() < 0.06 ? pick(TYPES, random) : undefined;
  if (scalar) return structuredClone(scalar);
  const parts = Array.from({ length: Math.floor(random() * 4) }, () => part(random));
  return Object.assign(random() < 0.8 ? { type: "object" } : {}, ...parts);
}

function union(random: Random): Json {
  const alternatives = Array.from({ length: 2 + Math.floor(random() * 2) }, () => alternative(random));
  const beside = random() < 0.3 ? part(random) : {};
  const rest = random() < 0.15 ? { unevaluatedProperties: false } : {};
  return { ...beside, ...rest, [pick(["anyOf", "anyOf", "oneOf"], random)]: alternatives };
}

const listOf = (schema: Json): Json[] => schema.anyOf ?? schema.oneOf;

/** What may happen to a union. */
const CHANGES: Readonly<Record<string, (schema: Json, random: Random) => void>> = {
  alternativeSaysMore: (schema, random) => {
    Object.assign(pick(listOf(schema), random), part(random));
  },
  alternativeSaysLess: (schema, random) => {
    const one = pick(listOf(schema), random);
    const keys = Object.keys(one).filter((key) => key !== "type");
    if (keys.length > 0) delete one[pick(keys, random)];
  },
  propertyChanged: (schema, random) => {
    const one = pick(listOf(schema), random);
    one.properties = { ...one.properties, [pick(NAMES, random)]: structuredClone(pick(TYPES, random)) };
  },
  propertyLost: (schema, random) => {
    const one = pick(listOf(schema), random);
    const names = Object.keys(one.properties ?? {});
    if (names.length > 0) delete one.properties[pick(names, random)];
  },
  demanded: (schema, random) => {
    const one = pick(listOf(schema), random);
    one.required = [...new Set([...(one.required ?? []), pick(NAMES, random)])];
  },
  demandedLess: (schema, random) => {
    const one = pick(listOf(schema), random);
    one.required = (one.required ?? []).slice(1);
  },
  alternativeAdded: (schema, random) => {
    listOf(schema).push(alternative(random));
  },
  alternativeLost: (schema, random) => {
    const list = listOf(schema);
    list.splice(Math.floor(random() * list.length), 1);
  },
  alternativeReplaced: (schema, random) => {
    const list = listOf(schema);
    list[Math.floor(random() * list.length)] = alternative(random);
  },
  exclusive: (schema) => {
    const { anyOf, oneOf } = schema;
    delete schema.anyOf;
    delete schema.oneOf;
    Object.assign(schema, anyOf ? { oneOf: anyOf } : { anyOf: oneOf });
  },
  besideChanged: (schema, random) => {
    Object.assign(schema, part(random));
  },
  unevaluated: (schema) => {
    if (schema.unevaluatedProperties === undefined) schema.unevaluatedProperties = false;
    else delete schema.unevaluatedProperties;
  },
  discriminated: (schema, random) => {
    for (const [i, one] of listOf(schema).entries())
      Object.assign(one, {
        properties: { ...one.properties, kind: { const: i === 0 ? "a" : "b" } },
        ...(random() < 0.8 ? { required: ["kind"] } : {}),
      });
  },
  reordered: (schema) => {
    listOf(schema).reverse();
  },
};

/** Names that a schema mentions, or that a pattern of it matches: callers may send them. Others count as not sent. */
const mentioned = (schema: Json): readonly string[] => {
  const text = JSON.stringify(schema);
  return NAMES.filter(
    (name) =>
      text.includes(`"${name}"`) || PATTERNS.some((one) => text.includes(`"${one}"`) && new RegExp(one).test(name)),
  );
};

function objectsOf(names: readonly string[]): readonly Json[] {
  return names.reduce<readonly Json[]>(
    (made, name) => made.flatMap((one) => [one, ...VALUES.map((value) => ({ ...one, [name]: value }))]),
    [{}],
  );
}

interface Place {
  readonly schema: (held: Json) => Json;
  readonly value: (one: Json) => Json;
}

/** Where the union stands in the input. */
const PLACES: Readonly<Record<string, { readonly schema: (held: Json) => Json; readonly value: (one: Json) => Json }>> =
  {
    property: { schema: (v) => ({ type: "object", properties: { v }, required: ["v"] }), value: (v) => ({ v }) },
    items: {
      schema: (items) => ({ type: "object", properties: { v: { type: "array", items } } }),
      value: (one) => ({ v: [one] }),
    },
    root: { schema: (held) => ({ ...held, type: "object" }), value: (one) => one },
    all: {
      schema: (held) => ({ type: "object", properties: { v: { allOf: [{ type: "object" }, held] } } }),
      value: (v) => ({ v }),
    },
    nested: {
      schema: (held) => ({
        type: "object",
        properties: {
          v: { anyOf: [{ type: "object", properties: { w: held }, required: ["w"] }, { type: "string" }] },
        },
      }),
      value: (w) => ({ v: { w } }),
    },
    defs: {
      schema: (held) => ({ type: "object", properties: { v: { $ref: "#/$defs/u" } }, $defs: { u: held } }),
      value: (v) => ({ v }),
    },
  };

/** A schema for readers that ignore properties that they do not know, and take the first alternative that fits. */
function ignoring(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(ignoring);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key, held]) => !(CLOSING.has(key) && held === false));
  return Object.fromEntries(kept.map(([key, held]) => [key === "oneOf" ? "anyOf" : key, ignoring(held)]));
}

const CLOSING: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"]);

function pairOf(random: Random): Pair | undefined {
  const before = union(random);
  const after = structuredClone(before);
  const names = Array.from({ length: random() < 0.7 ? 1 : 2 }, () => pick(Object.keys(CHANGES), random));
  for (const name of names) CHANGES[name]?.(after, random);
  const place = pick(Object.keys(PLACES), random);
  const { schema, value } = PLACES[place] as Place;
  const [old, now] = [before, after].map((one) => JSON.parse(JSON.stringify(schema(one)))) as [Json, Json];
  const [was, is] = [old, now].map((one) => validatorOf(one, true));
  if (!was || !is) return undefined;
  const taken = attempted(() =>
    objectsOf(mentioned(before))
      .map(value)
      .filter((one) => was(one)),
  );
  const refused = attempted(() => taken?.filter((one) => !is(one)));
  const reads = attempted(() => validatorOf(ignoring(now) as Json, true));
  const misread = attempted(() => refused?.find((one) => reads && !reads(one)));
  if (!taken || taken.length === 0 || !refused) return undefined;
  const name = `${names.join(", ")} in ${place}`;
  return {
    name,
    before: old,
    after: now,
    ...(refused.length > 0 ? { truth: "breaking", refused: refused[0], misread } : { truth: "compatible" }),
  };
}

/** What a validator says; undefined where Ajv printed one that fails. */
function attempted<T>(judge: () => T): T | undefined {
  try {
    return judge();
  } catch {
    return undefined;
  }
}

/** A number of pairs of a seed, each with its truth: every object over a few names and values is tried. */
export function unionPairsOf(seed: number, count: number): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let i = 0; pairs.length < count && i < count * 4; i++) {
    const pair = pairOf(randomOf(seed * 100_003 + i));
    if (pair) pairs.push(pair);
  }
  return pairs;
}
