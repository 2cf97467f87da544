/** Finds the JSON Schema dialect of a schema, and walks and copies schemas. */

import { escapePointer, unescapePointer } from "../../runtime/contract/json-pointer.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";

/** Supported dialects. */
export type Dialect = "draft-07" | "2019-09" | "2020-12";

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

/** A subschema and its JSON Pointer from the root. */
export interface Located {
  readonly pointer: string;
  readonly schema: JsonSchema;
}

/** Readable name of the place at a pointer: `/properties/list/items/properties/w` is `list.w`; the root is `the input`. */
export function argumentAt(pointer: string): string {
  const parts = pointer.split("/").filter((part) => part !== "" && part !== "properties" && part !== "items");
  return parts.map(unescapePointer).join(".") || "the input";
}

/** All object subschemas with their pointers, starting with the schema itself, in the order of the text. */
export function subschemas(schema: JsonSchema): readonly Located[] {
  const found: Located[] = [];
  collect(schema, "", found);
  return found;
}

function collect(schema: JsonSchema, pointer: string, found: Located[]): void {
  found.push({ pointer, schema });
  for (const key of Object.keys(schema)) {
    const value = schema[key];
    if (typeof value !== "object" || value === null) continue;
    for (const [name, member] of members(key, value))
      if (isSchema(member)) collect(member, `${pointer}/${key}${name}`, found);
  }
}

/** The schemas that a keyword holds, with the rest of the pointer to each. */
function members(key: string, value: object): readonly (readonly [string, unknown])[] {
  if (Array.isArray(value)) return LISTED.has(key) || key === "items" ? value.map((one, i) => [`/${i}`, one]) : [];
  if (KEYED.has(key)) return Object.entries(value).map(([name, one]) => [`/${escapePointer(name)}`, one]);
  return SINGLE.has(key) ? [["", value]] : [];
}

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

/** Keywords that draft-07 does not know and would ignore. */
const MODERN: readonly string[] = [
  "prefixItems",
  "unevaluatedItems",
  "unevaluatedProperties",
  "dependentRequired",
  "dependentSchemas",
  "minContains",
  "maxContains",
  "$anchor",
  "$dynamicRef",
  "$dynamicAnchor",
  "$recursiveRef",
];

const MODERN_WORD = new RegExp(`"(?:${MODERN.map((one) => one.replace("$", "\\$")).join("|")})":`);

/**
 * The dialect that `$schema` names. Without it, 2020-12 if a keyword exists only there, else draft-07, whose validators give the
 * same results with half the code.
 */
export function dialectOf(schema: JsonSchema): Dialect {
  const declared = typeof schema["$schema"] === "string" ? schema["$schema"] : "";
  if (declared.includes("2020-12")) return "2020-12";
  if (declared.includes("2019-09")) return "2019-09";
  if (declared.includes("draft-0")) return "draft-07";
  // Most schemas contain none of these words, which is faster to check in their text.
  const modern =
    MODERN_WORD.test(JSON.stringify(schema)) &&
    subschemas(schema).some(({ schema: one }) => MODERN.some((key) => Object.hasOwn(one, key)));
  return modern ? "2020-12" : "draft-07";
}

/** The value of `$schema` if it is not a supported dialect, nor draft-06, which draft-07 extends. */
export function strangeDialect({ $schema }: JsonSchema): string | undefined {
  if ($schema === undefined) return undefined;
  return /json-schema\.org\/(draft-0[67]|draft\/20(19-09|20-12))\/schema/.test(String($schema))
    ? undefined
    : JSON.stringify($schema).slice(0, 200);
}

/** A copy without `$schema`, which would make a validator look for a meta-schema. */
export function withoutDialect(schema: JsonSchema): JsonSchema {
  const { $schema: _, ...rest } = schema;
  return rest;
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
