/** Bounds the work that unknown arguments cause: of many, the first ones are looked at, and an error tells how many there are. */

import { isExact, objectOf } from "../contract/exact-number.js";
import type { FieldError } from "../contract/handler.js";
import type { JsonObject, JsonSchema, JsonValue, Parameter, Tool } from "../contract/registry.js";
import { isObject } from "../json.js";
import { aliasesOf } from "./aliases.js";
import { speaking } from "./branch.js";
import type { RepairNotes } from "./notes.js";
import { isUndeclared, joinPath, memberSchema, propertiesOf } from "./schema.js";

/** Unknown members of one object that are looked at one by one. */
export const MAX_UNKNOWN = 100;

/** The keyword of errors about members that a schema does not declare. */
const KEYWORD = "additionalProperties";

/** Says that there are more unknown members than those that have an error of their own. The path ends in `*`. */
export function manyUnknown(count: number, path = ""): FieldError {
  const where = path === "" ? `${count} arguments are unknown` : `${path} has ${count} unknown members`;
  const message = `${where}, of which the first ${MAX_UNKNOWN} were looked at`;
  const at = path === "" ? "*" : `${path}.*`;
  return { path: at, keyword: KEYWORD, message, expected: "declared arguments", received: `${count} names` };
}

/**
 * The arguments with at most {@link MAX_UNKNOWN} unknown members in each object that allows none. Each cut is noted as an error, so that
 * the call is refused as it would have been.
 */
export function cutUnknown(args: JsonObject, tool: Tool, notes: RepairNotes): JsonObject {
  if (!holdsMore(args, MAX_UNKNOWN)) return args;
  const schema = tool.parameters_schema;
  const cut = cutMembers(args, schema, { root: schema, path: "", parameters: tool.parameters, notes });
  return isObject(cut) ? cut : args;
}

/** Whether there are more members than this in an object, or in one below it. */
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
  const rule = speaking(schema, value, place.root);
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

/** Which names an object may have; undefined where that does not hang on the name. Any other name makes the call fail. */
function knownNames(rule: JsonSchema, { path, parameters }: Place): ((name: string) => boolean) | undefined {
  const isClosed = rule["additionalProperties"] === false && rule["patternProperties"] === undefined;
  if (!isClosed && !(path === "" && isUndeclared(rule))) return undefined;
  const [properties, aliases] = [propertiesOf(rule), aliasesOf(rule, parameters)];
  return (name) => properties.has(name) || aliases.has(name);
}
