/** A copy of a schema as json-schema-to-typescript can print it: own names, no hostile ones, one way to write a tuple. */

import { isSchema, type JsonSchema, type JsonValue, resolvePointer } from "toolwright/codegen";
import { subschemas } from "../dialect.js";
import { capital, wordsOf } from "../names.js";
import { inComment } from "./printer.js";

/** What a type is called while it is printed, since the printer would respell `K8sListArgs` and `A$b$Args`. */
export const STAND_IN = "ToolwrightStandIn";

/** Stands before names that every object has, which the printer would mistake for its own methods, and before a `$ref` that is none. */
export const MASK = "toolwright$masked$";

const masked = (name: string): string => (name in Object.prototype || name === "$ref" ? MASK + name : name);

/** A value as data: what looks like a reference in it is none. */
function data(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(data);
  if (!isSchema(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [masked(name), data(one)]));
}

/** References to the names of the definitions that they will lead to, and those definitions. */
interface Targets {
  readonly names: ReadonlyMap<string, string>;
  readonly schemas: ReadonlyMap<string, JsonSchema>;
}

/**
 * The copy. Whatever is referred to, `#` apart, becomes a definition of the root, named after {@link STAND_IN}: so that the types
 * of two tools never share a name, and a reference to a property does not print that property over and over.
 */
export function typesSchema(root: JsonSchema): JsonSchema {
  const targets = targetsOf(root);
  const $defs = Object.fromEntries([...targets.schemas].map(([name, schema]) => [name, copy(schema, targets)]));
  return { ...(copy(root, targets) as JsonSchema), $defs } as JsonSchema;
}

function targetsOf(root: JsonSchema): Targets {
  const names = new Map<string, string>();
  const schemas = new Map<string, JsonSchema>();
  for (const { schema } of subschemas(root)) {
    const ref = schema["$ref"];
    const target = typeof ref === "string" ? resolvePointer(root, ref) : undefined;
    if (typeof ref !== "string" || !target || target === root || names.has(ref)) continue;
    const known = [...schemas].find(([, one]) => one === target)?.[0];
    const name = known ?? freeName(ref, schemas);
    names.set(ref, name);
    schemas.set(name, target);
  }
  return { names, schemas };
}

const KEYWORDS: ReadonlySet<string> = new Set(["#", "properties", "$defs", "definitions"]);

/** `#/$defs/tree_node` is `TreeNode`; numbered where another reference was first. */
function freeName(ref: string, taken: ReadonlyMap<string, unknown>): string {
  const parts = ref.split("/").filter((part) => !KEYWORDS.has(part));
  const stem = STAND_IN + (parts.flatMap((part) => wordsOf(decodeURIComponent(part)).map(capital)).join("") || "Part");
  for (let i = 1; ; i++) {
    const name = i === 1 ? stem : `${stem}${i}`;
    if (!taken.has(name)) return name;
  }
}

type Entries = readonly (readonly [string, unknown])[];

function copy(value: unknown, targets: Targets): unknown {
  if (Array.isArray(value)) return value.map((one) => copy(one, targets));
  if (!isSchema(value)) return value;
  return Object.fromEntries(
    Object.entries(withoutOddTuples(inOneForm(value))).flatMap(([key, member]) => keyword(key, member, targets)),
  );
}

/** Entries that a tuple may have: the printer writes out what `minItems` asks for. */
const LONGEST_TUPLE = 16;

/** Bounds that the printer refuses, or writes out at length, are left to the validator. */
function withoutOddTuples(schema: JsonSchema): JsonSchema {
  const { minItems, maxItems, ...rest } = schema;
  const [least, most] = [Number(minItems ?? 0), Number(maxItems ?? LONGEST_TUPLE)];
  return least >= 0 && least <= Math.min(most, LONGEST_TUPLE) && most <= LONGEST_TUPLE ? schema : rest;
}

/** `prefixItems` with `items` is what `items` with `additionalItems` was before 2020. */
function inOneForm(schema: JsonSchema): JsonSchema {
  const { prefixItems, items, ...rest } = schema;
  if (!Array.isArray(prefixItems)) return schema;
  return { ...rest, items: prefixItems, ...(items === undefined ? {} : { additionalItems: items }) };
}

const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties"]);
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default"]);
/**
 * What a type is made of. Nothing else reaches the printer, which has keywords of its own (`tsType` is code that it writes as it
 * is), prints definitions apart, lets titles and ids override our names, and takes what it does not know for the sign of an object.
 */
const PRINTED: ReadonlySet<string> = new Set([
  ...["$ref", "type", "enum", "const", "default", "nullable", "description", "deprecated"],
  ...["properties", "patternProperties", "additionalProperties", "required"],
  ...["items", "additionalItems", "minItems", "maxItems", "allOf", "anyOf", "oneOf"],
]);

function keyword(key: string, member: JsonValue | undefined, targets: Targets): Entries {
  if (!PRINTED.has(key) || (key === "deprecated" && typeof member !== "boolean")) return [];
  if (DATA.has(key)) return [[key, data(member)]];
  if (key === "description") return typeof member === "string" ? [[key, inComment(member)]] : [];
  if (key === "required" && Array.isArray(member))
    return [[key, member.map((one: JsonValue) => (typeof one === "string" ? masked(one) : one))]];
  if (key === "$ref" && typeof member === "string") {
    const name = targets.names.get(member);
    return [[key, name === undefined ? "#" : `#/$defs/${name}`]];
  }
  if (MAPS.has(key) && isSchema(member))
    return [[key, Object.fromEntries(Object.entries(member).map(([name, one]) => [masked(name), copy(one, targets)]))]];
  return [[key, copy(member, targets)]];
}
