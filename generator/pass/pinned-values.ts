/** Values that only prose lists: finds them in descriptions, and puts those that `ops.<tool>.enums` pins into the schemas. */

import { closest } from "../../runtime/contract/closest.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../runtime/contract/registry.js";
import type { Config } from "../config/config.js";
import type { Report } from "../core/diagnostic.js";
import type { Definition } from "../core/ir.js";
import { listedValues } from "../core/prose-values.js";
import { opEntry } from "./op-paths.js";

/** The definitions; an argument whose values are pinned accepts no others. */
export function withPinnedValues(
  definitions: readonly Definition[],
  config: Config,
  report: Report,
): readonly Definition[] {
  return definitions.map((one) => {
    const { key, entry } = opEntry(config, one.pack, one.name);
    const pins = Object.entries(entry.enums ?? {});
    if (pins.length === 0) return one;
    const properties = { ...propertiesOf(one.parameters) };
    for (const [argument, values] of pins) {
      const schema = Object.hasOwn(properties, argument) ? properties[argument] : undefined;
      const place = config.place("ops", key, "enums", argument);
      if (!isSchema(schema)) {
        const nearest = closest(argument, Object.keys(properties));
        report.add("argument-unmatched", place, { tool: one.name, argument, nearest });
      } else if (listsItself(schema)) report.add("enum-unused", place, { tool: one.name, argument });
      else if (values.length === 0) {
        const path = `ops.${key}.enums.${argument}`;
        report.add("config-invalid", place, { path, expected: "a list of values", received: "an empty list" });
      } else properties[argument] = withValues(schema, values as readonly JsonValue[]) as JsonObject;
    }
    return { ...one, parameters: { ...one.parameters, properties } };
  });
}

/** Values that the description of each argument lists, and the description; arguments whose schema lists them are left out. */
export function proseValues({
  parameters,
}: Pick<Definition, "parameters">): ReadonlyMap<string, { readonly values: readonly string[]; readonly text: string }> {
  const found = Object.entries(propertiesOf(parameters)).flatMap(([argument, schema]) => {
    if (!isSchema(schema) || !takesText(schema)) return [];
    const text = schema["description"] ?? (isSchema(schema["items"]) ? schema["items"]["description"] : undefined);
    const values = typeof text === "string" ? listedValues(text) : undefined;
    return values && fits(schema, values) ? [[argument, { values, text: String(text) }] as const] : [];
  });
  return new Map(found);
}

function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, JsonValue>> {
  return isSchema(properties) ? (properties as Readonly<Record<string, JsonValue>>) : {};
}

const typesOf = ({ type }: JsonSchema): readonly unknown[] => (Array.isArray(type) ? type : [type]);
const isText = (schema: JsonSchema): boolean =>
  typesOf(schema).every((one) => one === "string" || one === "null") && typesOf(schema).includes("string");

/** Whether an argument takes any text, or a list of texts. */
function takesText(schema: JsonSchema): boolean {
  const { items } = schema;
  const one = schema["type"] === "array" && isSchema(items) ? items : schema;
  return isText(one) && !listsItself(schema) && !["pattern", "format", "$ref"].some((key) => Object.hasOwn(one, key));
}

/** A default or an example outside the list shows that the list is not complete. */
function fits(schema: JsonSchema, values: readonly string[]): boolean {
  const { default: preset, examples } = schema;
  const known = [preset, ...(Array.isArray(examples) ? examples : [])].flat();
  return known.every((one) => one === undefined || one === null || values.includes(String(one)));
}

function listsItself(schema: JsonSchema): boolean {
  const { items } = schema;
  const has = (one: JsonSchema): boolean => Object.hasOwn(one, "enum") || Object.hasOwn(one, "const");
  return has(schema) || (schema["type"] === "array" && isSchema(items) && has(items));
}

function withValues(schema: JsonSchema, values: readonly JsonValue[]): JsonSchema {
  if (schema["type"] === "array") {
    const items = isSchema(schema["items"]) ? schema["items"] : {};
    return { ...schema, items: withValues(items, values) as JsonObject };
  }
  const isNullable = typesOf(schema).includes("null") && !values.includes(null);
  const pinned = { enum: isNullable ? [...values, null] : values };
  // Beside `$ref`, drafts before 2019-09 ignore other keywords.
  return Object.hasOwn(schema, "$ref") ? { allOf: [schema as JsonObject], ...pinned } : { ...schema, ...pinned };
}
