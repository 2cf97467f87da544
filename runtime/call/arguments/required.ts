/** Treats required arguments that are null or blank as missing. */

import { received } from "../../contract/error-body.js";
import type { FieldError } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../contract/registry.js";
import { typeText } from "../../contract/type-text.js";
import { matchingBranch } from "./branch.js";
import { admits, joinPath, memberSchema, propertiesOf, requiredOf, typesOf } from "./schema.js";

/** Findings for required arguments, at every level, that are blank, or null where null is not allowed. */
export function emptyRequired(args: JsonObject, schema: JsonSchema): readonly FieldError[] {
  return visit(args, schema, schema, "");
}

function visit(value: JsonValue, schema: JsonSchema, root: JsonSchema, path: string): readonly FieldError[] {
  if (typeof value !== "object" || value === null) return [];
  const rule = matchingBranch(schema, value, root);
  if (Array.isArray(value))
    return value.flatMap((item: JsonValue, index) => {
      const below = typeof item === "object" ? memberSchema(rule, index) : undefined;
      return below ? visit(item, below, root, joinPath(path, index)) : [];
    });
  if (!isObject(value)) return [];
  const required = new Set(requiredOf(rule));
  const properties = propertiesOf(rule);
  return Object.entries(value).flatMap(([name, member]) => {
    const property = properties.get(name);
    if (property && required.has(name) && isEmpty(member, property, root))
      return [emptied(joinPath(path, name), member, property, root)];
    const below = typeof member === "object" ? memberSchema(rule, name) : undefined;
    return below ? visit(member, below, root, joinPath(path, name)) : [];
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
