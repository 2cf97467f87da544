/** Which alternative of a union a value was meant for. */

import { canonicalJson } from "../contract/canonical.js";
import { isExact } from "../contract/exact-number.js";
import { unescapePointer } from "../contract/json-pointer.js";
import { alternatives, dereference } from "../contract/json-schema.js";
import type { JsonObject, JsonSchema, JsonValue } from "../contract/registry.js";
import { isObject } from "../json.js";
import { admits, joinPath, mayHave, memberSchema, memberValue, propertiesOf, requiredOf } from "./schema.js";

/** Unions inside unions, and references among them, that are followed. */
const MOST_UNIONS = 16;
/** Entries of an array that are looked at. */
const MOST_ENTRIES = 20;

/** The alternative that was meant, or the member whose value fits none of them, or neither where that is not clear. */
export interface Choice {
  readonly branch?: JsonSchema;
  readonly wrong?: { readonly name: string; readonly values: readonly JsonValue[] };
}

/**
 * Chooses among alternatives.
 *
 * What `fits` asks is necessary for a value to be valid. So the only alternative that fits is the right one, where several
 * fit nobody can say, and where none fits the call fails anyway and the choice decides only what is said about it.
 */
export function chooseBranch(schema: JsonSchema, value: unknown, root: JsonSchema): Choice {
  const options = alternatives(schema).map((option) => dereference(option, root));
  const fitting = options.filter((option) => fits(option, value, root));
  if (fitting.length > 0) return onlyOne(fitting);
  const typed = options.filter((option) => admits(option, value, root));
  return typed.length > 1 && isObject(value) ? nearest(typed, value, root) : onlyOne(typed);
}

const onlyOne = ([branch, ...others]: readonly JsonSchema[]): Choice =>
  branch && others.length === 0 ? { branch } : {};

function fits(option: JsonSchema, value: unknown, root: JsonSchema): boolean {
  if (!admits(option, value, root) || !isAllowed(option, value)) return false;
  if (Array.isArray(value))
    return value.slice(0, MOST_ENTRIES).every((entry, i) => memberFits(memberSchema(option, i), entry, root));
  if (!isObject(value)) return true;
  return (
    hasRequired(option, value, root) &&
    Object.entries(value).every(
      ([name, member]) => mayHave(option, name) && memberFits(memberSchema(option, name), member, root),
    )
  );
}

function memberFits(schema: JsonSchema | undefined, value: JsonValue, root: JsonSchema): boolean {
  if (schema === undefined) return true;
  const said = dereference(schema, root);
  return admits(said, value, root) && isAllowed(said, value);
}

/** The values that `const` or `enum` leaves, or undefined where neither is there. */
function allowedValues(schema: JsonSchema): readonly JsonValue[] | undefined {
  if (schema["const"] !== undefined) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
}

function isAllowed(schema: JsonSchema, value: unknown): boolean {
  const values = allowedValues(schema);
  if (!values || values.includes((isExact(value) ? Number(value.text) : value) as JsonValue)) return true;
  return typeof value === "object" && values.some((one) => canonicalJson(one) === canonicalJson(value));
}

/** A required member with a default may be left out. */
function hasRequired(option: JsonSchema, value: JsonObject, root: JsonSchema): boolean {
  const properties = propertiesOf(option);
  return requiredOf(option).every((name) => {
    const property = properties.get(name);
    const preset = property && (property["default"] ?? dereference(property, root)["default"]);
    return Object.hasOwn(value, name) || preset !== undefined;
  });
}

/** Members that tell alternatives apart first, then what they require, then what they know. */
function nearest(options: readonly JsonSchema[], value: JsonObject, root: JsonSchema): Choice {
  const marked = byMarks(options, value, root);
  if (marked.wrong || marked.left.length === 1) return { ...onlyOne(marked.left), ...marked };
  const tests: readonly ((option: JsonSchema) => boolean)[] = [
    (option) => hasRequired(option, value, root),
    (option) => Object.keys(value).every((name) => mayHave(option, name)),
  ];
  const left = tests.reduce((among, test) => {
    const passing = among.filter(test);
    return passing.length > 0 ? passing : among;
  }, marked.left);
  return onlyOne(left);
}

interface Marked extends Pick<Choice, "wrong"> {
  readonly left: readonly JsonSchema[];
}

/** Leaves the alternatives whose marks agree: members for which each of them lists the values that it allows. */
function byMarks(options: readonly JsonSchema[], value: JsonObject, root: JsonSchema): Marked {
  let left = options;
  for (const name of propertiesOf(options[0] ?? {}).keys()) {
    const lists = options.map((option) => valuesOf(option, name, root));
    if (!Object.hasOwn(value, name) || !lists.every((list) => list !== undefined)) continue;
    const agreeing = left.filter((option) => memberFits(memberSchema(option, name), value[name] ?? null, root));
    if (agreeing.length > 0) left = agreeing;
    else if (areApart(lists)) return { left: [], wrong: { name, values: lists.flat() } };
  }
  return { left };
}

function valuesOf(option: JsonSchema, name: string, root: JsonSchema): readonly JsonValue[] | undefined {
  const member = propertiesOf(option).get(name);
  return member && allowedValues(dereference(member, root));
}

const areApart = (lists: readonly (readonly JsonValue[])[]): boolean =>
  new Set(lists.flat().map(canonicalJson)).size === lists.flat().length;

/** The schema that speaks about this value: references followed, and of alternatives the one that was meant, if that is clear. */
export function speaking(schema: JsonSchema, value: unknown, root: JsonSchema, depth = 0): JsonSchema {
  const own = dereference(schema, root);
  if (depth > MOST_UNIONS || isObject(own["properties"]) || own["items"] !== undefined) return own;
  const { branch } = chooseBranch(own, value, root);
  return branch ? speaking(branch, value, root, depth + 1) : own;
}

/** Where a finding is: the schema that speaks about the value there, the value, and the path in words. */
export interface Place {
  readonly schema: JsonSchema | undefined;
  readonly value: JsonValue | undefined;
  readonly path: string;
  readonly keys: readonly (string | number)[];
}

/** Follows a JSON Pointer into a value, and the schema along with it. */
export function placeAt(root: JsonSchema, args: JsonValue, pointer: string, from = root): Place {
  let schema: JsonSchema | undefined = from;
  let value: JsonValue | undefined = args;
  const keys: (string | number)[] = [];
  for (const part of pointer.split("/").slice(1)) {
    const name = unescapePointer(part);
    const key: string | number = Array.isArray(value) ? Number(name) : name;
    const owner: JsonSchema | undefined = schema && speaking(schema, value, root);
    schema = owner && memberSchema(owner, key);
    value = memberValue(value, key);
    keys.push(key);
  }
  return { schema, value, keys, path: keys.reduce<string>(joinPath, "") };
}
