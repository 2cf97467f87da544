/** How a condition of `approve` is written: a JSON Schema of the arguments, or the schemas of arguments by name. */

import { isObject } from "../contract/json.js";
import type { JsonObject, JsonSchema } from "../contract/registry.js";

/** A condition as a JSON Schema of the arguments, or what is wrong with it. */
export type ConditionSchema = { readonly schema: JsonSchema } | { readonly fault: string };

/** Whether a keyword takes a value where the schema is one of arguments. */
type Takes = (value: unknown) => boolean;

const isText: Takes = (value) => typeof value === "string";
const isCount: Takes = (value) => typeof value === "number";
const isSchema: Takes = (value) => isObject(value) || typeof value === "boolean";
const isListOf = (takes: Takes): Takes => {
  return (value) => Array.isArray(value) && value.length > 0 && value.every(takes);
};
const isMapOf = (takes: Takes): Takes => {
  return (value) => isObject(value) && Object.keys(value).length > 0 && Object.values(value).every(takes);
};
/** A schema that says something about an object: any other never applies to arguments, or always does. */
const isOfArguments: Takes = (value) =>
  isObject(value) &&
  Object.keys(value).some((name) => !SAYS_NOTHING.has(name)) &&
  Object.entries(value).every(([name, one]) => KEYWORDS.get(name)?.(one) ?? false);
const isBranch: Takes = (value) => typeof value === "boolean" || isOfArguments(value);

/** Keywords that say something about an object, and annotations, with the values that they take. */
const KEYWORDS: ReadonlyMap<string, Takes> = new Map<string, Takes>([
  ["type", (value) => value === "object" || (Array.isArray(value) && value.includes("object"))],
  ["properties", isMapOf(isSchema)],
  ["patternProperties", isMapOf(isSchema)],
  ["additionalProperties", isSchema],
  ["unevaluatedProperties", isSchema],
  ["propertyNames", isSchema],
  ["required", isListOf(isText)],
  ["minProperties", isCount],
  ["maxProperties", isCount],
  ["dependentRequired", isMapOf(isListOf(isText))],
  ["dependentSchemas", isMapOf(isBranch)],
  ["allOf", isListOf((value) => isOfArguments(value))],
  ["anyOf", isListOf((value) => isOfArguments(value))],
  ["oneOf", isListOf((value) => isOfArguments(value))],
  ["not", (value) => isOfArguments(value)],
  ["if", (value) => isOfArguments(value)],
  ["then", isBranch],
  ["else", isBranch],
  // Arguments are compared one by one.
  ["const", () => false],
  ["$ref", isText],
  ["$defs", isMapOf(isSchema)],
  ["definitions", isMapOf(isSchema)],
  ["$schema", isText],
  ["$id", isText],
  ["$comment", isText],
  ["title", isText],
  ["description", isText],
]);

/** Keywords that do not make a schema alone: it would always apply. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(
  "type $defs definitions $schema $id $comment title description".split(" "),
);

/** Keywords whose value is an object, as the schema of an argument is: where they do not take it, either may be meant. */
const AMBIGUOUS: ReadonlySet<string> = new Set(
  `properties patternProperties additionalProperties unevaluatedProperties propertyNames dependentRequired
  dependentSchemas not if then else const $defs definitions`.split(/\s+/),
);

/**
 * Reads a condition. A name is a keyword of JSON Schema if it takes its value, else that of an argument:
 * `{ title: { const: "x" } }` is about the argument `title`, because the keyword takes a text.
 */
export function conditionSchema(when: JsonSchema): ConditionSchema {
  const names = Object.keys(when);
  if (names.length === 0) return { fault: "is empty: leave it out, or name an argument" };
  const keywords = names.filter((name) => KEYWORDS.get(name)?.(when[name]) ?? false);
  const others = names.filter((name) => !keywords.includes(name));
  const unclear = others.find((name) => AMBIGUOUS.has(name) || !isObject(when[name]));
  if (unclear !== undefined) return { fault: unclearFault(unclear, when[unclear]) };
  if (others.length === 0) return keywords.some((name) => !SAYS_NOTHING.has(name)) ? { schema: when } : idle(keywords);
  if (keywords.length === 0) return { schema: { properties: when as JsonObject } };
  return {
    fault: `mixes the keyword ${keywords[0]} of JSON Schema with ${others.join(", ")}: write arguments under properties`,
  };
}

const idle = (names: readonly string[]): ConditionSchema => ({
  fault: `has ${names.join(", ")} only, which any arguments fit: leave it out; for an argument write ${names[0]}: { const: … }`,
});

function unclearFault(name: string, value: unknown): string {
  const ways = `write properties: { ${name}: { … } } for the argument, and for the keyword ${AS_KEYWORD}`;
  if (AMBIGUOUS.has(name) && isObject(value))
    return `has ${name}, which may be a keyword of JSON Schema or an argument: ${ways}`;
  if (KEYWORDS.has(name) || Array.isArray(value))
    return `has ${name} with a value that says nothing about arguments: ${ways}`;
  return `compares ${name} with ${JSON.stringify(value)}: write ${name}: { const: ${JSON.stringify(value)} }`;
}

const AS_KEYWORD = "what describes an object, such as properties: { amount: { const: 5 } }";
