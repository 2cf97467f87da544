/**
 * Moves every schema that is referenced or repeated into a definition, so that the validator contains it once: a reference into
 * `#/properties/…` would be compiled again at every use (1.4 MB for one real tool).
 */

import { resolvePointer } from "../../runtime/contract/json-schema.js";
import type { JsonObject, JsonSchema } from "../../runtime/contract/registry.js";
import { mapSubschemas } from "../../runtime/contract/schema-copy.js";
import { subschemas } from "./dialect.js";
import { stepInput } from "./memo.js";

/** Shortest repeated schema that becomes a definition, in characters of JSON: shorter ones cost less inline than as a function. */
const MIN_HOISTED_LENGTH = 160;

/** Keywords that make the position of a schema inside its root significant. */
const PLACED: readonly string[] = [
  "$id",
  "$anchor",
  "$dynamicRef",
  "$dynamicAnchor",
  "$recursiveRef",
  "unevaluatedItems",
  "unevaluatedProperties",
];

/** The schema with a definition for each referenced or repeated part; unchanged without such parts, or if positions matter. */
export function hoist(root: JsonSchema): JsonSchema {
  const text = JSON.stringify(root);
  if (text.length < 2 * MIN_HOISTED_LENGTH && !text.includes('"$ref"')) return root;
  const names = namesOf(root);
  if (!names || names.size === 0) return root;
  const defs = new Map<string, JsonSchema>();
  const define = (name: string, one: JsonSchema): void => {
    if (defs.has(name)) return;
    defs.set(name, {}); // Ends the recursion of a definition that holds itself.
    defs.set(name, mapSubschemas(referring(one), place));
  };
  const referring = (one: JsonSchema): JsonSchema => {
    const target = targetOf(root, one);
    const name = target && names.get(stepInput(target));
    if (name === undefined) return one;
    define(name, target as JsonSchema);
    return { ...one, $ref: `#/$defs/${name}` };
  };
  const place = (one: JsonSchema): JsonSchema => {
    const name = names.get(stepInput(one));
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

/** Names of the schemas to move, by their JSON; undefined if positions matter. Equal schemas share a name. */
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
    if (target && target !== root) name(stepInput(target));
    if (one === root) continue;
    const key = stepInput(one);
    if (key.length >= MIN_HOISTED_LENGTH && seen.has(key)) name(key);
    seen.add(key);
  }
  return names;
}

/** All schemas of a root, including those that only a reference leads to. */
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
