/** Converts Python values between Monty's JavaScript forms and plain data. */

import { jsonOf, treeOf } from "../value-tree.js";
import type { Value } from "./engine.js";

/** First item of a tuple for a value that would lose its type: a whole float, or a value as JSON. */
export const WIRE = "\u{e000}wire";

/** Key under which values without a JavaScript type carry their kind. */
const KIND = "__monty_type__";

type Marked = Readonly<Record<string, unknown>>;

/** Limits of one conversion; larger values are cut. */
export interface Bounds {
  readonly depth: number;
  /** Remaining budget of the whole conversion, roughly in bytes. */
  left: number;
  /** Whether a value that nests too deeply becomes `...` or ends the conversion. */
  readonly tooDeep: "cut" | "fail";
}

/** Thrown if a value exceeds its limits. */
class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/** Whether a conversion exceeded its limits. */
export const isTooLarge = (error: unknown): boolean => error instanceof TooLarge;

const two = (value: unknown): string => String(value).padStart(2, "0");
const dateText = (it: Marked): string => `${String(it["year"]).padStart(4, "0")}-${two(it["month"])}-${two(it["day"])}`;

function offsetText(secondsEast: unknown): string {
  if (typeof secondsEast !== "number") return "";
  const minutes = Math.abs(secondsEast) / 60;
  return `${secondsEast < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(Math.floor(minutes % 60))}`;
}

function timeText(it: Marked): string {
  const micro = it["microsecond"] ? `.${String(it["microsecond"]).padStart(6, "0")}` : "";
  return `${two(it["hour"])}:${two(it["minute"])}:${two(it["second"])}${micro}${offsetText(it["offsetSeconds"])}`;
}

/** Seconds, exact to the microsecond. */
function deltaText(it: Marked): string {
  const whole = BigInt(Number(it["days"])) * 86_400n + BigInt(Number(it["seconds"]));
  const micro = whole * 1_000_000n + BigInt(Number(it["microseconds"]));
  const size = micro < 0n ? -micro : micro;
  const rest = size % 1_000_000n;
  return `${micro < 0n ? "-" : ""}${size / 1_000_000n}${rest ? `.${String(rest).padStart(6, "0")}`.replace(/0+$/, "") : ""}`;
}

const MARKED: ReadonlyMap<string, (it: Marked) => Value> = new Map<string, (it: Marked) => Value>([
  ["DateTime", (it) => ({ $: "datetime", text: `${dateText(it)}T${timeText(it)}` })],
  ["Date", (it) => ({ $: "date", text: dateText(it) })],
  ["TimeDelta", (it) => ({ $: "timedelta", text: deltaText(it) })],
  ["TimeZone", (it) => ({ $: "opaque", text: `UTC${it["offsetSeconds"] ? offsetText(it["offsetSeconds"]) : ""}` })],
  ["Type", (it) => ({ $: "opaque", text: `<class '${it["value"]}'>` })],
  ["BuiltinFunction", (it) => ({ $: "opaque", text: `<built-in function ${it["value"]}>` })],
  ["Exception", (it) => ({ $: "opaque", text: String(it["message"] ?? "") })],
  ["Ellipsis", () => ({ $: "opaque", text: "Ellipsis" })],
  ["Dataclass", (it) => ({ $: "opaque", text: `<pack ${it["name"]}>` })],
]);

const SPECIAL_FLOATS: ReadonlyMap<number, string> = new Map([
  [Number.POSITIVE_INFINITY, "inf"],
  [Number.NEGATIVE_INFINITY, "-inf"],
]);

function ofNumber(value: number): Value {
  if (Number.isFinite(value)) return value;
  return { $: "float", text: SPECIAL_FLOATS.get(value) ?? "nan" };
}

function spend(bounds: Bounds, bytes: number): void {
  bounds.left -= bytes;
  if (bounds.left < 0) throw new TooLarge();
}

/** Converts a value of the guest to plain data. */
export function toValue(from: unknown, bounds: Bounds, depth = 0): Value {
  spend(bounds, 4);
  if (from === null || from === undefined || typeof from === "boolean" || typeof from === "bigint") return from ?? null;
  if (typeof from === "number") return ofNumber(from);
  if (typeof from === "string") {
    spend(bounds, from.length);
    return from;
  }
  if (from instanceof Uint8Array) {
    spend(bounds, from.length);
    return Uint8Array.from(from);
  }
  return ofContainer(from, bounds, depth + 1);
}

