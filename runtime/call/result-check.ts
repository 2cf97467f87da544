/**
 * Checks results against the output schema that an op declares, as MCP clients do: without the patterns and formats of the
 * schema that some texts would make slow, since schema and result may both come from an upstream server.
 */

import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { isObject } from "../contract/json.js";
import { patternKind } from "../contract/pattern/bounded-pattern.js";
import type { JsonSchema } from "../contract/registry.js";
import { withNearestNumbers } from "./arguments/exact.js";

/** What is wrong with a result, or `undefined`. The text names keys of the result, and no values. */
export type ResultCheck = (result: unknown) => string | undefined;

const checker = new AjvJsonSchemaValidator();
const checks = new WeakMap<JsonSchema, ResultCheck | false>();

/**
 * The check of a schema, compiled at its first use; undefined for a schema that cannot be compiled.
 *
 * @example
 * resultCheck({ type: "object", properties: { id: { type: "string" } } })?.({ id: 1 }) // "data/id must be string"
 */
export function resultCheck(schema: JsonSchema): ResultCheck | undefined {
  const check = checks.get(schema) ?? compile(schema);
  checks.set(schema, check);
  return check || undefined;
}

function compile(schema: JsonSchema): ResultCheck | false {
  // Ajv caches schemas by id, which several tools may share.
  const { $id: _, ...rest } = schema;
  try {
    const validate = checker.getValidator(linearSchema(rest) as typeof rest);
    return (result) => validate(withNearestNumbers(result)).errorMessage;
  } catch {
    return false;
  }
}

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
