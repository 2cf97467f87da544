/** Converts a `tools/call` result to data, and separates the content blocks that only a client can show. */

import type { ContentBlock } from "../call/client-access.js";
import { isObject, isTooDeep } from "../contract/json.js";
import { type PassedBound, passedBound, UPSTREAM_BOUNDS } from "../contract/json-survey.js";
import { readJson } from "../contract/read-json.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import { inTurns } from "../contract/turn.js";

/** A converted result. */
export interface ProxiedResult {
  readonly data: JsonValue;
  /** Blocks other than text, in order. */
  readonly blocks: readonly ContentBlock[];
  readonly isError: boolean;
  /** All texts, joined by line breaks. */
  readonly text: string;
  readonly isTooDeep: boolean;
  /** The bound of answers that a text of JSON exceeds; its text is the data. */
  readonly passed: PassedBound | undefined;
  /** Whether `content` is not a list. */
  readonly isMalformed: boolean;
  /** Whether the data is `structuredContent`. */
  readonly isStructured: boolean;
}

/** Converts a result, in several turns of the event loop if it has many blocks; invalid content blocks are left out. */
export async function readResult(result: Readonly<Record<string, unknown>>): Promise<ProxiedResult> {
  const content = Array.isArray(result["content"]) ? result["content"].filter(isObject) : [];
  const structured = result["structuredContent"] as JsonValue | undefined;
  const texts = content.flatMap((one) => (one["type"] === "text" ? [String(one["text"] ?? "")] : []));
  const values: JsonValue[] = [];
  if (structured === undefined) await inTurns(content, (one) => void values.push(blockAsData(one)));
  const data = structured ?? dataOf(values);
  return {
    data,
    blocks: content.filter((one) => one["type"] !== "text"),
    isError: result["isError"] === true,
    text: texts.join("\n"),
    isTooDeep: isTooDeep(data),
    // A text that passes a bound is its own value.
    passed: values.map((one) => (typeof one === "string" ? boundOf(one) : undefined)).find((one) => one !== undefined),
    isStructured: structured !== undefined,
    isMalformed: result["content"] !== undefined && !Array.isArray(result["content"]),
  };
}

/** The value of one block, a list for several, `null` for none. */
function dataOf(values: readonly JsonValue[]): JsonValue {
  return values.length > 1 ? values : (values[0] ?? null);
}

/** One block as data: JSON text is parsed, media keep their type. */
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

/** Characters of a text that can pass no bound. */
const MIN_BOUNDED_LENGTH = 1000;

/** The bound of a whole answer that a text passes if it is JSON. */
const boundOf = (text: string): PassedBound | undefined =>
  text.length > MIN_BOUNDED_LENGTH && /^\s*[[{\d-]/.test(text)
    ? passedBound(Buffer.from(text), UPSTREAM_BOUNDS)
    : undefined;

/** What a text says as JSON. A text that is not JSON, or passes a bound of answers, is the value itself. */
function parsed(text: string): JsonValue {
  if (boundOf(text)) return text;
  try {
    return readJson(text) as JsonValue;
  } catch {
    return text;
  }
}
