/**
 * Checks that references resolve inside their own schema and that names are unique inside their pack. Nothing is downloaded.
 */

import { closest } from "../../runtime/contract/closest.js";
import { isSchema, nestsDeeper, resolvePointer } from "../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import { type BoundedSchema, schemaBounds } from "../core/bounded-schema.js";
import type { Report } from "../core/diagnostic.js";
import { subschemas } from "../core/dialect.js";
import type { Definition, LinkedDefinition } from "../core/ir.js";

/** Longest name: no provider accepts longer ones. */
const MAX_NAME_LENGTH = 256;

/** Links every definition; faults are reported and the definition left out. */
export function link(definitions: readonly Definition[], report: Report): readonly LinkedDefinition[] {
  const first = new Map<string, Definition>();
  const bound = schemaBounds(heldTwice(definitions));
  return definitions.flatMap((one) => {
    const key = JSON.stringify([one.pack, one.name]);
    const before = first.get(key);
    if (before) {
      const { file, line, column } = before.place;
      report.addAbout(one, "duplicate-tool", { tool: one.name, first: `${file}:${line}:${column}` });
      return [];
    }
    first.set(key, one);
    if (one.name.length > MAX_NAME_LENGTH) {
      const reason = `is longer than ${MAX_NAME_LENGTH} characters`;
      report.addAbout(one, "name-invalid", { name: shortened(one.name), reason });
      return [];
    }
    if (!isWhole(one, one.parameters, report)) return [];
    const { result, ...rest } = one;
    return [
      {
        ...rest,
        parameters: bounded(one, bound(one.parameters), report),
        ...(result && hasWholeResult(one, result, report) ? { result: bounded(one, bound(result), report) } : {}),
        linked: true as const,
      },
    ];
  });
}

/** Shortens a long name to its two ends, so that names with the same beginning and their diagnostics stay distinct. */
const shortened = (name: string): string => `${name.slice(0, 40)}…${name.slice(-40)}`;

/** The definitions that several schemas hold. */
function heldTwice(definitions: readonly Definition[]): ReadonlySet<unknown> {
  const once = new Set<unknown>();
  const found = new Set<unknown>();
  for (const { $defs } of definitions.flatMap(({ parameters, result = {} }) => [parameters, result]))
    for (const one of isSchema($defs) ? Object.values($defs) : [])
      if (isSchema(one)) (once.has(one) ? found : once).add(one);
  return found;
}

/** Reports what the bound of a schema leaves out. */
function bounded(one: Definition, { schema, left_out: lost }: BoundedSchema, report: Report): JsonSchema {
  if (lost > 0) report.add("schema-too-large", one.place, { tool: one.name, lost });
  return schema;
}

/** Deepest nesting of a schema, so that recursive functions do not exhaust the stack. */
const MAX_SCHEMA_DEPTH = 128;

/** Whether an output schema is usable; otherwise the result is unknown. */
function hasWholeResult(one: Definition, root: JsonSchema, report: Report): boolean {
  const refuse = (reason: string): boolean => {
    report.add("result-invalid", one.place, { tool: one.name, reason });
    return false;
  };
  if (isPlain(root)) return true;
  if (nestsDeeper(root, MAX_SCHEMA_DEPTH)) return refuse(`it is nested more than ${MAX_SCHEMA_DEPTH} levels deep`);
  const [lost] = lostRefs(root);
  if (lost) return refuse(`${lost.ref} is not inside it`);
  const endless = endlessRef(root);
  return endless === undefined || refuse(`the reference ${endless} leads back to itself`);
}

interface LostRef {
  readonly ref: string;
  /** The first place that holds it. */
  readonly pointer: string;
}

/** References that lead nowhere inside their schema, each once. */
function lostRefs(root: JsonSchema): readonly LostRef[] {
  const found = new Map<string, LostRef>();
  for (const { schema, pointer } of subschemas(root)) {
    const { $ref: ref } = schema;
    if (typeof ref !== "string" || found.has(ref) || targetOf(root, ref)) continue;
    found.set(ref, { ref, pointer: `${pointer}/$ref` });
  }
  return [...found.values()];
}

/** The definition of a schema with the name nearest to that of a reference. */
function nearestRef(root: JsonSchema, ref: string): string | undefined {
  if (!ref.startsWith("#")) return undefined;
  const known = ["$defs", "definitions"].flatMap((key) => {
    const held = root[key];
    return isSchema(held) ? Object.keys(held).map((name) => [name, `#/${key}/${name}`] as const) : [];
  });
  const byName = new Map(known.toReversed());
  const nearest = closest(ref.slice(ref.lastIndexOf("/") + 1), [...byName.keys()]);
  return nearest === undefined ? undefined : byName.get(nearest);
}

/** What is known of a part of a schema that many schemas hold. */
interface PartFacts {
  readonly isShallow: boolean;
  /** Names of the definitions that it refers to; undefined if it refers to another place. */
  readonly names?: ReadonlySet<string>;
  /** Those among them that judge the same value as the part itself. */
  readonly heads: ReadonlySet<string>;
}

