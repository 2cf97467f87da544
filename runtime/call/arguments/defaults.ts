/** Fills in defaults of missing arguments. */

import { objectOf } from "../../contract/exact-number.js";
import { isObject } from "../../contract/json.js";
import { dereference } from "../../contract/json-schema.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../contract/registry.js";
import { matchingBranch } from "./branch.js";
import { memberSchema, propertiesOf, requiredOf } from "./schema.js";

/** Whose defaults are filled in. */
type Filled = "all" | "required";

/**
 * The arguments with all declared defaults, in nested objects and in objects inside arrays, too; or with those of
 * required properties only.
 *
 * An absent object stays absent: a default inside it does not create it.
 */
export function fillDefaults(args: JsonObject, schema: JsonSchema, which: Filled = "all"): JsonObject {
  const filled = fill(args, schema, { schema, which });
  return isObject(filled) ? filled : args;
}

interface Root {
  readonly schema: JsonSchema;
  readonly which: Filled;
}

function fill(value: JsonValue, schema: JsonSchema, root: Root): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  const rule = matchingBranch(schema, value, root.schema);
  if (Array.isArray(value))
    return value.map((item: JsonValue, index) => fillMember(item, memberSchema(rule, index), root));
  if (!isObject(value)) return value;
  const given = Object.entries(value).map(
    ([name, member]) => [name, fillMember(member, memberSchema(rule, name), root)] as const,
  );
  const needed = root.which === "required" ? requiredOf(rule) : undefined;
  const absent = [...propertiesOf(rule)].flatMap(([name, property]) => {
    if (Object.hasOwn(value, name) || needed?.includes(name) === false) return [];
    const preset = presetOf(property, root.schema);
    return preset === undefined ? [] : [[name, preset] as const];
  });
  return objectOf([...given, ...absent]);
}

/**
 * A property's own default wins over that of the schema it refers to. Copied, because handlers may change their
 * arguments.
 */
function presetOf(property: JsonSchema, root: JsonSchema): JsonValue | undefined {
  const holder = Object.hasOwn(property, "default") ? property : dereference(property, root);
  const preset = holder["default"];
  return typeof preset === "object" && preset !== null ? structuredClone(preset) : preset;
}

const fillMember = (value: JsonValue, schema: JsonSchema | undefined, root: Root): JsonValue =>
  schema ? fill(value, schema, root) : value;
