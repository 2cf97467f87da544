/** Schemas with the root that their references lead into, in the form in which validators see them. */

import { canonicalJson } from "../../runtime/contract/canonical.js";
import { listOrEmpty } from "../../runtime/contract/json.js";
import { unescapePointer } from "../../runtime/contract/json-pointer.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonSchema, JsonValue } from "../../runtime/contract/registry.js";
import { mapSubschemas, withoutKeywords } from "../../runtime/contract/schema-copy.js";

/** A schema, possibly a boolean, with its root. */
export interface RootedSchema {
  readonly schema: unknown;
  readonly root: JsonSchema;
  /** Whether what `$ref` and `allOf` lead to is among the facts already, perhaps as one alternative of it. */
  readonly spread?: boolean;
  /** Alternatives of this value that need not hold: callers may give what they name. */
  readonly beside?: readonly RootedSchema[];
}

/** A schema that is an object. */
export interface SchemaNode extends RootedSchema {
  readonly schema: JsonSchema;
}

/** Keywords that no validator reads. */
const PROSE: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "example",
  "$comment",
  "$schema",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

const isProse = (keyword: string): boolean => PROSE.has(keyword) || keyword.startsWith("x-");

/**
 * A root schema without prose. Its keywords count as they are written, whatever dialect `$schema` names: a keyword of a later dialect
 * is meant, although validators of the named one ignore it.
 */
export function rootNode(schema: JsonSchema): SchemaNode {
  const root = withoutKeywords(schema, isProse);
  return { schema: root, root };
}

/**
 * A schema in the form that is compared: the exclusive bounds of draft 4, which are flags and which no validator reads, as numbers;
 * `unevaluated…` as `additional…` where no other schema evaluates members of the same value.
 */
export function comparableSchema(schema: JsonSchema): JsonSchema {
  const copy = { ...mapSubschemas(schema, comparableSchema) } as Record<string, JsonValue | undefined>;
  if (!EVALUATING.some((one) => copy[one] !== undefined)) withoutUnevaluated(copy);
  for (const [flag, bound] of FLAGS) {
    const held = copy[flag];
    if (typeof held !== "boolean") continue;
    delete copy[flag];
    if (!held || typeof copy[bound] !== "number") continue;
    copy[flag] = copy[bound];
    delete copy[bound];
  }
  return copy as JsonSchema;
}

/** Keywords that hold schemas about the same value, which may evaluate its members. */
const EVALUATING = ["$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"];

function withoutUnevaluated(copy: Record<string, JsonValue | undefined>): void {
  const others = Array.isArray(copy["items"]) ? "additionalItems" : "items";
  const rest = [["unevaluatedProperties", "additionalProperties"] as const];
  const held = copy["contains"] === undefined ? [...rest, ["unevaluatedItems", others] as const] : rest;
  for (const [unevaluated, additional] of held) {
    if (copy[unevaluated] === undefined) continue;
    copy[additional] ??= copy[unevaluated];
    delete copy[unevaluated];
  }
}

const FLAGS = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;

/** A subschema of the same root. */
export const rootedSchema = (node: RootedSchema, schema: unknown): RootedSchema => ({ schema, root: node.root });

/** Nodes whose `$ref` and `allOf` are not followed again. */
export const spreadNodes = <T extends RootedSchema>(nodes: readonly T[]): readonly T[] =>
  nodes.map((one) => (one.spread ? one : { ...one, spread: true }));

/** Whether the schema of a node is an object. */
export const isSchemaNode = (node: RootedSchema): node is SchemaNode => isSchema(node.schema);

/** The schema that a reference names, a boolean included; undefined if it leads elsewhere or nowhere. */
export function referencedSchema({ root }: RootedSchema, ref: unknown): RootedSchema | undefined {
  if (typeof ref !== "string" || (ref !== "#" && !ref.startsWith("#/"))) return undefined;
  const known = targets.get(root) ?? new Map<string, RootedSchema | undefined>();
  targets.set(root, known);
  if (!known.has(ref)) known.set(ref, pointed(root, ref));
  return known.get(ref);
}

const targets = new WeakMap<object, Map<string, RootedSchema | undefined>>();

function pointed(root: JsonSchema, ref: string): RootedSchema | undefined {
  let at: unknown = root;
  for (const part of ref.split("/").slice(1)) {
    const key = keyOf(part);
    if (key === undefined || typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return isSchema(at) || typeof at === "boolean" ? { schema: at, root } : undefined;
}

function keyOf(part: string): string | undefined {
  try {
    return unescapePointer(decodeURIComponent(part));
  } catch {
    return undefined;
  }
}

const texts = new WeakMap<object, string>();

/** A schema as text for equality; cached. */
export function equalityText(schema: unknown): string {
  if (!isSchema(schema)) return canonicalJson(schema ?? true);
  const known = texts.get(schema) ?? canonicalJson(schema);
  texts.set(schema, known);
  return known;
}

/** Whether two schemas have the same text, which means the same: it holds no reference, or both roots define the same. */
export function isSameText(a: RootedSchema, b: RootedSchema): boolean {
  if (a.schema === b.schema && a.root === b.root) return true;
  const text = equalityText(a.schema);
  if (text !== equalityText(b.schema)) return false;
  return a.root === b.root || !REFERENCE.test(text) || (leadsIntoDefinitions(text) && defineTheSame(a.root, b.root));
}

const REFERENCE = /"\$(?:ref|dynamicRef|recursiveRef)"/;
const OTHER_REFERENCE = /"\$(?:dynamicRef|recursiveRef)":|"\$ref":"(?!#\/(?:\$defs|definitions)\/)/;
const leadsIntoDefinitions = (text: string): boolean => !OTHER_REFERENCE.test(text);

const compared = new WeakMap<object, WeakMap<object, boolean>>();

/** Whether two roots hold the same definitions, which refer to each other only; cached. */
function defineTheSame(a: JsonSchema, b: JsonSchema): boolean {
  const known = compared.get(a)?.get(b);
  if (known !== undefined) return known;
  const texts = [a, b].map((root) => ["$defs", "definitions"].map((place) => equalityText(root[place] ?? {})).join());
  const same = texts[0] === texts[1] && leadsIntoDefinitions(texts[0] ?? "");
  const others = compared.get(a) ?? new WeakMap<object, boolean>();
  compared.set(a, others);
  others.set(b, same);
  return same;
}

/** Fields of a schema object that hold schemas by name. */
export const schemasByName = (value: unknown): Readonly<Record<string, unknown>> => (isSchema(value) ? value : {});

/** Texts of a list. */
export const textItems = (value: unknown): readonly string[] =>
  listOrEmpty(value).filter((one): one is string => typeof one === "string");

/** A place for which values are made. */
export interface ValuePlace {
  /** Schemas that the values must satisfy: those of the old side. */
  readonly facts: readonly RootedSchema[];
  /** Schemas of the new side that differ from the facts: their edges count as well. None: the place is the same on both sides. */
  readonly later: readonly RootedSchema[];
  readonly depth: number;
  readonly budget: { left: number };
  /** Steps that may still be taken to judge values. */
  readonly judging: { left: number };
  /** Values that authors give for this place. */
  readonly given?: readonly JsonValue[];
  /** Schemas on the way here: inside itself, a schema gets values of less depth. */
  readonly above: readonly unknown[];
}

/** Makes values of a place inside another. */
export type ValuesOf = (place: ValuePlace) => readonly JsonValue[];
