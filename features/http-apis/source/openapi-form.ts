/** Reads how the fields of a form are sent: styles, files, and the media types, file names and headers of parts. */

import type { FieldStyle, FormPart, HttpBody } from "../../../runtime/contract/http-call.js";
import { isRecord } from "../../../runtime/contract/json.js";
import { dereference, isSchema } from "../../../runtime/contract/json-schema.js";
import type { JsonObject, JsonSchema } from "../../../runtime/contract/registry.js";
import type { OpenApiObject } from "./openapi-document.js";
import type { OpenApiContext, OperationField } from "./openapi-operation.js";

/** A form and its context. */
export interface FormBody {
  /** Schema of the form, to which its references are relative. */
  readonly root: JsonSchema;
  /** The object that describes the content. */
  readonly medium: OpenApiObject;
  readonly encoding: HttpBody["encoding"];
  /** File of the object. */
  readonly place: string;
  readonly reading: OpenApiContext;
}

/** What is sent beside the values of the fields. */
export interface FormParts {
  /** Arguments for the names of files and for the headers of parts. */
  readonly fields: readonly OperationField[];
  readonly make: (nameOf: (field: OperationField) => string) => Pick<HttpBody, "files" | "styles" | "parts">;
}

/** One part before the names of its arguments are known. */
interface Part {
  readonly media: readonly string[];
  readonly filename?: OperationField;
  readonly headers: readonly (readonly [header: string, field: OperationField])[];
}

/**
 * Reads how the members of a form are sent.
 *
 * @returns `changed` holds the members with files as base64; undefined if there is no file
 */
export function formPartsOf(
  members: JsonSchema,
  form: FormBody,
): { readonly parts: FormParts; readonly changed: JsonObject | undefined } {
  const isMultipart = form.encoding === "multipart";
  const taken = new Set(Object.keys(members));
  const files = new Map<string, JsonSchema>();
  const styles: Record<string, FieldStyle> = {};
  const found = new Map<string, Part>();
  for (const [name, member] of Object.entries(form.encoding === "json" ? {} : members)) {
    const bytes = isMultipart ? bytesSchema(member, form.root, declaredMedia(form.medium, name)[0]) : undefined;
    const style = bytes ? undefined : styleOf(form.medium, name);
    if (bytes) files.set(name, bytes);
    if (style) styles[name] = style;
    const part = isMultipart ? partOf(name, member, bytes, form, taken) : undefined;
    if (part) found.set(name, part);
  }
  const fields = [...found.values()].flatMap(({ filename, headers }) => [
    ...(filename ? [filename] : []),
    ...headers.map(([, field]) => field),
  ]);
  const make: FormParts["make"] = (nameOf) => ({
    ...(files.size > 0 ? { files: [...files.keys()] } : {}),
    ...(Object.keys(styles).length > 0 ? { styles } : {}),
    ...(found.size > 0
      ? { parts: Object.fromEntries([...found].map(([name, part]) => [name, writtenPart(part, nameOf)])) }
      : {}),
  });
  const changed = files.size > 0 ? ({ ...members, ...Object.fromEntries(files) } as JsonObject) : undefined;
  return { parts: { fields, make }, changed };
}

function writtenPart({ media, filename, headers }: Part, nameOf: (field: OperationField) => string): FormPart {
  return {
    ...(media.length > 0 ? { media } : {}),
    ...(filename ? { filename: nameOf(filename) } : {}),
    ...(headers.length > 0
      ? { headers: Object.fromEntries(headers.map(([header, field]) => [header, nameOf(field)])) }
      : {}),
  };
}

/** How a part is sent; undefined if its value alone says so. */
function partOf(
  name: string,
  member: unknown,
  bytes: JsonSchema | undefined,
  form: FormBody,
  taken: Set<string>,
): Part | undefined {
  const declared = declaredMedia(form.medium, name).filter(isConcreteMedia);
  const said = bytes && isSchema(member) ? contentMediaType(member, form.root) : undefined;
  const media = declared.length > 0 || said === undefined ? declared : [said];
  const filename = bytes ? filenameField(name, bytes, taken) : undefined;
  const headers = headersOf(name, form, taken);
  return media.length === 0 && !filename && headers.length === 0
    ? undefined
    : { media, ...(filename ? { filename } : {}), headers };
}

/** Whether a media type can be sent: without a wildcard, and in characters that a header can hold. */
export const isConcreteMedia = (media: string): boolean =>
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(?:;[\x20-\x7e]*)?$/.test(media);

