/** Finds the alternative of a union that a value was meant for. */

import { equalItems, isOneOf, isSame } from "../../contract/equal-values.js";
import { isExact } from "../../contract/exact-number.js";
import { isObject } from "../../contract/json.js";
import { unescapePointer } from "../../contract/json-pointer.js";
import { alternatives, dereference } from "../../contract/json-schema.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../contract/registry.js";
import { spend } from "../../contract/work-budget.js";
import { admits, joinPath, mayHave, memberSchema, memberValue, propertiesOf, requiredOf } from "./schema.js";

/** Nested unions, and references among them, that are followed. */
const MAX_UNIONS = 16;
/** Entries of an array that are examined. */
const MAX_ENTRIES = 20;
/** Units of work to compare an alternative with a value or with one of its members, and to tell it from others by a member. */
const OPTION_WORK = 2;
const MEMBER_WORK = 1.5;
const MARK_WORK = 3;

/** The intended alternative, or the member whose value fits none of the alternatives, or neither if it is unclear. */
export interface Choice {
  readonly branch?: JsonSchema;
  readonly wrong?: { readonly name: string; readonly values: readonly JsonValue[] };
}

/**
 * Chooses among alternatives.
 *
 * The conditions of `fits` are necessary for a valid value. So a single fitting alternative is the right one, several
 * are ambiguous, and if there are none, the call fails anyway and the choice only affects the message.
 */
export function chooseBranch(schema: JsonSchema, value: unknown, root: JsonSchema): Choice {
  const options = optionsOf(schema, root);
  if (options.length === 0) return {};
  spend(options.length * OPTION_WORK);
  const members = isObject(value) ? Object.entries(value) : [];
  const fitting = options.filter((option) => fits(option, value, members, root));
  if (fitting.length > 0) return onlyOne(fitting);
  const typed = options.filter((option) => admits(option, value, root));
  return typed.length > 1 && isObject(value) ? nearest(typed, value, root) : onlyOne(typed);
}

/** Cached, as all that follows from a schema alone: schemas are frozen, and each belongs to one root. */
const OPTIONS = new WeakMap<JsonSchema, readonly JsonSchema[]>();

/** The alternatives of a union, with their references followed. */
function optionsOf(schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] {
  const known = OPTIONS.get(schema);
  if (known) return known;
  const options = alternatives(schema).map((option) => dereference(option, root));
  OPTIONS.set(schema, options);
  return options;
}

/** All alternatives of a schema, at any depth; the schema itself if it is no union. */
export function branchesOf(schema: JsonSchema, root: JsonSchema, depth = 0): readonly JsonSchema[] {
  const own = dereference(schema, root);
  const options = depth > MAX_UNIONS ? [] : optionsOf(own, root);
  spend(options.length * OPTION_WORK);
  return options.length === 0 ? [own] : options.flatMap((option) => branchesOf(option, root, depth + 1));
}

/** The only alternative of a union that declares all members of an object. */
export function branchOfNames(schema: JsonSchema, value: JsonObject, root: JsonSchema): JsonSchema | undefined {
  const names = Object.keys(value);
  const declaring = branchesOf(schema, root).filter((branch) => {
    const properties = propertiesOf(branch);
    return names.every((name) => properties.has(name));
  });
  return onlyOne(declaring).branch;
}

const onlyOne = ([branch, ...others]: readonly JsonSchema[]): Choice =>
  branch && others.length === 0 ? { branch } : {};

type Members = readonly (readonly [name: string, value: JsonValue])[];

function fits(option: JsonSchema, value: unknown, members: Members, root: JsonSchema): boolean {
  if (!admits(option, value, root) || !isAllowed(option, value)) return false;
  if (Array.isArray(value))
    return value.slice(0, MAX_ENTRIES).every((entry, i) => memberFits(memberSchema(option, i), entry, root));
  if (!isObject(value)) return true;
  return (
    hasRequired(option, value, root) &&
    members.every(([name, member]) => mayHave(option, name) && memberFits(memberSchema(option, name), member, root))
  );
}

function memberFits(schema: JsonSchema | undefined, value: JsonValue, root: JsonSchema): boolean {
  if (schema === undefined) return true;
  spend(MEMBER_WORK);
  const said = dereference(schema, root);
  return admits(said, value, root) && isAllowed(said, value);
}

