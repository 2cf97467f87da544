/** The body of an operation: the properties of a JSON object or a form become arguments, anything else is the argument `body`. */

import { dereference, type HttpBody, isRecord, isSchema, type JsonObject, type JsonSchema } from "toolwright/codegen";
import type { Field, Operation, Reading } from "./openapi-call.js";
import type { SchemaConverter } from "./openapi-schema.js";

/** Fields of a body, and the body that is made of them once their names are settled. */
export interface Body {
  readonly fields: readonly Field[];
  readonly make: (nameOf: (field: Field) => string) => HttpBody;
}

/** Name of the argument that is the body. */
export const WHOLE = "body";
/** The one name that validators pass over, so that an argument of that name could never be given. */
export const NO_NAME = "__proto__";

/** Kinds of media in the order in which they are taken where an operation offers several. */
const MEDIA: readonly (readonly [RegExp, HttpBody["encoding"]])[] = [
  [/^application\/(?:[\w.+-]+\+)?json\b/i, "json"],
  [/^application\/x-www-form-urlencoded\b/i, "form"],
  [/^multipart\/form-data\b/i, "multipart"],
  [/^text\/|^application\/(?:[\w.+-]+\+)?(?:xml|yaml)\b/i, "text"],
];

/** Reads the body of an operation; undefined where it has none. */
export function bodyOf({ node, method }: Operation, { document, schemas, leftOut }: Reading): Body | undefined {
  const request = document.follow(node.node["requestBody"], node.file);
  const chosen = request && mediaOf(request.node["content"]);
  if (!request || !chosen) return undefined;
  if (method === "get" || method === "head") {
    leftOut("the body", `a ${method.toUpperCase()} cannot send one`);
    return undefined;
  }
  const { schema: declared, ...base } = chosen;
  const { required, description } = request.node;
  const fixed = WHOLE_SCHEMAS[base.encoding];
  const spread = fixed ? undefined : spreadable(schemas.opened(declared, request.file), schemas);
  if (spread) return fieldsOf(spread, base, required !== false);
  const about = typeof description === "string" && description !== "" ? { description } : {};
  const schema = { ...(fixed ?? schemas.convert(declared, request.file)), ...about };
  const field: Field = { in: "body", name: WHOLE, schema, required: required === true };
  return { fields: [field], make: (nameOf) => ({ ...base, whole: nameOf(field) }) };
}

interface Media extends Base {
  readonly schema: unknown;
}

/** The kind of media that is taken of those that are offered. */
function mediaOf(content: unknown): Media | undefined {
  const offered = Object.entries(isRecord(content) ? content : {}).map(([media, one]) => {
    const rank = MEDIA.findIndex(([pattern]) => pattern.test(media));
    return { media, one, rank: rank < 0 ? MEDIA.length : rank };
  });
  const [chosen] = offered.sort((a, b) => a.rank - b.rank);
  if (!chosen) return undefined;
  const encoding = MEDIA[chosen.rank]?.[1] ?? "base64";
  const media = chosen.media.includes("*") ? "application/octet-stream" : chosen.media;
  return { media, encoding, schema: isRecord(chosen.one) ? chosen.one["schema"] : undefined };
}

/** Bytes come as base64, since an argument is text. */
const WHOLE_SCHEMAS: Partial<Record<HttpBody["encoding"], JsonSchema>> = {
  text: { type: "string" },
  base64: { type: "string", contentEncoding: "base64" },
};

/** The object behind a schema, `allOf` read as one; undefined where its properties alone do not say what it is. */
function spreadable(schema: JsonSchema, schemas: SchemaConverter): JsonSchema | undefined {
  const $defs = schemas.definitions(schema);
  const root = { ...schema, ...($defs ? { $defs } : {}) };
  const { properties, additionalProperties, anyOf, oneOf, not, type } = dereference(root, root);
  if (!isSchema(properties) || (type !== undefined && type !== "object")) return undefined;
  const open = additionalProperties !== undefined && additionalProperties !== false;
  return open || oneOf !== undefined || not !== undefined || !onlyRequires(anyOf) ? undefined : dereference(root, root);
}

/** Alternatives that only say which properties must be there: the server checks that. */
const onlyRequires = (anyOf: unknown): boolean =>
  anyOf === undefined ||
  (Array.isArray(anyOf) && anyOf.every((one) => isSchema(one) && Object.keys(one).every((key) => key === "required")));

type Base = Pick<HttpBody, "media" | "encoding">;

/**
 * A body whose `required` is not given counts as required here: that default is false, but hardly any description that leaves it
 * out means so, and an argument that is wrongly called optional is a call that fails at the server.
 */
function fieldsOf(schema: JsonSchema, base: Base, required: boolean): Body {
  const needed = Array.isArray(schema["required"]) && required ? schema["required"] : [];
  const files: string[] = [];
  const fields = Object.entries(schema["properties"] as JsonSchema)
    .filter(([name, member]) => name !== NO_NAME && isWritable(member))
    .map(([name, member]): Field => {
      const bytes = base.encoding === "multipart" ? bytesSchema(member) : undefined;
      if (bytes) files.push(name);
      const schema = bytes ?? (isSchema(member) ? member : {});
      return { in: "body", name, schema, required: needed.includes(name) };
    });
  return {
    fields,
    make: (nameOf) => ({
      ...base,
      fields: Object.fromEntries(fields.map((one) => [nameOf(one), one.name])),
      ...(files.length > 0 ? { files } : {}),
    }),
  };
}

/** A file, or a list of files, as base64; undefined for anything else. */
function bytesSchema(schema: unknown): JsonSchema | undefined {
  if (!isSchema(schema)) return undefined;
  const { format, contentMediaType, items, ...rest } = schema;
  if (format === "binary" || (schema["type"] === "string" && typeof contentMediaType === "string"))
    return { type: "string", ...rest, contentEncoding: "base64" };
  const item = bytesSchema(items);
  return item ? { ...rest, items: item as JsonObject } : undefined;
}

/** A property that only an answer has is none of a request. */
const isWritable = (member: unknown): boolean => !isSchema(member) || member["readOnly"] !== true;
