/** Treats `null` as absent where it can mean nothing else: strict-mode clients send it for every optional argument. */

import { objectOf } from "../../contract/exact-number.js";
import { isObject } from "../../contract/json.js";
import type { JsonObject, JsonSchema, JsonValue, Tool } from "../../contract/registry.js";
import { matchingBranch } from "./branch.js";
import type { RepairNotes } from "./notes.js";
import { admits, joinPath, memberSchema, propertiesOf, requiredOf } from "./schema.js";

/** Drops, at every level, each null of a declared member that may be left out and takes no null. */
export function withoutNulls(args: JsonObject, tool: Tool, notes: RepairNotes): JsonObject {
  if (!holdsNull(args)) return args;
  const schema = tool.parameters_schema;
  const kept = visit(args, schema, schema, "", notes);
  return isObject(kept) ? kept : args;
}

const holdsNull = (value: JsonValue | undefined): boolean =>
  value === null ||
  (Array.isArray(value) ? value.some(holdsNull) : isObject(value) && Object.values(value).some(holdsNull));

function visit(value: JsonValue, schema: JsonSchema, root: JsonSchema, path: string, notes: RepairNotes): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  const rule = matchingBranch(schema, value, root);
  const inner = (member: JsonValue, key: string | number): JsonValue => {
    const below = typeof member === "object" && member !== null ? memberSchema(rule, key) : undefined;
    return below ? visit(member, below, root, joinPath(path, key), notes) : member;
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
