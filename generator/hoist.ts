/**
 * Gives a name to whatever a schema refers to or repeats, so that its validator holds it once: a reference into `#/properties/…`
 * would be compiled again at every place that it leads through (1.4 MB for one real tool).
 */

import { type JsonObject, type JsonSchema, resolvePointer } from "toolwright/codegen";
import { mapSubschemas, subschemas } from "./dialect.js";

/** A repeated schema shorter than this, in characters of JSON, costs less where it stands than as a function of its own. */
const SHORTEST = 160;

/** Keywords with which the place of a schema inside its root has a meaning of its own. */
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
  const defs = new Map<string, JsonSchema>();
  const define = (name: string, one: JsonSchema): void => {
    if (defs.has(name)) return;
    defs.set(name, {}); // Ends a definition that holds itself.
    defs.set(name, mapSubschemas(referring(one), place));
  };
  const referring = (one: JsonSchema): JsonSchema => {
    const target = targetOf(root, one);
    const name = target && names.get(JSON.stringify(target));
    if (name === undefined) return one;
    define(name, target as JsonSchema);
    return { ...one, $ref: `#/$defs/${name}` };
  };
  const place = (one: JsonSchema): JsonSchema => {
    const name = names.get(JSON.stringify(one));
    if (name === undefined) return mapSubschemas(referring(one), place);
    define(name, one);
    return { $ref: `#/$defs/${name}` };
  };
  const { $defs: _, definitions: __, ...rest } = root;
  const rewritten = mapSubschemas(referring(rest), place);
  return { ...rewritten, $defs: Object.fromEntries(defs) as JsonObject };
}

const targetOf = (root: JsonSchema, { $ref }: JsonSchema): JsonSchema | undefined =>
  typeof $ref === "string" ? resolvePointer(root, $ref) : undefined;

/** Name of every schema that gets one, by its JSON; undefined where a schema's place matters. Equal schemas share a name. */
function namesOf(root: JsonSchema): ReadonlyMap<string, string> | undefined {
  const all = reachable(root);
  if (all.some((one) => one !== root && PLACED.some((key) => Object.hasOwn(one, key)))) return undefined;
  const names = new Map<string, string>();
  const name = (key: string): void => {
    if (!names.has(key)) names.set(key, `d${names.size + 1}`);
  };
  const seen = new Set<string>();
  for (const one of all) {
    const target = targetOf(root, one);
    if (target && target !== root) name(JSON.stringify(target));
    if (one === root) continue;
    const key = JSON.stringify(one);
    if (key.length >= SHORTEST && seen.has(key)) name(key);
    seen.add(key);
  }
  return names;
}

/** Every schema of a root, and what lies where no keyword holds a schema but a reference leads to. */
function reachable(root: JsonSchema): readonly JsonSchema[] {
  const all = subschemas(root).map((one) => one.schema);
  const reached = new Set(all);
  for (const one of all) {
    const target = targetOf(root, one);
    for (const { schema } of target && !reached.has(target) ? subschemas(target) : []) {
      all.push(schema);
      reached.add(schema);
    }
  }
  return all;
}
