/** Finds keywords of a schema for which the verdict of its validator may differ from JSON Schema, as Ajv's does. */

import { isSchema, resolvePointer } from "../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import { subschemas } from "./dialect.js";

/** A keyword whose verdict may differ, its place, and what about it is in doubt. */
export interface Unsure {
  /** JSON Pointer of the schema that holds the keyword. */
  readonly pointer: string;
  /** The keyword, and with what. */
  readonly what: string;
}

/** Keywords that are resolved while a value is validated. */
const DYNAMIC: readonly string[] = ["$dynamicRef", "$recursiveRef"];

/** Keywords beside which items count as evaluated by what a validator met on its way; Ajv does not follow all of it. */
const ITEM_DOUBTS: readonly string[] = ["contains", "if", "anyOf", "oneOf", "not", "dependentSchemas"];

/** Keywords that say nothing about a value, or hold schemas only. */
const SILENT: ReadonlySet<string> = new Set([
  "$ref",
  "$schema",
  "$comment",
  "$defs",
  "definitions",
  "title",
  "description",
  "default",
  "examples",
  "example",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

/**
 * Keywords of a schema whose verdict may differ from the specification of its dialect; empty for nearly every schema.
 *
 * The reason is Ajv: of the required part of the JSON Schema Test Suite it gives other verdicts for these.
 *
 * @example
 * ```ts
 * unsureKeywords({ contains: { const: 1 }, unevaluatedItems: false });
 * // [{ pointer: "", what: "unevaluatedItems with contains" }]
 * ```
 */
export function unsureKeywords(root: JsonSchema): readonly Unsure[] {
  const old = isOld(root);
  return subschemas(root).flatMap(({ pointer, schema }) =>
    [...dynamic(schema), ...unevaluated(schema, root), ...(old ? besideRef(schema) : [])].map((what) => ({
      pointer,
      what,
    })),
  );
}

const dynamic = (schema: JsonSchema): readonly string[] => DYNAMIC.filter((keyword) => Object.hasOwn(schema, keyword));

function unevaluated(schema: JsonSchema, root: JsonSchema): readonly string[] {
  const { unevaluatedItems: items, unevaluatedProperties: names } = schema;
  if (items === undefined && names === undefined) return [];
  const all = inPlace(schema, root);
  const doubt = ITEM_DOUBTS.find((keyword) => all.some((one) => Object.hasOwn(one, keyword)));
  const alone = all.some(
    (one) => Object.hasOwn(one, "if") && !(Object.hasOwn(one, "then") && Object.hasOwn(one, "else")),
  );
  return [
    ...(items !== undefined && doubt !== undefined ? [`unevaluatedItems with ${doubt}`] : []),
    ...(names !== undefined && alone ? ["unevaluatedProperties with an if that lacks then or else"] : []),
  ];
}

/** The schema and those that judge the same value, through local references too. */
function inPlace(schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] {
  const met = new Set<JsonSchema>([schema]);
  for (const one of met) for (const held of appliedBy(one, root)) if (isSchema(held)) met.add(held);
  return [...met];
}

const appliedBy = (one: JsonSchema, root: JsonSchema): readonly unknown[] => [
  ...["allOf", "anyOf", "oneOf"].flatMap((keyword) => one[keyword] ?? []),
  ...["if", "then", "else", "not"].map((keyword) => one[keyword]),
  ...Object.values(isSchema(one["dependentSchemas"]) ? one["dependentSchemas"] : {}),
  typeof one["$ref"] === "string" ? resolvePointer(root, one["$ref"]) : undefined,
];

/** Whether a schema names a draft in which `$ref` overrides what stands beside it: 4, 6 or 7. */
const isOld = ({ $schema }: JsonSchema): boolean => typeof $schema === "string" && /draft-0[0-7]\b/.test($schema);

function besideRef(schema: JsonSchema): readonly string[] {
  if (typeof schema["$ref"] !== "string") return [];
  const beside = Object.keys(schema).filter((keyword) => !SILENT.has(keyword) && !keyword.startsWith("x-"));
  return beside.length === 0 ? [] : [`${beside.join(", ")} beside $ref`];
}
