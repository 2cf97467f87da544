/**
 * Makes samples: the smallest value that a schema accepts, with placeholders for values that only the caller knows.
 */

import { alternatives, dereference, isSchema, itemSchemas, joinSchemas } from "./json-schema.js";
import type { JsonObject, JsonSchema, JsonValue } from "./registry.js";

/** Fixed, so that output is reproducible. */
const DATE = "2026-01-15";
const MAX_SAMPLE_DEPTH = 5;

/** How samples are made for one purpose. */
interface Style {
  /** The value that the author gives as an example. */
  declared(schema: JsonSchema): JsonValue | undefined;
  text(schema: JsonSchema, name: string): string;
  readonly flag: boolean;
  /** Whether what may be null is null: nothing else is as sure to be harmless. */
  readonly null: boolean;
  /** Longest list; a schema that needs more items gets too few. */
  readonly mostItems: number;
}

interface Sampling {
  readonly root: JsonSchema;
  readonly style: Style;
}

/** Whether a value is a placeholder such as `<task_id>`, which counts as valid for every type. */
export const isPlaceholder = (value: unknown): boolean =>
  typeof value === "string" && /^<[\p{XID_Continue}]+>$/u.test(value);

const placeholder = (name: string): string => `<${name.replace(/[^\p{XID_Continue}]/gu, "_") || "value"}>`;

/** Samples for an example call: dates may be invented, and lists have at most ten items. */
const EXAMPLE: Style = {
  declared: ({ examples, example }) => (Array.isArray(examples) ? examples[0] : example),
  text: knownText,
  flag: true,
  null: true,
  mostItems: 10,
};

/** Samples for a call to fill in: values are placeholders, and flags are off. */
const SKELETON: Style = {
  declared: ({ default: preset }) => preset ?? undefined,
  text: (_, name) => placeholder(name),
  flag: false,
  null: false,
  mostItems: 100,
};

/** Names of required properties and of `added` ones: first the declared ones in order, then the rest. */
export function requiredNamesInOrder(schema: JsonSchema, added: readonly string[] = []): readonly string[] {
  const { properties, required } = schema;
  const declared = Object.keys(isSchema(properties) ? properties : {});
  const wanted = (Array.isArray(required) ? required : []).filter((one): one is string => typeof one === "string");
  return [
    ...declared.filter((name) => wanted.includes(name) || added.includes(name)),
    ...wanted.filter((name) => !declared.includes(name)),
  ];
}

/** An example for the argument `name`. */
export const sample = (schema: unknown, name: string, root: JsonSchema): JsonValue =>
  make(schema, name, { root, style: EXAMPLE }, 0);

/** An example of a change: of an argument that an update sets, null would clear what is there. */
export const sampleChange = (schema: unknown, name: string, root: JsonSchema): JsonValue =>
  make(schema, name, { root, style: { ...EXAMPLE, null: false } }, 0);

/** A placeholder value for the argument `name` in a call to fill in. */
export const skeleton = (schema: unknown, name: string, root: JsonSchema): JsonValue =>
  make(schema, name, { root, style: SKELETON }, 0);

function make(given: unknown, name: string, how: Sampling, depth: number): JsonValue {
  if (!isSchema(given) || depth > MAX_SAMPLE_DEPTH) return placeholder(name);
  const schema = dereference(given, how.root);
  const declared = how.style.declared(given) ?? how.style.declared(schema);
  if (declared !== undefined) return declared;
  if (schema["const"] !== undefined) return schema["const"];
  if (how.style.null && takesNull(schema)) return null;
  if (Array.isArray(schema["enum"])) return (schema["enum"][0] ?? null) as JsonValue;
  const options = alternatives(schema);
  const option = options.find((one) => one["type"] !== "null") ?? options[0];
  if (option) return make(withOption(schema, option, how.root), name, how, depth + 1);
  const type = Array.isArray(schema["type"]) ? schema["type"].find((one) => one !== "null") : schema["type"];
  const implied = isSchema(schema["properties"]) ? "object" : "string";
  return (BY_TYPE[String(type ?? implied)] ?? textSample)(schema, name, how, depth);
}

