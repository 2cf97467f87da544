/** Writes forms: `application/x-www-form-urlencoded`, and `multipart/form-data` as RFC 7578 has it. */

import { randomUUID } from "node:crypto";
import { fieldError, invalid } from "../../runtime/contract/error-body.js";
import { writeJson } from "../../runtime/contract/exact-number.js";
import { type FieldStyle, type FormPart, type HttpBody, isJsonMedia } from "../../runtime/contract/http-call.js";
import { isObject, own } from "../../runtime/contract/json.js";
import type { JsonObject, JsonValue } from "../../runtime/contract/registry.js";
import { inQuery } from "./write-argument.js";

/** A body and its media type. */
export interface BodyContent {
  readonly type: string;
  readonly content: string | Uint8Array;
}

/** Names of fields, their values, and the arguments that gave them. */
export type Fields = readonly (readonly [field: string, value: JsonValue, argument: string])[];

const plain = (value: JsonValue): string => (typeof value === "string" ? value : writeJson(value));
const listed = (value: JsonValue): readonly JsonValue[] => (Array.isArray(value) ? value : [value]);

/** What may stand before base64: the head of a data URL. */
const DATA_URL = /^data:[^,]{0,200};base64,/i;
/** Base64, or base64url, with the padding that its length needs. */
const BASE64 = /^(?:[A-Za-z0-9+/]*|[\w-]*)={0,2}$/;
/** Lengths of lines in PEM and MIME. */
const LINE_LENGTHS: readonly (number | undefined)[] = [64, 76];

const NOT_BASE64 =
  "Encode the bytes, text too, as base64 with its padding (=): on one line, in lines of 64 or 76 characters, or as data:<type>;base64,<base64>";

/**
 * The bytes that base64 stands for. Words of plain text are letters of base64, too, so what no encoder writes is refused.
 *
 * @throws ToolFailure VALIDATION_ERROR for another text
 */
export function base64Bytes(argument: string, value: JsonValue): Buffer<ArrayBuffer> {
  const text = joinedLines(plain(value).replace(DATA_URL, ""));
  const fault = faultIn(text);
  if (fault === undefined) return Buffer.from(text, "base64");
  const message = `${argument} is not base64: ${fault}. ${NOT_BASE64}`;
  return invalid([fieldError(argument, "contentEncoding", message, "base64", value)]);
}

/** The text without its line breaks, if all lines but the last have one of the usual lengths; a line break may end it. */
function joinedLines(text: string): string {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const width = lines[0]?.length;
  const last = lines.at(-1)?.length ?? 0;
  const isRegular = LINE_LENGTHS.includes(width) && last > 0 && last <= (width ?? 0);
  const isEven = lines.slice(0, -1).every((line) => line.length === width);
  return lines.length === 1 || (isRegular && isEven) ? lines.join("") : text;
}

/** Why a text is not base64; undefined if it is. */
function faultIn(text: string): string | undefined {
  if (/[\r\n]/.test(text)) return "its line breaks are not those of base64";
  if (/\s/.test(text)) return "it has spaces";
  if (!BASE64.test(text)) return "it has characters outside the alphabet of base64";
  if (text.length % 4 !== 0) return "its padding is missing or wrong";
  // Bits that no byte has are a sign of a text that was cut, or never encoded.
  const standard = text.replaceAll("-", "+").replaceAll("_", "/");
  return Buffer.from(text, "base64").toString("base64") === standard
    ? undefined
    : "it ends with bits that belong to no byte";
}

/** Writes an urlencoded form. Lists are repeated fields and objects are JSON, unless a style says otherwise. */
export const urlEncodedForm = (fields: Fields, styles: HttpBody["styles"] = {}): string =>
  fields
    .flatMap(([name, value]) => {
      const style = at(styles, name);
      return style
        ? inQuery({ argument: name, in: "query", ...style }, value)
        : [new URLSearchParams(listed(value).map((one): [string, string] => [name, plain(one)])).toString()];
    })
    .filter((one) => one !== "")
    .join("&");

const BETWEEN: Readonly<Record<string, string>> = { spaceDelimited: " ", pipeDelimited: "|" };

