/** Writes forms: `application/x-www-form-urlencoded`, and `multipart/form-data` as RFC 7578 has it. */

import { randomUUID } from "node:crypto";
import { fieldError, invalid } from "../contract/error-body.js";
import { writeJson } from "../contract/exact-number.js";
import { type FieldStyle, type FormPart, type HttpBody, isJsonMedia } from "../contract/http-call.js";
import { isObject, own } from "../contract/json.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import { inQuery } from "./write-argument.js";

/** A body and its media type. */
export interface Content {
  readonly type: string;
  readonly content: string | Uint8Array;
}

/** Names of fields, their values, and the arguments that gave them. */
export type Fields = readonly (readonly [field: string, value: JsonValue, argument: string])[];

const plain = (value: JsonValue): string => (typeof value === "string" ? value : writeJson(value));
const listed = (value: JsonValue): readonly JsonValue[] => (Array.isArray(value) ? value : [value]);

/** Base64, also in the alphabet of addresses, with or without padding. */
const BASE64 = /^[\w+/-]*={0,2}$/;

/** The bytes that base64 stands for. @throws ToolFailure VALIDATION_ERROR for another text, of which some bytes would be read */
export function bytesOf(argument: string, value: JsonValue): Buffer<ArrayBuffer> {
  const text = plain(value).replace(/\s+/g, "");
  const count = text.replace(/=+$/, "").length;
  return BASE64.test(text) && count % 4 !== 1
    ? Buffer.from(text, "base64")
    : invalid([fieldError(argument, "contentEncoding", `${argument} is not base64`, "base64", value)]);
}

/** Writes an urlencoded form. Lists are repeated fields and objects are JSON, unless a style says otherwise. */
export const formOf = (fields: Fields, styles: HttpBody["styles"] = {}): string =>
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
): Content {
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
      const content = filename === undefined ? Buffer.from(text()) : bytesOf(argument, one);
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