function ofContainer(from: unknown, bounds: Bounds, depth: number): Value {
  const each = (one: unknown): Value => toValue(one, bounds, depth);
  if (depth > bounds.depth) {
    if (bounds.tooDeep === "fail") throw new TooLarge();
    return { $: "opaque", text: "..." };
  }
  if (Array.isArray(from)) {
    if (from[0] === WIRE && from.length === 2) return { $: "float", text: String(from[1]) };
    const items = from.map(each);
    return "__tuple__" in from ? { $: "tuple", items } : items;
  }
  if (from instanceof Set) return { $: "set", items: Array.from(from, each) };
  if (from instanceof Map)
    return { $: "dict", entries: Array.from(from, ([key, value]) => [each(key), each(value)] as const) };
  const marked = from as Marked;
  return MARKED.get(String(marked[KIND]))?.(marked) ?? { $: "opaque", text: String(marked[KIND] ?? "object") };
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})\d*)?)?(Z|[+-]\d\d:\d\d)?)?$/;

function offsetSeconds(text: string): number {
  if (text === "Z") return 0;
  const [hours, minutes] = text.slice(1).split(":").map(Number);
  return (text.startsWith("-") ? -1 : 1) * ((hours ?? 0) * 3600 + (minutes ?? 0) * 60);
}

/** A text that is not a date stays a text. */
function fromDate(kind: "DateTime" | "Date", text: string): unknown {
  const parts = DATE.exec(text);
  if (!parts) return text;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((one) => Number(one ?? 0));
  if (kind === "Date") return { [KIND]: kind, year, month, day };
  const microsecond = Number((parts[7] ?? "").padEnd(6, "0"));
  const zone = parts[8] === undefined ? {} : { offsetSeconds: offsetSeconds(parts[8]) };
  return { [KIND]: kind, year, month, day, hour, minute, second, microsecond, ...zone };
}

function fromDelta(text: string): unknown {
  const micro = Math.round(Number(text) * 1e6);
  if (!Number.isSafeInteger(micro)) return text;
  const days = Math.floor(micro / 86_400e6);
  const rest = micro - days * 86_400e6;
  return { [KIND]: "TimeDelta", days, seconds: Math.floor(rest / 1e6), microseconds: rest % 1e6 };
}

const tuple = (items: readonly unknown[]): unknown => Object.assign([...items], { __tuple__: true });

type Tagged = Extract<Value, { readonly $: string }>;
type Of<Field extends string> = Extract<Tagged, { readonly [F in Field]: unknown }>;

const textOf = ({ text }: Of<"text">): unknown => text;

const FROM = new Map<Tagged["$"], (it: Tagged) => unknown>([
  ["dict", (it) => new Map((it as Of<"entries">).entries.map(([key, value]) => [fromValue(key), fromValue(value)]))],
  ["tuple", (it) => tuple((it as Of<"items">).items.map(fromValue))],
  ["set", (it) => new Set((it as Of<"items">).items.map(fromValue))],
  // A whole float arrives as an int, because a JavaScript number does not distinguish them. Answers with whole floats
  // go as JSON.
  ["float", (it) => fromFloat((it as Of<"text">).text)],
  ["datetime", (it) => fromDate("DateTime", (it as Of<"text">).text)],
  ["date", (it) => fromDate("Date", (it as Of<"text">).text)],
  ["timedelta", (it) => fromDelta((it as Of<"text">).text)],
]);

const FLOATS: ReadonlyMap<string, number> = new Map([
  ["nan", Number.NaN],
  ["inf", Number.POSITIVE_INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
]);

const fromFloat = (text: string): number => FLOATS.get(text) ?? Number(text);

/** Whether a value contains a float that would arrive as an int. */
export function holdsWholeFloat(value: Value): boolean {
  if (typeof value === "number") return Object.is(value, -0);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return false;
  if (!("$" in value)) return value.some(holdsWholeFloat);
  if (value.$ === "dict") return value.entries.some(([, item]) => holdsWholeFloat(item));
  if ("items" in value) return value.items.some(holdsWholeFloat);
  return value.$ === "float" && Number.isInteger(Number(value.text));
}

/** A lone surrogate; Monty would receive U+FFFD in its place. */
const HALF = /\p{Cs}/u;

/** Whether a value contains a text with a lone surrogate, including keys. */
export function holdsHalfCharacter(value: Value): boolean {
  if (typeof value === "string") return HALF.test(value);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return false;
  if (!("$" in value)) return value.some(holdsHalfCharacter);
  if (value.$ === "dict") return value.entries.some((entry) => entry.some(holdsHalfCharacter));
  return "items" in value && value.items.some(holdsHalfCharacter);
}

/** A value as JSON, for a call that requests this form. */
export const fromValueAsJson = (value: Value): unknown => tuple([WIRE, jsonOf(treeOf(value, Number.MAX_SAFE_INTEGER))]);

/** Converts plain data for Monty. */
export function fromValue(value: Value): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (Array.isArray(value)) return value.map(fromValue);
  const tagged = value as Tagged;
  return FROM.get(tagged.$)?.(tagged) ?? textOf(tagged as Of<"text">);
}
