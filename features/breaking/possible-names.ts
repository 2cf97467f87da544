/** Which properties an object may have at all. */

import { listOrEmpty } from "../../runtime/contract/json.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { Facts } from "./facts.js";
import { type RootedSchema, referencedSchema, rootedSchema, type SchemaNode, schemasByName } from "./node.js";

/** Every name that the facts admit, or undefined if they admit others. */
export function possibleNames(facts: Facts): ReadonlySet<string> | undefined {
  let names: ReadonlySet<string> | undefined;
  for (const fact of facts) {
    const own = closedNames(fact);
    if (own) names = names ? new Set([...names].filter((one) => own.has(one))) : own;
  }
  return names;
}

function closedNames(fact: SchemaNode): ReadonlySet<string> | undefined {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = fact.schema;
  const patterns = Object.keys(schemasByName(patternProperties)).length > 0;
  if (additionalProperties === false && !patterns) return new Set(Object.keys(schemasByName(properties)));
  if (unevaluatedProperties !== false) return undefined;
  const names = new Set<string>();
  return collect(fact, names, new Set(), true) ? names : undefined;
}

const APPLIED = ["if", "then", "else"] as const;
const LISTS = ["allOf", "anyOf", "oneOf"] as const;

/** Collects the names that schemas of the same object declare; false if they may evaluate others. */
function collect(node: RootedSchema, names: Set<string>, met: Set<unknown>, outermost = false): boolean {
  if (!isSchema(node.schema)) return true;
  if (met.has(node.schema)) return true;
  met.add(node.schema);
  const { schema } = node;
  const open = ["$dynamicRef", "$recursiveRef", "patternProperties", "additionalProperties"].some(
    (one) => schema[one] !== undefined,
  );
  if (open || (!outermost && schema["unevaluatedProperties"] !== undefined)) return false;
  for (const name of Object.keys(schemasByName(schema["properties"]))) names.add(name);
  const ref = schema["$ref"] === undefined ? [] : [referencedSchema(node, schema["$ref"])];
  if (ref.some((one) => !one)) return false;
  const held = [
    ...ref.map((one) => one?.schema),
    ...APPLIED.map((one) => schema[one]),
    ...LISTS.flatMap((one) => listOrEmpty(schema[one])),
    ...["dependentSchemas", "dependencies"].flatMap((one) =>
      Object.values(schemasByName(schema[one])).filter((inner) => isSchema(inner)),
    ),
  ];
  return held.every((one) => collect(rootedSchema(node, one), names, met));
}
