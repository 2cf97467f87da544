/** Reads the body of an operation: properties of a JSON object or a form become arguments, any other body the argument `body`. */

import type { FieldStyle, HttpBody } from "../../runtime/contract/http-call.js";
import { isRecord } from "../../runtime/contract/json.js";
import { dereference, isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonObject, JsonSchema } from "../../runtime/contract/registry.js";
import type { Located, Node, OpenapiDocument } from "./openapi-document.js";
import type { Field, Operation, Reading } from "./openapi-operation.js";
import type { SchemaConverter } from "./openapi-schema.js";

/** Fields of a body, and a function that makes the body once the names of arguments are known. */
export interface Body {
  readonly fields: readonly Field[];
  readonly make: (nameOf: (field: Field) => string) => HttpBody;
}

/** Name of the argument for the whole body. */
export const WHOLE = "body";
/** The name that validators ignore, so that it cannot be an argument. */
export const NO_NAME = "__proto__";

/** Media types in order of preference. */
const MEDIA: readonly (readonly [RegExp, HttpBody["encoding"]])[] = [
  [/^application\/(?:[\w.+-]+\+)?json\b/i, "json"],
  [/^application\/x-www-form-urlencoded\b/i, "form"],
  [/^multipart\/form-data\b/i, "multipart"],
  [/^text\/|^application\/(?:[\w.+-]+\+)?(?:xml|yaml)\b/i, "text"],
];

/** Reads the body of an operation; undefined without a body. */
export function bodyOf({ node, method }: Operation, { document, schemas, leftOut }: Reading): Body | undefined {
  const request = document.below(node, "requestBody");
  const chosen = request && mediaOf(request, document);
  if (!request || !chosen) return undefined;
  if (method === "get" || method === "head") {
    leftOut("the body", `a ${method.toUpperCase()} cannot send one`);
    return undefined;
  }
  const { holder, ...base } = chosen;
  const { node: medium, file } = holder ?? { node: {}, file: request.file };
  const { required, description } = request.node;
  const fixed = WHOLE_SCHEMAS[base.encoding];
  const spread = fixed ? undefined : spreadable(schemas.opened(medium["schema"], file), schemas);
  if (spread) return fieldsOf({ ...spread, medium }, base, required !== false);
  const about = typeof description === "string" && description !== "" ? { description } : {};
  const schema = { ...(fixed ?? schemas.convert(medium["schema"], file)), ...about };
  const field: Field = { in: "body", name: WHOLE, schema, required: required === true };
  return { fields: [field], make: (nameOf) => ({ ...base, whole: nameOf(field) }) };
}

interface Media extends Base {
  /** The object that describes the content, if any. */
  readonly holder: Located | undefined;
}

/** The preferred media type of those offered. */
function mediaOf(request: Located, document: OpenapiDocument): Media | undefined {
  const offered = Object.keys(document.below(request, "content")?.node ?? {}).map((media) => {
    const rank = MEDIA.findIndex(([pattern]) => pattern.test(media));
    return { media, rank: rank < 0 ? MEDIA.length : rank };
  });
  const [chosen] = offered.sort((a, b) => a.rank - b.rank);
  if (!chosen) return undefined;
  const encoding = MEDIA[chosen.rank]?.[1] ?? "base64";
  const media = chosen.media.includes("*") ? "application/octet-stream" : chosen.media;
  return { media, encoding, holder: document.below(request, "content", chosen.media) };
}

/** Schemas of whole bodies; bytes are given as base64. */
const WHOLE_SCHEMAS: Partial<Record<HttpBody["encoding"], JsonSchema>> = {
  text: { type: "string" },
  base64: { type: "string", contentEncoding: "base64" },
};

/** An object whose properties alone describe it, and the schema that its references are relative to. */
interface Spread {
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
}

/** The object behind a schema, with `allOf` merged; undefined if its properties alone do not describe it. */
function spreadable(given: JsonSchema, schemas: SchemaConverter): Spread | undefined {
  const $defs = schemas.definitions(given);
  const root = { ...given, ...($defs ? { $defs } : {}) };
  const schema = dereference(root, root);
  const { properties, additionalProperties, anyOf, oneOf, not, type } = schema;
  if (!isSchema(properties) || (type !== undefined && type !== "object")) return undefined;
  const open = additionalProperties !== undefined && additionalProperties !== false;
  return open || oneOf !== undefined || not !== undefined || !onlyRequires(anyOf) ? undefined : { schema, root };
}

