/** Reads the body of an operation: properties of a JSON object or a form become arguments, any other body the argument `body`. */

import { type HttpBody, isJsonMedia } from "../../../runtime/contract/http-call.js";
import { isSchema } from "../../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../../runtime/contract/registry.js";
import type { LocatedObject } from "./openapi-document.js";
import { type FormBody, formPartsOf, isConcreteMedia } from "./openapi-form.js";
import type { OpenApiContext, Operation, OperationField } from "./openapi-operation.js";
import { spreadOf } from "./openapi-spread.js";

/** Fields of a body, and a function that makes the body once the names of arguments are known. */
export interface RequestBody {
  readonly fields: readonly OperationField[];
  readonly make: (nameOf: (field: OperationField) => string) => HttpBody;
}

/** Name of the argument for the whole body. */
export const WHOLE = "body";
/** The name that validators ignore, so that it cannot be an argument. */
export const NO_NAME = "__proto__";

type Encoding = HttpBody["encoding"];

/** A kind of content: which media types it has, for which schemas if not for all, and the type that is sent for a range of types. */
interface Kind {
  readonly encoding: Encoding;
  readonly media: RegExp | ((media: string) => boolean);
  readonly only?: (schema: JsonSchema) => boolean;
  readonly sent: string;
}

/** Kinds in order of preference. */
const KINDS: readonly Kind[] = [
  { encoding: "json", media: isJsonMedia, sent: "application/json" },
  {
    encoding: "form",
    media: /^application\/x-www-form-urlencoded\b/i,
    sent: "application/x-www-form-urlencoded",
  },
  { encoding: "multipart", media: /^multipart\/(?:form-data\b|\*)/i, sent: "multipart/form-data" },
  { encoding: "json", media: /^(?:\*|application)\/\*/i, only: saysData, sent: "application/json" },
  { encoding: "text", media: /^text\/|^application\/(?:[\w.+-]+\+)?(?:xml|yaml)\b/i, sent: "text/plain" },
  { encoding: "base64", media: /^/, sent: "application/octet-stream" },
];

/** Whether a schema describes data, not bytes. */
function saysData(schema: JsonSchema): boolean {
  const { format, contentEncoding, contentMediaType } = schema;
  const isBytes = format === "binary" || contentEncoding !== undefined || contentMediaType !== undefined;
  return Object.keys(schema).length > 0 && !isBytes;
}

/** Reads the body of an operation; undefined without a body. */
export function bodyOf({ node, method }: Operation, reading: OpenApiContext): RequestBody | undefined {
  const { document, schemas, leftOut } = reading;
  const request = document.below(node, "requestBody");
  const chosen = request && mediaOf(request, reading);
  if (!request || !chosen) return undefined;
  if (method === "get" || method === "head") {
    leftOut("the body", `a ${method.toUpperCase()} cannot send one`);
    return undefined;
  }
  const { holder, ...base } = chosen;
  const { node: medium, file } = holder ?? { node: {}, file: request.file };
  const { required, description } = request.node;
  const fixed = WHOLE_SCHEMAS[base.encoding];
  const opened = fixed ?? schemas.opened(medium["schema"], file);
  const $defs = schemas.definitions(opened);
  const root = $defs ? { ...opened, $defs } : opened;
  const form = { root, medium, encoding: base.encoding, place: file, reading };
  const spread = fixed ? undefined : spreadOf(root);
  if (spread) return fieldsOf(spread, form, base, required !== false);
  const about = typeof description === "string" && description !== "" ? { description } : {};
  const properties = fixed || base.encoding === "json" ? {} : opened["properties"];
  const { parts, changed } = formPartsOf(isSchema(properties) ? properties : {}, form);
  const whole = changed ? { ...opened, properties: changed } : (fixed ?? schemas.convert(medium["schema"], file));
  const field: OperationField = {
    in: "body",
    name: WHOLE,
    schema: { ...whole, ...about },
    required: required === true,
  };
  return {
    fields: [field, ...parts.fields],
    make: (nameOf) => ({ ...base, whole: nameOf(field), ...parts.make(nameOf) }),
  };
}

interface Media extends Base {
  /** The object that describes the content, if any. */
  readonly holder: LocatedObject | undefined;
}

/** The preferred media type of those offered; a key may list several. */
function mediaOf(request: LocatedObject, { document, schemas }: OpenApiContext): Media | undefined {
  const offered = Object.keys(document.below(request, "content")?.node ?? {}).flatMap((key) => {
    const holder = document.below(request, "content", key);
    const schema = (): JsonSchema => (holder ? schemas.opened(holder.node["schema"], holder.file) : {});
    return key.split(",").map((one) => {
      const media = one.trim();
      const fits = ({ media: test, only }: Kind): boolean =>
        (typeof test === "function" ? test(media) : test.test(media)) && (only === undefined || only(schema()));
      return { media, holder, rank: KINDS.findIndex(fits) };
    });
  });
  const [chosen] = offered.sort((a, b) => a.rank - b.rank);
  const kind = chosen && KINDS[chosen.rank];
  if (!kind) return undefined;
  const { encoding, sent } = kind;
  return { media: isConcreteMedia(chosen.media) ? chosen.media : sent, encoding, holder: chosen.holder };
}

/** Schemas of whole bodies; bytes are given as base64. */
const WHOLE_SCHEMAS: Partial<Record<Encoding, JsonSchema>> = {
  text: { type: "string" },
  base64: { type: "string", contentEncoding: "base64" },
};

type Base = Pick<HttpBody, "media" | "encoding">;

/**
 * A body without `required` counts as required: the default is false, but few descriptions that omit it mean an optional body, and
 * calls that omit a needed argument fail at the server.
 */
function fieldsOf(schema: JsonSchema, form: FormBody, base: Base, required: boolean): RequestBody {
  const needed = Array.isArray(schema["required"]) && required ? schema["required"] : [];
  const members = Object.entries(schema["properties"] as JsonSchema).filter(([name, member]) => {
    if (name === NO_NAME || member === false) return false;
    if (isWritable(member)) return true;
    form.reading.skipped("read-only property", name);
    return false;
  });
  const { parts, changed } = formPartsOf(Object.fromEntries(members) as JsonSchema, form);
  const fields = members.map(([name, member]): OperationField => {
    const schema = changed?.[name] ?? member;
    return { in: "body", name, schema: isSchema(schema) ? schema : {}, required: needed.includes(name) };
  });
  return {
    fields: [...fields, ...parts.fields],
    make: (nameOf) => ({
      ...base,
      fields: Object.fromEntries(fields.map((one) => [nameOf(one), one.name])),
      ...parts.make(nameOf),
    }),
  };
}

/** Whether a property can be in a request; a read-only one cannot. */
const isWritable = (member: unknown): boolean => !isSchema(member) || member["readOnly"] !== true;
