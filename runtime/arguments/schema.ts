/** Reading a JSON Schema beside the value it describes: own keys only, local references followed. */

import type { JsonSchema, JsonValue } from "../contract/registry.js";
import { resolvePointer } from "../contract/type-text.js";
import { isObject } from "../json.js";

/** References followed in a row; ends a reference that leads to itself. */
const MOST_REFERENCES = 16;

const TYPE_TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  object: isObject,
  null: (value) => value === null,
};

/** A keyword's value when it is a schema object. */
export function subschema(value: unknown): JsonSchema | undefined {
  return isObject(value) ? value : undefined;
}

/** The schema itself, or what its local `$ref` stands for. */
export function dereference(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let at = schema;
  for (let step = 0; step < MOST_REFERENCES; step++) {
    const ref = at["$ref"];
    const next = typeof ref === "string" ? resolvePointer(root, ref) : undefined;
    if (!next) return at;
    at = next;
  }
  return at;
}

/** Whether the schema's own `type` and `enum` admit values of this kind. */
export function admits(schema: JsonSchema, value: unknown): boolean {
  const types = typesOf(schema);
  return types.length === 0 || types.some((type) => TYPE_TESTS[type]?.(value) ?? false);
}

/** The schema's `type` as a list; derived from `enum`, `properties` or `items` where it is left out. */
export function typesOf(schema: JsonSchema): readonly string[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === "string");
  if (Array.isArray(schema["enum"])) return [...new Set(schema["enum"].map(typeName))];
  if (isObject(schema["properties"])) return ["object"];
  return schema["items"] === undefined ? [] : ["array"];
}

const typeName = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

/** The alternatives of `anyOf` or `oneOf`. */
export function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  const union = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(union) ? union.filter(isObject) : [];
}

/** The schema that speaks about this value: references followed, and of alternatives the first that admits its type. */
export function speaking(schema: JsonSchema, value: unknown, root: JsonSchema, depth = 0): JsonSchema {
  const own = dereference(schema, root);
  if (depth > MOST_REFERENCES || isObject(own["properties"]) || own["items"] !== undefined) return own;
  const options = alternatives(own).map((option) => dereference(option, root));
  const fitting = options.find((option) => admits(option, value));
  return fitting ? speaking(fitting, value, root, depth + 1) : own;
}

/** Schemas are frozen, so what was read from one once holds for good. Measured: it halves the time of a call. */
const PROPERTIES = new WeakMap<JsonSchema, ReadonlyMap<string, JsonSchema>>();

/** The declared properties of an object schema. */
export function propertiesOf(schema: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const known = PROPERTIES.get(schema);
  if (known) return known;
  const declared = Object.entries(subschema(schema["properties"]) ?? {});
  const properties = new Map(declared.flatMap(([name, property]) => (isObject(property) ? [[name, property]] : [])));
  PROPERTIES.set(schema, properties);
  return properties;
}

/** The names in `required`. */
export function requiredOf(schema: JsonSchema): readonly string[] {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** The schema of one member of an object or an array, if one is declared. */
export function memberSchema(schema: JsonSchema, key: string | number): JsonSchema | undefined {
  if (typeof key === "string") {
    const properties = subschema(schema["properties"]);
    const declared = properties && Object.hasOwn(properties, key) ? subschema(properties[key]) : undefined;
    return declared ?? subschema(schema["additionalProperties"]);
  }
  const tuple = schema["prefixItems"] ?? schema["items"];
  if (Array.isArray(tuple)) return subschema(tuple[key]) ?? subschema(schema["additionalItems"]);
  return subschema(schema["items"]);
}

/** Where a finding is: the schema that speaks about the value there, the value, and the path in words. */
export interface Place {
  readonly schema: JsonSchema | undefined;
  readonly value: JsonValue | undefined;
  readonly path: string;
  readonly keys: readonly (string | number)[];
}

/** Follows a JSON Pointer into the arguments, and the schema along with it. */
export function placeAt(root: JsonSchema, args: JsonValue, pointer: string): Place {
  let schema: JsonSchema | undefined = root;
  let value: JsonValue | undefined = args;
  const keys: (string | number)[] = [];
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const key: string | number = Array.isArray(value) ? Number(name) : name;
    const owner: JsonSchema | undefined = schema && speaking(schema, value, root);
    schema = owner && memberSchema(owner, key);
    value = memberValue(value, key);
    keys.push(key);
  }
  return { schema, value, keys, path: keys.reduce<string>(joinPath, "") };
}

/** The own member of an object or an array. */
export function memberValue(value: JsonValue | undefined, key: string | number): JsonValue | undefined {
  if (Array.isArray(value)) return typeof key === "number" ? value[key] : undefined;
  return isObject(value) && Object.hasOwn(value, String(key)) ? value[String(key)] : undefined;
}

/** `nodes` + 0 + `id` → `nodes[0].id`; a key that is no word stands in quotes. */
export function joinPath(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`;
  const shown = key.length > 80 ? `${key.slice(0, 79)}…` : key;
  if (!/^[\p{L}\p{N}_$-]+…?$/u.test(shown)) return `${path}[${JSON.stringify(shown)}]`;
  return path === "" ? shown : `${path}.${shown}`;
}
