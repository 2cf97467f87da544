/** Bounds the work for unknown arguments: the first ones are examined, and an error counts the rest. */

import { acceptedNames } from "../../contract/accepted-names.js";
import { isExact, objectOf } from "../../contract/exact-number.js";
import { isObject } from "../../contract/json.js";
import type { JsonObject, JsonSchema, JsonValue, Parameter, Tool } from "../../contract/registry.js";
import { MAX_UNKNOWN, manyUnknown } from "../../contract/request-fields.js";
import { aliasesOf } from "./aliases.js";
import { matchingBranch } from "./branch.js";
import type { RepairNotes } from "./notes.js";
import { joinPath, memberSchema, propertiesOf } from "./schema.js";

/**
 * Cuts the arguments to at most {@link MAX_UNKNOWN} unknown members in each closed object. Each cut is noted as an
 * error, so that the call is refused all the same.
 */
export function cutUnknown(args: JsonObject, tool: Tool, notes: RepairNotes): JsonObject {
  if (!holdsMore(args, MAX_UNKNOWN)) return args;
  const schema = tool.parameters_schema;
  const cut = cutMembers(args, schema, { root: schema, path: "", parameters: tool.parameters, notes });
  return isObject(cut) ? cut : args;
}

/** Whether an object, or one nested in it, has more members than this. */
function holdsMore(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null || isExact(value)) return false;
  if (Array.isArray(value)) return value.some((item) => holdsMore(item, most));
  const names = Object.keys(value);
  return names.length > most || names.some((name) => holdsMore((value as JsonObject)[name], most));
}

interface Place {
  readonly root: JsonSchema;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly notes: RepairNotes;
}

function cutMembers(value: JsonValue, schema: JsonSchema, place: Place): JsonValue {
  const rule = matchingBranch(schema, value, place.root);
  const inner = (member: JsonValue, key: string | number): JsonValue => {
    const below = typeof member === "object" && member !== null ? memberSchema(rule, key) : undefined;
    return below ? cutMembers(member, below, { ...place, path: joinPath(place.path, key), parameters: [] }) : member;
  };
  if (Array.isArray(value)) return value.map(inner);
  if (!isObject(value)) return value;
  const names = Object.keys(value);
  const isKnown = knownNames(rule, place);
  let unknown = 0;
  const kept = isKnown ? names.filter((name) => isKnown(name) || ++unknown <= MAX_UNKNOWN) : names;
  if (unknown > MAX_UNKNOWN) place.notes.errors.push(manyUnknown(unknown, place.path));
  return objectOf(kept.map((name) => [name, inner(value[name] as JsonValue, name)] as const));
}

/**
 * Decides which names an object may have; undefined if that does not depend on the name. Any other name fails the
 * call.
 */
function knownNames(rule: JsonSchema, { root, path, parameters }: Place): ((name: string) => boolean) | undefined {
  const isClosed = rule["additionalProperties"] === false && rule["patternProperties"] === undefined;
  const isRoot = path === "" && !acceptedNames(root).open;
  if (!isClosed && !isRoot) return undefined;
  const [properties, aliases] = [propertiesOf(rule), aliasesOf(rule, parameters)];
  return (name) => properties.has(name) || aliases.has(name) || (isRoot && acceptedNames(root).accepts(name));
}
