/** What is probably a mistake in the condition of an approval rule, given the arguments of the ops that the rule is about. */

import { conditionSchema } from "../config/condition-schema.js";
import { closest } from "../contract/closest.js";
import { isObject, kindOf } from "../contract/json.js";
import { typeNames } from "../contract/json-schema.js";
import { type NormalSchema, normalizeSchema } from "../contract/normal-schema.js";
import type { JsonObject, JsonSchema, Tool } from "../contract/registry.js";
import { rangeWarnings } from "./condition-ranges.js";

/** What the ops of a rule take as one argument. */
type Argument = readonly NormalSchema[];

/**
 * The warnings about a condition: names that are no argument, values that no op takes, and keywords that say nothing about
 * the type of the argument, and ranges of numbers that none is in. None for a condition that is refused.
 */
export function conditionWarnings(when: JsonSchema, tools: readonly Tool[]): readonly string[] {
  const read = conditionSchema(when);
  if ("fault" in read || tools.length === 0) return [];
  const known = argumentsOf(tools);
  if (!known) return [];
  const { properties } = read.schema;
  const conditions = Object.entries(isObject(properties) ? properties : {});
  return [
    ...namesIn(read.schema).flatMap((name) => (known.has(name) ? [] : [unknownName(name, [...known.keys()])])),
    ...["title", "description"].flatMap((name) => (known.has(name) ? asRemark(read.schema, name) : [])),
    ...conditions.flatMap(([name, one]) => aboutArgument(name, one, known.get(name) ?? [])),
    ...conditions.flatMap(([name, one]) => (isObject(one) ? rangeWarnings(name, one, tools) : [])),
  ];
}

/** The arguments of ops by name; undefined if one takes names that it does not list. */
function argumentsOf(tools: readonly Tool[]): ReadonlyMap<string, Argument> | undefined {
  const found = new Map<string, NormalSchema[]>();
  for (const { parameters_schema: schema } of tools) {
    const normal = normalizeSchema(schema, schema);
    if (normal.kind !== "object" || normal.extra) return undefined;
    for (const { name, schema: one } of normal.properties) found.set(name, [...(found.get(name) ?? []), one]);
  }
  return found;
}

const quoted = (value: unknown): string => JSON.stringify(value);

function unknownName(name: string, known: readonly string[]): string {
  const near = closest(name, known);
  const maybe = near === undefined ? "" : `; did you mean ${quoted(near)}?`;
  return `names ${quoted(name)}, which is no argument of its ops${maybe}`;
}

/** A remark that has the name of an argument: a text is no condition on it. */
const asRemark = (schema: JsonSchema, name: string): readonly string[] =>
  typeof schema[name] === "string"
    ? [`has ${quoted(name)} as a remark, which is an argument of its ops: write properties: { ${name}: { const: … } }`]
    : [];

/** Keywords whose value holds schemas of the same arguments: in a list, by name, or one. */
const SAME_ARGUMENTS = ["allOf", "anyOf", "oneOf", "dependentSchemas", "not", "if", "then", "else"];

/** The arguments that a schema of arguments names. */
function namesIn(schema: JsonObject | JsonSchema): readonly string[] {
  const { properties, required, dependentRequired, dependentSchemas } = schema as JsonObject;
  const keys = [properties, dependentRequired, dependentSchemas].flatMap((one) =>
    isObject(one) ? Object.keys(one) : [],
  );
  const listed = [required, ...Object.values(isObject(dependentRequired) ? dependentRequired : {})].flat();
  const inner = SAME_ARGUMENTS.flatMap((keyword) => {
    const held = (schema as JsonObject)[keyword];
    if (Array.isArray(held)) return held;
    return keyword === "dependentSchemas" && isObject(held) ? Object.values(held) : [held];
  });
  const below = inner.flatMap((one) => (isObject(one) ? namesIn(one) : []));
  return [...new Set([...keys, ...listed.filter((one): one is string => typeof one === "string"), ...below])];
}

/** The warnings about the condition on one argument. */
function aboutArgument(name: string, condition: unknown, argument: Argument): readonly string[] {
  if (condition === true || (isObject(condition) && Object.keys(condition).length === 0))
    return [`says nothing about ${quoted(name)}, which any value fits`];
  const kinds = kindsOf(argument);
  if (!isObject(condition) || !kinds) return [];
  const values = Array.isArray(condition["enum"])
    ? condition["enum"]
    : "const" in condition
      ? [condition["const"]]
      : [];
  const types = typeNames(condition);
  return [
    ...values.filter((one) => !argument.some((taken) => takes(taken, one))).map((one) => noValue(name, one, argument)),
    ...(types.length === 0 || types.some((one) => kinds.has(baseType(one)))
      ? []
      : [`wants ${quoted(name)} to be of type ${types.join(" or ")}, which is ${textOf(kinds)}`]),
    ...Object.keys(condition)
      .filter((keyword) => KEYWORD_TYPES.has(keyword) && !kinds.has(KEYWORD_TYPES.get(keyword) ?? ""))
      .map((keyword) => `has ${keyword} for ${quoted(name)}, about which it says nothing: it is ${textOf(kinds)}`),
  ];
}

function noValue(name: string, value: unknown, argument: Argument): string {
  const texts = argument.flatMap(literalsOf).filter((one): one is string => typeof one === "string");
  const near = typeof value === "string" ? closest(value, texts) : undefined;
  const maybe = near === undefined ? "" : `; did you mean ${quoted(near)}?`;
  return `compares ${quoted(name)} with ${quoted(value)}, which it never is${maybe}`;
}

const literalsOf = (schema: NormalSchema): readonly unknown[] =>
  schema.kind === "literal" ? schema.values : schema.kind === "union" ? schema.members.flatMap(literalsOf) : [];

const baseType = (type: string): string => (type === "integer" ? "number" : type);
const textOf = (kinds: ReadonlySet<string>): string => [...kinds].join(" or ");

/** The types that an argument may have; undefined if it may be anything. */
function kindsOf(argument: Argument): ReadonlySet<string> | undefined {
  const kinds = argument.flatMap(kindsIn);
  return kinds.length === 0 || kinds.includes("") ? undefined : new Set(kinds);
}

/** The types of a schema; an empty text stands for any. */
function kindsIn(schema: NormalSchema): readonly string[] {
  if (schema.kind === "union") return schema.members.flatMap(kindsIn);
  if (schema.kind === "literal") return schema.values.map(kindOf);
  if (schema.kind === "unknown" || schema.kind === "ref" || schema.kind === "never") return [""];
  return [schema.kind === "tuple" ? "array" : baseType(schema.kind)];
}

/** Whether an argument may have a value, as far as its type says. */
function takes(schema: NormalSchema, value: unknown): boolean {
  if (schema.kind === "union") return schema.members.some((one) => takes(one, value));
  if (schema.kind === "literal") return schema.values.some((one) => JSON.stringify(one) === JSON.stringify(value));
  return kindsIn(schema).includes(kindOf(value)) && (schema.kind !== "integer" || Number.isInteger(value));
}

/** Keywords that say something about values of one type only, by keyword. */
const KEYWORD_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    number: "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
    string: "minLength maxLength pattern format",
    array: "items prefixItems minItems maxItems uniqueItems contains",
    object: "properties required minProperties maxProperties propertyNames",
  }).flatMap(([type, keywords]) => keywords.split(" ").map((keyword) => [keyword, type] as const)),
);