/** The values of a field: one for each item of a list, unless its style joins them. */
const itemsOf = (value: JsonValue, style: FieldStyle | undefined): readonly JsonValue[] =>
  Array.isArray(value) && style?.explode === false
    ? [value.map(plain).join(BETWEEN[style.style ?? ""] ?? ",")]
    : listed(value);

/**
 * Writes a multipart form.
 *
 * @param args all arguments: those of file names and of headers of parts among them
 * @throws ToolFailure VALIDATION_ERROR for a file that is not base64, and for a header that cannot be sent
 */
export function multipart(
  fields: Fields,
  { files = [], styles = {}, parts = {} }: Pick<HttpBody, "files" | "styles" | "parts">,
  args: JsonObject,
): BodyContent {
  const boundary = `toolwright-${randomUUID()}`;
  const written = fields.flatMap(([name, value, argument]) => {
    const part = at(parts, name) ?? {};
    return itemsOf(value, at(styles, name)).flatMap((one, index) => {
      const filename = files.includes(name) ? filenameOf(part, args, index) || name : undefined;
      const type = mediaOf(part, filename) ?? usualType(one, filename);
      const head = [
        `--${boundary}`,
        disposition(name, filename),
        ...(type === undefined ? [] : [`Content-Type: ${type}`]),
        ...headersOf(part, args),
      ];
      const text = (): string => (isJsonMedia(type ?? "") ? jsonOf(one) : plain(one));
      const content = filename === undefined ? Buffer.from(text()) : base64Bytes(argument, one);
      return [Buffer.from(`${head.join("\r\n")}\r\n\r\n`), content, LINE_END];
    });
  });
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    content: Buffer.concat([...written, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

const at = <T>(map: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;

/** The type of a part whose description names none; a text has none, which means `text/plain`. */
function usualType(value: JsonValue, filename: string | undefined): string | undefined {
  if (filename !== undefined) return "application/octet-stream";
  return isObject(value) || Array.isArray(value) ? "application/json" : undefined;
}

const disposition = (name: string, filename: string | undefined): string =>
  `Content-Disposition: form-data; name="${quoted(name)}"${filename === undefined ? "" : `; filename="${quoted(filename)}"`}`;

const LINE_END = Buffer.from("\r\n");

/** A name in quotes as forms of browsers write it. */
const quoted = (text: string): string =>
  text.replace(/["\r\n]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);

/** A value as JSON. A text that is JSON of an object or a list already stays as it is. */
function jsonOf(value: JsonValue): string {
  if (typeof value !== "string" || !/^\s*[{[]/.test(value)) return writeJson(value);
  try {
    JSON.parse(value);
    return value;
  } catch {
    return writeJson(value);
  }
}

function filenameOf({ filename }: FormPart, args: JsonObject, index: number): string | undefined {
  const name = filename === undefined ? undefined : own(args, filename);
  const one = Array.isArray(name) ? name[index] : index === 0 ? name : undefined;
  return typeof one === "string" ? one : undefined;
}

/** Endings of file names that are not the second half of their media type. */
const ENDINGS: Readonly<Record<string, string>> = {
  jpg: "jpeg",
  txt: "plain",
  svg: "svg+xml",
  htm: "html",
  md: "markdown",
};

function mediaOf({ media: [first, ...others] = [] }: FormPart, filename = ""): string | undefined {
  const [, ending = ""] = /\.(\w+)$/.exec(filename.toLowerCase()) ?? [];
  const subtype = at(ENDINGS, ending) ?? ending;
  return others.find((one) => one.toLowerCase().split(";")[0]?.endsWith(`/${subtype}`)) ?? first;
}

/** Characters that the value of a header may have. */
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\u{10ffff}]*$/u;

function headersOf({ headers = {} }: FormPart, args: JsonObject): readonly string[] {
  return Object.entries(headers).flatMap(([header, argument]) => {
    const value = own(args, argument);
    if (value === undefined || value === null) return [];
    const text = Array.isArray(value) ? value.map(plain).join(",") : plain(value);
    return HEADER_TEXT.test(text)
      ? [`${header}: ${text}`]
      : invalid([fieldError(argument, "header", `${argument} holds characters that no header can`, "one line", value)]);
  });
}
