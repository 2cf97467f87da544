/** Bounds the size of schemas before they are used: parts beyond the limits are left out and accept anything. */

import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonObject, JsonSchema } from "../../runtime/contract/registry.js";
import { KEYED, LISTED, SINGLE } from "../../runtime/contract/schema-copy.js";

/** Most subschemas of one schema. The largest of 2,634 tools in use has fewer than a thousand. */
const MAX_SUBSCHEMAS = 3000;
/** Most alternatives or patterns in one place: the time to compile a validator grows with their square. */
const MAX_ALTERNATIVES = 500;

/** A schema of bounded size, and the number of subschemas that were left out. */
export interface BoundedSchema {
  readonly schema: JsonSchema;
  readonly left_out: number;
}

/**
 * Bounds schemas of one build.
 *
 * @param shared definitions that several schemas hold: each has the whole bound for itself
 */
export function schemaBounds(shared: ReadonlySet<unknown>): (schema: JsonSchema) => BoundedSchema {
  const known = new Map<unknown, BoundedSchema>();
  const whole = new WeakSet<object>();
  const definition = (one: JsonSchema): BoundedSchema => {
    const made = known.get(one) ?? boundedSchema(one);
    known.set(one, made);
    return made;
  };
  return (schema) => {
    const { $defs, ...root } = schema;
    if (isSchema($defs) && whole.has($defs)) {
      const { schema: kept, left_out } = boundedSchema(root);
      return { schema: left_out === 0 ? schema : { ...kept, $defs }, left_out };
    }
    const members = Object.entries(isSchema($defs) ? $defs : {});
    if (!members.some(([, one]) => shared.has(one))) return boundedSchema(schema);
    const apart = new Map(
      members.flatMap(([name, one]) => (shared.has(one) ? [[name, one as JsonSchema] as const] : [])),
    );
    const own = members.filter(([name]) => !apart.has(name));
    const rest = boundedSchema({ ...root, $defs: Object.fromEntries(own) });
    const parts = [...apart].map(([name, one]) => [name, definition(one)] as const);
    const left_out = parts.reduce((sum, [, one]) => sum + one.left_out, rest.left_out);
    if (left_out === 0) {
      if (own.length === 0 && isSchema($defs)) whole.add($defs);
      return { schema, left_out };
    }
    const kept = new Map([...parts.map(([name, one]) => [name, one.schema] as const), ...definitionsOf(rest.schema)]);
    const sorted = members.flatMap(([name]) => (kept.has(name) ? [[name, kept.get(name)] as const] : []));
    return { schema: { ...rest.schema, $defs: Object.fromEntries(sorted) as JsonObject }, left_out };
  };
}

const definitionsOf = ({ $defs }: JsonSchema): readonly (readonly [string, unknown])[] =>
  Object.entries(isSchema($defs) ? $defs : {});

/** Keeps the first subschemas, level by level. Returns the same schema if nothing is left out. */
function boundedSchema(schema: JsonSchema): BoundedSchema {
  const kept = new Set<JsonSchema>([schema]);
  let left_out = 0;
  for (const one of kept)
    for (const [key, value] of Object.entries(one)) {
      const held = heldBy(key, value);
      const most = Math.min(mostOf(key, held.length), MAX_SUBSCHEMAS - kept.size);
      for (const member of held.slice(0, Math.max(0, most))) kept.add(member);
      left_out += Math.max(0, held.length - most);
    }
  return { schema: left_out === 0 ? schema : rebuilt(schema, kept), left_out };
}

/** The schemas that a keyword holds. */
function heldBy(key: string, value: unknown): readonly JsonSchema[] {
  if (Array.isArray(value)) return LISTED.has(key) || key === "items" ? value.filter((one) => isSchema(one)) : [];
  if (!isSchema(value)) return [];
  return KEYED.has(key) ? Object.values(value).filter((one) => isSchema(one)) : SINGLE.has(key) ? [value] : [];
}

/** Most schemas of a keyword that are kept. Alternatives are kept all or not at all. */
function mostOf(key: string, held: number): number {
  if (key === "anyOf" || key === "oneOf") return held > MAX_ALTERNATIVES ? 0 : held;
  return key === "allOf" || key === "patternProperties" ? Math.min(held, MAX_ALTERNATIVES) : held;
}

type Kept = ReadonlySet<JsonSchema>;

function rebuilt(schema: JsonSchema, kept: Kept): JsonSchema {
  const entries = Object.entries(schema).flatMap(([key, value]) => keyword(key, value, kept));
  return opened(Object.fromEntries(entries) as JsonSchema, schema);
}

function keyword(key: string, value: unknown, kept: Kept): readonly (readonly [string, unknown])[] {
  const held = heldBy(key, value);
  const lost = held.some((one) => !kept.has(one));
  if (held.length === 0) return [[key, value]];
  const inner = (one: unknown): unknown => (isSchema(one) ? (kept.has(one) ? rebuilt(one, kept) : {}) : one);
  if (Array.isArray(value)) {
    if (key === "anyOf" || key === "oneOf") return lost ? [] : [[key, value.map(inner)]];
    return [
      [key, key === "allOf" ? value.filter((one) => !isSchema(one) || kept.has(one)).map(inner) : value.map(inner)],
    ];
  }
  if (!KEYED.has(key)) return lost ? [] : [[key, inner(value)]];
  // A definition is kept as a schema that accepts anything, since references lead to it.
  const stays = (one: unknown): boolean => !isSchema(one) || kept.has(one) || key === "$defs" || key === "definitions";
  const members = Object.entries(value as JsonSchema).filter(([, one]) => stays(one));
  return [[key, Object.fromEntries(members.map(([name, one]) => [name, inner(one)]))]];
}

/** An object that lost properties or patterns accepts other members and does not require the lost ones. */
function opened(schema: JsonSchema, before: JsonSchema): JsonSchema {
  const names = (one: JsonSchema, key: string): readonly string[] => Object.keys(isSchema(one[key]) ? one[key] : {});
  const had = names(before, "properties");
  const has = new Set(names(schema, "properties"));
  const patterns = names(before, "patternProperties").length === names(schema, "patternProperties").length;
  if (had.length === has.size && patterns) return schema;
  const lost = new Set(had.filter((name) => !has.has(name)));
  const { additionalProperties: _, unevaluatedProperties: __, required, ...rest } = schema;
  if (!Array.isArray(required)) return rest;
  return { ...rest, required: required.filter((name) => typeof name !== "string" || !lost.has(name)) };
}
