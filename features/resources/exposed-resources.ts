/**
 * Exposed resources: ops that are resources or prompts (`expose.resources`, `expose.prompts`), which of them a caller
 * has, and how their results are presented.
 */

import { propertiesOf, typesOf } from "../../runtime/call/arguments/schema.js";
import type { RegistryView } from "../../runtime/catalog/registry.js";
import { writeJson } from "../../runtime/contract/exact-number.js";
import { isObject } from "../../runtime/contract/json.js";
import { readJson } from "../../runtime/contract/read-json.js";
import type { JsonObject, JsonValue, Tool } from "../../runtime/contract/registry.js";
import type { ExposedResource } from "./exposed-settings.js";
import type { ResourceEntry } from "./settings.js";
import { matchTemplate } from "./uri-template.js";

/** An exposed op that the caller may see. */
export type VisibleOp<T> = T & { readonly tool: Tool };

/** The exposed ops that the caller may see. */
export const seenOf = <T extends ResourceEntry>(entries: Iterable<T>, view: RegistryView): readonly VisibleOp<T>[] =>
  [...entries].flatMap((offer) => {
    const tool = view.exact(offer.op);
    return tool?.kind === "read" ? [{ ...offer, tool }] : [];
  });

/** Whether its URI has variables. */
export const isTemplate = ({ template }: ExposedResource): boolean => template.variables.length > 0;

/** The resource at a URI: an exact match first, otherwise a template. */
export function resourceAt(uri: string, resources: readonly VisibleOp<ExposedResource>[]) {
  const ranked = [...resources.filter((one) => !isTemplate(one)), ...resources.filter(isTemplate)];
  for (const resource of ranked) {
    const values = matchTemplate(resource.template, uri);
    if (values) return { resource, values };
  }
  return undefined;
}

/** Converts the texts of a URI or prompt to op arguments, each to the type of its parameter. */
export function argumentsOf(tool: Tool, values: Iterable<readonly [name: string, text: string]>): JsonObject {
  const read = ([name, text]: readonly [string, string]) => [name, asTyped(text, tool, name)] as const;
  return Object.fromEntries([...values].map(read));
}

/**
 * Parses a text as JSON unless the parameter takes a string. Invalid text stays as it is, since validation of the op
 * reports it best.
 */
function asTyped(text: string, tool: Tool, name: string): JsonValue {
  const schema = schemaOf(tool, name);
  const types = schema ? typesOf(schema, tool.parameters_schema) : [];
  if (types.length === 0 || types.includes("string")) return text;
  try {
    return readJson(text) as JsonValue;
  } catch {
    return text;
  }
}

function schemaOf(tool: Tool, name: string) {
  const parameter = tool.parameters.find((one) => [one.original, one.name, ...one.aliases].includes(name));
  return parameter && propertiesOf(tool.parameters_schema).get(parameter.original);
}

/** The values of an enum argument. */
export function choicesOf(tool: Tool, name: string): readonly string[] {
  const values = schemaOf(tool, name)?.["enum"];
  return Array.isArray(values) ? values.filter((one) => one !== null && typeof one !== "object").map(String) : [];
}

/** A piece of a result: text, other values as JSON, media with their type, or a resource with a URI of its own. */
export type Piece =
  | { readonly kind: "text" | "json"; readonly text: string }
  | { readonly kind: "image" | "audio"; readonly mime: string; readonly bytes: string }
  | { readonly kind: "resource"; readonly uri: string; readonly mime?: string; readonly content: Content };

type Content = { readonly text: string } | { readonly blob: string };

/**
 * Splits a result into pieces. Media and embedded resources have the same form as in `run`, regardless of their source.
 *
 * @param whole - the result
 * @param result - the same without the bytes of the attached blocks
 * @param attached - content blocks other than text, for a result that itself is none
 */
export function piecesOf(
  { whole, result }: { readonly whole: JsonValue; readonly result: JsonValue },
  attached: readonly JsonValue[] = [],
): readonly Piece[] {
  const list = Array.isArray(whole) ? (whole as readonly JsonValue[]) : [whole];
  if (list.some((one) => mediaOf(one))) return list.map((one) => mediaOf(one) ?? plain(one));
  return [plain(result), ...attached.flatMap((one) => mediaOf(one) ?? [])];
}

const plain = (value: JsonValue): Piece =>
  typeof value === "string" ? { kind: "text", text: value } : { kind: "json", text: writeJson(value) };

/** Whether a piece of its own represents a value. */
export const isShown = (value: JsonValue): boolean => mediaOf(value) !== undefined;

/** A value that represents media or an embedded resource. */
function mediaOf(value: JsonValue): Piece | undefined {
  if (!isObject(value)) return undefined;
  const { type, mime, bytes, uri, text } = value;
  if ((type === "image" || type === "audio") && typeof mime === "string" && typeof bytes === "string")
    return { kind: type, mime, bytes };
  if (type !== "resource" || typeof uri !== "string") return undefined;
  const content = typeof text === "string" ? { text } : typeof bytes === "string" ? { blob: bytes } : undefined;
  return content && { kind: "resource", uri, content, ...(typeof mime === "string" ? { mime } : {}) };
}
