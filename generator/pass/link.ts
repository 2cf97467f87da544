/**
 * Checks that references resolve inside their own schema and that names are unique inside their pack. Nothing is downloaded.
 */

import { closest } from "../../runtime/contract/closest.js";
import { isSchema, nestsDeeper, resolvePointer } from "../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import { boundedSchema } from "../core/bounded-schema.js";
import type { Report } from "../core/diagnostic.js";
import { subschemas } from "../core/dialect.js";
import type { Definition, LinkedDefinition } from "../core/ir.js";

/** Longest name: no provider accepts longer ones. */
const MAX_NAME_LENGTH = 256;

/** Links every definition; faults are reported and the definition left out. */
export function link(definitions: readonly Definition[], report: Report): readonly LinkedDefinition[] {
  const first = new Map<string, Definition>();
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
        parameters: bounded(one, one.parameters, report),
        ...(result && hasWholeResult(one, result, report) ? { result: bounded(one, result, report) } : {}),
        linked: true as const,
      },
    ];
  });
}

/** Shortens a long name to its two ends, so that names with the same beginning and their diagnostics stay distinct. */
const shortened = (name: string): string => `${name.slice(0, 40)}…${name.slice(-40)}`;

/** Bounds the size of a schema and reports what is left out. */
function bounded(one: Definition, root: JsonSchema, report: Report): JsonSchema {
  const { schema, left_out: lost } = boundedSchema(root);
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

/** The definition of a schema that is called most like the one that a reference names. */
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

/** Whether every reference leads to a place inside its schema. */
function isWhole(definition: Definition, root: JsonSchema, report: Report): boolean {
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
