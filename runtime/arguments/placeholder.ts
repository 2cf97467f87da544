/** Stand-ins for values that a caller has to fill in. Rules: `gateway.md` (c), examples; (d), corrected_call. */

import type { JsonSchema, JsonValue } from "../contract/registry.js";
import { alternatives, dereference, propertiesOf, requiredOf, subschema, typesOf } from "./schema.js";

/** Levels of required members that a placeholder shows. */
const DEEPEST = 4;

const BY_TYPE: Readonly<
  Record<string, (schema: JsonSchema, name: string, root: JsonSchema, depth: number) => JsonValue>
> = {
  string: (_, name) => `<${name}>`,
  integer: numeric,
  number: numeric,
  boolean: () => false,
  null: () => null,
  array: (schema, name, root, depth) => {
    const item = subschema(schema["items"]);
    return item && Number(schema["minItems"] ?? 0) > 0 ? [placeholder(item, name, root, depth + 1)] : [];
  },
  object: (schema, _, root, depth) => {
    const properties = propertiesOf(schema);
    const members = requiredOf(schema).map((name) => [
      name,
      placeholder(properties.get(name) ?? {}, name, root, depth + 1),
    ]);
    return Object.fromEntries(members);
  },
};

function numeric(schema: JsonSchema): JsonValue {
  const { minimum, maximum } = schema;
  return typeof minimum === "number" ? minimum : typeof maximum === "number" && maximum < 1 ? maximum : 1;
}

/** A value that fits the schema's type, or `<name>` where only the caller knows what belongs there. */
export function placeholder(schema: JsonSchema, name: string, root: JsonSchema, depth = 0): JsonValue {
  const rule = dereference(schema, root);
  if (rule["const"] !== undefined) return rule["const"];
  if (rule["default"] !== undefined && rule["default"] !== null) return rule["default"];
  if (Array.isArray(rule["enum"])) return rule["enum"][0] ?? null;
  const [first] = alternatives(rule);
  if (first && depth < DEEPEST) return placeholder(first, name, root, depth + 1);
  const type = typesOf(rule)[0] ?? "string";
  const make = depth < DEEPEST ? BY_TYPE[type] : undefined;
  return make?.(rule, name, root, depth) ?? `<${name}>`;
}