const FACTS = new WeakMap<JsonSchema, PartFacts>();
/** Definitions that have been found to be without fault together. */
const PLAIN = new WeakSet<JsonSchema>();
const DEFINITION = /^#\/\$defs\/([^/~%]*)$/;

function factsOf(part: JsonSchema): PartFacts {
  const known = FACTS.get(part);
  if (known) return known;
  // A definition is two levels below the root.
  const isShallow = !nestsDeeper(part, MAX_SCHEMA_DEPTH - 2);
  const refs = isShallow ? subschemas(part).map(({ schema: { $ref } }) => $ref) : [];
  const found = refs.filter((ref) => typeof ref === "string").map((ref) => DEFINITION.exec(ref)?.[1]);
  const names = found.filter((name) => name !== undefined);
  const made = { isShallow, heads: isShallow ? headsOf(part) : new Set<string>() };
  const facts = names.length === found.length ? { ...made, names: new Set(names) } : made;
  FACTS.set(part, facts);
  return facts;
}

function headsOf(part: unknown, found: Set<string> = new Set()): ReadonlySet<string> {
  if (!isSchema(part)) return found;
  const { $ref } = part;
  const name = typeof $ref === "string" ? DEFINITION.exec($ref)?.[1] : undefined;
  if (name !== undefined) found.add(name);
  for (const one of heldIn(part, SAME_VALUE)) headsOf(one, found);
  return found;
}

/**
 * Whether all references of a schema lead to its definitions, and none leads back to itself, by what is known of each definition:
 * hundreds of ops hold the same ones. False decides nothing.
 */
function isPlain({ $defs = {}, ...root }: JsonSchema): boolean {
  if (!isSchema($defs)) return false;
  const facts = factsOf(root);
  const leads = ({ isShallow, names }: PartFacts): boolean =>
    isShallow && names !== undefined && [...names].every((name) => Object.hasOwn($defs, name));
  if (!leads(facts)) return false;
  if (PLAIN.has($defs)) return true;
  const parts = new Map<string, PartFacts>();
  for (const [name, one] of Object.entries($defs)) {
    if (!isSchema(one)) return false;
    parts.set(name, factsOf(one));
  }
  if (![...parts.values()].every(leads) || leadsBack(parts)) return false;
  PLAIN.add($defs);
  return true;
}

/** Whether a definition leads back to itself without a step into the value. */
function leadsBack(parts: ReadonlyMap<string, PartFacts>): boolean {
  const left = new Map([...parts].map(([name, { heads }]) => [name, new Set(heads)]));
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    for (const [name, heads] of left) if (![...heads].some((head) => left.has(head))) left.delete(name);
  }
  return left.size > 0;
}

/** Whether every reference leads to a place inside its schema. */
function isWhole(definition: Definition, root: JsonSchema, report: Report): boolean {
  if (isPlain(root)) return true;
  if (nestsDeeper(root, MAX_SCHEMA_DEPTH)) {
    report.addAbout(definition, "schema-too-deep", { tool: definition.name, most: MAX_SCHEMA_DEPTH });
    return false;
  }
  if (!JSON.stringify(root).includes('"$ref"')) return true;
  const lost = lostRefs(root);
  for (const { ref, pointer } of lost) {
    const nearest = nearestRef(root, ref);
    report.addAbout(definition, "schema-remote-ref", { tool: definition.name, ref, nearest }, pointer);
  }
  if (lost.length > 0) return false;
  const endless = endlessRef(root);
  if (endless !== undefined) report.addAbout(definition, "schema-endless", { tool: definition.name, ref: endless });
  return endless === undefined;
}

/** Keywords whose schemas judge the same value as the schema that holds them. */
const SAME_VALUE: readonly string[] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];

/** A reference that leads back to itself without a step into the value, so that following it never ends. */
export function endlessRef(root: JsonSchema): string | undefined {
  const done = new Set<JsonSchema>();
  const open = new Set<JsonSchema>();
  const visit = (schema: unknown, by: string): string | undefined => {
    if (!isSchema(schema) || done.has(schema)) return undefined;
    if (open.has(schema)) return by;
    open.add(schema);
    const { $ref: ref } = schema;
    const target = typeof ref === "string" ? visit(targetOf(root, ref), ref) : undefined;
    const found =
      target ?? heldIn(schema, SAME_VALUE).reduce<string | undefined>((at, one) => at ?? visit(one, by), undefined);
    open.delete(schema);
    done.add(schema);
    return found;
  };
  for (const { schema } of subschemas(root)) {
    const found = visit(schema, "#");
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The schemas that some keywords hold, one by one. */
const heldIn = (schema: JsonSchema, keywords: readonly string[]): readonly unknown[] =>
  keywords.flatMap((key) => {
    const held = schema[key];
    if (Array.isArray(held)) return held;
    return key === "dependentSchemas" && isSchema(held) ? Object.values(held) : [held];
  });

function targetOf(root: JsonSchema, ref: string): JsonSchema | undefined {
  try {
    return resolvePointer(root, ref);
  } catch {
    return undefined; // Invalid percent encoding.
  }
}
