/** Builds forms from schemas: one field for each value that can be typed, and JSON for all others. */

import { writeJson } from "../../../contract/exact-number.js";
import { typeNames } from "../../../contract/json-schema.js";
import { readJson } from "../../../contract/read-json.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../../contract/registry.js";

/** The input control of a field. */
export type FieldKind = "text" | "long" | "number" | "choice" | "json";

/** One field. */
export interface Field {
  /** Path of its value in the arguments. */
  readonly path: readonly string[];
  /** The path as text; also the key of the field. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly description: string;
  /** Options of a choice. */
  readonly choices: readonly JsonValue[];
  readonly placeholder: string;
  /** A short hint about the allowed values. */
  readonly hint: string;
}

/** Typed texts by field name; an empty field is not sent. */
export type Typed = Readonly<Record<string, string>>;

/** Levels of objects whose members have fields of their own. */
const MAX_FIELD_DEPTH = 2;
/** Strings with a higher maximum length get a multi-line field. */
const SHORT = 300;

/** The fields of a schema whose root is an object. */
export function fieldsOf(schema: JsonSchema): readonly Field[] {
  return membersOf(schema, schema, { path: [], required: true });
}

interface Place {
  readonly path: readonly string[];
  readonly required: boolean;
}

function membersOf(schema: JsonSchema, root: JsonSchema, { path, required }: Place): readonly Field[] {
  const needed: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(objectIn(schema["properties"])).flatMap(([name, given]) => {
    const member = resolved(objectIn(given), root);
    const place = { path: [...path, name], required: required && needed.includes(name) };
    const isOpen = member["type"] === "object" && Object.keys(objectIn(member["properties"])).length > 0;
    if (isOpen && path.length < MAX_FIELD_DEPTH) return membersOf(member, root, place);
    return [fieldOf(member, place)];
  });
}

function fieldOf(schema: JsonSchema, { path, required }: Place): Field {
  const choices = choicesOf(schema);
  const fallback = schema["default"];
  return {
    path,
    name: path.join("."),
    kind: choices.length > 0 ? "choice" : kindOf(schema),
    required,
    description: typeof schema["description"] === "string" ? schema["description"] : "",
    choices,
    placeholder: fallback === undefined ? "" : `default: ${textOf(fallback)}`,
    hint: choices.length > 0 ? "" : hintOf(schema),
  };
}

/** The format of a string, the bounds of a number, or the type of JSON. */
function hintOf(schema: JsonSchema): string {
  if (kindOf(schema) === "json") {
    const types = typesOf(schema).map((type) => (type === "array" ? "list" : type));
    return types.length === 1 ? `JSON ${types[0]}` : "JSON";
  }
  const { anyOf, oneOf, minimum, maximum } = schema;
  const all = [schema, ...[anyOf, oneOf].flatMap((one) => (Array.isArray(one) ? one : []))].map(objectIn);
  const formats = all.flatMap(({ format }) => (typeof format === "string" ? [format] : []));
  if (formats.length > 0) return formats.join(" or ");
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `from ${minimum}`;
  return maximum === undefined ? "" : `up to ${maximum}`;
}

function choicesOf({ enum: values, const: only, type }: JsonSchema): readonly JsonValue[] {
  if (Array.isArray(values)) return values;
  if (only !== undefined) return [only];
  return type === "boolean" ? [true, false] : [];
}

function kindOf(schema: JsonSchema): FieldKind {
  const types = typesOf(schema);
  if (types.length === 0 || types.some((one) => one !== "string" && one !== "number")) return "json";
  if (types.includes("number")) return types.includes("string") ? "json" : "number";
  return typeof schema["maxLength"] === "number" && schema["maxLength"] <= SHORT ? "text" : isLong(schema);
}

/** A string without a pattern, format or similar constraint may have several lines. */
const isLong = (schema: JsonSchema): FieldKind =>
  ["pattern", "format", "anyOf", "x-id"].some((one) => one in schema) ? "text" : "long";

