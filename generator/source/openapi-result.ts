/** Reads the responses of an operation: the schema of the first success, and the media types to accept. */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import type { Operation, Reading } from "./openapi-operation.js";

/** The response of an operation. */
export interface Answer {
  readonly result?: JsonSchema;
  /** Value of the header `accept`. */
  readonly accept: string;
}

const JSON_MEDIA = /^application\/(?:[\w.+-]+\+)?json\b|^\*\/\*/i;
const TEXT_MEDIA = /^text\/|^application\/(?:[\w.+-]+\+)?(?:xml|yaml|javascript)\b/i;

const TEXT: JsonSchema = { type: "string" };
/** Schema of bytes as the runtime returns them. */
const BYTES: JsonSchema = {
  type: "object",
  properties: {
    type: { type: "string", enum: ["image", "audio", "file"] },
    mime: { type: "string" },
    bytes: { type: "string", contentEncoding: "base64" },
  },
  required: ["type", "mime", "bytes"],
};

/** Reads the responses of an operation. */
export function resultOf({ node, method }: Operation, { document, schemas }: Reading): Answer {
  const responses = document.below(node, "responses");
  const successes = Object.keys(responses?.node ?? {})
    .filter((code) => /^2(\d\d|XX)$/i.test(code))
    .sort(byCodeUnit)
    .flatMap((code) => (responses && document.below(responses, code)) ?? []);
  const offered = successes.flatMap((response) =>
    Object.keys(document.below(response, "content")?.node ?? {}).map((media) => {
      const holder = document.below(response, "content", media);
      return { media, schema: holder?.node["schema"], file: holder?.file ?? response.file };
    }),
  );
  const json = offered.find(({ media }) => JSON_MEDIA.test(media));
  if (json) {
    const about = method === "head" || json.schema === undefined ? undefined : withDefinitions(schemas, json);
    return { ...(about ? { result: about } : {}), accept: acceptOf(json.media) };
  }
  const [other] = offered;
  if (!other || method === "head") return { accept: "application/json, */*;q=0.5" };
  return { result: TEXT_MEDIA.test(other.media) ? TEXT : BYTES, accept: `${other.media}, */*;q=0.5` };
}

const acceptOf = (media: string): string =>
  media.includes("*") ? "application/json, */*;q=0.5" : `${media}, */*;q=0.5`;

function withDefinitions(
  schemas: Reading["schemas"],
  { schema, file }: { readonly schema: unknown; readonly file: string },
): JsonSchema | undefined {
  const opened = schemas.opened(schema, file);
  if (Object.keys(opened).length === 0) return undefined;
  const $defs = schemas.definitions(opened);
  return $defs ? { ...opened, $defs } : opened;
}
