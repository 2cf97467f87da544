/**
 * Empty arguments: a `null` that can mean nothing else is read as left out, since strict-mode clients send it for every optional
 * argument; a required argument that is null or blank is missing.
 */

import { received } from "../../contract/error-body.js";
import { objectOf } from "../../contract/exact-number.js";
import type { FieldError } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import type { JsonObject, JsonSchema, JsonValue, Tool } from "../../contract/registry.js";
import { typeText } from "../../contract/type-text.js";
import { matchingBranch } from "./branch.js";
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

/** Findings for required arguments, at every level, that are blank, or null where null is not allowed. */
export function emptyRequired(args: JsonObject, schema: JsonSchema): readonly FieldError[] {
  return findEmpty(args, schema, schema, "");
}

function findEmpty(value: JsonValue, schema: JsonSchema, root: JsonSchema, path: string): readonly FieldError[] {
  if (typeof value !== "object" || value === null) return [];
  const rule = matchingBranch(schema, value, root);
  if (Array.isArray(value))
    return value.flatMap((item: JsonValue, index) => {
      const below = typeof item === "object" ? memberSchema(rule, index) : undefined;
      return below ? findEmpty(item, below, root, joinPath(path, index)) : [];
    });
  if (!isObject(value)) return [];
  const required = new Set(requiredOf(rule));
  const properties = propertiesOf(rule);
  return Object.entries(value).flatMap(([name, member]) => {
    const property = properties.get(name);
    if (property && required.has(name) && isEmpty(member, property, root))
      return [emptied(joinPath(path, name), member, property, root)];
    const below = typeof member === "object" ? memberSchema(rule, name) : undefined;
    return below ? findEmpty(member, below, root, joinPath(path, name)) : [];
  });
}

function isEmpty(value: JsonValue, property: JsonSchema, root: JsonSchema): boolean {
  const rule = matchingBranch(property, value, root);
  if (value === null) return !admits(rule, null, root);
  if (typeof value !== "string" || value.trim() !== "") return false;
  // A schema with `minLength: 0`, or with the blank text in its `enum`, allows it explicitly.
  const wanted = rule["minLength"] === 0 || (Array.isArray(rule["enum"]) && rule["enum"].includes(value));
  return !wanted && typesOf(rule, root).includes("string");
}

function emptied(path: string, value: JsonValue, property: JsonSchema, root: JsonSchema): FieldError {
  const message = `${path} is ${value === null ? "null" : "blank"}`;
  return { path, keyword: "required", message, expected: typeText(property, root), received: received(value) };
}
