/**
 * Reads JSON Schemas: follows local references, merges `allOf`, and finds alternatives, patterns and item schemas.
 */

import { isExact } from "./exact-number.js";
import { unescapePointer } from "./json-pointer.js";
import { boundedPattern } from "./pattern/bounded-pattern.js";
import type { JsonObject, JsonSchema } from "./registry.js";

/** References followed in a row; stops a reference that leads to itself. */
const MAX_REFERENCES = 16;

/** Whether a value is a JSON object, and so may be a schema. */
export const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The types that `type` names; none if it is absent. */
export const typeNames = ({ type }: JsonSchema): readonly string[] =>
  typeof type === "string" ? [type] : Array.isArray(type) ? type.map(String) : [];

/** The names that `required` lists, each once. */
export const requiredNames = ({ required }: JsonSchema): readonly string[] =>
  Array.isArray(required) ? [...new Set(required.filter((one) => typeof one === "string"))] : [];

/** Keywords that ask for members under a condition. */
const CONDITIONS = ["if", "then", "else", "dependentSchemas", "dependentRequired", "dependencies"] as const;

/** Whether a condition of a schema names members that it does not declare, or leads elsewhere. */
export function conditionsNameOthers(schema: JsonSchema): boolean {
  const { properties } = schema;
  const isKnown = (name: string): boolean => isSchema(properties) && Object.hasOwn(properties, name);
  return namedIn(
    CONDITIONS.map((key) => schema[key]),
    isKnown,
  );
}

function namedIn(value: unknown, isKnown: (name: string) => boolean): boolean {
  if (Array.isArray(value))
    return value.some((one) => (typeof one === "string" ? !isKnown(one) : namedIn(one, isKnown)));
  if (!isSchema(value)) return false;
  if (typeof value["$ref"] === "string") return true;
  const { properties, type: _type, enum: _enum, const: _const, ...others } = value;
  const names = isSchema(properties) ? Object.keys(properties) : [];
  return !names.every(isKnown) || Object.values(others).some((one) => namedIn(one, isKnown));
}

/**
 * Whether a value nests deeper than a number of levels. Walks level by level, so that hostile depth cannot exhaust the
 * stack.
 */
export function nestsDeeper(value: unknown, most: number): boolean {
  let level: object[] = [];
  addHolders([value], level);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true;
    const below: object[] = [];
    for (const holder of level) addHolders(Array.isArray(holder) ? holder : Object.values(holder), below);
    level = below;
  }
  return false;
}

/** Adds the lists and objects among values. */
function addHolders(values: readonly unknown[], holders: object[]): void {
  for (const value of values) if (typeof value === "object" && value !== null && !isExact(value)) holders.push(value);
}

/** The schema that a local `$ref` (JSON Pointer) names, or undefined. */
export function resolvePointer(root: JsonSchema, ref: string): JsonSchema | undefined {
  if (ref !== "#" && !ref.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const part of ref.split("/").slice(1)) {
    const key = unescapePointer(decodeURIComponent(part));
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return isSchema(at) ? at : undefined;
}

/** The schema itself, or the target of its local `$ref`; `allOf` is merged with the keywords beside it. */
export function dereference(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let at = schema;
  for (let step = 0; step < MAX_REFERENCES; step++) {
    const ref = at["$ref"];
    const next = typeof ref === "string" ? resolvePointer(root, ref) : undefined;
    if (!next) return Array.isArray(at["allOf"]) ? joined(at, root) : at;
    at = next;
  }
  return at;
}

/** Merged schemas, cached: schemas are frozen, so an entry never becomes stale. */
const JOINED = new WeakMap<JsonSchema, JsonSchema>();

function joined(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const known = JOINED.get(schema);
  if (known) return known;
  const { allOf, ...beside } = schema;
  // Stops an `allOf` that leads back to itself.
  JOINED.set(schema, beside);
  const members = (Array.isArray(allOf) ? allOf : []).filter(isSchema);
  const made = joinSchemas([beside, ...members.map((member) => dereference(member, root))], root);
  JOINED.set(schema, made);
  return made;
}

/** Merges schemas into one; where two differ, the first one counts. */
export function joinSchemas(parts: readonly JsonSchema[], root: JsonSchema): JsonSchema {
  const closed = parts.filter((part) => part["additionalProperties"] === false);
  const names = [...new Set(parts.flatMap((part) => Object.keys(propertiesIn(part))))];
  const properties = names
    .filter((name) => closed.every((part) => Object.hasOwn(propertiesIn(part), name) || matchesPattern(part, name)))
    .map((name) => [name, joinProperty(parts, name, root)] as const);
  const required = [...new Set(parts.flatMap((part) => (Array.isArray(part["required"]) ? part["required"] : [])))];
  return {
    ...Object.assign({}, ...parts.toReversed()),
    ...(names.length > 0 ? { properties: Object.fromEntries(properties) as JsonObject } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(closed.length > 0 ? { additionalProperties: false } : {}),
  };
}

function joinProperty(parts: readonly JsonSchema[], name: string, root: JsonSchema): JsonSchema {
  const declared = parts.map(propertiesIn).map((held): unknown => (Object.hasOwn(held, name) ? held[name] : undefined));
  const schemas = declared.filter(isSchema);
  const [only] = schemas;
  if (only && schemas.length === 1) return only;
  return Object.assign(
    {},
    ...schemas.map((one) => (typeof one["$ref"] === "string" ? pointed(one, root) : one)).reverse(),
  );
}

const pointed = (schema: JsonSchema, root: JsonSchema): JsonSchema =>
  resolvePointer(root, String(schema["$ref"])) ?? schema;

const propertiesIn = (schema: JsonSchema): JsonSchema => {
  const { properties } = schema;
  return isSchema(properties) ? properties : {};
};

/** Whether `patternProperties` has a pattern for this name. */
export const matchesPattern = (schema: JsonSchema, name: string): boolean => patternSchema(schema, name) !== undefined;

/** The schema that `patternProperties` has for this name: the first matching pattern. */
export function patternSchema(schema: JsonSchema, name: string): unknown {
  const { patternProperties } = schema;
  if (!isSchema(patternProperties)) return undefined;
  return Object.entries(patternProperties).find(([pattern]) => boundedPattern(pattern, "u").test(name))?.[1];
}

/** The alternatives of `anyOf` or `oneOf`. */
export function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  const union = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(union) ? union.filter(isSchema) : [];
}

/** The schemas of a tuple's positions and of the entries after them, in both spellings: `prefixItems`, or a list in `items`. */
export function itemSchemas(schema: JsonSchema): { readonly tuple: readonly unknown[]; readonly rest: unknown } {
  const { items, prefixItems, additionalItems } = schema;
  if (Array.isArray(prefixItems)) return { tuple: prefixItems, rest: items };
  return Array.isArray(items) ? { tuple: items, rest: additionalItems } : { tuple: [], rest: items };
}
