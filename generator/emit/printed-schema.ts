/**
 * Rewrites one schema so that json-schema-to-typescript prints a type that accepts what the validator accepts: tuples that may be
 * longer, `required` beside `allOf`, keywords of several types.
 */

import { conditionsNameOthers, isSchema, resolvePointer } from "../../runtime/contract/json-schema.js";
import type { JsonSchema, JsonValue } from "../../runtime/contract/registry.js";

type Rewrite = (schema: JsonSchema) => JsonSchema;

/** Types that a value may have; undefined if nothing is said. */
export type Types = ReadonlySet<string> | undefined;

/**
 * The schema in the form that is printed; its subschemas are as they were.
 *
 * @param types those that it and the schemas around it that are about the same value leave to the value
 */
export function printedSchema(schema: JsonSchema, types: Types): JsonSchema {
  const typed = conditionsOpen(isUntyped(schema) ? withTypes(schema, types) : schema, types);
  return REWRITES.reduce((one, rewrite) => rewrite(one), typed);
}

const isUntyped = (schema: JsonSchema): boolean =>
  schema["type"] === undefined && TELLING.some((name) => name in schema || isSchema(schema["additionalProperties"]));

/** An object is open where a condition names members that are not declared: a call must be able to have them. */
function conditionsOpen(schema: JsonSchema, types: Types): JsonSchema {
  const { type = types && [...types].join() === "object" ? "object" : undefined } = schema;
  const isSaid = type === undefined || schema["additionalProperties"] !== undefined;
  return isSaid || !conditionsNameOthers(schema) ? schema : { ...schema, type, additionalProperties: true };
}

/** `properties` says nothing about a text, so where others allow texts, it does too. */
const withTypes = (schema: JsonSchema, types: Types): JsonSchema =>
  !types || [...types].join() === "object" ? schema : { ...schema, type: [...types] };

/** Deepest nesting of schemas about one value. */
const MAX_DEPTH = 16;

/** The types that two schemas about one value leave to it. */
export const commonTypes = (a: Types, b: Types): Types =>
  a && b ? new Set([...a].filter((one) => b.has(one))) : (a ?? b);

/** The types that a schema leaves to a value. */
export function possibleTypes(schema: unknown, root: JsonSchema, depth = 0): Types {
  if (!isSchema(schema) || depth > MAX_DEPTH) return undefined;
  const { $ref, type, nullable, allOf, enum: values } = schema;
  const below = (one: unknown): Types => possibleTypes(one, root, depth + 1);
  const lists = ["anyOf", "oneOf"].map((key) => schema[key]).filter(Array.isArray) as readonly (readonly unknown[])[];
  const said: readonly Types[] = [
    typeof $ref === "string" ? below(resolvePointer(root, $ref)) : undefined,
    type === undefined ? undefined : named([type, nullable === true ? "null" : []].flat()),
    "const" in schema ? named([typeOf(schema["const"])]) : undefined,
    Array.isArray(values) ? named(values.map(typeOf)) : undefined,
    ...(Array.isArray(allOf) ? allOf.map(below) : []),
    ...lists.map((list) => anyOf(list.map(below))),
  ];
  return said.reduce(commonTypes, undefined);
}

const anyOf = (all: readonly Types[]): Types =>
  all.every((one) => one !== undefined) ? new Set(all.flatMap((one) => [...one])) : undefined;

/** Integers are numbers, and a type that both allow is found by one name. */
const named = (types: readonly unknown[]): Types =>
  new Set(types.map((one) => (one === "integer" ? "number" : String(one))));

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const without = (schema: JsonSchema, names: readonly string[]): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));

/** The printer writes it unchanged, so only this module may set it. */
const withoutForeignCode: Rewrite = (schema) => without(schema, ["tsType"]);

/** Values say all that a type can say. */
const valuesAlone: Rewrite = (schema) => {
  const key = ["const", "enum"].find((one) => one in schema);
  if (key === undefined) return schema;
  const kept = [key, "nullable", "description", "deprecated", "default"];
  return Object.fromEntries(Object.entries(schema).filter(([name]) => kept.includes(name)));
};

/** The printer lets keywords beside a reference replace those of its target; both hold. */
const referencesJoined: Rewrite = (schema) => {
  const { $ref, nullable, ...rest } = schema;
  const isAlone = Object.keys(rest).every((name) => ["description", "deprecated", "default", "$defs"].includes(name));
  if (typeof $ref !== "string" || isAlone) return schema;
  const { allOf } = rest;
  return { ...rest, allOf: [{ $ref }, ...(Array.isArray(allOf) ? allOf : [])] };
};

/** Most entries of a tuple: the printer writes out `minItems` entries. */
const MAX_TUPLE_LENGTH = 16;

/** One form of tuples, that before 2020-12, which says whether more entries may follow. */
const tuplesInOneForm: Rewrite = (schema) => {
  const { prefixItems, items, additionalItems, ...rest } = schema;
  const entries = [prefixItems, items].find(Array.isArray) as readonly JsonValue[] | undefined;
  if (!entries) return { ...rest, ...(items === undefined ? {} : { items }) };
  const most = typeof rest["maxItems"] === "number" ? rest["maxItems"] : Number.POSITIVE_INFINITY;
  const more = entries === prefixItems ? items : additionalItems;
  if (most === 0) return { ...rest, items: false };
  return { ...rest, items: entries.slice(0, most), additionalItems: entries.length < most ? (more ?? true) : false };
};

