/** Turns a schema into a list of branches of one kind each: `type: [..]`, `anyOf`, `enum` and `const` in one form. */

import { canonicalJson } from "../../runtime/contract/canonical.js";
import { dereference, isSchema, joinSchemas } from "../../runtime/contract/json-schema.js";
import type { JsonSchema, JsonValue } from "../../runtime/contract/registry.js";
import { withoutKeywords } from "../../runtime/contract/schema-copy.js";
import { typeText } from "../../runtime/contract/type-text.js";

/** Kind of value that a branch accepts. */
export type BranchKind = "any" | "null" | "boolean" | "integer" | "number" | "string" | "array" | "object" | "literal";

/** One alternative of a schema. */
export interface ShapeBranch {
  readonly kind: BranchKind;
  readonly schema: JsonSchema;
  /** JSON Pointer from the schema to the alternative; empty if the schema has only one. */
  readonly pointer: string;
  /** Values of a `literal`; null has a branch of its own. */
  readonly values: readonly JsonValue[];
  /** Whether the value is written as `const`. */
  readonly constant: boolean;
}

/** A root schema, with its resolved subschemas and their branches. */
export interface ComparedSide {
  readonly root: JsonSchema;
  readonly resolved: Map<JsonSchema, JsonSchema>;
  readonly branches: Map<JsonSchema, readonly ShapeBranch[]>;
}

/** Opens a schema for {@link resolve}. */
export const sideOf = (root: JsonSchema): ComparedSide => ({ root, resolved: new Map(), branches: new Map() });

/** Most alternatives in one place; with more, the place is treated as accepting anything. */
const MAX_ALTERNATIVES = 1000;
const SCALARS = ["null", "boolean", "integer", "number", "string", "array", "object"] as const;

/** The schema of a place: references followed, `allOf` merged, keywords beside a reference kept. */
export function resolve(raw: JsonSchema, side: ComparedSide): JsonSchema {
  const known = side.resolved.get(raw);
  if (known) return known;
  const made = expand(raw, side.root);
  side.resolved.set(raw, made);
  return made;
}

function expand(raw: JsonSchema, root: JsonSchema): JsonSchema {
  try {
    const whole = dereference(raw, root);
    const { $ref, ...beside } = raw;
    return typeof $ref !== "string" || whole === raw || Object.keys(beside).length === 0
      ? whole
      : joinSchemas([beside, whole], root);
  } catch {
    return raw; // A live server may send an invalid reference or pattern; the schema is then compared as text.
  }
}

/** The alternatives of a schema, with values merged, without those that another alternative covers. */
export function shapeBranches(given: unknown, side: ComparedSide): readonly ShapeBranch[] {
  if (!isSchema(given)) return given === false ? [] : [branch("any", {}, "")];
  const made = side.branches.get(given) ?? mergedBranches(given, side);
  side.branches.set(given, made);
  return made;
}

function mergedBranches(given: JsonSchema, side: ComparedSide): readonly ShapeBranch[] {
  const all = alternativesOf(given, { side, met: new Set() }, "");
  const kinds = new Set(all.map((one) => one.kind));
  if (kinds.has("any")) return [branch("any", given, "")];
  const literals = all.filter((one) => one.kind === "literal");
  const values = uniqueValues(literals.flatMap((one) => one.values)).filter((value) => !kinds.has(kindOfValue(value)));
  const [first] = literals;
  const merged =
    first && values.length > 0 ? [{ ...first, values, constant: first.constant && values.length === 1 }] : [];
  const others = all.filter((one) => one.kind !== "literal" && !(one.kind === "integer" && kinds.has("number")));
  return [...others, ...merged];
}

const branch = (kind: BranchKind, schema: JsonSchema, pointer: string): ShapeBranch => ({
  kind,
  schema,
  pointer,
  values: [],
  constant: false,
});

/** State of expanding one union with its nested unions: a schema that occurs again, even inside itself, adds nothing. */
interface Expansion {
  readonly side: ComparedSide;
  readonly met: Set<JsonSchema>;
}

function alternativesOf(given: unknown, expansion: Expansion, pointer: string): readonly ShapeBranch[] {
  const { side, met } = expansion;
  if (given === false) return [];
  if (!isSchema(given) || met.size >= MAX_ALTERNATIVES) return [branch("any", {}, pointer)];
  const schema = resolve(given, side);
  if (met.has(schema)) return [];
  met.add(schema);
  if ("const" in schema) return literals([schema["const"] as JsonValue], schema, pointer, true);
  if (Array.isArray(schema["enum"])) return literals(schema["enum"] as readonly JsonValue[], schema, pointer, false);
  const union = shapeUnion(schema);
  if (union) {
    const { [union.keyword]: _, ...beside } = schema;
    return union.members.flatMap((member, i) => {
      const at = `${pointer}/${union.keyword}/${i}`;
      const option = isSchema(member) ? joined(resolve(member, side), beside, side) : member;
      return alternativesOf(option, expansion, at);
    });
  }
  return typesOf(schema).map((kind) => branch(kind, schema, pointer));
}

function joined(option: JsonSchema, beside: JsonSchema, side: ComparedSide): JsonSchema {
  if (Object.keys(beside).every((keyword) => PROSE.has(keyword) || keyword === "default")) return option;
  try {
    return joinSchemas([option, beside], side.root);
  } catch {
    return option;
  }
}

/** The union of a schema. A union beside `properties` is a rule across them, not a choice of types. */
export function shapeUnion(
  schema: JsonSchema,
): { readonly keyword: "anyOf" | "oneOf"; readonly members: readonly unknown[] } | undefined {
  if (isSchema(schema["properties"])) return undefined;
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const members = schema[keyword];
    if (Array.isArray(members)) return { keyword, members };
  }
  return undefined;
}

function literals(
  values: readonly JsonValue[],
  schema: JsonSchema,
  pointer: string,
  constant: boolean,
): readonly ShapeBranch[] {
  const rest = values.filter((one) => one !== null);
  return [
    ...(rest.length < values.length ? [branch("null", schema, pointer)] : []),
    ...(rest.length > 0 ? [{ ...branch("literal", schema, pointer), values: rest, constant }] : []),
  ];
}

function typesOf(schema: JsonSchema): readonly BranchKind[] {
  const { type } = schema;
  const named = [type].flat().flatMap((one) => SCALARS.filter((kind) => kind === one));
  if (named.length > 0) return [...new Set(named)];
  if (isSchema(schema["properties"])) return ["object"];
  return schema["items"] !== undefined || schema["prefixItems"] !== undefined ? ["array"] : ["any"];
}

/** Kind of a value. */
export function kindOfValue(value: JsonValue): BranchKind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return "number";
  return typeof value as "boolean" | "string" | "object";
}

/** Values without duplicates. */
const uniqueValues = (values: readonly JsonValue[]): readonly JsonValue[] => [
  ...new Map(values.map((one) => [canonicalJson(one), one])).values(),
];

const PROSE: ReadonlySet<string> = new Set(["description", "title", "examples", "example", "$comment", "deprecated"]);

/** A schema as text for equality: without prose and without aliases. */
export const acceptedText = (schema: unknown): string =>
  isSchema(schema)
    ? canonicalJson(withoutKeywords(schema, (key) => PROSE.has(key) || key === "x-aliases"))
    : canonicalJson(schema ?? true);

/** A schema in the compact notation of help. */
export function compactSchemaText(schema: unknown, side: ComparedSide): string {
  try {
    return typeText(schema ?? true, side.root);
  } catch {
    return "any";
  }
}
