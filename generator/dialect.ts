/** Which JSON Schema dialect a schema is written in, and how schemas are walked. */

import { escapePointer, isSchema, type JsonSchema, unescapePointer } from "toolwright/codegen";

/** Dialects that are told apart. */
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
/** Keywords that hold schemas in a list; `items` may. */
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

/** What a person calls the place at a pointer: `/properties/list/items/properties/w` is `list.w`; the root is `the input`. */
export function argumentAt(pointer: string): string {
  const parts = pointer.split("/").filter((part) => part !== "" && part !== "properties" && part !== "items");
  return parts.map(unescapePointer).join(".") || "the input";
}

/** Every object subschema of a schema with its pointer, itself first, in the order of the text. */
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

/** A copy with each schema that it holds directly replaced. */
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
 * The dialect that `$schema` names. Without one: 2020-12 where a keyword only means something there, else draft-07, whose
 * validators give the same verdicts and are half as long.
 */
export function dialectOf(schema: JsonSchema): Dialect {
  const declared = typeof schema["$schema"] === "string" ? schema["$schema"] : "";
  if (declared.includes("2020-12")) return "2020-12";
  if (declared.includes("2019-09")) return "2019-09";
  if (declared.includes("draft-0")) return "draft-07";
  // Most schemas hold none of these words at all, which is quicker to see in their text.
  const modern =
    MODERN_WORD.test(JSON.stringify(schema)) &&
    subschemas(schema).some(({ schema: one }) => MODERN.some((key) => Object.hasOwn(one, key)));
  return modern ? "2020-12" : "draft-07";
}

/** What `$schema` names where that is none of the dialects that are told apart, nor draft-06, which draft-07 only adds to. */
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
/** Keywords whose value maps names to something: a name among them is no keyword. */
const MAPS: ReadonlySet<string> = new Set([...KEYED, "dependentRequired"]);

/** A copy without the keywords that `drop` names, at any depth. A property of that name stays: it is no keyword. */
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
