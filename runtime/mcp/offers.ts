/** Ops that are resources and prompts (`expose.resources`, `expose.prompts`): which ones a caller has, and what their results are to it. */

import { propertiesOf, typesOf } from "../arguments/schema.js";
import { writeJson } from "../contract/exact-number.js";
import { readJson } from "../contract/read-json.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import { matchTemplate, readTemplate, type UriTemplate } from "../contract/uri-template.js";
import { isObject } from "../json.js";
import type { RegistryView } from "../registry.js";

/** An entry of `expose.resources` or `expose.prompts`. */
interface OfferConfig {
  readonly op: string;
  readonly name?: string;
  readonly description?: string;
  readonly mime?: string;
}

/** `expose`, as far as it is about these. */
export interface OffersConfig {
  readonly resources: Readonly<Record<string, OfferConfig>>;
  readonly prompts: Readonly<Record<string, OfferConfig>>;
}

/** An op under an address. */
export interface OfferedResource extends OfferConfig {
  /** The address, or the template of several. */
  readonly uri: string;
  readonly template: UriTemplate;
}

/** An op under the name of a prompt. */
export interface OfferedPrompt extends OfferConfig {
  readonly prompt: string;
}

/** All that a project has of them. */
export interface Offers {
  readonly resources: readonly OfferedResource[];
  readonly prompts: ReadonlyMap<string, OfferedPrompt>;
}

/** Reads the configuration, which has been checked; an address that is no template stands for itself. */
export const offersOf = ({ resources, prompts }: OffersConfig): Offers => ({
  resources: Object.entries(resources).map(([uri, entry]) => ({
    ...entry,
    uri,
    template: readTemplate(uri) ?? { texts: [uri], variables: [] },
  })),
  prompts: new Map(Object.entries(prompts).map(([prompt, entry]) => [prompt, { ...entry, prompt }])),
});

/** An offer with the op behind it, which the caller may see. */
export type Seen<T> = T & { readonly tool: Tool };

/** Those whose op is there for the caller. What the caller may not see is not there. */
export const seenOf = <T extends OfferConfig>(offers: Iterable<T>, view: RegistryView): readonly Seen<T>[] =>
  [...offers].flatMap((offer) => {
    const tool = view.exact(offer.op);
    return tool?.kind === "read" ? [{ ...offer, tool }] : [];
  });

/** Whether it is the template of several addresses. */
export const isTemplate = ({ template }: OfferedResource): boolean => template.variables.length > 0;

/** What an address stands for: the resource of exactly this one, else that of a template. */
export function resourceAt(uri: string, resources: readonly Seen<OfferedResource>[]) {
  const ranked = [...resources.filter((one) => !isTemplate(one)), ...resources.filter(isTemplate)];
  for (const resource of ranked) {
    const values = matchTemplate(resource.template, uri);
    if (values) return { resource, values };
  }
  return undefined;
}

/** Arguments of an op from texts, which is all that addresses and prompts can hold: each as what the op takes there. */
export function argumentsOf(tool: Tool, values: Iterable<readonly [name: string, text: string]>): JsonObject {
  const read = ([name, text]: readonly [string, string]) => [name, asTyped(text, tool, name)] as const;
  return Object.fromEntries([...values].map(read));
}

/** The text itself where the op takes texts there, or where it is nothing that the op takes, which the op's own check says best. */
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

/** The values that an argument can have, where there are only so many. */
export function choicesOf(tool: Tool, name: string): readonly string[] {
  const values = schemaOf(tool, name)?.["enum"];
  return Array.isArray(values) ? values.filter((one) => one !== null && typeof one !== "object").map(String) : [];
}

/** A piece of a result: text, what is no text as JSON, bytes with their type, or a resource of its own address. */
export type Piece =
  | { readonly kind: "text" | "json"; readonly text: string }
  | { readonly kind: "image" | "audio"; readonly mime: string; readonly bytes: string }
  | { readonly kind: "resource"; readonly uri: string; readonly mime?: string; readonly content: Content };

type Content = { readonly text: string } | { readonly blob: string };

/**
 * The pieces of a result. Bytes and embedded resources have the form that `run` sees them in, whoever gives them.
 *
 * @param attached what of the result is no text, where the result itself is something else
 */
export function piecesOf(result: JsonValue, attached: readonly JsonValue[] = []): readonly Piece[] {
  const list = Array.isArray(result) ? (result as readonly JsonValue[]) : [result];
  if (list.some((one) => mediaOf(one))) return list.map((one) => mediaOf(one) ?? plain(one));
  return [plain(result), ...attached.flatMap((one) => mediaOf(one) ?? [])];
}

const plain = (value: JsonValue): Piece =>
  typeof value === "string" ? { kind: "text", text: value } : { kind: "json", text: writeJson(value) };

/** A value that stands for bytes or for an embedded resource. */
function mediaOf(value: JsonValue): Piece | undefined {
  if (!isObject(value)) return undefined;
  const { type, mime, bytes, uri, text } = value;
  if ((type === "image" || type === "audio") && typeof mime === "string" && typeof bytes === "string")
    return { kind: type, mime, bytes };
  if (type !== "resource" || typeof uri !== "string") return undefined;
  const content = typeof text === "string" ? { text } : typeof bytes === "string" ? { blob: bytes } : undefined;
  return content && { kind: "resource", uri, content, ...(typeof mime === "string" ? { mime } : {}) };
}
