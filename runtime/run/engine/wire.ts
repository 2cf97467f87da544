/** Encodes values for the pipe to the Python process: JSON, with `$` objects for values that JSON cannot express. */
import type { Data } from "../languages/language.js";

const MAX_VALUE_DEPTH = 260;

/** The data of a message is invalid: forged by the guest, or nested too deeply. */
export class WireError extends Error {
  override readonly name = "WireError";
}

function checkDepth(depth: number): void {
  if (depth > MAX_VALUE_DEPTH) throw new WireError("nested too deeply");
}

/** Encodes a value as data that the shim's `unwire` reads. */
export function toWire(value: Data, depth = 0): unknown {
  checkDepth(depth);
  const inner = (item: Data) => toWire(item, depth + 1);
  if (typeof value === "bigint") return { $: "int", text: String(value) };
  if (typeof value === "number")
    return Number.isFinite(value) && !Object.is(value, -0) ? value : { $: "float", text: floatText(value) };
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Uint8Array) return { $: "bytes", text: Buffer.from(value).toString("base64") };
  if (!("$" in value)) return value.map(inner);
  switch (value.$) {
    case "dict":
      return { $: "dict", entries: value.entries.map(([key, held]) => [inner(key), inner(held)]) };
    case "tuple":
    case "set":
      return { $: value.$, items: value.items.map(inner) };
    default:
      return value;
  }
}

function floatText(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

const TEXTS = new Set(["float", "datetime", "date", "timedelta", "path", "opaque"]);

/** Decodes and validates data of the shim's `wire`; throws {@link WireError} for any other form. */
export function fromWire(data: unknown, depth = 0): Data {
  checkDepth(depth);
  if (data === null || typeof data === "boolean" || typeof data === "number" || typeof data === "string") return data;
  if (Array.isArray(data)) return data.map((item) => fromWire(item, depth + 1));
  if (typeof data === "object") return fromTagged(data as Record<string, unknown>, depth);
  throw new WireError("no value");
}

function fromTagged(data: Record<string, unknown>, depth: number): Data {
  const { $: tag, text, entries, items } = data;
  if (typeof text === "string") {
    if (tag === "int") return bigintOf(text);
    if (tag === "bytes") return new Uint8Array(Buffer.from(text, "base64"));
    if (typeof tag === "string" && TEXTS.has(tag)) return { $: tag, text } as Data;
  }
  if (tag === "dict" && Array.isArray(entries))
    return { $: "dict", entries: entries.map((entry) => entryOf(entry, depth + 1)) };
  if ((tag === "tuple" || tag === "set") && Array.isArray(items))
    return { $: tag, items: items.map((item) => fromWire(item, depth + 1)) };
  throw new WireError("no value");
}

function entryOf(entry: unknown, depth: number): readonly [Data, Data] {
  if (!Array.isArray(entry) || entry.length !== 2) throw new WireError("no entry of a dict");
  return [fromWire(entry[0], depth), fromWire(entry[1], depth)];
}

function bigintOf(text: string): bigint {
  // Hexadecimal only: parsing decimal digits takes more than linear time.
  if (!/^-?0x[0-9a-f]+$/.test(text)) throw new WireError("no number");
  return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/** Number of values in a JSON text, at most one too many; values take far more memory than their text. */
export function countValues(text: Buffer): number {
  let count = 1;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === COMMA || byte === BRACKET || byte === BRACE) count++;
    else if (byte === QUOTE) at = endOfString(text, at + 1);
  }
  return count;
}

function endOfString(text: Buffer, start: number): number {
  for (let at = text.indexOf(QUOTE, start); at >= 0; at = text.indexOf(QUOTE, at + 1)) {
    let before = at;
    while (before > start && text[before - 1] === BACKSLASH) before--;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}

/** Decodes plain JSON data. */
export function fromPlain(data: unknown, depth = 0): Data {
  checkDepth(depth);
  if (Array.isArray(data)) return data.map((item) => fromPlain(item, depth + 1));
  if (data === null || typeof data !== "object") return data as Data;
  return { $: "dict", entries: Object.entries(data).map(([key, held]) => [key, fromPlain(held, depth + 1)]) };
}
