/** Normalizes JSON Schema of any dialect to one form, which types, signatures, stubs and help read. */

import {
  conditionsNameOthers,
  dereference,
  isSchema,
  itemSchemas,
  requiredNames,
  resolvePointer,
} from "./json-schema.js";
import type { JsonSchema, JsonValue } from "./registry.js";

/** A schema in normal form. */
export type NormalSchema =
  | { readonly kind: "unknown" }
  | { readonly kind: "never" }
  | { readonly kind: "null" | "boolean" | "integer" | "number" | "string" }
  | { readonly kind: "literal"; readonly values: readonly JsonValue[] }
  | { readonly kind: "array"; readonly items: NormalSchema }
  | {
      readonly kind: "tuple";
      readonly items: readonly NormalSchema[];
      /** How many of them a value has at least. */
      readonly least: number;
      readonly rest?: NormalSchema;
    }
  | {
      readonly kind: "object";
      readonly properties: readonly NormalProperty[];
      /** Other members are accepted. */
      readonly open: boolean;
      /** Other members are expected: the schema describes them. */
      readonly extra?: true;
      /** The type of all members of a map, of a learned type. */
      readonly values?: NormalSchema;
    }
  | { readonly kind: "union"; readonly members: readonly NormalSchema[] }
  /** A recursive reference, cut where it repeats. */
  | { readonly kind: "ref"; readonly ref: string };

/** One property of an object schema, in declared order. */
export interface NormalProperty {
  readonly name: string;
  readonly required: boolean;
  /** Made when it is first read: most readers stop after a few levels. */
  readonly schema: NormalSchema;
  readonly description?: string;
  readonly default?: JsonValue;
}

const UNKNOWN: NormalSchema = { kind: "unknown" };
const SCALARS = ["null", "boolean", "integer", "number", "string"] as const;

/** Depth of nested references that are followed; more is not readable. */
const MAX_REFERENCE_DEPTH = 4;
/** References followed in one schema, because each level may multiply the next. */
const MAX_REFERENCES = 2000;

/** References followed inside the `allOf`s above one place. */
const MAX_MERGED_REFERENCES = 50;

/** The references that lead to the current place, and how many more may be followed in all. */
interface Walk {
  readonly open: readonly string[];
  /** References in the `allOf`s that lead here. A schema that is part of itself in this way is cut where it repeats. */
  readonly merged: readonly string[];
  readonly budget: { left: number };
  /** Whether maps keep the type of their members. */
  readonly keepsValues?: true;
}

const start = (): Walk => ({ open: [], merged: [], budget: { left: MAX_REFERENCES } });

const isCut = (ref: string, { open, budget }: Walk): boolean =>
  open.length === MAX_REFERENCE_DEPTH || open.includes(ref) || budget.left-- <= 0;

/** Normalizes a learned schema. Its maps keep the type of their members. */
export const normalizeLearned = (schema: JsonSchema): NormalSchema =>
  normalizeSchema(schema, schema, { ...start(), keepsValues: true });

/** Normalizes one schema of `root`; references are cut where they repeat or exceed the limits. */
export function normalizeSchema(schema: unknown, root: JsonSchema, walk: Walk = start()): NormalSchema {
  if (schema === false) return { kind: "never" };
  if (!isSchema(schema)) return UNKNOWN;
  const ref = schema["$ref"];
  if (typeof ref === "string") {
    const target = resolvePointer(root, ref);
    if (!target) return UNKNOWN;
    if (isCut(ref, walk)) return { kind: "ref", ref };
    return normalizeSchema(target, root, { ...walk, open: [...walk.open, ref] });
  }
  if (Array.isArray(schema["allOf"])) return mergedOf(schema, root, walk);
  const below = (one: unknown): NormalSchema => normalizeSchema(one, root, walk);
  if ("const" in schema) return { kind: "literal", values: [schema["const"] as JsonValue] };
  if (Array.isArray(schema["enum"])) return { kind: "literal", values: schema["enum"] as readonly JsonValue[] };
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices) && !isSchema(schema["properties"])) return unionOf(choices.map(below));
  const { type, nullable } = schema;
  const single = (one: string): NormalSchema => withValues(byType(one, schema, below), schema, walk, below);
  const types = Array.isArray(type) ? type.map(String) : [typeof type === "string" ? type : impliedType(schema)];
  const [only, ...others] = type !== undefined && nullable === true ? [...types, "null"] : types;
  return only !== undefined && others.length === 0 ? single(only) : unionOf([only ?? "", ...others].map(single));
}

