/** Copies JSON Schemas with other subschemas, or without some keywords. */

import { isSchema } from "./json-schema.js";
import type { JsonSchema } from "./registry.js";

/** Keywords that hold schemas by name. */
export const KEYED: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
/** Keywords that hold schemas in a list. `items` may do so as well. */
export const LISTED: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
/** Keywords that hold one schema. */
export const SINGLE: ReadonlySet<string> = new Set([
  "items",
  "additionalItems",
  "additionalProperties",
  "propertyNames",
  "contains",
  "not",
  "if",
  "then",
  "else",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** A copy with each direct subschema replaced. */
export function mapSubschemas(schema: JsonSchema, map: (one: JsonSchema) => JsonSchema): JsonSchema {
  const mapped = (value: unknown): unknown => (isSchema(value) ? map(value) : value);
  const entries = Object.entries(schema).map(([key, value]) => {
    if (KEYED.has(key) && isSchema(value))
      return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one)]))];
    if (Array.isArray(value) && (LISTED.has(key) || key === "items")) return [key, value.map(mapped)];
    return [key, SINGLE.has(key) ? mapped(value) : value];
  });
  return Object.fromEntries(entries) as JsonSchema;
}

/** Keywords whose value is data, not a schema. */
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "example", "required"]);
/** Keywords whose value is a map; its keys are names, not keywords. */
const MAPS: ReadonlySet<string> = new Set([...KEYED, "dependentRequired"]);

/** A copy without the keywords that `drop` selects, at any depth. Properties with the name of such a keyword stay. */
export function withoutKeywords(schema: JsonSchema, drop: (keyword: string) => boolean): JsonSchema {
  const entries = Object.entries(schema).flatMap(([key, value]): readonly (readonly [string, unknown])[] => {
    if (drop(key)) return [];
    if (DATA.has(key)) return [[key, value]];
    if (MAPS.has(key) && isSchema(value))
      return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, below(one, drop)]))]];
    return [[key, below(value, drop)]];
  });
  return Object.fromEntries(entries) as JsonSchema;
}

function below(value: unknown, drop: (keyword: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => below(one, drop));
  return isSchema(value) ? withoutKeywords(value, drop) : value;
}
