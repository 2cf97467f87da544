/** Converts types of a GraphQL schema to JSON Schema: the arguments of a field, and the result of a selection set. */

import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import { byCodeUnit } from "../../../runtime/contract/canonical.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../../runtime/contract/registry.js";

/** The scalars that every GraphQL schema has. Any other scalar accepts any value; null only where its type may be null. */
const SCALARS: Readonly<Record<string, JsonSchema>> = {
  Int: { type: "integer", minimum: -2147483648, maximum: 2147483647 },
  Float: { type: "number" },
  String: { type: "string" },
  ID: { type: "string" },
  Boolean: { type: "boolean" },
};

/** The input of a field, closed, with one property for each argument. What may be null in GraphQL may be null. */
export function fieldInput(args: readonly GraphQLArgument[]): JsonSchema {
  const $defs = new Map<string, JsonSchema>();
  const waiting: GraphQLInputObjectType[] = [];
  const schema = objectOf(args, waiting);
  for (let one = waiting.shift(); one; one = waiting.shift()) {
    if ($defs.has(one.name)) continue;
    const single = one.isOneOf ? { minProperties: 1, maxProperties: 1 } : {};
    const fields = Object.values(one.getFields());
    $defs.set(one.name, { ...objectOf(fields, waiting), ...single, ...about(one.description) });
  }
  const sorted = [...$defs].sort(([a], [b]) => byCodeUnit(a, b));
  return sorted.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(sorted) as JsonObject };
}

type InputMember = GraphQLArgument | GraphQLInputField;

function objectOf(members: readonly InputMember[], waiting: GraphQLInputObjectType[]): JsonSchema {
  const required = members.filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined);
  return {
    type: "object",
    properties: Object.fromEntries(members.map((one) => [one.name, memberOf(one, waiting) as JsonObject])),
    ...(required.length > 0 ? { required: required.map(({ name }) => name) } : {}),
    additionalProperties: false,
  };
}

function memberOf(member: InputMember, waiting: GraphQLInputObjectType[]): JsonSchema {
  const { type, description, defaultValue, deprecationReason } = member;
  return {
    ...inputType(type, waiting),
    ...about(description),
    ...(defaultValue === undefined ? {} : { default: defaultValue as JsonValue }),
    ...(typeof deprecationReason === "string" ? { deprecated: true } : {}),
  };
}

const about = (description: string | null | undefined): JsonSchema => (description ? { description } : {});

function inputType(type: GraphQLInputType, waiting: GraphQLInputObjectType[]): JsonSchema {
  return isNonNullType(type) ? withoutNull(presentInput(type.ofType, waiting)) : orNull(presentInput(type, waiting));
}

function presentInput(type: GraphQLInputType, waiting: GraphQLInputObjectType[]): JsonSchema {
  if (isListType(type)) return { type: "array", items: inputType(type.ofType, waiting) as JsonObject };
  if (isNonNullType(type)) return presentInput(type.ofType, waiting);
  if (!isInputObjectType(type)) return leafOf(type);
  waiting.push(type);
  return { $ref: `#/$defs/${type.name}` };
}

function leafOf(type: GraphQLLeafType): JsonSchema {
  if (isEnumType(type)) return { type: "string", enum: type.getValues().map(({ name }) => name) };
  return SCALARS[type.name] ?? about(type.description ?? `A ${type.name}.`);
}

/** The same, or null. */
function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (typeof type === "string")
    return { ...schema, type: [type, "null"], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
  return "$ref" in schema ? { anyOf: [schema as JsonObject, { type: "null" }] } : schema;
}

/** The types of a scalar of the API, which accepts any value but null. */
const PRESENT = ["string", "number", "boolean", "object", "array"];

/** The same, but null: a schema without a type is that of a scalar of the API. */
const withoutNull = (schema: JsonSchema): JsonSchema =>
  "type" in schema || "$ref" in schema ? schema : { type: PRESENT, ...schema };

/** The result of a field with a selection set. */
export function fieldResult(
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  schema: GraphQLSchema,
): JsonSchema {
  return isNonNullType(type)
    ? presentResult(type.ofType, selection, schema)
    : orNull(presentResult(type, selection, schema));
}

function presentResult(
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  schema: GraphQLSchema,
): JsonSchema {
  if (isNonNullType(type)) return presentResult(type.ofType, selection, schema);
  if (isListType(type)) return { type: "array", items: fieldResult(type.ofType, selection, schema) as JsonObject };
  if (isLeafType(type)) return leafOf(type);
  const members = new Map<string, JsonSchema>();
  const required = new Set<string>();
  for (const one of selection?.selections ?? []) addMembers(one, type.name, { schema, members, required });
  return {
    type: "object",
    properties: Object.fromEntries(members) as JsonObject,
    ...(required.size > 0 ? { required: [...required] } : {}),
  };
}

interface Members {
  readonly schema: GraphQLSchema;
  readonly members: Map<string, JsonSchema>;
  /** Members that every object of the type has. */
  readonly required?: Set<string>;
}

function addMembers(one: SelectionNode, on: string, { schema, members, required }: Members): void {
  if (one.kind === Kind.FRAGMENT_SPREAD) return;
  if (one.kind === Kind.INLINE_FRAGMENT) {
    const part = one.typeCondition?.name.value ?? on;
    for (const below of one.selectionSet.selections) addMembers(below, part, { schema, members });
    return;
  }
  const key = one.alias?.value ?? one.name.value;
  if (one.directives?.length === 0) required?.add(key);
  members.set(key, one.name.value === "__typename" ? { type: "string" } : fieldOf(one.name.value));

  function fieldOf(name: string): JsonSchema {
    const holder = schema.getType(on);
    const field = isObjectType(holder) || isInterfaceType(holder) ? holder.getFields()[name] : undefined;
    const selection = one.kind === Kind.FIELD ? one.selectionSet : undefined;
    return field ? fieldResult(field.type, selection, schema) : {};
  }
}
