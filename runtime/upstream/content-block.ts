/** Converts the items of `content`: to data for programs, and to blocks that a client takes. */

import { withNearestNumbers } from "../call/arguments/exact.js";
import type { ContentBlock } from "../call/client-access.js";
import { isBase64 } from "../call/result-media.js";
import { isObject } from "../contract/json.js";
import { type PassedBound, passedBound, UPSTREAM_BOUNDS } from "../contract/json-survey.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import { collectionIn } from "./tolerated-answer.js";

/** An item of `content`. */
export interface ContentItem {
  /** The text of a text block, and of a text in place of one. */
  readonly text?: string | undefined;
  /** What it is as data. */
  readonly value: JsonValue;
  /** The block for a client; undefined if it is none. */
  readonly block?: ContentBlock | undefined;
  /** How it departs from the protocol. */
  readonly fault?: string | undefined;
  /** The bound of answers that a text of JSON exceeds; the text is the value. */
  readonly passed?: PassedBound | undefined;
}

/** Reads an item; `isBlock` says whether a client takes a block. */
export function contentItem(item: JsonValue, isBlock: (block: ContentBlock) => boolean): ContentItem {
  if (typeof item === "string") return textItem(item, { type: "text", text: item });
  if (!isObject(item)) return { value: item };
  const { type, text } = item;
  if (type === "text" || (type === undefined && typeof text === "string")) {
    const fault = type === undefined ? "with a block that has no type" : undefined;
    if (typeof text === "string") return { ...textItem(text, takenBlock({ ...item, type: "text" }, isBlock)), fault };
    const kind = text === undefined || text === null ? "no text" : "a text that is another value";
    return { value: text ?? null, fault: `with a text block that has ${kind}` };
  }
  if (typeof type !== "string") return { value: item };
  const plain = mended(item);
  const block = takenBlock(plain, isBlock);
  return {
    value: blockAsData(plain),
    block,
    ...(block ? {} : { fault: "with a block that the protocol does not have" }),
  };
}

/** A text that is an object or a list as JSON is what it says, unless it passes a bound of answers. */
function textItem(text: string, block: ContentBlock | undefined): ContentItem {
  const passed = boundOf(text);
  return { text, block, passed, value: (passed ? undefined : collectionIn(text)) ?? text };
}

/** The block, if need be without annotations and `_meta` that a client would refuse. */
function takenBlock(block: JsonObject, isBlock: (block: ContentBlock) => boolean): ContentBlock | undefined {
  // An answer may have thousands of texts, and a check takes long.
  if (block["type"] === "text" && block["annotations"] === undefined && block["_meta"] === undefined) return block;
  // The protocol knows no exact numbers: an `annotations.priority` of `1.0` is 1.
  const { annotations: _, _meta: __, ...bare } = withNearestNumbers(block);
  return [withNearestNumbers(block), bare as JsonObject].find(isBlock);
}

/** How a URL of data in base64 begins. */
export const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?[^,]*;base64,/;

/** An image or audio block whose bytes are a data URL, base64 with line breaks or of URLs, or in a `source`. */
function mended(given: JsonObject): JsonObject {
  const { source, ...others } = given;
  const block =
    isObject(source) && typeof source["data"] === "string"
      ? { ...others, ...source, type: given["type"] ?? "" }
      : given;
  const { type, data, mimeType = block["mime_type"] ?? block["media_type"] } = block as JsonObject;
  if ((type !== "image" && type !== "audio") || typeof data !== "string") return block;
  const [start = "", mime] = DATA_URL.exec(data) ?? [];
  const read = data.slice(start.length).replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/");
  // A text that is not base64 stays as it is.
  const bytes = isBase64(read) ? read : data;
  const { mime_type: _, media_type: __, ...rest } = block as JsonObject;
  return { ...rest, data: bytes, mimeType: mimeType ?? mime ?? typeOfBytes(bytes) };
}

/** How the base64 of images begins. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

const typeOfBytes = (base64: string): string =>
  BEGINNINGS.find(([start]) => base64.startsWith(start))?.[1] ?? "application/octet-stream";

/** One block as data: media keep their type. */
export function blockAsData(block: ContentBlock): JsonValue {
  const form = FORMS.get(String(block["type"]));
  return form ? form(block) : block;
}

type Form = (block: ContentBlock) => JsonValue;

const bytes: Form = (block) => {
  const { type = "", mimeType = "application/octet-stream", data, annotations: _, _meta: __, ...rest } = block;
  return typeof data === "string" ? { type, mime: mimeType, bytes: data, ...rest } : block;
};

const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ["image", bytes],
  ["audio", bytes],
  ["resource", (block) => (isObject(block["resource"]) ? resourceOf(block["resource"]) : block)],
  ["resource_link", ({ annotations: _, _meta: __, mimeType, ...rest }) => withMime(rest, mimeType)],
]);

function resourceOf({ uri = "", mimeType, text, blob, _meta: _, ...rest }: JsonObject): JsonValue {
  const body: JsonObject = { ...(text === undefined ? {} : { text }), ...(blob === undefined ? {} : { bytes: blob }) };
  return withMime({ type: "resource", uri, ...rest, ...body }, mimeType);
}

const withMime = (rest: JsonObject, mime: JsonValue | undefined): JsonObject =>
  mime === undefined ? rest : { ...rest, mime };

/** Characters of a text that can pass no bound. */
const MIN_BOUNDED_LENGTH = 1000;

/** The bound of a whole answer that a text passes if it is JSON. */
const boundOf = (text: string): PassedBound | undefined =>
  text.length > MIN_BOUNDED_LENGTH && /^\s*[[{]/.test(text)
    ? passedBound(Buffer.from(text), UPSTREAM_BOUNDS)
    : undefined;
