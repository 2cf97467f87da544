/** Builds forms from schemas: one field for each value that can be typed, and JSON for all others. */

import { writeJson } from "../../../contract/exact-number.js";
import { typeNames } from "../../../contract/json-schema.js";
import { readJson } from "../../../contract/read-json.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../../contract/registry.js";
import { wordsIn } from "../../../contract/typo.js";
import { jsonFault, jsonFaultText } from "./json-fault.js";

/** The input control of a field. */
export type FieldKind = "text" | "long" | "number" | "choice" | "json";

/** One field. */
export interface FormField {
  /** Path of its value in the arguments. */
  readonly path: readonly string[];
  /** The path as text; also the key of the field. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly description: string;
  /** Options of a choice. */
  readonly choices: readonly JsonValue[];
  readonly placeholder: string;
  /** A short hint about the allowed values. */
  readonly hint: string;
}

/** Typed texts by field name; an empty field is not sent. */
export type Typed = Readonly<Record<string, string>>;

/** Levels of objects whose members have fields of their own. */
const MAX_FIELD_DEPTH = 2;
/** Strings with a higher maximum length get a multi-line field. */
const SHORT = 300;

/** The fields of a schema whose root is an object. */
export function formFields(schema: JsonSchema): readonly FormField[] {
  return membersOf(schema, schema, { path: [], required: true });
}

interface Place {
  readonly path: readonly string[];
  readonly required: boolean;
}

function membersOf(schema: JsonSchema, root: JsonSchema, { path, required }: Place): readonly FormField[] {
  const needed: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(objectIn(schema["properties"])).flatMap(([name, given]) => {
    const member = resolved(objectIn(given), root);
    const place = { path: [...path, name], required: required && needed.includes(name) };
    const isOpen = member["type"] === "object" && Object.keys(objectIn(member["properties"])).length > 0;
    if (isOpen && path.length < MAX_FIELD_DEPTH) return membersOf(member, root, place);
    return [fieldOf(member, place)];
  });
}

function fieldOf(schema: JsonSchema, { path, required }: Place): FormField {
  const choices = choicesOf(schema);
  const kind = kindOf(schema, path.at(-1));
  return {
    path,
    name: path.join("."),
    kind: choices.length > 0 ? "choice" : kind,
    required,
    description: typeof schema["description"] === "string" ? schema["description"] : "",
    choices,
    placeholder: placeholderOf(schema),
    hint: choices.length > 0 ? "" : hintOf(schema),
  };
}

/** How a date is written, by its format. */
const EXAMPLES: ReadonlyMap<unknown, string> = new Map([
  ["date", "2026-12-31"],
  ["date-time", "2026-12-31T23:59:00Z"],
  ["time", "23:59:00Z"],
  ["duration", "PT1H30M"],
]);

/** The default, else how a date is written. */
function placeholderOf(schema: JsonSchema): string {
  const fallback = schema["default"];
  if (fallback !== undefined) return `default: ${fieldText(fallback)}`;
  const example = formatsOf(schema).flatMap((one) => EXAMPLES.get(one) ?? [])[0];
  return example === undefined ? "" : `such as ${example}`;
}

/** The formats of a schema and of its branches. */
function formatsOf(schema: JsonSchema): readonly string[] {
  const { anyOf, oneOf } = schema;
  const all = [schema, ...[anyOf, oneOf].flatMap((one) => (Array.isArray(one) ? one : []))].map(objectIn);
  return all.flatMap(({ format }) => (typeof format === "string" ? [format] : []));
}

/** The format of a string, the bounds of a number, or the type of JSON. */
function hintOf(schema: JsonSchema): string {
  if (kindOf(schema) === "json") {
    const types = typesOf(schema).map((type) => (type === "array" ? "list" : type));
    return types.length === 1 ? `JSON ${types[0]}` : "JSON";
  }
  const { minimum, maximum } = schema;
  const formats = formatsOf(schema);
  if (formats.length > 0) return formats.join(" or ");
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `from ${minimum}`;
  return maximum === undefined ? "" : `up to ${maximum}`;
}

function choicesOf({ enum: values, const: only, type }: JsonSchema): readonly JsonValue[] {
  if (Array.isArray(values)) return values;
  if (only !== undefined) return [only];
  return type === "boolean" ? [true, false] : [];
}

function kindOf(schema: JsonSchema, name = ""): FieldKind {
  const types = typesOf(schema);
  if (types.length === 0 || types.some((one) => one !== "string" && one !== "number")) return "json";
  if (types.includes("number")) return types.includes("string") ? "json" : "number";
  const most = schema["maxLength"];
  if (typeof most === "number") return most <= SHORT || isId(schema) ? "text" : "long";
  return isId(schema) || isShortName(name) || isShortText(schema["default"]) ? "text" : "long";
}

/** Whether a string has a form that has one line. */
const isId = (schema: JsonSchema): boolean =>
  ["format", "anyOf", "oneOf", "x-id"].some((one) => one in schema) || refusesLines(schema["pattern"]);

/** A text of several lines, which the pattern of an identifier does not match. */
const TWO_LINES = "two\nlines";

