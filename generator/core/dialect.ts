/** Finds the JSON Schema dialect of a schema, and walks schemas. */

import { escapePointer, unescapePointer } from "../../runtime/contract/json-pointer.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import { KEYED, LISTED, SINGLE } from "../../runtime/contract/schema-copy.js";

/** Supported dialects. */
export type SchemaDialect = "draft-07" | "2019-09" | "2020-12";

/** A subschema and its JSON Pointer from the root. */
export interface LocatedSubschema {
  readonly pointer: string;
  readonly schema: JsonSchema;
}

/** Readable name of the place at a pointer: `/properties/list/items/properties/w` is `list.w`; the root is `the input`. */
export function argumentAt(pointer: string): string {
  const parts = pointer.split("/").filter((part) => part !== "" && part !== "properties" && part !== "items");
  return parts.map(unescapePointer).join(".") || "the input";
}

/** All object subschemas with their pointers, starting with the schema itself, in the order of the text. */
export function subschemas(schema: JsonSchema): readonly LocatedSubschema[] {
  const found: LocatedSubschema[] = [];
  collect(schema, "", found);
  return found;
}

function collect(schema: JsonSchema, pointer: string, found: LocatedSubschema[]): void {
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
export function dialectOf(schema: JsonSchema): SchemaDialect {
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
