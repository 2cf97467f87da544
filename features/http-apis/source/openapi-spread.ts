/** Decides whether the members of a body can be arguments of their own, so that nothing which its schema says is lost. */

import { canonicalJson } from "../../../runtime/contract/canonical.js";
import { dereference, isSchema, resolvePointer } from "../../../runtime/contract/json-schema.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../../runtime/contract/registry.js";

/** Most parts of `allOf` that are looked at; an object with more is one argument. */
const MAX_PARTS = 64;

/** The names that all parts of an object declare, and those that it requires. */
interface Names {
  readonly declared: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
}

type Test = (value: unknown, names: Names) => boolean;

const never: Test = () => false;
const onlyDeclared: Test = (value, { declared }) =>
  Array.isArray(value) && value.every((name) => typeof name === "string" && declared.has(name));
const onlyRequires: Test = (value, names) =>
  Array.isArray(value) &&
  value.every((one) => isSchema(one) && Object.entries(one).every(([key, list]) => isRequires(key, list, names)));
const isRequires = (key: string, list: unknown, names: Names): boolean =>
  key === "required" && onlyDeclared(list, names);

/**
 * Keywords about objects, and when a closed list of arguments says the same. Alternatives that only require members are left to
 * the server, since every member can be given. Other keywords are notes, or say nothing about objects.
 */
const EXACT: Readonly<Record<string, Test>> = {
  type: (value) => value === "object",
  properties: isSchema,
  required: onlyDeclared,
  additionalProperties: (value) => value === false,
  unevaluatedProperties: (value) => value === false,
  minProperties: (value, { required }) => Number(value) <= required.size,
  maxProperties: (value, { declared }) => Number(value) >= declared.size,
  anyOf: onlyRequires,
  ...Object.fromEntries(
    ["oneOf", "not", "if", "then", "else", "enum", "const", "patternProperties", "propertyNames"].map((key) => [
      key,
      never,
    ]),
  ),
  ...Object.fromEntries(
    ["dependentSchemas", "dependentRequired", "dependencies", "$ref", "$dynamicRef", "$recursiveRef"].map((key) => [
      key,
      never,
    ]),
  ),
};

/**
 * The object behind a schema, with `allOf` merged, if its properties alone say what it says.
 *
 * @param root a schema with the `$defs` that references lead to
 * @returns undefined if it has to be one argument
 */
export function spreadOf(root: JsonSchema): JsonSchema | undefined {
  const parts = allPartsOf(root, root, []);
  if (!parts) return undefined;
  const listsOf = (key: string): readonly string[] =>
    parts.flatMap((part) => (Array.isArray(part[key]) ? part[key].map(String) : []));
  const declared = new Set(parts.flatMap((part) => Object.keys(propertiesIn(part))));
  const names = { declared, required: new Set(listsOf("required")) };
  const isClosed = parts.some((part) => part["additionalProperties"] === false);
  if (declared.size === 0 && !isClosed) return undefined;
  if (!parts.every((part) => isExact(part, names))) return undefined;
  const merged = dereference(root, root);
  const properties = [...declared].map((name) => [name, memberOf(name, parts, merged)] as const);
  return { ...merged, properties: Object.fromEntries(properties) as JsonObject };
}

/** Whether arguments say what a part of an object does. A closed part must know the names of all others. */
function isExact(part: JsonSchema, names: Names): boolean {
  const own = propertiesIn(part);
  const isWide =
    part["additionalProperties"] !== false || [...names.declared].every((name) => Object.hasOwn(own, name));
  const keywords = Object.entries(part).filter(([key]) => Object.hasOwn(EXACT, key));
  return isWide && keywords.every(([key, value]) => EXACT[key]?.(value, names));
}

/** A schema and the members of its `allOf`, at any depth, with references followed; undefined if there are too many of both. */
function allPartsOf(
  schema: JsonSchema,
  root: JsonSchema,
  found: JsonSchema[],
  depth = 0,
): readonly JsonSchema[] | undefined {
  const { $ref, allOf, ...own } = schema;
  if (found.length >= MAX_PARTS || depth >= MAX_PARTS) return undefined;
  if (typeof $ref === "string") {
    const target = resolvePointer(root, $ref);
    return target && allPartsOf(target, root, found, depth + 1);
  }
  found.push(own);
  for (const one of Array.isArray(allOf) ? allOf : [])
    if (one !== true && !(isSchema(one) && allPartsOf(one, root, found, depth + 1))) return undefined;
  return found;
}

const propertiesIn = ({ properties }: JsonSchema): JsonSchema => (isSchema(properties) ? properties : {});

/** Notes; the first one counts. */
const NOTES: ReadonlySet<string> = new Set([
  "description",
  "examples",
  "default",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

/** The schema of a member: that of its only part, the merged one where parts do not contradict each other, else all of them. */
function memberOf(name: string, parts: readonly JsonSchema[], merged: JsonSchema): JsonValue {
  const schemas = parts
    .map(propertiesIn)
    .flatMap((held) => (Object.hasOwn(held, name) ? [held[name] as JsonValue] : []));
  const [first = {}, ...others] = schemas;
  if (others.length === 0) return first;
  const agree = schemas.every((one, i) => schemas.slice(i + 1).every((other) => doAgree(one, other)));
  return agree ? (propertiesIn(merged)[name] ?? first) : { allOf: schemas };
}

const same = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other);

function doAgree(one: JsonValue, other: JsonValue): boolean {
  if (same(one, other)) return true;
  if (!isSchema(one) || !isSchema(other) || "$ref" in one || "$ref" in other) return false;
  const shared = Object.keys(one).filter((key) => key in other && !NOTES.has(key));
  return shared.every((key) => same(one[key], other[key]));
}
