/** Parses column values: one function per column type. Pure. */

import { closest, type FieldError, fieldError } from "toolwright/codegen";
import type { Field, FieldType } from "./fields.js";
import {
  type EdgeKind,
  LABELS,
  PROPS_MAX_BYTES,
  STATE_ALIASES,
  STATES,
  type StatefulKind,
  TYPE_KEYS,
} from "./model.js";
import type { Value } from "./schema.js";

/** A column value, or the error. */
export type Parsed<T = Value> =
  | { readonly ok: true; readonly value: T; readonly warning?: string }
  | { readonly ok: false; readonly error: FieldError };

/** Context of a parse function. */
export interface Place {
  readonly kind: EdgeKind;
  readonly field: Field;
  /** Dotted path of the argument. */
  readonly path: string;
}

const good = (value: Value): Parsed => ({ ok: true, value });
const bad = (path: string, keyword: string, message: string, expected: string, value: unknown): Parsed<never> => ({
  ok: false,
  error: fieldError(path, keyword, message, expected, value),
});

/** Words that models send for a missing value. */
const NOTHING = new Set(["undefined", "null"]);

function parseText(value: unknown, { kind, field, path }: Place): Parsed {
  if (typeof value !== "string") return bad(path, "type", `${path} is no text`, "string", value);
  const text = value.trim();
  if (field.required && text === "") return bad(path, "required", `${path} is blank`, "string", value);
  if (field.name === LABELS[kind] && NOTHING.has(text.toLowerCase()))
    return bad(path, "pattern", `${path} is the word "${text}"`, "a name for people", value);
  // SQLite would truncate the text there, PostgreSQL rejects it.
  if (text.includes("\0")) return bad(path, "pattern", `${path} holds a NUL character`, "string without NUL", value);
  const length = [...text].length;
  if (field.max !== undefined && length > field.max)
    return bad(path, "maxLength", `${path} has ${length} characters`, `at most ${field.max} characters`, value);
  return good(text);
}

/** Converts to lower snake case: letter case, spaces, dots, hyphens and camelCase are normalized. */
export const foldWord = (word: string): string =>
  word
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[\s.-]+/g, "_");

function parseState(value: unknown, { kind, path }: Place): Parsed {
  const states: readonly string[] = STATES[kind as StatefulKind];
  if (typeof value !== "string") return bad(path, "type", `${path} is no text`, states.join("|"), value);
  const folded = foldWord(value);
  const aliases = new Map<string, string>(Object.entries(STATE_ALIASES[kind as StatefulKind]));
  const state = states.includes(folded) ? folded : aliases.get(folded);
  if (state === value) return good(state);
  if (state)
    return { ok: true, value: state, warning: `enum_alias: ${path} "${value.slice(0, 40)}" was read as ${state}` };
  const error = fieldError(path, "enum", `${path} is not a ${kind} state`, states.join("|"), value);
  const near = closest(folded, states);
  return { ok: false, error: near ? { ...error, did_you_mean: near } : error };
}

/** The type keys as a table of one shape. */
const KEYS: Readonly<Partial<Record<EdgeKind, { pattern: string; form: string; segment?: readonly string[] }>>> =
  TYPE_KEYS;

function parseTypeKey(value: unknown, { kind, path }: Place): Parsed {
  const key = KEYS[kind];
  if (!key || typeof value !== "string") return bad(path, "type", `${path} is no text`, key?.form ?? "nothing", value);
  const text = value.trim();
  if (!new RegExp(key.pattern).test(text))
    return bad(path, "pattern", `${path} has not the form of a ${kind} type`, key.form, value);
  const segment = text.split(".")[1] ?? "";
  if (!key.segment || key.segment.includes(segment)) return good(text);
  const error = fieldError(
    path,
    "enum",
    `${path} has no known ${key.form.split(".")[1]}`,
    key.segment.join("|"),
    value,
  );
  const near = closest(segment, key.segment);
  return { ok: false, error: near ? { ...error, did_you_mean: text.replace(segment, near) } : error };
}

function parseEnum(value: unknown, { field, path }: Place): Parsed {
  const values = field.values ?? [];
  const folded = typeof value === "string" ? foldWord(value) : "";
  if (!values.includes(folded)) return bad(path, "enum", `${path} is not one of its values`, values.join("|"), value);
  return folded === value
    ? good(folded)
    : { ok: true, value: folded, warning: `enum_alias: ${path} was read as ${folded}` };
}

function parseNumber(value: unknown, { field, path }: Place): Parsed {
  const { type, min, max } = field;
  const bounds = min === undefined ? type : `${type} ${min}..${max}`;
  if (typeof value !== "number" || !Number.isFinite(value) || (type === "integer" && !Number.isInteger(value)))
    return bad(path, "type", `${path} is not ${type === "integer" ? "an integer" : "a number"}`, bounds, value);
  if (min !== undefined && value < min) return bad(path, "minimum", `${path} is below ${min}`, bounds, value);
  if (max !== undefined && value > max) return bad(path, "maximum", `${path} is above ${max}`, bounds, value);
  return good(value);
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$/;
const TIME_FORM = "date, or date and time with zone (ISO 8601)";

/** A date, or date and time, as ISO 8601 in UTC with milliseconds; `undefined` for any other text. */
export function isoTime(text: string): string | undefined {
  const day = DATE.test(text) ? text : DATE_TIME.exec(text)?.[1];
  if (day === undefined) return undefined;
  // Date turns 30 February into a day in March.
  const midnight = new Date(`${day}T00:00:00.000Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return undefined;
  const time = day === text ? midnight : new Date(text.replace(" ", "T").toUpperCase());
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function parseTime(value: unknown, { path }: Place): Parsed {
  const time = typeof value === "string" ? isoTime(value.trim()) : undefined;
  return time === undefined ? bad(path, "format", `${path} is no date`, TIME_FORM, value) : good(time);
}

function parseObject(value: unknown, { path }: Place): Parsed {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return bad(path, "type", `${path} is no object`, "object", value);
  return sizedProps(value, path);
}

/** Serialized props, or an error if they are too large. */
export function sizedProps(value: object, path: string): Parsed<string> {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  return bytes > PROPS_MAX_BYTES
    ? bad(path, "maxLength", `${path} has ${bytes} bytes as JSON`, `at most ${PROPS_MAX_BYTES} bytes`, value)
    : { ok: true, value: text };
}

const PARSERS: Readonly<Record<FieldType, (value: unknown, place: Place) => Parsed>> = {
  text: parseText,
  markdown: parseText,
  state: parseState,
  type_key: parseTypeKey,
  enum: parseEnum,
  integer: parseNumber,
  number: parseNumber,
  time: parseTime,
  object: parseObject,
};

/** Parses a column value; null clears a nullable column and is a `type` error for others. */
export function parseValue(value: unknown, place: Place): Parsed {
  if (value !== null) return PARSERS[place.field.type](value, place);
  if (place.field.nullable) return good(null);
  return bad(place.path, "type", `${place.path} cannot be null`, place.field.type, value);
}

/** The default of a column that a create omits. */
export function defaultOf(kind: EdgeKind, field: Field): Value {
  if (field.type === "object") return "{}";
  if (field.type === "state") return STATES[kind as StatefulKind][0];
  if (field.type === "type_key")
    return (TYPE_KEYS as Readonly<Record<string, { default?: string }>>)[kind]?.default ?? "";
  if (field.default !== undefined) return field.default;
  return field.nullable ? null : "";
}
