/** Types of the benchmark of repairs. */

import type { JsonObject, JsonValue } from "toolwright/codegen";
import type { Tool } from "../../runtime/contract/registry.js";

/** A call as it is meant. */
export interface Call {
  readonly op: string;
  readonly args: JsonObject;
  readonly dry_run?: boolean;
  readonly idempotency_key?: string;
}

/** Makes one kind of mistake. Pure: the same call and random numbers give the same result. */
export interface Mutator {
  readonly name: string;
  /** Set if the malformed call no longer holds what was meant, so that nothing can put it right. */
  readonly isLossy?: true;
  /** The malformed call; undefined if the mistake cannot be made with this call. */
  mutate(call: Call, tool: Tool, random: () => number): JsonValue | undefined;
}

/** A malformed call, and what was meant. */
export interface Case {
  readonly registry: string;
  readonly mutator: Mutator;
  readonly tool: Tool;
  readonly meant: Call;
  readonly sent: JsonValue;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** One of a list. */
export const pick = <T>(from: readonly T[], random: () => number): T | undefined =>
  from[Math.floor(random() * from.length)];

/** The properties of an object schema. */
export function propertiesOf(schema: unknown): readonly (readonly [name: string, schema: JsonObject])[] {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, one]) => (isObject(one) ? [[name, one] as const] : []));
}

/** The first alternative of a schema that is not null, references followed. */
export function plain(schema: JsonValue | undefined, root: JsonObject, depth = 0): JsonObject {
  if (!isObject(schema) || depth > 8) return {};
  const { $ref, anyOf, oneOf, allOf } = schema;
  if (typeof $ref === "string") return plain(pointed(root, $ref), root, depth + 1);
  const union = [anyOf, oneOf, allOf].find((one) => Array.isArray(one));
  const options = Array.isArray(union) ? union.filter(isObject) : [];
  const option = options.find((one) => one["type"] !== "null");
  return option ? { ...schema, ...plain(option, root, depth + 1) } : schema;
}

/** Whether a schema takes a type, in one of its alternatives at least; one that names no type takes all. */
export function takesType(schema: JsonValue | undefined, root: JsonObject, type: string, depth = 0): boolean {
  if (!isObject(schema) || depth > 8) return true;
  const { $ref, anyOf, oneOf } = schema;
  if (typeof $ref === "string") return takesType(pointed(root, $ref), root, type, depth + 1);
  const union = [anyOf, oneOf].find((one) => Array.isArray(one));
  if (Array.isArray(union)) return union.some((one) => takesType(one, root, type, depth + 1));
  const types = typesOf(schema);
  return types.length === 0 || types.includes(type);
}

const pointed = (root: JsonObject, ref: string): JsonValue | undefined =>
  ref
    .slice(2)
    .split("/")
    .reduce<JsonValue | undefined>((at, key) => (isObject(at) ? at[key] : undefined), root);

/** The types that a schema names. */
export function typesOf(schema: JsonObject): readonly string[] {
  const { type } = schema;
  if (Array.isArray(type)) return type.map(String);
  if (typeof type === "string") return [type];
  return Array.isArray(schema["enum"]) ? ["string"] : isObject(schema["properties"]) ? ["object"] : [];
}
