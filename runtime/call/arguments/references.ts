/** Expands pairs of temp_id strings to the `{temp_id, kind}` objects that the schema expects. */

import { received } from "../../contract/error-body.js";
import { objectOf } from "../../contract/exact-number.js";
import { isObject, own } from "../../contract/json.js";
import type { JsonObject, JsonSchema, JsonValue, Tool } from "../../contract/registry.js";
import { mistyped } from "../../contract/typo.js";
import { matchingBranch } from "./branch.js";
import type { RepairNotes } from "./notes.js";
import { joinPath, memberSchema, propertiesOf } from "./schema.js";

type Known = ReadonlyMap<string, JsonObject>;

/** Expands pairs whose two ends are known; an unknown end is an error. */
export function expandReferences(args: JsonObject, tool: Tool, notes: RepairNotes): JsonObject {
  const root = tool.parameters_schema;
  const source = [...propertiesOf(root)].find(([, property]) =>
    namesTempIds(memberSchema(matchingBranch(property, [], root), 0), root),
  )?.[0];
  if (source === undefined) return args;
  const known = knownReferences(own(args, source));
  const members = Object.entries(args).map(([name, value]): readonly [string, JsonValue] => {
    const schema = propertiesOf(root).get(name);
    if (name === source || !schema || !Array.isArray(value)) return [name, value];
    const item = memberSchema(matchingBranch(schema, value, root), 0);
    if (!item) return [name, value];
    return [name, value.map((one: JsonValue, i) => expand(one, item, root, known, `${name}[${i}]`, notes))];
  });
  return objectOf(members);
}

function knownReferences(entities: JsonValue | undefined): Known {
  const known = new Map<string, JsonObject>();
  if (!Array.isArray(entities)) return known;
  for (const entity of entities as readonly JsonValue[]) {
    if (!isObject(entity)) continue;
    const { temp_id, kind } = entity;
    if (typeof temp_id === "string" && kind !== undefined) known.set(temp_id, { temp_id, kind });
  }
  return known;
}

const namesTempIds = (schema: JsonSchema | undefined, root: JsonSchema): boolean =>
  schema !== undefined && propertiesOf(matchingBranch(schema, {}, root)).has("temp_id");

/** Expands `["a", "b"]` and `{from: "a", to: "b"}`: two strings instead of two objects with a temp_id. */
function expand(
  item: JsonValue,
  schema: JsonSchema,
  root: JsonSchema,
  known: Known,
  path: string,
  notes: RepairNotes,
): JsonValue {
  if (typeof item !== "object" || item === null) return item;
  const rule = matchingBranch(schema, item, root);
  const entries = Array.isArray(item)
    ? item.map((end: JsonValue, index) => [index, end] as const)
    : Object.entries(item as JsonObject);
  const ends = entries.filter(([key, end]) => typeof end === "string" && namesTempIds(memberSchema(rule, key), root));
  if (ends.length !== 2) return item;
  const unknown = ends.filter(([, end]) => !known.has(String(end)));
  if (unknown.length > 0) {
    for (const [key, end] of unknown) notes.errors.push(unknownReference(joinPath(path, key), String(end), known));
    notes.covered.push(path);
    return item;
  }
  notes.warnings.push(`refs_expanded: the temp_ids in ${path} were read as {temp_id, kind}`);
  const keys = new Set(ends.map(([key]) => key));
  const expanded = entries.map(([key, end]) => [key, keys.has(key) ? (known.get(String(end)) ?? end) : end] as const);
  return Array.isArray(item)
    ? expanded.map(([, end]) => end)
    : objectOf(expanded.map(([key, end]) => [String(key), end] as const));
}

function unknownReference(path: string, end: string, known: Known) {
  const meant = mistyped(end, known.keys());
  return {
    path,
    keyword: "unknown_reference",
    message: `${path} is no temp_id of this call`,
    expected: known.size === 0 ? "a temp_id" : `one of ${[...known.keys()].slice(0, 12).join(", ")}`,
    received: received(end),
    ...(meant === undefined ? {} : { did_you_mean: meant }),
  };
}
