/** Prints values in Python syntax, and evaluates Python string literals. */

import type { Value } from "../../engine/engine.js";

const NAMED: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\\", "\\\\"],
]);

/** Replaces lone surrogates, which Python strings can hold and UTF-8 cannot. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd");

/** A text in the form of Python's `repr`: single quotes, unless it has single quotes only. */
export function textRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = [...text].map((one) => (one === quote ? `\\${one}` : (NAMED.get(one) ?? printable(one)))).join("");
  return `${quote}${body}${quote}`;
}

/** Escapes an unprintable character. */
function printable(one: string): string {
  if (one === " " || !/[\p{C}\p{Z}]/u.test(one)) return one;
  const point = one.codePointAt(0) ?? 0;
  if (point < 0x100) return `\\x${point.toString(16).padStart(2, "0")}`;
  return point < 0x10000 ? `\\u${point.toString(16).padStart(4, "0")}` : `\\U${point.toString(16).padStart(8, "0")}`;
}

/** A value in the form of Python's `str`: text is unchanged. */
export const valueStr = (value: Value): string => (typeof value === "string" ? value : valueRepr(value));

/** A value in the form of Python's `repr`; deeper nesting than `depth` is `...`. */
export function valueRepr(value: Value, depth = 100): string {
  if (depth < 0) return "...";
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return textRepr(value);
  if (typeof value !== "object") return numberText(value);
  if (value instanceof Uint8Array) return bytesRepr(value);
  const listed = (items: readonly Value[]): string => items.map((item) => valueRepr(item, depth - 1)).join(", ");
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
    return NAMED.get(text) ?? (one >= 0x20 && one < 0x7f ? text : `\\x${one.toString(16).padStart(2, "0")}`);
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
