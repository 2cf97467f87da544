/**
 * Gives a name to whatever a schema refers to or repeats, so that its validator holds it once: a reference into `#/properties/…`
 * would be compiled again at every place that it leads through (1.4 MB for one real tool).
 */

import { isSchema, type JsonObject, type JsonSchema, resolvePointer } from "toolwright/codegen";
import { mapSubschemas, subschemas } from "./dialect.js";

/** A repeated schema shorter than this, in characters of JSON, costs less where it stands than as a function of its own. */
const SHORTEST = 160;

/** Keywords with which a schema's place has a meaning of its own. */
const PLACED: readonly string[] = [
  "$id",
  "$anchor",
  "$dynamicRef",
  "$dynamicAnchor",
  "$recursiveRef",
  "unevaluatedItems",
  "unevaluatedProperties",
];

/** The same schema with a definition for all it refers to or repeats; itself where there is nothing to name, or where places matter. */
export function hoist(root: JsonSchema): JsonSchema {
  const text = JSON.stringify(root);
  if (text.length < 2 * SHORTEST && !text.includes('"$ref"')) return root;
  const names = namesOf(root);
  if (!names || names.size === 0) return root;
  const referring = (one: JsonSchema): JsonSchema => {
    const target = typeof one["$ref"] === "string" ? resolvePointer(root, one["$ref"]) : undefined;
    const name = target && names.get(JSON.stringify(target));
    return name === undefined ? one : { ...one, $ref: `#/$defs/${name}` };
  };
  const defs = new Map<string, JsonSchema>();
  const place = (one: JsonSchema): JsonSchema => {
    const name = names.get(JSON.stringify(one));
    if (name === undefined) return mapSubschemas(referring(one), place);
    if (!defs.has(name)) {
      defs.set(name, {}); // Ends a definition that holds itself.
      defs.set(name, mapSubschemas(referring(one), place));
    }
    return { $ref: `#/$defs/${name}` };
  };
  const { $defs, definitions, ...rest } = root;
  const rewritten = mapSubschemas(referring(rest), place);
  for (const held of [$defs, definitions])
    for (const one of Object.values(isSchema(held) ? held : {})) if (isSchema(one)) place(one);
  return { ...rewritten, $defs: Object.fromEntries(defs) as JsonObject };
}

/** Name of every schema that gets one, by its JSON; undefined where a schema's place matters. Equal schemas share a name. */
function namesOf(root: JsonSchema): ReadonlyMap<string, string> | undefined {
  const names = new Map<string, string>();
  const seen = new Set<string>();
  const name = (key: string): void => {
    if (!names.has(key)) names.set(key, `d${names.size + 1}`);
  };
  for (const { schema, pointer } of subschemas(root)) {
    if (PLACED.some((key) => Object.hasOwn(schema, key) && !(key === "$id" && pointer === ""))) return undefined;
    const target = typeof schema["$ref"] === "string" ? resolvePointer(root, schema["$ref"]) : undefined;
    if (target && target !== root) name(JSON.stringify(target));
    if (pointer === "") continue;
    const key = JSON.stringify(schema);
    if (key.length >= SHORTEST && seen.has(key)) name(key);
    seen.add(key);
  }
  return names;
}
