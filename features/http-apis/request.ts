/** Builds the HTTP request of a call: address, headers, body. Pure, except for the boundaries of forms. */

import { fieldError, invalid } from "../../runtime/contract/error-body.js";
import { objectOf, writeJson } from "../../runtime/contract/exact-number.js";
import {
  type GraphqlCall,
  type HttpArgument,
  type HttpBody,
  type HttpCall,
  mayChange,
} from "../../runtime/contract/http-call.js";
import { isObject, own } from "../../runtime/contract/json.js";
import type { JsonObject, JsonValue } from "../../runtime/contract/registry.js";
import { type BodyContent, base64Bytes, type Fields, multipart, urlEncodedForm } from "./form-body.js";
import { inCookie, inHeader, inPath, inQuery } from "./write-argument.js";

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
export async function sendableRequest(
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
  const cookies = given.flatMap(({ one, value }) => (one.in === "cookie" ? inCookie(one, value) : []));
  const body = call.graphql ? graphqlBody(call.graphql, args) : call.body && bodyOf(call.body, args);
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
      ...withCookies(cookies, credentials.headers),
    },
    ...(body ? { body: body.content } : {}),
  };
}

/** Headers of credentials, with the cookies of arguments before the one that they hold. */
function withCookies(cookies: readonly string[], headers: Credentials["headers"]): Credentials["headers"] {
  if (cookies.length === 0) return headers;
  const isCookie = ([name]: readonly [string, string]): boolean => name.toLowerCase() === "cookie";
  const all = Object.entries(headers);
  const held = all.filter(isCookie).map(([, value]) => value);
  return { ...Object.fromEntries(all.filter((one) => !isCookie(one))), cookie: [...cookies, ...held].join("; ") };
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

const graphqlBody = ({ document }: GraphqlCall, variables: JsonObject): BodyContent => ({
  type: "application/json",
  content: writeJson({ query: document, variables }),
});

function bodyOf(body: HttpBody, args: JsonObject): BodyContent | undefined {
  const { media, encoding, whole } = body;
  if (whole !== undefined) {
    const value = own(args, whole);
    return value === undefined ? undefined : encodeWhole(whole, value, body, args);
  }
  const fields = Object.entries(body.fields ?? {}).flatMap(([argument, field]) => {
    const value = own(args, argument);
    return value === undefined ? [] : [[field, value, argument] as const];
  });
  if (encoding === "json")
    return { type: media, content: writeJson(objectOf(fields.map(([field, value]) => [field, value]))) };
  if (encoding === "form") return { type: media, content: urlEncodedForm(fields, body.styles) };
  return multipart(fields, body, args);
}

function encodeWhole(argument: string, value: JsonValue, body: HttpBody, args: JsonObject): BodyContent {
  const { encoding, media } = body;
  if (encoding === "base64") return { type: media, content: base64Bytes(argument, value) };
  if (encoding === "text") return { type: media, content: String(value) };
  if (encoding === "form" && isObject(value))
    return { type: media, content: urlEncodedForm(fieldsIn(value), body.styles) };
  if (encoding === "multipart" && isObject(value)) return multipart(fieldsIn(value), body, args);
  return { type: media, content: writeJson(value) };
}

const fieldsIn = (value: JsonObject): Fields => Object.entries(value).map(([name, one]) => [name, one, name]);
