/** Checks the fields of requests to the gateway tools, independent of client libraries. */

import { closest } from "./closest.js";
import { received, withArticle } from "./error-body.js";
import type { FieldError } from "./handler.js";
import { isObject, kindOf } from "./json.js";
import type { JsonObject, JsonValue } from "./registry.js";

/** Most entries of one call of `tool_batch`. */
export const MAX_BATCH_ENTRIES = 20;

/** Names under which models send the fields of gateway tools, by the field. */
const OTHER_NAMES = {
  op: ["tool", "name", "function", "tool_name", "operation"],
  args: ["arguments", "params", "input", "parameters", "tool_input"],
  ops: ["calls", "operations", "requests", "entries", "commands"],
  command: ["code", "script", "python", "program", "source"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The other names of a field. */
export const otherNamesOf = (field: keyof typeof OTHER_NAMES): readonly string[] => OTHER_NAMES[field];

/** The other name under which a request has a field; undefined if there are none or several. */
export function otherName(request: object, field: keyof typeof OTHER_NAMES): string | undefined {
  const found = OTHER_NAMES[field].filter((name) => Object.hasOwn(request, name));
  return found.length === 1 ? found[0] : undefined;
}

/** The entries of a request of `tool_batch`, and the name of the field that holds them. */
export function batchEntries(
  request: JsonObject,
): { readonly field: string; readonly entries: readonly JsonValue[] } | undefined {
  const field = Object.hasOwn(request, "ops") ? "ops" : otherName(request, "ops");
  const entries = field === undefined ? undefined : request[field];
  return field !== undefined && Array.isArray(entries) ? { field, entries } : undefined;
}

/** What one field of a gateway tool accepts. */
export interface FieldRule {
  readonly expected: string;
  accepts(value: unknown): boolean;
  readonly required?: true;
  /** Present if a text can be refused for its form. */
  readonly form?: true;
  /** The accepted texts, if only these are accepted. */
  readonly values?: readonly string[];
}

/** The fields of one gateway tool. */
export type FieldRules = ReadonlyMap<string, FieldRule>;

/** A field that holds text. */
export const textField: FieldRule = { expected: "string", accepts: (value) => typeof value === "string" };
/** A field that holds true or false. */
export const flagField: FieldRule = { expected: "boolean", accepts: (value) => typeof value === "boolean" };
/** A field whose value is checked later. */
export const anyField: FieldRule = { expected: "any", accepts: () => true };

/** A field that holds one of a few words. */
export function oneOf(...values: readonly string[]): FieldRule {
  return {
    expected: values.join("|"),
    values,
    accepts: (value) => typeof value === "string" && values.includes(value),
  };
}

/** Everything wrong with the fields of a request; `at` is put before each path. */
export function checkFields(input: JsonObject, rules: FieldRules, at = ""): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, rule] of rules) {
    const given = Object.hasOwn(input, name);
    if (!given && rule.required) errors.push(missing(at + name, rule));
    if (given) errors.push(...checkValue(at + name, input[name], rule));
  }
  const free = [...rules.keys()].filter((name) => !Object.hasOwn(input, name));
  const unknown = Object.keys(input).filter((name) => !rules.has(name));
  if (unknown.length > MAX_UNKNOWN) errors.push(manyUnknown(unknown.length, at.replace(/\.$/, "")));
  for (const name of unknown.slice(0, MAX_UNKNOWN)) errors.push(unknownField(at, name, input[name], free));
  return errors;
}

/** The finding for a request that is not an object. */
export function notAnObject(input: unknown, path: string): FieldError {
  const message = `${path === "" ? "the request" : path} is not an object`;
  return { path, keyword: "type", message, expected: "object", received: received(input) };
}

/** The request as an object; a missing request is an empty one, and anything else is undefined. */
export function asRequest(input: unknown): JsonObject | undefined {
  if (input === undefined) return {};
  return isObject(input) ? input : undefined;
}

const missing = (path: string, rule: FieldRule): FieldError => ({
  path,
  keyword: "required",
  message: `${path} is missing`,
  expected: rule.expected,
  received: "nothing",
});

function checkValue(path: string, value: unknown, rule: FieldRule): readonly FieldError[] {
  const blank = rule.required === true && typeof value === "string" && value.trim() === "";
  if (blank) return [{ ...missing(path, rule), message: `${path} is blank`, received: received(value) }];
  if (rule.accepts(value)) return [];
  const keyword = typeof value !== "string" ? "type" : rule.values ? "enum" : rule.form ? "pattern" : "type";
  const meant = rule.values && typeof value === "string" ? closest(value, rule.values) : undefined;
  const finding = { path, keyword, message: `${path} is not ${article(rule.expected)}`, expected: rule.expected };
  return [{ ...finding, received: received(value), ...(meant ? { did_you_mean: meant } : {}) }];
}

const article = (expected: string): string => (expected.includes("|") ? `one of ${expected}` : withArticle(expected));

function unknownField(at: string, name: string, value: unknown, free: readonly string[]): FieldError {
  const meant = closest(name, free);
  const path = at + (name.length > 80 ? `${name.slice(0, 79)}…` : name);
  return {
    path,
    keyword: "additionalProperties",
    message: `${path} is unknown`,
    expected: "a declared field",
    received: kindOf(value),
    ...(meant ? { did_you_mean: meant } : {}),
  };
}

/** Unknown members of one object that are examined one by one. */
export const MAX_UNKNOWN = 100;

/** The finding that there are more unknown members than those with a finding of their own. The path ends in `*`. */
export function manyUnknown(count: number, path = ""): FieldError {
  const where = path === "" ? `${count} arguments are unknown` : `${path} has ${count} unknown members`;
  const message = `${where}, of which the first ${MAX_UNKNOWN} were looked at`;
  const at = path === "" ? "*" : `${path}.*`;
  return {
    path: at,
    keyword: "additionalProperties",
    message,
    expected: "declared arguments",
    received: `${count} names`,
  };
}
