/** Removes slow patterns from schemas, for validators that use the engine's backtracking regular expressions. */

import { isObject } from "../contract/json.js";
import { patternKind } from "../contract/pattern/bounded-pattern.js";

/** Keywords whose value is data rather than a schema. */
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);

/**
 * A copy of a schema without patterns and formats that some texts would make slow; everything else is still checked.
 */
export function linearSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(linearSchema);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(Object.entries(schema).flatMap(([key, value]) => keyword(key, value)));
}

function keyword(key: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (DATA.has(key)) return [[key, value]];
  if (key === "pattern" && typeof value === "string" && !isKept(value)) return [];
  if (key === "format" && value === "url") return [];
  if (key !== "patternProperties" || !isObject(value)) return [[key, linearSchema(value)]];
  const kept = Object.entries(value).filter(([pattern]) => isKept(pattern));
  return [[key, linearSchema(Object.fromEntries(kept))]];
}

/** Invalid patterns are kept, so that the schema fails to compile here as it would in a client. */
const isKept = (pattern: string): boolean => patternKind(pattern, "u") === "native" || !isValid(pattern);

function isValid(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}