function refusesLines(pattern: unknown): boolean {
  if (typeof pattern !== "string") return false;
  try {
    return !new RegExp(pattern, "u").test(TWO_LINES);
  } catch {
    return false;
  }
}

/** Last words of the names of arguments that have one line. */
const SHORT_NAMES: ReadonlySet<string> = new Set(
  (
    "address author branch category city code color colour company country currency cursor date day domain email encoding event " +
    "file filename folder format handle hash head host hostname id ident identifier ip key kind label language level locale " +
    "location login mode month name org organisation organization owner package page path period permission phone place prefix " +
    "priority q ref region repo repository role sha slug sort source state status suffix tag target team time timezone title token " +
    "tz type unit uri url user username uuid version visibility year zip zone"
  ).split(" "),
);

const isShortName = (name: string): boolean => SHORT_NAMES.has(wordsIn(name).at(-1) ?? "");

/** Longest default of a field of one line. */
const SHORT_DEFAULT = 60;

const isShortText = (text: unknown): boolean =>
  typeof text === "string" && text !== "" && text.length <= SHORT_DEFAULT && !text.includes("\n");

/** The types of a value, without null. */
function typesOf(schema: JsonSchema): readonly string[] {
  const { anyOf, oneOf } = schema;
  const branches = [anyOf, oneOf].flatMap((one) => (Array.isArray(one) ? one : []));
  const own = typeNames(schema);
  const all = own.length > 0 ? own : branches.flatMap((branch) => typesOf(objectIn(branch)));
  return all.filter((one) => one !== "null").map((one) => (one === "integer" ? "number" : one));
}

const objectIn = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

/** Follows a reference to a definition of the same schema. */
function resolved(schema: JsonObject, root: JsonSchema): JsonObject {
  const [, group = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(schema["$ref"] ?? "")) ?? [];
  const found = Object.hasOwn(root, group) ? objectIn(root[group]) : {};
  return Object.hasOwn(found, name) ? { ...objectIn(found[name]), ...schema } : schema;
}

/** The text of a value in a field. */
export const fieldText = (value: JsonValue): string => (typeof value === "string" ? value : writeJson(value));

/** The typed arguments, or the field with its fault. */
export type FilledForm = { readonly args: JsonObject } | { readonly name: string; readonly fault: string };

/** Builds the arguments from the typed texts. */
export function typedArguments(fields: readonly FormField[], typed: Typed): FilledForm {
  const args: Record<string, JsonValue> = Object.create(null);
  for (const field of fields) {
    const text = typed[field.name] ?? "";
    if (text === "") continue;
    const value = valueIn(field, text);
    if (value === undefined) return { name: field.name, fault: faultOf(field, text) };
    put(args, field.path, value);
  }
  return { args };
}

function faultOf({ name, kind }: FormField, text: string): string {
  const fault = kind === "json" ? jsonFault(text) : undefined;
  return `${name} is no ${FAULTS[kind]}${fault ? `, ${jsonFaultText(fault)}` : ""}.`;
}

const FAULTS: Readonly<Record<FieldKind, string>> = {
  text: "text",
  long: "text",
  number: "number",
  choice: "value of the list",
  json: "JSON",
};

function valueIn({ kind, choices }: FormField, text: string): JsonValue | undefined {
  if (kind === "text" || kind === "long") return text;
  if (kind === "choice") return choices.find((one) => fieldText(one) === text);
  if (kind === "number") return numberIn(text);
  try {
    return readJson(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Parses a typed number. Forms that JSON does not allow (`+1`, `.5`) are read by value. */
function numberIn(text: string): JsonValue | undefined {
  if (text.trim() === "" || !Number.isFinite(Number(text))) return undefined;
  try {
    return readJson(text) as JsonValue;
  } catch {
    return Number(text);
  }
}

/** Sets own properties only: `__proto__` is a name like any other. */
function put(target: Record<string, JsonValue>, [name = "", ...rest]: readonly string[], value: JsonValue): void {
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const known = target[name] as Record<string, JsonValue> | undefined;
  const inner: Record<string, JsonValue> = known ?? Object.create(null);
  target[name] = inner;
  put(inner, rest, value);
}

/** The field texts for given arguments; `undefined` if the fields cannot represent them. */
export function typedFrom(fields: readonly FormField[], args: JsonObject): Typed | undefined {
  const typed: Record<string, string> = Object.create(null);
  let left = Object.keys(args).length === 0 ? 0 : leavesIn(args);
  for (const field of fields) {
    const value = field.path.reduce<JsonValue | undefined>(memberOf, args);
    if (value === undefined) continue;
    const text = field.kind === "json" ? writeJson(value) : fieldText(value);
    if (text === "" || writeJson(valueIn(field, text)) !== writeJson(value)) return undefined;
    typed[field.name] = text;
    left -= leavesIn(value);
  }
  return left === 0 ? typed : undefined;
}

const memberOf = (value: JsonValue | undefined, key: string): JsonValue | undefined =>
  Object.hasOwn(objectIn(value), key) ? objectIn(value)[key] : undefined;

/** Counts the values without members in a value. */
function leavesIn(value: JsonValue): number {
  const members = Object.values(objectIn(value));
  return members.length === 0 ? 1 : members.reduce<number>((sum, one) => sum + leavesIn(one), 0);
}