/** Whether alternatives only differ in required properties, which the server checks. */
const onlyRequires = (anyOf: unknown): boolean =>
  anyOf === undefined ||
  (Array.isArray(anyOf) && anyOf.every((one) => isSchema(one) && Object.keys(one).every((key) => key === "required")));

type Base = Pick<HttpBody, "media" | "encoding">;

/**
 * A body without `required` counts as required: the default is false, but few descriptions that omit it mean an optional body, and
 * calls that omit a needed argument fail at the server.
 */
function fieldsOf({ schema, root, medium }: Spread & { readonly medium: Node }, base: Base, required: boolean): Body {
  const needed = Array.isArray(schema["required"]) && required ? schema["required"] : [];
  const files: string[] = [];
  const styles: Record<string, FieldStyle> = {};
  const fields = Object.entries(schema["properties"] as JsonSchema)
    .filter(([name, member]) => name !== NO_NAME && isWritable(member))
    .map(([name, member]): Field => {
      const bytes = base.encoding === "multipart" ? bytesSchema(member, root, mediumOf(medium, name)) : undefined;
      if (bytes) files.push(name);
      const style = bytes || base.encoding === "json" ? undefined : styleOf(medium, name);
      if (style) styles[name] = style;
      const schema = bytes ?? (isSchema(member) ? member : {});
      return { in: "body", name, schema, required: needed.includes(name) };
    });
  return {
    fields,
    make: (nameOf) => ({
      ...base,
      fields: Object.fromEntries(fields.map((one) => [nameOf(one), one.name])),
      ...(files.length > 0 ? { files } : {}),
      ...(Object.keys(styles).length > 0 ? { styles } : {}),
    }),
  };
}

/** What `encoding` declares for a part of a form. */
function partOf({ encoding }: Node, name: string): Node {
  const part = isRecord(encoding) && Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  return isRecord(part) ? part : {};
}

/** The media type of a part of a form. */
function mediumOf(medium: Node, name: string): string | undefined {
  const { contentType } = partOf(medium, name);
  return typeof contentType === "string" ? contentType : undefined;
}

const STYLES: ReadonlySet<unknown> = new Set(["form", "spaceDelimited", "pipeDelimited", "deepObject"]);

/** How a part of a form is written; undefined if `encoding` says nothing of it. */
function styleOf(medium: Node, name: string): FieldStyle | undefined {
  const { style, explode, allowReserved } = partOf(medium, name);
  const found = {
    ...(STYLES.has(style) ? { style: style as Exclude<FieldStyle["style"], undefined> } : {}),
    ...(typeof explode === "boolean" ? { explode } : {}),
    ...(allowReserved === true ? { reserved: true as const } : {}),
  };
  return Object.keys(found).length > 0 ? found : undefined;
}

/** Media types of parts that are texts. */
const TEXTS = /^text\/|json\b|xml\b|x-www-form-urlencoded/i;

/** Schema of a file or a list of files, as base64; undefined for other schemas. */
function bytesSchema(given: unknown, root: JsonSchema, medium?: string): JsonSchema | undefined {
  if (!isSchema(given)) return undefined;
  const schema = typeof given["$ref"] === "string" ? { ...dereference(given, root), ...aboutOf(given) } : given;
  const { format, contentMediaType, contentEncoding, items, $defs: _, ...rest } = schema;
  const { type } = schema;
  const isText = type === "string" || (Array.isArray(type) && type.includes("string"));
  const isBinary = format === "binary" || contentEncoding === "binary" || (isText && contentMediaType !== undefined);
  const isUntyped = type === undefined && medium !== undefined && !TEXTS.test(medium) && !("properties" in schema);
  if (isBinary || isUntyped) return { type: "string", ...rest, contentEncoding: "base64" };
  const item = bytesSchema(items, root, medium);
  return item ? { ...rest, items: item as JsonObject } : undefined;
}

const aboutOf = ({ description }: JsonSchema): JsonSchema => (typeof description === "string" ? { description } : {});

/** Whether a property can be in a request; a read-only one cannot. */
const isWritable = (member: unknown): boolean => !isSchema(member) || member["readOnly"] !== true;
