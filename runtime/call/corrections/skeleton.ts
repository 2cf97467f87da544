/**
 * Makes values for the caller to fill in: placeholders, and objects and lists of them. They hold no choice made for the caller, but for
 * null, which examples have for what is required and may be null.
 */

import { alternatives, dereference, isSchema, itemSchemas } from "../../contract/json-schema.js";
import { placeholder } from "../../contract/placeholder.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../contract/registry.js";
import { takesNull } from "../../contract/sample.js";
import { typeText, withoutNull } from "../../contract/type-text.js";
import { patternWords } from "../arguments/pattern-words.js";
import { requiredOf } from "../arguments/schema.js";

/** Levels that are written out. */
const MAX_DEPTH = 4;
/** Values of an enum that a placeholder lists, and items of a list that are written out. */
const MAX_VALUES = 12;
const MAX_ITEMS = 100;
/** Longest example that a placeholder has, in characters. */
const MAX_EXAMPLE_LENGTH = 60;

/** A placeholder that says what an argument takes. */
export const hinted = (schema: unknown, name: string, root: JsonSchema): string =>
  placeholder(name, hintOf(schema, root));

function hintOf(schema: unknown, root: JsonSchema): string {
  if (!isSchema(schema)) return "";
  const said = dereference(schema, root);
  if (typeof said["x-form"] === "string") return said["x-form"];
  const values = Array.isArray(said["enum"]) ? said["enum"].filter((value) => value !== null) : [];
  if (values.length > 0)
    return inWords(values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))));
  const text = withoutNull(typeText(schema, root));
  if (text === "string") return formOf(said);
  if (/^(?:any|id(?:<.*>)?)$/.test(text)) return "";
  return text
    .replaceAll(/ ?\| ?/g, " or ")
    .replaceAll("<=", "at most ")
    .replaceAll(">=", "at least ");
}

/** The form of a text: an example of its author, else its pattern in words: `^an_[0-9]+$` is `an_NUMBER`. */
function formOf({ pattern, examples, example }: JsonSchema): string {
  const [given = example] = Array.isArray(examples) ? (examples as readonly JsonValue[]) : [];
  if (typeof pattern !== "string") return "";
  if (typeof given === "string" && given.length <= MAX_EXAMPLE_LENGTH) return `such as ${given}`;
  return patternWords(pattern)?.replace(/<([^<>]*)>/g, (_, word: string) => word.toUpperCase()) ?? "";
}

const inWords = (values: readonly string[]): string =>
  [...values.slice(0, MAX_VALUES), ...(values.length > MAX_VALUES ? ["…"] : [])].join(" or ");

/** A value for what is required and missing: null, if it may be null. */
export const missingValue = (schema: unknown, name: string, root: JsonSchema, depth = 0): JsonValue =>
  isSchema(schema) && takesNull(dereference(schema, root)) ? null : argumentSkeleton(schema, name, root, depth);

/** A value to fill in for an argument. */
export function argumentSkeleton(schema: unknown, name: string, root: JsonSchema, depth = 0): JsonValue {
  if (!isSchema(schema) || depth > MAX_DEPTH) return placeholder(name);
  const said = dereference(schema, root);
  const only = onlyValue(said);
  if (only !== undefined) return only;
  const options = alternatives(said);
  const option = options.find((one) => one["type"] !== "null");
  if (option && options.filter((one) => one["type"] !== "null").length === 1)
    return argumentSkeleton(
      { ...said, anyOf: undefined, oneOf: undefined, ...dereference(option, root) },
      name,
      root,
      depth + 1,
    );
  const type = Array.isArray(said["type"]) ? said["type"].find((one) => one !== "null") : said["type"];
  if (type === "array") return listOf(said, name, root, depth);
  if (type === "object" || isSchema(said["properties"])) return objectOf(said, root, depth) ?? hinted(said, name, root);
  return hinted(schema, name, root);
}

/** The only value that a schema accepts: no choice is left to the caller. */
function onlyValue({ const: one, enum: values }: JsonSchema): JsonValue | undefined {
  if (one !== undefined) return one;
  return Array.isArray(values) && values.length === 1 ? (values[0] as JsonValue) : undefined;
}

function listOf(schema: JsonSchema, name: string, root: JsonSchema, depth: number): JsonValue {
  const { tuple, rest } = itemSchemas(schema);
  const { minItems } = schema;
  const count = Math.min(Math.max(1, typeof minItems === "number" ? minItems : tuple.length), MAX_ITEMS);
  const item = name.replace(/s$/, "");
  const isSet = schema["uniqueItems"] === true;
  return Array.from({ length: count }, (_, at) =>
    argumentSkeleton(tuple[at] ?? rest, isSet && at > 0 ? `${item}_${at + 1}` : item, root, depth + 1),
  );
}

function objectOf(schema: JsonSchema, root: JsonSchema, depth: number): JsonObject | undefined {
  const required = requiredOf(schema);
  if (required.length === 0) return undefined;
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  return Object.fromEntries(
    required.map((name) => [
      name,
      missingValue(Object.hasOwn(properties, name) ? properties[name] : true, name, root, depth + 1),
    ]),
  );
}
