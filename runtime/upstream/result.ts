/** What a result of `tools/call` is as data, and what of it only a client can show. */

import { readJson } from "../contract/read-json.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import { isObject, isTooDeep } from "../json.js";

/** An entry of `content` that is no text, as the server sent it: an image, audio, an embedded resource, a link to one. */
export type ContentBlock = JsonObject;

/** A result taken apart. */
export interface ProxiedResult {
  readonly data: JsonValue;
  /** What is no text, in order. */
  readonly blocks: readonly ContentBlock[];
  readonly isError: boolean;
  /** All its texts, one below the other. */
  readonly text: string;
  readonly isTooDeep: boolean;
}

/** Takes a result apart; what is no content block by the protocol is left out. */
export function readResult(result: Readonly<Record<string, unknown>>): ProxiedResult {
  const content = Array.isArray(result["content"]) ? result["content"].filter(isObject) : [];
  const structured = result["structuredContent"] as JsonValue | undefined;
  const texts = content.flatMap((one) => (one["type"] === "text" ? [String(one["text"] ?? "")] : []));
  const data = structured ?? dataOf(content);
  return {
    data,
    blocks: content.filter((one) => one["type"] !== "text"),
    isError: result["isError"] === true,
    text: texts.join("\n"),
    isTooDeep: isTooDeep(data),
  };
}

/** One block is its value, several are the list of theirs, none is null. */
function dataOf(content: readonly ContentBlock[]): JsonValue {
  const values = content.map(blockAsData);
  return values.length > 1 ? values : (values[0] ?? null);
}

/** One block as data: text that is JSON is what it says, bytes keep their type. */
export function blockAsData(block: ContentBlock): JsonValue {
  const form = FORMS.get(String(block["type"]));
  return form ? form(block) : block;
}

type Form = (block: ContentBlock) => JsonValue;

const bytes: Form = ({ type = "", mimeType = "application/octet-stream", data = "" }) => ({
  type,
  mime: mimeType,
  bytes: data,
});

const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ["text", ({ text = "" }) => parsed(String(text))],
  ["image", bytes],
  ["audio", bytes],
  ["resource", ({ resource }) => resourceOf(resource)],
  ["resource_link", ({ annotations: _, _meta: __, mimeType, ...rest }) => withMime(rest, mimeType)],
]);

function resourceOf(resource: JsonValue | undefined): JsonValue {
  if (!isObject(resource)) return { type: "resource" };
  const { uri = "", mimeType, text, blob } = resource;
  const body: JsonObject = text === undefined ? { bytes: blob ?? "" } : { text };
  return withMime({ type: "resource", uri, ...body }, mimeType);
}

const withMime = (rest: JsonObject, mime: JsonValue | undefined): JsonObject =>
  mime === undefined ? rest : { ...rest, mime };

/** What a text says as JSON; a text that is none stands for itself. */
function parsed(text: string): JsonValue {
  try {
    return readJson(text) as JsonValue;
  } catch {
    return text;
  }
}
