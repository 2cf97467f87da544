/** Reads the responses of an operation: the schema of the first success, and the media types to accept. */

import { byCodeUnit, canonicalJson, digestText } from "../../../runtime/contract/canonical.js";
import { isJsonMedia } from "../../../runtime/contract/http-call.js";
import { nestsDeeper } from "../../../runtime/contract/json-schema.js";
import type { JsonSchema, JsonValue } from "../../../runtime/contract/registry.js";
import type { OpenApiContext, Operation } from "./openapi-operation.js";

/** The response of an operation. */
export interface Answer {
  readonly result?: JsonSchema;
  /** Value of the header `accept`. */
  readonly accept: string;
  /** Further success answers that differ from the result: the status, and the digest of the schema if it has one. */
  readonly others: readonly string[];
}

const isJson = (media: string): boolean => isJsonMedia(media) || /^(?:\*|application)\/\*/.test(media);
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
export function operationResult({ node, method, path }: Operation, reading: OpenApiContext): Answer {
  const { document, skipped } = reading;
  const responses = document.below(node, "responses");
  const successes = Object.keys(responses?.node ?? {})
    .filter((code) => /^2(\d\d|XX)$/i.test(code))
    .sort(byCodeUnit)
    .flatMap((code) => {
      const response = responses && document.below(responses, code);
      return response ? [{ code, response }] : [];
    });
  const offered = successes.flatMap(({ code, response }) =>
    Object.keys(document.below(response, "content")?.node ?? {}).map((media) => {
      const holder = document.below(response, "content", media);
      return { code, media, schema: holder?.node["schema"], file: holder?.file ?? response.file };
    }),
  );
  const taken = offered.find(({ media }) => isJson(media)) ?? offered[0];
  const further = offered.filter((one) => one.code !== taken?.code && differs(one.schema, taken?.schema));
  for (const code of new Set(further.map((one) => one.code)))
    skipped("further answer", `${method.toUpperCase()} ${path} ${code}`);
  const empty = successes.filter(({ code }) => taken && !offered.some((one) => one.code === code));
  const others = [...new Set([...further.map(answerText), ...empty.map(({ code }) => code)])].sort(byCodeUnit);
  const json = offered.find(({ media }) => isJson(media));
  if (json) {
    const about = method === "head" || json.schema === undefined ? undefined : withDefinitions(reading, json);
    return { ...(about ? { result: about } : {}), accept: acceptOf(json.media), others };
  }
  const [other] = offered;
  if (!other || method === "head") return { accept: "application/json, */*;q=0.5", others };
  return { result: TEXT_MEDIA.test(other.media) ? TEXT : BYTES, accept: `${other.media}, */*;q=0.5`, others };
}

/** Digits of a digest that tell the schemas of one answer apart. */
const DIGITS = 8;

const answerText = ({ code, schema }: { readonly code: string; readonly schema: unknown }): string =>
  nestsDeeper([schema], MAX_DEPTH)
    ? code
    : `${code} ${digestText(canonicalJson(schema as JsonValue)).slice(0, DIGITS)}`;

const acceptOf = (media: string): string =>
  media.includes("*") ? "application/json, */*;q=0.5" : `${media}, */*;q=0.5`;

/** Whether two answers have different schemas; one without a schema says nothing. */
const differs = (one: unknown, other: unknown): boolean =>
  one !== undefined &&
  one !== other &&
  (nestsDeeper([one, other], MAX_DEPTH) || canonicalJson(one) !== canonicalJson(other ?? null));

/** Levels to which schemas are compared. */
const MAX_DEPTH = 64;

function withDefinitions(
  { schemas, skipped }: OpenApiContext,
  { schema, file }: { readonly schema: unknown; readonly file: string },
): JsonSchema | undefined {
  const opened = schemas.opened(schema, file);
  if (Object.keys(opened).length === 0) return undefined;
  const $defs = schemas.definitions(opened);
  const answer = schemas.forAnswer($defs ? { ...opened, $defs } : opened);
  for (const name of answer.writeOnly) skipped("write-only property", name);
  return answer.schema;
}
