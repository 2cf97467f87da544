/**
 * Empty arguments: a `null` that can mean nothing else is read as left out, since strict-mode clients send it for every optional
 * argument; a required argument that is null or blank is missing if its schema does not take that.
 */

import { received } from "../../contract/error-body.js";
import { objectOf } from "../../contract/exact-number.js";
import type { FieldError } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import type { JsonObject, JsonSchema, JsonValue, Tool } from "../../contract/registry.js";
import { typeText } from "../../contract/type-text.js";
import type { ValidationIssue } from "../../contract/validation.js";
import { matchingBranch, placeAt } from "./branch.js";
import type { RepairNotes } from "./notes.js";
import { admits, joinPath, memberSchema, propertiesOf, requiredOf, typesOf } from "./schema.js";

/** Drops, at every level, each null of a declared member that may be left out and takes no null. */
export function withoutNulls(args: JsonObject, tool: Tool, notes: RepairNotes): JsonObject {
  if (!holdsNull(args)) return args;
  const schema = tool.parameters_schema;
  const kept = keepNonNulls(args, schema, schema, "", notes);
  return isObject(kept) ? kept : args;
}

const holdsNull = (value: JsonValue | undefined): boolean =>
  value === null ||
  (Array.isArray(value) ? value.some(holdsNull) : isObject(value) && Object.values(value).some(holdsNull));

function keepNonNulls(
  value: JsonValue,
  schema: JsonSchema,
  root: JsonSchema,
  path: string,
  notes: RepairNotes,
): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  const rule = matchingBranch(schema, value, root);
  const inner = (member: JsonValue, key: string | number): JsonValue => {
    const below = typeof member === "object" && member !== null ? memberSchema(rule, key) : undefined;
    return below ? keepNonNulls(member, below, root, joinPath(path, key), notes) : member;
  };
  if (Array.isArray(value)) return value.map(inner);
  if (!isObject(value)) return value;
  const required = new Set(requiredOf(rule));
  const properties = propertiesOf(rule);
  const isAbsent = (name: string): boolean => {
    const property = value[name] === null && !required.has(name) ? properties.get(name) : undefined;
    return property !== undefined && !admits(property, null, root);
  };
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (!isAbsent(name)) return [[name, inner(member, name)] as const];
    notes.warnings.push(`null_dropped: ${joinPath(path, name)} is null, which it does not take; read as left out`);
    return [];
  });
  return objectOf(members);
}

/**
 * Findings for required arguments, at every level, that are null or blank where the validator refuses that: such an argument is
 * missing, whatever rule of its schema it breaks.
 */
export function emptyRequired(
  issues: readonly ValidationIssue[],
  args: JsonObject,
  root: JsonSchema,
): readonly FieldError[] {
  const pointers = new Set(issues.map(({ instancePath }) => instancePath));
  return [...pointers].flatMap((pointer) => {
    const { schema, value, path, keys } = placeAt(root, args, pointer);
    const isEmpty = value === null || (typeof value === "string" && value.trim() === "");
    const name = keys.at(-1);
    if (!isEmpty || schema === undefined || typeof name !== "string") return [];
    const owner = placeAt(root, args, pointer.slice(0, pointer.lastIndexOf("/")));
    const rule = owner.schema && matchingBranch(owner.schema, owner.value, root);
    const types = typesOf(matchingBranch(schema, value, root), root);
    const isWrong = value === null ? !types.includes("null") : types.includes("string");
    return isWrong && rule && requiredOf(rule).includes(name) ? [emptied(path, value, schema, root)] : [];
  });
}

function emptied(path: string, value: JsonValue, property: JsonSchema, root: JsonSchema): FieldError {
  const message = `${path} is ${value === null ? "null" : "blank"}`;
  return { path, keyword: "required", message, expected: typeText(property, root), received: received(value) };
}
