/** Which names the arguments of an op may have: those that any part of its schema declares, or any name. */

import { canonicalJson } from "./canonical.js";
import { dereference, isSchema, matchesPattern, resolvePointer } from "./json-schema.js";
import type { JsonSchema } from "./registry.js";

/** The names of the arguments of an op. */
export interface AcceptedNames {
  /**
   * The schema of each declared argument. An argument that is declared in several parts, such as the branches of a union, has
   * those schemas as alternatives.
   */
  readonly declared: ReadonlyMap<string, JsonSchema>;
  /** Names that the schema declares, or mentions without a schema. */
  readonly mentioned: ReadonlySet<string>;
  /** Whether arguments of names that are declared nowhere are accepted. */
  readonly open: boolean;
  /** Whether an argument may have this name. */
  accepts(name: string): boolean;
}

/** What a signature says of arguments that are declared nowhere. */
export const OTHERS = "**arguments";

/** Most subschemas that are read for the names of one op. */
const MAX_PARTS = 2000;

/** Cached: schemas are frozen, so an entry never becomes stale. */
const NAMES = new WeakMap<JsonSchema, AcceptedNames>();

/**
 * The names that the arguments of an op may have.
 *
 * JSON Schema accepts every name that `additionalProperties` does not refuse. A schema that lists `properties` and does not say
 * whether there are others means a complete list, so that a misspelt name is an error. A schema without such a list is open.
 *
 * @param schema the schema of all arguments
 * @example
 * acceptedNames({ type: "object", properties: { limit: {} } }).accepts("limti") // false
 * acceptedNames({ type: "object", minProperties: 1 }).accepts("limti") // true
 */
export function acceptedNames(schema: JsonSchema): AcceptedNames {
  const known = NAMES.get(schema);
  if (known) return known;
  const parts = partsOf(schema);
  const declared = declaredIn(schema, parts);
  const mentioned = new Set([...declared.keys(), ...parts.flatMap(namesIn)]);
  const open = isOpen(schema, parts, mentioned.size);
  const accepts = (name: string): boolean =>
    open || mentioned.has(name) || parts.some((part) => matchesPattern(part, name));
  const made = { declared, mentioned, open, accepts };
  NAMES.set(schema, made);
  return made;
}

/**
 * The schema of all arguments as clients see it: a complete list of arguments says that it is one.
 *
 * @example
 * publishedSchema({ type: "object", properties: {} }) // { type: "object", properties: {}, additionalProperties: false }
 */
export function publishedSchema(schema: JsonSchema): JsonSchema {
  const { properties, additionalProperties } = schema;
  const { mentioned, open } = acceptedNames(schema);
  if (open || additionalProperties !== undefined || !isSchema(properties)) return schema;
  const isWhole = [...mentioned].every((name) => Object.hasOwn(properties, name) || matchesPattern(schema, name));
  return isWhole ? { ...schema, additionalProperties: false } : schema;
}

/** The schema, and those that apply to the same value: of `allOf`, unions, conditions, dependencies and references. */
function partsOf(root: JsonSchema): readonly JsonSchema[] {
  const parts = new Set<JsonSchema>([root]);
  for (const part of parts) {
    if (parts.size > MAX_PARTS) break;
    const { $ref } = part;
    const target = typeof $ref === "string" ? resolvePointer(root, $ref) : undefined;
    for (const below of [target, ...besideIn(part)]) if (isSchema(below)) parts.add(below);
  }
  return [...parts];
}

const valuesOf = (value: unknown): readonly unknown[] => (isSchema(value) ? Object.values(value) : []);

/** Conditions come last: what they say of an argument is not its type. */
function besideIn(part: JsonSchema): readonly unknown[] {
  const { allOf, anyOf, oneOf, dependentSchemas, dependencies, if: condition, then: met, else: unmet } = part;
  const lists = [allOf, anyOf, oneOf].flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []));
  return [...lists, met, unmet, ...valuesOf(dependentSchemas), ...valuesOf(dependencies), condition];
}

function declaredIn(root: JsonSchema, parts: readonly JsonSchema[]): ReadonlyMap<string, JsonSchema> {
  const conditions = new Set<unknown>(parts.map((part) => part["if"]));
  const own = propertiesIn(dereference(root, root));
  const found = new Map(own.map(([name, one]) => [name, new Map([["", one]])]));
  for (const isCondition of [false, true])
    for (const part of parts.filter((one) => conditions.has(one) === isCondition)) {
      const free = propertiesIn(part).filter(([name]) => found.get(name)?.has("") !== true);
      for (const [name, one] of free.filter(([name]) => !isCondition || !found.has(name)))
        found.set(name, (found.get(name) ?? new Map<string, JsonSchema>()).set(canonicalJson(one), one));
    }
  return new Map([...found].map(([name, schemas]) => [name, eitherOf([...schemas.values()])] as const));
}

const eitherOf = ([only, ...others]: readonly JsonSchema[]): JsonSchema =>
  only && others.length === 0 ? only : ({ anyOf: [only ?? {}, ...others] } as JsonSchema);

function propertiesIn({ properties }: JsonSchema): readonly (readonly [string, JsonSchema])[] {
  const declared = Object.entries(isSchema(properties) ? properties : {});
  return declared.flatMap(([name, one]) => (one === false ? [] : [[name, isSchema(one) ? one : {}] as const]));
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

/** Names that a part mentions without a schema. */
function namesIn(part: JsonSchema): readonly string[] {
  const { properties, required, dependentRequired, dependencies, propertyNames } = part;
  const forbidden = Object.entries(isSchema(properties) ? properties : {}).filter(([, one]) => one === false);
  const needs = [dependentRequired, dependencies].flatMap((held) =>
    Object.entries(isSchema(held) ? held : {}).flatMap(([name, needed]) => [name, ...texts(needed)]),
  );
  const allowed = isSchema(propertyNames) ? [...texts(propertyNames["enum"]), ...texts([propertyNames["const"]])] : [];
  return [...forbidden.map(([name]) => name), ...texts(required), ...needs, ...allowed];
}

/** @param count the number of names that are declared or mentioned */
function isOpen(root: JsonSchema, parts: readonly JsonSchema[], count: number): boolean {
  const owner = ownerOf(root);
  if (owner["additionalProperties"] === false || owner["unevaluatedProperties"] === false) return false;
  if (parts.some(describesOthers)) return true;
  if (Number(owner["minProperties"] ?? 0) > count) return true;
  // An empty list says that there are none, unless it stands beside other declarations.
  const { properties } = owner;
  if (!isSchema(properties)) return true;
  return Object.keys(properties).length === 0 && (parts.length > 1 || owner["patternProperties"] !== undefined);
}

/** Whether a part says that further names are accepted. */
const describesOthers = ({
  additionalProperties: others,
  unevaluatedProperties: rest,
  propertyNames,
}: JsonSchema): boolean =>
  (others !== undefined && others !== false) ||
  (rest !== undefined && rest !== false) ||
  (isSchema(propertyNames) && propertyNames["enum"] === undefined && propertyNames["const"] === undefined);

/** The schema that lists the arguments: the target of a reference at the root. */
function ownerOf(root: JsonSchema): JsonSchema {
  const seen = new Set<JsonSchema>();
  let at = root;
  while (!seen.has(at) && at["properties"] === undefined && typeof at["$ref"] === "string") {
    seen.add(at);
    at = resolvePointer(root, at["$ref"]) ?? at;
  }
  return at;
}
