/** Builds the HTTP request of a call: address, headers, body. Pure, except for the encoding of forms. */

import { fieldError, invalid } from "../contract/error-body.js";
import { objectOf, writeJson } from "../contract/exact-number.js";
import {
  type FieldStyle,
  type GraphqlCall,
  type HttpArgument,
  type HttpBody,
  type HttpCall,
  mayChange,
} from "../contract/http-call.js";
import { isObject, own } from "../contract/json.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import { inHeader, inPath, inQuery } from "./write-argument.js";

/** A request that is ready to send. */
export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Whether it may change something. */
  readonly writes: boolean;
}

/** Credentials: headers and query parameters. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

const USER_AGENT = "toolwright";

/**
 * Makes a request.
 *
 * @param server base address, without a slash at the end
 * @param added headers that name the span of the call and its idempotency key, unless an argument does
 * @throws ToolFailure VALIDATION_ERROR for arguments that fit their schema but cannot be sent
 */
export async function requestOf(
  call: HttpCall,
  server: string,
  args: JsonObject,
  credentials: Credentials,
  added: Readonly<Record<string, string>> = {},
): Promise<HttpRequest> {
  const given = call.arguments.flatMap((one) => {
    const value = own(args, one.argument);
    return value === undefined ? [] : [{ one, value }];
  });
  const path = pathOf(call, args);
  const query = [
    ...given.flatMap(({ one, value }) => (one.in === "query" ? inQuery(one, value) : [])),
    ...Object.entries(credentials.query).map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
    ),
  ];
  const asked = given.flatMap(({ one, value }) =>
    one.in === "header" && value !== null ? [[one.name ?? one.argument, headerText(one, value)] as const] : [],
  );
  const body = call.graphql ? graphqlBody(call.graphql, args) : call.body && (await bodyOf(call.body, args));
  return {
    url: new URL(`${server}${path}${query.length > 0 ? (path.includes("?") ? "&" : "?") : ""}${query.join("&")}`),
    method: call.method,
    writes: mayChange(call),
    headers: {
      "user-agent": USER_AGENT,
      ...unlessGiven(added, asked),
      ...Object.fromEntries(asked),
      accept: call.accept,
      ...(body ? { "content-type": body.type } : {}),
      ...credentials.headers,
    },
    ...(body ? { body: body.content } : {}),
  };
}

/** The headers that no argument names: of a trace, both or neither. */
function unlessGiven(added: Readonly<Record<string, string>>, asked: readonly (readonly [string, string])[]) {
  const groupOf = (name: string): string => name.toLowerCase().replace(/^trace(?:parent|state)$/, "trace");
  const given = new Set(asked.map(([name]) => groupOf(name)));
  return Object.fromEntries(Object.entries(added).filter(([name]) => !given.has(groupOf(name))));
}

/** Fills in each `{name}` of the path. A value may neither be missing nor change the structure of the path. */
function pathOf({ path, arguments: all }: HttpCall, args: JsonObject): string {
  const inPaths = new Map(all.filter((one) => one.in === "path").map((one) => [one.name ?? one.argument, one]));
  // A fragment, by which some descriptions tell operations of one address apart, is never sent.
  return (path.split("#", 1)[0] ?? "")
    .split("/")
    .map((segment) => {
      const used: string[] = [];
      const filled = segment.replace(/\{([^}]*)\}/g, (whole, name: string) => {
        const argument = inPaths.get(name);
        const value = argument && own(args, argument.argument);
        if (!argument || value === undefined) return whole;
        used.push(argument.argument);
        const text = inPath(argument, value);
        return text === "" ? refuse(argument.argument, "is empty, and would lead elsewhere", value) : text;
      });
      const [first] = used;
      if (first !== undefined && (filled === "." || filled === ".."))
        refuse(first, "would lead elsewhere", own(args, first));
      return filled;
    })
    .join("/");
}

const refuse = (argument: string, what: string, value: unknown): never =>
  invalid([fieldError(argument, "path", `${argument} ${what}`, "a part of an address", value)]);

/** Characters allowed in a header; a line break would start another header. */
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether a header can hold a text; surrounding white space is not sent. */
export const fitsHeader = (text: string): boolean => HEADER_TEXT.test(text.trim());

function headerText(argument: HttpArgument, value: JsonValue): string {
  const text = inHeader(argument, value);
  const { argument: name } = argument;
  return HEADER_TEXT.test(text)
    ? text
    : invalid([
        fieldError(
          name,
          "header",
          `${name} holds characters that no header can`,
          "one line of Latin characters",
          value,
        ),
      ]);
}

