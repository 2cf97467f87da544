/** Prints values in Python syntax, and evaluates Python string literals. */

import { NAMED_ESCAPES, textRepr } from "../../text-repr.js";
import type { Data } from "../language.js";

/** A value in the form of Python's `str`: text is unchanged. */
export const valueStr = (value: Data): string => (typeof value === "string" ? value : valueRepr(value));

/** A value in the form of Python's `repr`; deeper nesting than `depth` is `...`. */
export function valueRepr(value: Data, depth = 100): string {
  if (depth < 0) return "...";
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return textRepr(value);
  if (typeof value !== "object") return numberText(value);
  if (value instanceof Uint8Array) return bytesRepr(value);
  const listed = (items: readonly Data[]): string => items.map((item) => valueRepr(item, depth - 1)).join(", ");
  if (!("$" in value)) return `[${listed(value)}]`;
  switch (value.$) {
    case "dict":
      return `{${value.entries.map(([key, item]) => `${valueRepr(key, depth - 1)}: ${valueRepr(item, depth - 1)}`).join(", ")}}`;
    case "tuple":
      return `(${listed(value.items)}${value.items.length === 1 ? "," : ""})`;
    case "set":
      return value.items.length === 0 ? "set()" : `{${listed(value.items)}}`;
    default:
      return value.text;
  }
}

function numberText(value: number | bigint): string {
  if (typeof value === "bigint" || Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

function bytesRepr(bytes: Uint8Array): string {
  const body = [...bytes].map((one) => {
    const text = String.fromCharCode(one);
    if (text === "'") return "\\'";
    return NAMED_ESCAPES.get(text) ?? (one >= 0x20 && one < 0x7f ? text : `\\x${one.toString(16).padStart(2, "0")}`);
  });
  return `b'${body.join("")}'`;
}

/** Escapes of one character after a backslash. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\n", ""],
]);

const LITERAL = /^([rRuU]?)('''|"""|'|")([\s\S]*)\2$/;
const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g;

/** The text of a literal, if `source` is exactly one; undefined for bytes, f-strings and anything else. */
export function stringValue(source: string): string | undefined {
  const [, prefix = "", quote = "", body = ""] = LITERAL.exec(source) ?? [];
  if (!quote || !isInside(body, quote)) return undefined;
  const text = body.replace(/\r\n?/g, "\n");
  if (prefix.toLowerCase() === "r") return text;
  let isValid = true;
  const value = text.replace(ESCAPE, (whole, hex, short, long, octal, other) => {
    if (octal) return String.fromCharCode(Number.parseInt(octal, 8));
    if (other !== undefined) return ESCAPES.get(other) ?? whole;
    const point = Number.parseInt(hex ?? short ?? long, 16);
    if (point > 0x10ffff) isValid = false;
    return isValid ? String.fromCodePoint(point) : whole;
  });
  return isValid ? value : undefined;
}

/** Whether the body of a literal neither ends it early nor escapes its end. */
function isInside(body: string, quote: string): boolean {
  for (let at = 0; at < body.length; at++) {
    if (body[at] === "\\") {
      at++;
      if (at >= body.length) return false;
    } else if (body.startsWith(quote, at)) return false;
    else if (quote.length === 1 && (body[at] === "\n" || body[at] === "\r")) return false;
  }
  return true;
}
