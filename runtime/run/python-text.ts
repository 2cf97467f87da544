/** Prints values in Python syntax. */

import type { Value } from "./engine/engine.js";

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
