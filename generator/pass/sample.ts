/** Samples: the smallest value that a schema accepts, with placeholders for what only the caller knows. */

import { type JsonObject, type JsonSchema, type JsonValue, resolvePointer } from "toolwright/codegen";
import { isSchema } from "../dialect.js";

/** Fixed, so that the same input gives the same bytes. */
const DATE = "2026-01-15";
const DEEPEST = 5;
/** Longer lists are not worth an example; one that needs more stays too short and is reported. */
const MOST_ITEMS = 10;

/** Text of a placeholder: `<task_id>`. Counts as valid for its type. */
export const isPlaceholder = (value: unknown): boolean => typeof value === "string" && /^<[A-Za-z0-9_]+>$/.test(value);

const placeholder = (name: string): string => `<${name.replace(/[^A-Za-z0-9_]/g, "_") || "value"}>`;

/** Names of required properties and of `added` ones: as declared, then those that are required without being declared. */
export function requiredNames(schema: JsonSchema, added: readonly string[] = []): readonly string[] {
  const { properties, required } = schema;
  const declared = Object.keys(isSchema(properties) ? properties : {});
  const wanted = (Array.isArray(required) ? required : []).filter((one): one is string => typeof one === "string");
  return [
    ...declared.filter((name) => wanted.includes(name) || added.includes(name)),
    ...wanted.filter((name) => !declared.includes(name)),
  ];
}

/** A sample of the schema of the argument `name`. */
export function sample(schema: unknown, name: string, root: JsonSchema, depth = 0): JsonValue {
  if (!isSchema(schema) || depth > DEEPEST) return placeholder(name);
  if (typeof schema["$ref"] === "string") return sample(resolvePointer(root, schema["$ref"]), name, root, depth + 1);
  const declared = Array.isArray(schema["examples"]) ? schema["examples"][0] : schema["example"];
  if (declared !== undefined) return declared as JsonValue;
  if (schema["const"] !== undefined) return schema["const"];
  if (Array.isArray(schema["enum"])) return (schema["enum"][0] ?? null) as JsonValue;
  const union = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(union)) return sample(union[0], name, root, depth + 1);
  const type = Array.isArray(schema["type"]) ? schema["type"].find((one) => one !== "null") : schema["type"];
  return sampleOfType(
    String(type ?? (isSchema(schema["properties"]) ? "object" : "string")),
    schema,
    name,
    root,
    depth,
  );
}

function sampleOfType(type: string, schema: JsonSchema, name: string, root: JsonSchema, depth: number): JsonValue {
  switch (type) {
    case "integer":
    case "number":
      return numberSample(schema, type === "integer");
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return arraySample(schema, name, root, depth);
    case "object":
      return objectSample(schema, root, depth);
    default:
      return stringSample(schema, name);
  }
}

const finite = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise);

/** The default, else 1 or the number nearest to it inside the bounds, on the grid of `multipleOf`. */
function numberSample(schema: JsonSchema, whole: boolean): number {
  const { default: fallback } = schema;
  if (typeof fallback === "number") return fallback;
  const step = finite(schema["multipleOf"], whole ? 1 : 0);
  const inside = step > 0 ? step : 0.5;
  const above = Math.max(finite(schema["minimum"], -Infinity), finite(schema["exclusiveMinimum"], -Infinity) + inside);
  const below = Math.min(finite(schema["maximum"], Infinity), finite(schema["exclusiveMaximum"], Infinity) - inside);
  const near = Math.max(Math.min(1, below), above);
  if (step === 0) return near;
  const up = Math.ceil(near / step) * step;
  return up <= below ? up : Math.floor(near / step) * step;
}

/** As many items as `minItems` asks for; numbered placeholders and further enum values where they must differ. */
function arraySample(schema: JsonSchema, name: string, root: JsonSchema, depth: number): JsonValue {
  const { minItems, items, prefixItems, uniqueItems } = schema;
  const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  const rest = Array.isArray(prefixItems) || !Array.isArray(items) ? items : schema["additionalItems"];
  const singular = name.replace(/s$/, "");
  const count = Math.min(finite(minItems, 0), MOST_ITEMS);
  const list = Array.from({ length: count }, (_, i) => sample(tuple[i] ?? rest, singular, root, depth + 1));
  return uniqueItems === true ? list.map((value, i) => distinct(value, i, tuple[i] ?? rest)) : list;
}

function distinct(value: JsonValue, index: number, schema: JsonValue | undefined): JsonValue {
  if (index === 0) return value;
  const values = isSchema(schema) && Array.isArray(schema["enum"]) ? schema["enum"] : [];
  if (values[index] !== undefined) return values[index];
  if (typeof value === "number") return value + index;
  return isPlaceholder(value) ? String(value).replace(">", `_${index + 1}>`) : value;
}

function objectSample(schema: JsonSchema, root: JsonSchema, depth: number): JsonObject {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const names = requiredNames(schema);
  return Object.fromEntries(
    names.map((name) => [
      name,
      sample(Object.hasOwn(properties, name) ? properties[name] : true, name, root, depth + 1),
    ]),
  );
}

/** Texts whose form is known; a rule of the author's own gets a placeholder, which fits every rule. */
function stringSample(schema: JsonSchema, name: string): string {
  const { format, pattern, maxLength } = schema;
  if (format === "date-time") return `${DATE}T09:00:00Z`;
  if (format === "date") return DATE;
  if (format === "uri" || format === "url") return "https://example.com/";
  if (format !== undefined || pattern !== undefined || maxLength !== undefined) return placeholder(name);
  if (/(^|_)(date|at)$/.test(name)) return DATE;
  return name === "url" ? "https://example.com/" : placeholder(name);
}
