/** Conditions of approval rules: JSON Schemas over the arguments of a call. */

import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { patternKind } from "../contract/pattern/bounded-pattern.js";
import type { JsonObject, JsonSchema } from "../contract/registry.js";
import { messageOf } from "../contract/thrown.js";
import { UsageError } from "../contract/usage-error.js";

/** Keywords of JSON Schema at the top of a schema of arguments. */
const KEYWORDS: ReadonlySet<string> = new Set(
  `$schema $id $ref $defs $comment definitions title description default examples type const enum properties required
  additionalProperties patternProperties propertyNames minProperties maxProperties dependentRequired dependentSchemas
  unevaluatedProperties allOf anyOf oneOf not if then else`.split(/\s+/),
);

/**
 * Compiles a condition.
 *
 * @param place - of the condition, for messages
 * @throws UsageError for a schema that is invalid or has unknown keywords, and for patterns that some texts make slow
 */
export function conditionOf(when: JsonSchema, place: string): (args: JsonObject) => boolean {
  const schema = schemaOf(when, place);
  const slow = slowPattern(schema);
  if (slow !== undefined)
    throw new UsageError(`${place} has the pattern ${slow}, which takes long on some texts: write a simpler one`);
  try {
    // Strict: an unknown keyword would be ignored.
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, strictTuples: false });
    (formats as unknown as (to: Ajv2020) => void)(ajv);
    const validate = ajv.compile(schema);
    return (args) => validate(args) === true;
  } catch (error) {
    throw new UsageError(`${place} is no valid JSON Schema of the arguments: ${messageOf(error)}`);
  }
}

/** `{ amount: { minimum: 100 } }` is short for `{ properties: { amount: { minimum: 100 } } }`. */
function schemaOf(when: JsonSchema, place: string): JsonSchema {
  const names = Object.keys(when);
  if (names.length === 0) throw new UsageError(`${place} is empty: leave it out, or name an argument`);
  const other = names.filter((name) => !KEYWORDS.has(name));
  if (other.length === 0) return when;
  if (other.length === names.length) return { properties: when as JsonObject };
  const keyword = names.find((name) => KEYWORDS.has(name));
  throw new UsageError(
    `${place} mixes the keyword ${keyword} of JSON Schema with ${other.join(", ")}: write arguments under properties`,
  );
}

/** Keywords whose value is data rather than a schema. */
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);

function slowPattern(schema: unknown): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  for (const [key, value] of Object.entries(schema)) {
    const patterns =
      key === "pattern" ? [value] : key === "patternProperties" && value ? Object.keys(value as object) : [];
    const slow = patterns.find((one) => typeof one === "string" && isSlow(one)) as string | undefined;
    const found = slow ?? (DATA.has(key) ? undefined : slowPattern(value));
    if (found !== undefined) return found;
  }
  return undefined;
}

const isSlow = (pattern: string): boolean => ["scan", "backtrack"].includes(patternKind(pattern, "u"));