function filenameField(name: string, bytes: JsonSchema, taken: Set<string>): OperationField {
  const isList = bytes["items"] !== undefined;
  const schema = isList
    ? { type: "array", items: { type: "string" }, description: `File names of ${name}, in its order.` }
    : { type: "string", description: `File name of ${name}.` };
  return { in: "body", name: freeName(`${name}_filename`, taken), schema, required: false };
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  while (taken.has(name)) name = `${name}_`;
  taken.add(name);
  return name;
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Headers that a part sets itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "content-type",
  "content-disposition",
  "content-transfer-encoding",
  "content-length",
]);

/** The headers that `encoding` declares for a part, each an argument. */
function headersOf(name: string, form: FormBody, taken: Set<string>): Part["headers"] {
  const { document, schemas, leftOut } = form.reading;
  const headers = document.below({ node: form.medium, file: form.place }, "encoding", name, "headers");
  return Object.keys(headers?.node ?? {}).flatMap((header): Part["headers"] => {
    const declared = headers && document.below(headers, header);
    const isOwn = OWN_HEADERS.has(header.toLowerCase());
    if (!declared || isOwn) return [];
    if (!HEADER_NAME.test(header)) {
      leftOut(`header ${header} of the part ${name}`, "no header can be called so");
      return [];
    }
    const { description, required } = declared.node;
    const about = typeof description === "string" ? description : `Header ${header} of the part ${name}.`;
    const schema = { ...schemas.convert(declared.node["schema"], declared.file), description: about };
    const field: OperationField = {
      in: "body",
      name: freeName(`${name}_${header}`, taken),
      schema,
      required: required === true,
    };
    return [[header, field]];
  });
}

/** What `encoding` declares for a field. */
function encodingOf({ encoding }: OpenApiObject, name: string): OpenApiObject {
  const part = isRecord(encoding) && Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  return isRecord(part) ? part : {};
}

/** The media types that `encoding` declares for a part, in its order. */
function declaredMedia(medium: OpenApiObject, name: string): readonly string[] {
  const { contentType } = encodingOf(medium, name);
  return typeof contentType === "string" ? contentType.split(",").map((one) => one.trim()) : [];
}

/** The media type that a schema, or that of its items, declares for its bytes. */
function contentMediaType(member: JsonSchema, root: JsonSchema): string | undefined {
  const { contentMediaType: own, items } = dereference(member, root);
  const said = own ?? (isSchema(items) ? dereference(items, root)["contentMediaType"] : undefined);
  return typeof said === "string" && isConcreteMedia(said) ? said : undefined;
}

const STYLES: ReadonlySet<unknown> = new Set(["form", "spaceDelimited", "pipeDelimited", "deepObject"]);

/** How a field is written; undefined if `encoding` says nothing of it. */
function styleOf(medium: OpenApiObject, name: string): FieldStyle | undefined {
  const { style, explode, allowReserved } = encodingOf(medium, name);
  const found = {
    ...(STYLES.has(style) ? { style: style as Exclude<FieldStyle["style"], undefined> } : {}),
    ...(typeof explode === "boolean" ? { explode } : {}),
    ...(allowReserved === true ? { reserved: true as const } : {}),
  };
  return Object.keys(found).length > 0 ? found : undefined;
}

/** Media types of parts that are texts. */
const TEXTS = /^text\/|json\b|xml\b|x-www-form-urlencoded/i;
/** Media types of parts that are bytes, even where the schema says only that they are a text. */
const BYTES = /^(?:(?:image|audio|video|font)\/(?!.*xml\b)|application\/(?:octet-stream|pdf|zip|gzip)\b)/i;

/** Schema of a file or a list of files, as base64; undefined for other schemas. */
function bytesSchema(given: unknown, root: JsonSchema, medium?: string): JsonSchema | undefined {
  if (!isSchema(given)) return undefined;
  const schema = typeof given["$ref"] === "string" ? { ...dereference(given, root), ...aboutOf(given) } : given;
  const { format, contentMediaType, contentEncoding, items, $defs: _, ...rest } = schema;
  const { type } = schema;
  const isText = type === "string" || (Array.isArray(type) && type.includes("string"));
  const isSaid = isText && (contentMediaType !== undefined || (isPlainText(schema) && BYTES.test(medium ?? "")));
  const isBinary = format === "binary" || contentEncoding === "binary" || isSaid;
  const isUntyped = type === undefined && medium !== undefined && !TEXTS.test(medium) && !("properties" in schema);
  if (isBinary || isUntyped) return { type: "string", ...rest, contentEncoding: "base64" };
  const item = bytesSchema(items, root, medium);
  return item ? { ...rest, items: item as JsonObject } : undefined;
}

/** Whether a schema of a text says nothing of its characters. */
const isPlainText = (schema: JsonSchema): boolean =>
  ["format", "contentEncoding", "enum", "const", "pattern", "default"].every((key) => !(key in schema));

const aboutOf = ({ description }: JsonSchema): JsonSchema => (typeof description === "string" ? { description } : {});
