/** Writes an argument into a path, a query or a header, by OpenAPI's `style` and `explode`. Pure. */

import { writeJson } from "../../runtime/contract/exact-number.js";
import type { HttpArgument } from "../../runtime/contract/http-call.js";
import { isObject } from "../../runtime/contract/json.js";
import type { JsonObject, JsonValue } from "../../runtime/contract/registry.js";

type Style = NonNullable<HttpArgument["style"]>;
type Pair = readonly [name: string, value: string];

/** A value as text; nested lists and objects, for which no style is defined, as JSON. */
const textOf = (value: JsonValue): string =>
  typeof value === "object" && value !== null ? writeJson(value) : String(value ?? "");

/** A lone surrogate, which cannot be encoded. */
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Percent-encodes a text so that it cannot end a part of an address. */
export const percentEncoded = (text: string): string => encodeURIComponent(text.replace(LONE, "\ufffd"));

/** Leaves reserved characters unescaped, except those that end the parameter or the query. */
const encodedLess = (text: string): string =>
  encodeURI(text.replace(LONE, "\ufffd")).replace(/[#&+]/g, (mark) => encodeURIComponent(mark));

const pairsOf = (value: JsonObject): readonly Pair[] =>
  Object.entries(value).map(([key, member]) => [key, textOf(member)]);

/** Lists and objects with separators between their parts: `a,b`; `k,v,k,v`, or exploded `k=v,k=v`. */
function joined(value: JsonValue, separator: string, explode: boolean, encode: (text: string) => string): string {
  if (Array.isArray(value)) return value.map((one: JsonValue) => encode(textOf(one))).join(separator);
  if (!isObject(value)) return encode(textOf(value));
  return pairsOf(value)
    .map(([key, text]) => `${encode(key)}${explode ? "=" : separator}${encode(text)}`)
    .join(separator);
}

/** A value in a path. */
export function inPath(
  { argument, name = argument, style = "simple", explode = false, json }: HttpArgument,
  value: JsonValue,
): string {
  if (json) return percentEncoded(writeJson(value));
  if (style === "label") return `.${joined(value, explode ? "." : ",", explode, percentEncoded)}`;
  if (style !== "matrix") return joined(value, ",", explode, percentEncoded);
  if (explode && Array.isArray(value))
    return value.map((one: JsonValue) => `;${percentEncoded(name)}=${percentEncoded(textOf(one))}`).join("");
  if (explode && isObject(value))
    return pairsOf(value)
      .map(([key, text]) => `;${percentEncoded(key)}=${percentEncoded(text)}`)
      .join("");
  return `;${percentEncoded(name)}=${joined(value, ",", false, percentEncoded)}`;
}

/** A value in a header. */
export const inHeader = ({ explode = false, json }: HttpArgument, value: JsonValue): string =>
  json ? writeJson(value) : joined(value, ",", explode, (text) => text);

/** Characters that a cookie cannot hold, and the sign of those that are encoded. */
const NO_COOKIE = /[^!#$&-+\--:<-[\]-~]/gu;
const inCookieText = (text: string): string =>
  text.replace(LONE, "\ufffd").replace(NO_COOKIE, (mark) => encodeURIComponent(mark));

/** A value as cookies, each `name=value`. */
export function inCookie(argument: HttpArgument, value: JsonValue): readonly string[] {
  const { name = argument.argument, explode = true, json } = argument;
  if (value === null) return [];
  if (json) return [`${name}=${inCookieText(writeJson(value))}`];
  if (isObject(value) && explode)
    return pairsOf(value).map(([key, text]) => `${percentEncoded(key)}=${inCookieText(text)}`);
  return [`${name}=${joined(value, ",", false, inCookieText)}`];
}

const SEPARATORS: Partial<Record<Style, string>> = { form: ",", spaceDelimited: "%20", pipeDelimited: "%7C" };

/** A value in a query: any number of encoded `name=value` parts. */
export function inQuery(argument: HttpArgument, value: JsonValue): readonly string[] {
  const { name = argument.argument, style = "form", explode = style === "form", reserved, json } = argument;
  const encode = reserved ? encodedLess : percentEncoded;
  const pair = (key: string, text: string): string => `${percentEncoded(key)}=${encode(text)}`;
  if (value === null) return [];
  if (json) return [pair(name, writeJson(value))];
  if (style === "deepObject" && isObject(value)) return deep(name, value).map(([key, text]) => pair(key, text));
  if (Array.isArray(value) && explode) return value.map((one: JsonValue) => pair(name, textOf(one)));
  if (isObject(value) && explode) return pairsOf(value).map(([key, text]) => pair(key, text));
  if (Array.isArray(value) && value.length === 0) return [];
  return [`${percentEncoded(name)}=${joined(value, SEPARATORS[style] ?? ",", false, encode)}`];
}

/** `filter[state]=open`, nested as `filter[range][from]=1`. */
function deep(name: string, value: JsonObject): readonly Pair[] {
  return Object.entries(value).flatMap(([key, member]): readonly Pair[] => {
    const inside = `${name}[${key}]`;
    if (isObject(member)) return deep(inside, member);
    return Array.isArray(member)
      ? member.map((one: JsonValue): Pair => [inside, textOf(one)])
      : [[inside, textOf(member)]];
  });
}
