/** Compact type notation, with which help, signatures and field errors describe a schema. */

import { dereference, isSchema, itemSchemas, requiredNames } from "./json-schema.js";
import type { JsonSchema } from "./registry.js";

/** Enum values and property names shown before the rest is cut. */
const MAX_LISTED = 12;
/** Length of a pattern before it is cut. */
const MAX_PATTERN_LENGTH = 40;
/** Schemas nested deeper are `any`; this also ends recursive references. */
const MAX_TYPE_DEPTH = 6;

/** What stands behind the type of a value that may be null. */
const OR_NULL = " | null";

/** Whether a type as {@link typeText} writes it takes null beside other values. */
export const isNullable = (type: string): boolean => type.endsWith(OR_NULL);

/** A type as {@link typeText} writes it, without null. */
export const withoutNull = (type: string): string => (isNullable(type) ? type.slice(0, -OR_NULL.length) : type);

/**
 * `id<task>`, `integer 1..50`, `todo|done`, `string | null`, `{kind, id}[]`; `any` for a type without a short form. Null
 * is the last of several types.
 */
export function typeText(schema: unknown, root: JsonSchema = isSchema(schema) ? schema : {}, depth = 0): string {
  if (!isSchema(schema) || depth > MAX_TYPE_DEPTH) return schema === false ? "never" : "any";
  const said = dereference(schema, root);
  if (typeof schema["$ref"] === "string") return typeText(said === schema ? undefined : said, root, depth + 1);
  const parts = alternatives(said, root, depth);
  const nullable = parts.includes("null") && parts.length > 1;
  const text = [...new Set(nullable ? parts.filter((part) => part !== "null") : parts)].join("|");
  return nullable ? text + OR_NULL : text;
}

function alternatives(schema: JsonSchema, root: JsonSchema, depth: number): readonly string[] {
  if ("const" in schema) return [scalar(schema["const"])];
  if (Array.isArray(schema["enum"])) return enumText(schema["enum"]);
  const union = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(union)) return union.flatMap((member) => withNullApart(typeText(member, root, depth + 1)));
  const { type, nullable } = schema;
  const types = Array.isArray(type) ? type.map(String) : [typeof type === "string" ? type : impliedType(schema)];
  const all = type !== undefined && nullable === true ? [...types, "null"] : types;
  return all.map((one) => single(one, schema, root, depth));
}

const withNullApart = (type: string): readonly string[] => (isNullable(type) ? [withoutNull(type), "null"] : [type]);

function impliedType(schema: JsonSchema): string {
  if (["properties", "patternProperties"].some((key) => isSchema(schema[key]))) return "object";
  return schema["items"] === undefined && schema["prefixItems"] === undefined ? "any" : "array";
}

/** A text that would be read as a value of another type is in quotes. */
const scalar = (value: unknown): string =>
  typeof value === "string" && !/^(?:null|true|false)$/.test(value) ? value : JSON.stringify(value);

function enumText(values: readonly unknown[]): readonly string[] {
  const texts = values.slice(0, MAX_LISTED).map(scalar);
  return values.length > MAX_LISTED ? [...texts, "…"] : texts;
}

function single(type: string, schema: JsonSchema, root: JsonSchema, depth: number): string {
  if (type === "string") return stringText(schema);
  if (type === "integer" || type === "number") return type + rangeText(schema);
  if (type === "array") return arrayText(schema, root, depth);
  if (type === "object") return objectText(schema);
  return type;
}

/** `id<task>`, `date`, `string`. */
export function stringText(schema: JsonSchema): string {
  const id = schema["x-id"];
  if (typeof id === "string") return id === "" ? "id" : `id<${id}>`;
  const { format, contentEncoding } = schema;
  if (contentEncoding === "base64" || contentEncoding === "base64url") return contentEncoding;
  // OpenAPI's name of base64.
  if (format === "byte") return "base64";
  return typeof format === "string" && FORMATS.has(format) ? format : "string";
}

/** Formats that are shown in place of `string`; an author's own format would mean nothing to a reader. */
const FORMATS: ReadonlySet<string> = new Set(
  (
    "date date-time duration email hostname idn-email idn-hostname ipv4 ipv6 iri iri-reference json-pointer password regex " +
    "relative-json-pointer time uri uri-reference uri-template url uuid binary iso-date-time iso-time"
  ).split(" "),
);

/** ` 1..50` behind the name of a number; empty without bounds. */
export function rangeText(schema: JsonSchema): string {
  const { minimum, maximum } = schema;
  if (typeof minimum === "number" && typeof maximum === "number") return ` ${minimum}..${maximum}`;
  if (typeof minimum === "number") return ` >=${minimum}`;
  return typeof maximum === "number" ? ` <=${maximum}` : "";
}

function arrayText(schema: JsonSchema, root: JsonSchema, depth: number): string {
  const { tuple, rest } = itemSchemas(schema);
  const isClosed = typeof schema["maxItems"] === "number" && schema["maxItems"] <= tuple.length;
  if (tuple.length > 0) return tupleText(tuple, isClosed ? false : rest, root, depth);
  return isSchema(rest) ? listText(rest, root, depth) : "any[]";
}

/** `[string, integer, ...id<task>[]]`; a rest without a schema is `...any[]`. */
function tupleText(tuple: readonly unknown[], rest: unknown, root: JsonSchema, depth: number): string {
  const texts = tuple.slice(0, MAX_LISTED).map((item) => typeText(item, root, depth + 1));
  const cut = tuple.length > MAX_LISTED ? ["…"] : [];
  return `[${[...texts, ...cut, ...(rest === false ? [] : [`...${isSchema(rest) ? listText(rest, root, depth) : "any[]"}`])].join(", ")}]`;
}

function listText(items: JsonSchema, root: JsonSchema, depth: number): string {
  const item = typeText(items, root, depth + 1);
  return item.includes("|") || (item.includes(" ") && !/^[{[]/.test(item)) ? `(${item})[]` : `${item}[]`;
}

const patternText = (pattern: string): string =>
  `/${pattern.slice(0, MAX_PATTERN_LENGTH).replace(/(?<!\\)\//g, "\\/")}${pattern.length > MAX_PATTERN_LENGTH ? "…" : ""}/`;

/** `{kind, id, note?, /^x-/}`: members that are declared or required, and patterns of the names of others. */
function objectText(schema: JsonSchema): string {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const patterns = isSchema(schema["patternProperties"]) ? Object.keys(schema["patternProperties"]) : [];
  const required = requiredNames(schema);
  const declared = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
  const others = required.filter((name) => !Object.hasOwn(properties, name));
  const names = [...declared, ...others, ...patterns.map(patternText)];
  if (names.length === 0) return "object";
  return `{${(names.length > MAX_LISTED ? [...names.slice(0, MAX_LISTED), "…"] : names).join(", ")}}`;
}