interface Content {
  readonly type: string;
  readonly content: string | Uint8Array;
}

const graphqlBody = ({ document }: GraphqlCall, variables: JsonObject): Content => ({
  type: "application/json",
  content: writeJson({ query: document, variables }),
});

async function bodyOf(body: HttpBody, args: JsonObject): Promise<Content | undefined> {
  const { media, encoding, whole } = body;
  if (whole !== undefined) {
    const value = own(args, whole);
    return value === undefined ? undefined : encodeWhole(whole, value, body);
  }
  const fields = Object.entries(body.fields ?? {}).flatMap(([argument, field]) => {
    const value = own(args, argument);
    return value === undefined ? [] : [[field, value, argument] as const];
  });
  if (encoding === "json")
    return { type: media, content: writeJson(objectOf(fields.map(([field, value]) => [field, value]))) };
  if (encoding === "form") return { type: media, content: formOf(fields, body.styles) };
  return multipart(fields, body);
}

function encodeWhole(argument: string, value: JsonValue, body: HttpBody): Content | Promise<Content> {
  const { encoding, media } = body;
  if (encoding === "base64") return { type: media, content: bytesOf(argument, value) };
  if (encoding === "text") return { type: media, content: String(value) };
  if (encoding === "form" && isObject(value)) return { type: media, content: formOf(fieldsIn(value)) };
  if (encoding === "multipart" && isObject(value)) return multipart(fieldsIn(value), {});
  return { type: media, content: writeJson(value) };
}

/** Names of fields, their values, and the arguments that gave them. */
type Fields = readonly (readonly [field: string, value: JsonValue, argument: string])[];

const fieldsIn = (value: JsonObject): Fields => Object.entries(value).map(([name, one]) => [name, one, name]);

const plain = (value: JsonValue): string => (typeof value === "string" ? value : writeJson(value));
const listed = (value: JsonValue): readonly JsonValue[] => (Array.isArray(value) ? value : [value]);

/** Base64, also in the alphabet of addresses, with or without padding. */
const BASE64 = /^[\w+/-]*={0,2}$/;

/** The bytes that base64 stands for. @throws ToolFailure VALIDATION_ERROR for another text, of which some bytes would be read */
function bytesOf(argument: string, value: JsonValue): Buffer<ArrayBuffer> {
  const text = plain(value).replace(/\s+/g, "");
  const count = text.replace(/=+$/, "").length;
  return BASE64.test(text) && count % 4 !== 1
    ? Buffer.from(text, "base64")
    : invalid([fieldError(argument, "contentEncoding", `${argument} is not base64`, "base64", value)]);
}

const styleOf = (styles: NonNullable<HttpBody["styles"]>, name: string): FieldStyle | undefined =>
  Object.hasOwn(styles, name) ? styles[name] : undefined;

/** Lists as repeated fields, objects as JSON, unless a style says otherwise. */
const formOf = (fields: Fields, styles: HttpBody["styles"] = {}): string =>
  fields
    .flatMap(([name, value]) => {
      const style = styleOf(styles, name);
      return style
        ? inQuery({ argument: name, in: "query", ...style }, value)
        : [new URLSearchParams(listed(value).map((one): [string, string] => [name, plain(one)])).toString()];
    })
    .filter((one) => one !== "")
    .join("&");

const BETWEEN: Readonly<Record<string, string>> = { spaceDelimited: " ", pipeDelimited: "|" };

/** The parts of a field: one for each item of a list, unless its style joins them. */
const partsOf = (value: JsonValue, style: FieldStyle | undefined): readonly JsonValue[] =>
  Array.isArray(value) && style?.explode === false
    ? [value.map(plain).join(BETWEEN[style.style ?? ""] ?? ",")]
    : listed(value);

/** Encoded here, because the web client does not accept the platform's forms. */
async function multipart(
  fields: Fields,
  { files = [], styles = {} }: Pick<HttpBody, "files" | "styles">,
): Promise<Content> {
  const form = new FormData();
  for (const [name, value, argument] of fields)
    for (const one of partsOf(value, styleOf(styles, name)))
      if (files.includes(name)) form.append(name, new Blob([bytesOf(argument, one)]), name);
      else form.append(name, plain(one));
  const sealed = new Response(form);
  return {
    type: sealed.headers.get("content-type") ?? "multipart/form-data",
    content: new Uint8Array(await sealed.arrayBuffer()),
  };
}