/** The types of a value, without null. */
function typesOf(schema: JsonSchema): readonly string[] {
  const { anyOf, oneOf } = schema;
  const branches = [anyOf, oneOf].flatMap((one) => (Array.isArray(one) ? one : []));
  const own = typeNames(schema);
  const all = own.length > 0 ? own : branches.flatMap((branch) => typesOf(objectIn(branch)));
  return all.filter((one) => one !== "null").map((one) => (one === "integer" ? "number" : one));
}

const objectIn = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

/** Follows a reference to a definition of the same schema. */
function resolved(schema: JsonObject, root: JsonSchema): JsonObject {
  const [, group = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(schema["$ref"] ?? "")) ?? [];
  const found = Object.hasOwn(root, group) ? objectIn(root[group]) : {};
  return Object.hasOwn(found, name) ? { ...objectIn(found[name]), ...schema } : schema;
}

/** The text of a value in a field. */
export const textOf = (value: JsonValue): string => (typeof value === "string" ? value : writeJson(value));

/** The typed arguments, or the field with its fault. */
export type Filled = { readonly args: JsonObject } | { readonly name: string; readonly fault: string };

/** Builds the arguments from the typed texts. */
export function argumentsOf(fields: readonly Field[], typed: Typed): Filled {
  const args: Record<string, JsonValue> = Object.create(null);
  for (const field of fields) {
    const text = typed[field.name] ?? "";
    if (text === "") continue;
    const value = valueIn(field, text);
    if (value === undefined) return { name: field.name, fault: `${field.name} is no ${FAULTS[field.kind]}.` };
    put(args, field.path, value);
  }
  return { args };
}

const FAULTS: Readonly<Record<FieldKind, string>> = {
  text: "text",
  long: "text",
  number: "number",
  choice: "value of the list",
  json: "JSON",
};

function valueIn({ kind, choices }: Field, text: string): JsonValue | undefined {
  if (kind === "text" || kind === "long") return text;
  if (kind === "choice") return choices.find((one) => textOf(one) === text);
  if (kind === "number") return numberIn(text);
  try {
    return readJson(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Parses a typed number. Forms that JSON does not allow (`+1`, `.5`) are read by value. */
function numberIn(text: string): JsonValue | undefined {
  if (text.trim() === "" || !Number.isFinite(Number(text))) return undefined;
  try {
    return readJson(text) as JsonValue;
  } catch {
    return Number(text);
  }
}

/** Sets own properties only: `__proto__` is a name like any other. */
function put(target: Record<string, JsonValue>, [name = "", ...rest]: readonly string[], value: JsonValue): void {
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const known = target[name] as Record<string, JsonValue> | undefined;
  const inner: Record<string, JsonValue> = known ?? Object.create(null);
  target[name] = inner;
  put(inner, rest, value);
}

/** The field texts for given arguments; `undefined` if the fields cannot represent them. */
export function typedFrom(fields: readonly Field[], args: JsonObject): Typed | undefined {
  const typed: Record<string, string> = Object.create(null);
  let left = Object.keys(args).length === 0 ? 0 : leavesIn(args);
  for (const field of fields) {
    const value = field.path.reduce<JsonValue | undefined>(memberOf, args);
    if (value === undefined) continue;
    const text = field.kind === "json" ? writeJson(value) : textOf(value);
    if (text === "" || writeJson(valueIn(field, text)) !== writeJson(value)) return undefined;
    typed[field.name] = text;
    left -= leavesIn(value);
  }
  return left === 0 ? typed : undefined;
}

const memberOf = (value: JsonValue | undefined, key: string): JsonValue | undefined =>
  Object.hasOwn(objectIn(value), key) ? objectIn(value)[key] : undefined;

/** Counts the values without members in a value. */
function leavesIn(value: JsonValue): number {
  const members = Object.values(objectIn(value));
  return members.length === 0 ? 1 : members.reduce<number>((sum, one) => sum + leavesIn(one), 0);
}