/** Drops item counts that the printer refuses or writes out at length; the validator checks them. */
const oddCountsDropped: Rewrite = (schema) => {
  const { minItems, maxItems } = schema;
  const [least, most] = [Number(minItems ?? 0), Number(maxItems ?? MAX_TUPLE_LENGTH)];
  const isPrintable = least >= 0 && least <= Math.min(most, MAX_TUPLE_LENGTH) && most <= MAX_TUPLE_LENGTH;
  return isPrintable ? schema : without(schema, ["minItems", "maxItems"]);
};

/**
 * A list of several lengths as alternatives of one length each: the printer writes them out, but without the brackets that an
 * alternative needs inside a list or an intersection.
 */
const lengthsApart: Rewrite = (schema) => {
  const { type, items, additionalItems, minItems, maxItems, allOf, ...rest } = schema;
  const types = [type ?? "array"].flat();
  const tuple = Array.isArray(items) ? items : undefined;
  const longest = tuple && (additionalItems !== false || maxItems === undefined) ? tuple.length : Number(maxItems);
  const least = Number(minItems ?? 0);
  if (!types.includes("array") || (!tuple && maxItems === undefined) || least >= longest) return schema;
  const isOpen = tuple !== undefined && additionalItems !== false;
  const ofLength = (length: number): JsonSchema => {
    if (length === 0) return { type: "array", items: false };
    const entries = tuple ? tuple.slice(0, length) : Array.from({ length }, () => items ?? true);
    const more =
      isOpen && length === longest ? { additionalItems: additionalItems ?? true } : { additionalItems: false };
    return {
      type: "array",
      items: entries,
      minItems: length,
      ...(more.additionalItems === false ? { maxItems: length } : {}),
      ...more,
    };
  };
  const { description, deprecated, default: fallback, ...own } = rest;
  const others = types.filter((one) => one !== "array");
  const lengths = Array.from({ length: longest - least + 1 }, (_, at) => ofLength(least + at));
  const alternatives = [...lengths, ...(others.length > 0 ? [{ ...own, type: others }] : [])];
  const about = Object.fromEntries(
    Object.entries({ description, deprecated, default: fallback }).filter(([, one]) => one !== undefined),
  );
  const composed = Object.fromEntries(
    Object.entries(own).filter(([name]) => ["anyOf", "oneOf", "$defs"].includes(name)),
  );
  if (Object.keys(composed).length === 0 && allOf === undefined) return { ...about, anyOf: alternatives } as JsonSchema;
  return {
    ...about,
    ...composed,
    allOf: [...(Array.isArray(allOf) ? allOf : []), { anyOf: alternatives }],
  } as JsonSchema;
};

const OBJECT_KEYWORDS = ["properties", "patternProperties", "additionalProperties", "required"];
const ARRAY_KEYWORDS = ["items", "additionalItems", "minItems", "maxItems"];
/** Keywords that alone make a schema without `type` one of objects or of lists, as help and signatures read it. */
const TELLING = ["properties", "patternProperties", "required", "items"];

/** Drops keywords of types that `type` does not name; they say nothing about a value. */
const keywordsOfType: Rewrite = (schema) => {
  const { type, additionalProperties } = schema;
  const types = [type ?? []].flat();
  const isTelling = TELLING.some((name) => name in schema) || isSchema(additionalProperties);
  const isAny = types.length === 0;
  const hasObjects = types.includes("object") || (isAny && isTelling);
  const hasLists = types.includes("array") || (isAny && "items" in schema);
  return without(schema, [...(hasObjects ? [] : OBJECT_KEYWORDS), ...(hasLists ? [] : ARRAY_KEYWORDS)]);
};

/** A required member without a schema of its own: the printer forgets it. */
const requiredDeclared: Rewrite = (schema) => {
  const { required, properties, patternProperties, additionalProperties: others } = schema;
  if (!Array.isArray(required) || others === false) return schema;
  const declared = isSchema(properties) ? properties : {};
  const open = required.filter((one) => typeof one === "string" && !Object.hasOwn(declared, one)) as readonly string[];
  if (open.length === 0) return schema;
  const value = (isSchema(others) && !isSchema(patternProperties) ? others : true) as JsonValue;
  return { ...schema, properties: { ...declared, ...Object.fromEntries(open.map((name) => [name, value])) } };
};

/** A pattern that every name matches. */
const MATCHES_ALL: ReadonlySet<string> = new Set(["", ".*", "^.*$", "^.*", ".*$", "^", "$"]);

/** Names that match no pattern may have any value, unless the schema says something else. */
const patternsOpen: Rewrite = (schema) => {
  const { patternProperties: patterns, additionalProperties } = schema;
  if (!isSchema(patterns) || additionalProperties !== undefined) return schema;
  return Object.keys(patterns).some((one) => MATCHES_ALL.has(one)) ? schema : { ...schema, additionalProperties: true };
};

const SAYING = ["$ref", "type", "const", "enum", "allOf", "anyOf", "oneOf", ...OBJECT_KEYWORDS, ...ARRAY_KEYWORDS];

/** A schema that says nothing of the type: the printer writes it as an object in some places. */
const silentUnknown: Rewrite = (schema) =>
  SAYING.some((name) => name in schema) ? schema : { ...schema, tsType: "unknown" };

const REWRITES: readonly Rewrite[] = [
  withoutForeignCode,
  valuesAlone,
  referencesJoined,
  tuplesInOneForm,
  oddCountsDropped,
  keywordsOfType,
  requiredDeclared,
  patternsOpen,
  lengthsApart,
  silentUnknown,
];
