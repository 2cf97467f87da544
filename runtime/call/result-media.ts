/** Images, audio and files in results: a client gets their bytes as content blocks. */

import { createHash } from "node:crypto";
import { isExact } from "../contract/exact-number.js";
import { isObject } from "../contract/json.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import type { ContentBlock } from "./client-access.js";

/** Most media of one result that become blocks; the bytes of others stay in the JSON. */
const MAX_MEDIA = 100;

/**
 * Gives the media of a result to a client, at whatever depth they are. A replayed answer and one of a handler of the project
 * have them in their result only.
 */
export function attachMedia(result: JsonValue, attach: (block: ContentBlock) => void): void {
  let left = MAX_MEDIA;
  const visit = (value: JsonValue): void => {
    if (typeof value !== "object" || value === null || left === 0 || isExact(value)) return;
    const block = isObject(value) ? blockOf(value) : undefined;
    if (block) {
      left--;
      attach(block);
    } else for (const member of Object.values(value)) visit(member as JsonValue);
  };
  visit(result);
}

/** `{ type, mime, bytes }` as a content block; undefined for any other object. */
function blockOf({ type, mime, bytes, uri }: JsonObject): ContentBlock | undefined {
  if (typeof bytes !== "string" || bytes === "" || !isBase64(bytes)) return undefined;
  if ((type === "image" || type === "audio") && typeof mime === "string") return { type, mimeType: mime, data: bytes };
  if (type !== "file" && type !== "resource") return undefined;
  const mimeType = typeof mime === "string" ? { mimeType: mime } : {};
  return {
    type: "resource",
    resource: { uri: typeof uri === "string" ? uri : nameOf(bytes), ...mimeType, blob: bytes },
  };
}

/** Whether a text is base64. Looks for the first other character: an expression of the whole text would need room for each of millions. */
export function isBase64(text: string): boolean {
  const end = text.search(/[^A-Za-z0-9+/]/);
  return text.length % 4 === 0 && (end === -1 || (end >= text.length - 2 && /^==?$/.test(text.slice(end))));
}

/** Names bytes that have no address by their digest, as RFC 6920 does. */
const nameOf = (base64: string): string =>
  `ni:///sha-256;${createHash("sha256").update(Buffer.from(base64, "base64")).digest("base64url")}`;