/** The values that `const` or `enum` allows, or undefined without either keyword. */
function allowedValues(schema: JsonSchema): readonly JsonValue[] | undefined {
  if (schema["const"] !== undefined) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
}

function isAllowed({ const: only, enum: listed }: JsonSchema, value: unknown): boolean {
  if (only === undefined && !Array.isArray(listed)) return true;
  const plain = isExact(value) ? Number(value.text) : value;
  if (only === undefined) return isOneOf(plain, listed as readonly JsonValue[]);
  return only === plain || (typeof plain === "object" && typeof only === "object" && isSame(plain, only));
}

/** The required members that have no default, cached. */
const NEEDED = new WeakMap<JsonSchema, readonly string[]>();

/** Whether all required members are present; one with a default may be left out. */
const hasRequired = (option: JsonSchema, value: JsonObject, root: JsonSchema): boolean =>
  neededOf(option, root).every((name) => Object.hasOwn(value, name));

function neededOf(option: JsonSchema, root: JsonSchema): readonly string[] {
  const known = NEEDED.get(option);
  if (known) return known;
  const properties = propertiesOf(option);
  const needed = requiredOf(option).filter((name) => {
    const property = properties.get(name);
    return (property && (property["default"] ?? dereference(property, root)["default"])) === undefined;
  });
  NEEDED.set(option, needed);
  return needed;
}

/** Compares the members that distinguish alternatives first, then required members, then declared ones. */
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

/**
 * Keeps the alternatives whose marks agree with the value: members for which each alternative lists its allowed
 * values. Once they leave one, what else is wrong is judged by that one.
 */
function byMarks(options: readonly JsonSchema[], value: JsonObject, root: JsonSchema): Marked {
  let left = options;
  for (const name of propertiesOf(options[0] ?? {}).keys()) {
    if (left.length === 1) break;
    spend(options.length * MARK_WORK);
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

function areApart(lists: readonly (readonly JsonValue[])[]): boolean {
  return equalItems(lists.flat())[0] === 0;
}

/**
 * The schema that applies to this value: references are followed, and of alternatives the intended one is taken if it
 * is clear.
 */
export function matchingBranch(schema: JsonSchema, value: unknown, root: JsonSchema, depth = 0): JsonSchema {
  const own = dereference(schema, root);
  if (depth > MAX_UNIONS || isObject(own["properties"]) || own["items"] !== undefined) return own;
  const { branch } = chooseBranch(own, value, root);
  return branch ? matchingBranch(branch, value, root, depth + 1) : own;
}

/** The place of a finding: the schema that applies there, the value, and the path in words. */
export interface SchemaLocation {
  readonly schema: JsonSchema | undefined;
  readonly value: JsonValue | undefined;
  readonly path: string;
  readonly keys: readonly (string | number)[];
}

/** The schema of a member that only schemas of conditions declare: those of dependencies, `then` and `else`. */
function conditionalMember(owner: JsonSchema, key: string | number, root: JsonSchema): JsonSchema | undefined {
  const { dependentSchemas, dependencies, then, else: otherwise } = owner;
  const held = [dependentSchemas, dependencies].flatMap((one) => (isObject(one) ? Object.values(one) : []));
  const schemas: readonly JsonSchema[] = [...held, then, otherwise].filter((one) => isObject(one));
  return schemas.map((one) => memberSchema(dereference(one, root), key)).find((one) => one !== undefined);
}

/** Follows a JSON Pointer into a value and its schema. */
export function placeAt(root: JsonSchema, args: JsonValue, pointer: string, from = root): SchemaLocation {
  let schema: JsonSchema | undefined = from;
  let value: JsonValue | undefined = args;
  const keys: (string | number)[] = [];
  for (const part of pointer.split("/").slice(1)) {
    const name = unescapePointer(part);
    const key: string | number = Array.isArray(value) ? Number(name) : name;
    const owner: JsonSchema | undefined = schema && matchingBranch(schema, value, root);
    schema = owner && (memberSchema(owner, key) ?? conditionalMember(owner, key, root));
    value = memberValue(value, key);
    keys.push(key);
  }
  return { schema, value, keys, path: keys.reduce<string>(joinPath, "") };
}