function withValues(
  made: NormalSchema,
  { additionalProperties: values }: JsonSchema,
  { keepsValues }: Walk,
  below: (one: unknown) => NormalSchema,
): NormalSchema {
  const isMap = keepsValues && made.kind === "object" && made.properties.length === 0 && isSchema(values);
  return isMap ? { ...made, values: below(values) } : made;
}

function mergedOf(schema: JsonSchema, root: JsonSchema, walk: Walk): NormalSchema {
  const refs = refsOfAllOf(schema);
  const isMet = (one: string): boolean => walk.merged.includes(one) || walk.budget.left-- <= 0;
  const ref = walk.merged.length > MAX_MERGED_REFERENCES ? refs[0] : refs.find(isMet);
  if (ref !== undefined) return { kind: "ref", ref };
  return normalizeSchema(dereference(schema, root), root, { ...walk, merged: [...walk.merged, ...refs] });
}

/** The references among the members of an `allOf`, including those of nested `allOf`s. */
function refsOfAllOf(schema: JsonSchema): readonly string[] {
  const { allOf } = schema;
  if (!Array.isArray(allOf)) return [];
  return allOf
    .filter(isSchema)
    .flatMap((part) => (typeof part["$ref"] === "string" ? [part["$ref"]] : refsOfAllOf(part)));
}

function impliedType(schema: JsonSchema): string {
  if (isSchema(schema["properties"])) return "object";
  return schema["items"] !== undefined || schema["prefixItems"] !== undefined ? "array" : "";
}

function unionOf(members: readonly NormalSchema[]): NormalSchema {
  const flat = members.flatMap((one) => (one.kind === "union" ? one.members : [one]));
  const outlines = new Set<string>();
  const repeated = new Set<string>();
  for (const one of flat.map(outlineOf)) (outlines.has(one) ? repeated : outlines).add(one);
  const identityOf = (one: NormalSchema): string =>
    repeated.has(outlineOf(one)) ? JSON.stringify(one) : outlineOf(one);
  const unique = [...new Map(flat.map((one) => [identityOf(one), one])).values()];
  return unique.length === 1 && unique[0] ? unique[0] : { kind: "union", members: unique };
}

/** A short text that tells most types apart; the whole text of a type with many references is long. */
function outlineOf(one: NormalSchema): string {
  if (one.kind === "array") return `array ${outlineOf(one.items)}`;
  return one.kind === "object" ? `object ${one.properties.map(({ name }) => name)}` : one.kind;
}

function byType(type: string, schema: JsonSchema, below: (one: unknown) => NormalSchema): NormalSchema {
  const scalar = SCALARS.find((one) => one === type);
  if (scalar) return { kind: scalar };
  if (type === "array") return arrayOf(schema, below);
  return type === "object" ? objectOf(schema, below) : UNKNOWN;
}

function arrayOf(schema: JsonSchema, below: (one: unknown) => NormalSchema): NormalSchema {
  const { minItems, maxItems } = schema;
  const { tuple, rest } = itemSchemas(schema);
  if (tuple.length === 0) return { kind: "array", items: below(rest ?? true) };
  const least = typeof minItems === "number" ? Math.min(minItems, tuple.length) : 0;
  const isClosed = rest === false || (typeof maxItems === "number" && maxItems <= tuple.length);
  return { kind: "tuple", items: tuple.map(below), least, ...(isClosed ? {} : { rest: below(rest ?? true) }) };
}

function objectOf(schema: JsonSchema, below: (one: unknown) => NormalSchema): NormalSchema {
  const { properties, additionalProperties } = schema;
  const names = requiredNames(schema);
  // A member that is required but not declared is one, too.
  const others =
    additionalProperties === false || isSchema(schema["patternProperties"]) ? true : (additionalProperties ?? true);
  const known = isSchema(properties) ? properties : {};
  const all = [
    ...Object.entries(known),
    ...names.flatMap((name) => (Object.hasOwn(known, name) ? [] : [[name, others] as const])),
  ];
  const declared = all.map(([name, member]): NormalProperty => {
    const { description, default: fallback } = isSchema(member) ? member : {};
    let made: NormalSchema | undefined;
    return {
      name,
      required: names.includes(name),
      get schema() {
        made ??= below(member);
        return made;
      },
      ...(typeof description === "string" ? { description } : {}),
      ...(fallback === undefined ? {} : { default: fallback }),
    };
  });
  const isOpen = additionalProperties !== false;
  const extra =
    (isOpen && additionalProperties !== undefined) ||
    isSchema(schema["patternProperties"]) ||
    (isOpen && conditionsNameOthers(schema));
  return { kind: "object", properties: declared, open: isOpen, ...(extra && { extra }) };
}
