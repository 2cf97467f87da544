/** Conditions of approval rules: JSON Schemas over the arguments of a call. */

import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { patternKind } from "../contract/pattern/bounded-pattern.js";
import type { JsonObject, JsonSchema } from "../contract/registry.js";
import { messageOf } from "../contract/thrown.js";
import { UsageError } from "../contract/usage-error.js";
import { conditionSchema } from "./condition-schema.js";

/**
 * Compiles a condition.
 *
 * @param place - of the condition, for messages
 * @throws UsageError for a schema that is invalid, unclear or has unknown keywords, and for patterns that some texts make slow
 */
export function conditionOf(when: JsonSchema, place: string): (args: JsonObject) => boolean {
  const schema = schemaOf(when, place);
  const large = unsafeNumber(schema);
  if (large !== undefined)
    throw new UsageError(
      `${place} compares with a number of about ${large}, which is not exact: those beyond ${Number.MAX_SAFE_INTEGER} are rounded. Name a bound below it, or let the rule ask about all calls`,
    );
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

function schemaOf(when: JsonSchema, place: string): JsonSchema {
  const read = conditionSchema(when);
  if ("fault" in read) throw new UsageError(`${place} ${read.fault}`);
  return read.schema;
}

/** A number that may have been rounded as it was read. */
function unsafeNumber(schema: unknown): number | undefined {
  if (typeof schema === "number") return Math.abs(schema) > Number.MAX_SAFE_INTEGER ? schema : undefined;
  if (typeof schema !== "object" || schema === null) return undefined;
  for (const value of Object.values(schema)) {
    const found = unsafeNumber(value);
    if (found !== undefined) return found;
  }
  return undefined;
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
