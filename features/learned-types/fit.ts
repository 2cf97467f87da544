/** Whether a result fits a learned schema, and the first place where it does not. Never copies a value into its answer. */

import { isSchema, typeNames } from "../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import { typeOf } from "./observe.js";
import { type Key, type Node, TYPES } from "./summary.js";

/** Values of one result that are compared. */
const MAX_VALUES = 10_000;
/** Items of one list that are compared. */
const MAX_ITEMS = 200;

/** Where a result does not fit, and how. */
export interface Misfit {
  /** `items[].title`: names of the schema only, since other keys may be data. */
  readonly path: string;
  /** `missing`: a required key is not there. `type`: the value has another type. */
  readonly kind: "missing" | "type";
  /** The types that the schema has. */
  readonly expected: string;
  /** The type of the value. */
  readonly found?: string;
}

/** The first misfit; undefined if the result fits, as far as it is compared. */
export const misfitOf = (value: unknown, schema: JsonSchema): Misfit | undefined =>
  compare(value, schema, "", { left: MAX_VALUES });

function compare(value: unknown, schema: JsonSchema, path: string, work: { left: number }): Misfit | undefined {
  if (work.left-- <= 0) return undefined;
  const types = typeNames(schema);
  const type = typeOf(value);
  if (types.length > 0 && !types.includes(type))
    return { path, kind: "type", expected: types.join(" or "), found: type };
  if (type === "array") return compareItems(value as readonly unknown[], schema, path, work);
  return type === "object" ? compareMembers(value as Readonly<Record<string, unknown>>, schema, path, work) : undefined;
}

function compareItems(list: readonly unknown[], schema: JsonSchema, path: string, work: { left: number }) {
  const items = schema["items"];
  if (!isSchema(items)) return undefined;
  for (const item of list.slice(0, MAX_ITEMS)) {
    const misfit = compare(item, items, `${path}[]`, work);
    if (misfit) return misfit;
  }
  return undefined;
}

function compareMembers(
  object: Readonly<Record<string, unknown>>,
  schema: JsonSchema,
  path: string,
  work: { left: number },
): Misfit | undefined {
  const below = (key: string): string => (path === "" ? key : `${path}.${key}`);
  const { required, properties, additionalProperties: rest } = schema;
  const missing = (Array.isArray(required) ? required : []).map(String).find((key) => !holds(object, key));
  if (missing !== undefined) return { path: below(missing), kind: "missing", expected: "a value" };
  const declared = Object.entries(isSchema(properties) ? properties : {}).filter(([key]) => holds(object, key));
  const others = isSchema(rest) ? Object.values(object).slice(0, MAX_ITEMS) : [];
  return first([
    ...declared.map(
      ([key, one]) =>
        () =>
          isSchema(one) ? compare(object[key], one, below(key), work) : undefined,
    ),
    ...others.map((member) => () => compare(member, rest as JsonSchema, below("*"), work)),
  ]);
}

/** Calls that show something before it contradicts a schema: a single result may be a mistake. */
const MIN_CONTRADICTING = 3;

/** The first place where what calls have shown does not fit a schema; undefined if it fits. */
export function misfitOfNode(node: Node, schema: JsonSchema, path = ""): Misfit | undefined {
  const types = typeNames(schema);
  const found = TYPES.find((type) => (node.types[type]?.calls ?? 0) >= MIN_CONTRADICTING && !types.includes(type));
  if (types.length > 0 && found !== undefined) return { path, kind: "type", expected: types.join(" or "), found };
  const { items, members } = node;
  const inItems = items && isSchema(schema["items"]) ? misfitOfNode(items, schema["items"], `${path}[]`) : undefined;
  return inItems ?? (members?.kind === "record" ? misfitOfMembers(node, members.keys, schema, path) : undefined);
}

function misfitOfMembers(
  { types }: Node,
  keys: ReadonlyMap<string, Key>,
  { required, properties }: JsonSchema,
  path: string,
): Misfit | undefined {
  const below = (key: string): string => (path === "" ? key : `${path}.${key}`);
  const named = new Map(
    [...keys.values()].flatMap((key) => (key.name === undefined ? [] : [[key.name, key] as const])),
  );
  const objects = types.object?.calls ?? 0;
  const missing = (Array.isArray(required) ? required : [])
    .map(String)
    .find((name) => (named.get(name)?.absent.calls ?? objects) >= MIN_CONTRADICTING);
  if (missing !== undefined) return { path: below(missing), kind: "missing", expected: "a value" };
  return first(
    Object.entries(isSchema(properties) ? properties : {}).map(([name, one]) => () => {
      const key = named.get(name);
      return key && isSchema(one) ? misfitOfNode(key.node, one, below(name)) : undefined;
    }),
  );
}

const holds = (object: Readonly<Record<string, unknown>>, key: string): boolean =>
  Object.hasOwn(object, key) && object[key] !== undefined;

function first(comparisons: readonly (() => Misfit | undefined)[]): Misfit | undefined {
  for (const comparison of comparisons) {
    const misfit = comparison();
    if (misfit) return misfit;
  }
  return undefined;
}

/** A misfit in words. */
export const misfitText = ({ path, kind, expected, found }: Misfit): string =>
  kind === "missing"
    ? `the key '${path}' is missing`
    : `${path === "" ? "the result" : `'${path}'`} is ${found}, not ${expected}`;