/** Whether a schema, or one of its alternatives, says that a value may be null. */
export function takesNull(schema: JsonSchema): boolean {
  const { type, nullable, enum: values } = schema;
  if (Array.isArray(values)) return values.includes(null);
  if (nullable === true || (Array.isArray(type) && type.includes("null"))) return true;
  return alternatives(schema).some((one) => one["type"] === "null" || one["const"] === null);
}

/** Merges the keywords beside a union into one of its alternatives. */
function withOption({ anyOf: _, oneOf: __, ...beside }: JsonSchema, option: JsonSchema, root: JsonSchema): JsonSchema {
  return joinSchemas([dereference(option, root), beside], root);
}

type Make = (schema: JsonSchema, name: string, how: Sampling, depth: number) => JsonValue;

const textSample: Make = (schema, name, { style }) => style.text(schema, name);

const BY_TYPE: Readonly<Record<string, Make>> = {
  integer: (schema) => numberSample(schema, true),
  number: (schema) => numberSample(schema, false),
  boolean: (_, __, { style }) => style.flag,
  null: () => null,
  array: arraySample,
  object: objectSample,
};

const finite = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise);

/** The default, else 1 or the number nearest to it inside the bounds, on the grid of `multipleOf`. */
function numberSample(schema: JsonSchema, whole: boolean): number {
  const { default: fallback } = schema;
  if (typeof fallback === "number") return fallback;
  const step = finite(schema["multipleOf"], whole ? 1 : 0);
  const inside = step > 0 ? step : 0.5;
  const above = Math.max(finite(schema["minimum"], -Infinity), finite(schema["exclusiveMinimum"], -Infinity) + inside);
  const below = Math.min(finite(schema["maximum"], Infinity), finite(schema["exclusiveMaximum"], Infinity) - inside);
  const near = Math.max(Math.min(1, below), above);
  if (step === 0) return near;
  const up = Math.ceil(near / step) * step;
  return up <= below ? up : Math.floor(near / step) * step;
}

/** The number of items that `minItems` demands; numbered placeholders and further enum values if they must differ. */
function arraySample(schema: JsonSchema, name: string, how: Sampling, depth: number): JsonValue {
  const { tuple, rest } = itemSchemas(schema);
  const singular = name.replace(/s$/, "");
  const count = Math.min(finite(schema["minItems"], 0), how.style.mostItems);
  const list = Array.from({ length: count }, (_, i) => make(tuple[i] ?? rest, singular, how, depth + 1));
  return schema["uniqueItems"] === true ? list.map((value, i) => distinct(value, i, tuple[i] ?? rest)) : list;
}

function distinct(value: JsonValue, index: number, schema: unknown): JsonValue {
  if (index === 0) return value;
  const values = isSchema(schema) && Array.isArray(schema["enum"]) ? schema["enum"] : [];
  if (values[index] !== undefined) return values[index];
  if (typeof value === "number") return value + index;
  return isPlaceholder(value) ? String(value).replace(">", `_${index + 1}>`) : value;
}

/** Required members, and further ones if `minProperties` demands more. */
function objectSample(schema: JsonSchema, _: string, how: Sampling, depth: number): JsonObject {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const required = requiredNamesInOrder(schema);
  const others = Object.keys(properties).filter((name) => !required.includes(name));
  const lacking = Math.max(0, finite(schema["minProperties"], 0) - required.length);
  return Object.fromEntries(
    [...required, ...others.slice(0, lacking)].map((name) => [
      name,
      make(Object.hasOwn(properties, name) ? properties[name] : true, name, how, depth + 1),
    ]),
  );
}

/** Sample text for a known format; a pattern of the author's own gets a placeholder, which counts as valid. */
function knownText(schema: JsonSchema, name: string): string {
  const { format, pattern, maxLength } = schema;
  if (format === "date-time") return `${DATE}T09:00:00Z`;
  if (format === "date") return DATE;
  if (format === "uri" || format === "url") return "https://example.com/";
  if (format !== undefined || pattern !== undefined || maxLength !== undefined) return placeholder(name);
  if (/(^|_)(date|at)$/.test(name)) return DATE;
  return name === "url" ? "https://example.com/" : placeholder(name);
}
