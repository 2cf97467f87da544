/**
 * Checks the arguments that a request repeats in its headers for routing (`x-mcp-header` in the protocol of
 * 2026-07-28). A request whose header contradicts its argument is refused, since it may have been routed wrongly.
 */

import { canonicalNumber, ExactNumber, isExact } from "../../contract/exact-number.js";
import { isObject, own } from "../../contract/json.js";
import type { JsonSchema, JsonValue } from "../../contract/registry.js";

/** An argument that is repeated in a header. */
interface Repeated {
  /** Path of the argument as property names. */
  readonly path: readonly string[];
  readonly header: string;
}

const PREFIX = "Mcp-Param-";
/** A valid header name (RFC 9110). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Levels of properties that are searched. */
const MAX_PROPERTY_DEPTH = 16;

const known = new WeakMap<JsonSchema, readonly Repeated[]>();

/** What is wrong with the headers of a call, or `undefined`. An absent argument needs no header. */
export function headerFault(schema: JsonSchema, args: unknown, headers: Headers): string | undefined {
  const repeated = known.get(schema) ?? repeatedIn(schema, []);
  known.set(schema, repeated);
  for (const { path, header } of repeated) {
    const value = valueAt(args, path);
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean" && !isExact(value))
      continue;
    const sent = headers.get(header);
    const named = path.join(".");
    if (sent === null) return `the argument ${named} is there, and its header ${header} is not`;
    const decoded = decode(sent);
    if (decoded === undefined) return `the header ${header} is not the Base64 that it claims to be`;
    if (!isSame(decoded, value)) return `the header ${header} and the argument ${named} differ`;
  }
  return undefined;
}

function repeatedIn(schema: JsonSchema, path: readonly string[]): readonly Repeated[] {
  const properties = schema["properties"];
  if (!isObject(properties) || path.length === MAX_PROPERTY_DEPTH) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isObject(property)) return [];
    const [at, header] = [[...path, name], property["x-mcp-header"]];
    const here = typeof header === "string" && TOKEN.test(header) ? [{ path: at, header: `${PREFIX}${header}` }] : [];
    return [...here, ...repeatedIn(property, at)];
  });
}

function valueAt(args: unknown, path: readonly string[]): JsonValue | undefined {
  let value = args as JsonValue | undefined;
  for (const name of path) value = isObject(value) ? own(value, name) : undefined;
  return value;
}

/** Decodes a header value; `undefined` for invalid Base64. */
function decode(sent: string): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/s.exec(sent) ?? [];
  if (encoded === undefined) return sent;
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.toString("base64") !== encoded) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Compares numbers by value: `42.0` equals 42. */
const isSame = (said: string, value: string | number | boolean | ExactNumber): boolean =>
  said === String(value) ||
  (isExact(value) && NUMBER.test(said) && canonicalNumber(new ExactNumber(said)) === canonicalNumber(value)) ||
  (typeof value === "number" && /^-?\d+(\.\d+)?$/.test(said) && Number(said) === value);
