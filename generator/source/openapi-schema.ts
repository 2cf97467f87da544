/**
 * Converts the schemas of an OpenAPI description to JSON Schema. Each referenced schema is converted and named once per document;
 * the `$defs` of an op contain only what it reaches. Nothing is inlined, so that recursive schemas work and nothing grows.
 */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { isRecord } from "../../runtime/contract/json.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../runtime/contract/registry.js";
import type { Report } from "../core/diagnostic.js";
import { KEYED, LISTED, mapSubschemas, SINGLE } from "../core/dialect.js";
import { misspelledKeyword, undeclaredNames } from "../core/keywords.js";
import type { Located, Node, OpenapiDocument } from "./openapi-document.js";

/** Converts the schemas of one document. */
export interface SchemaConverter {
  /** A schema with references into `$defs`. */
  readonly convert: (schema: unknown, file: string) => JsonSchema;
  /** A schema, or its target if it is a reference. */
  readonly opened: (schema: unknown, file: string) => JsonSchema;
  /** The definitions that a converted value reaches, sorted; undefined if there are none. */
  readonly definitions: (value: unknown) => JsonObject | undefined;
  /** An input in which no read-only property is required, at any depth. */
  readonly forRequest: (schema: JsonSchema) => JsonSchema;
}

interface Component {
  readonly name: string;
  schema: JsonSchema;
  /** Names that it refers to, computed on first use. */
  uses?: ReadonlySet<string>;
}

interface State {
  readonly document: OpenapiDocument;
  readonly report: Report;
  readonly byKey: Map<string, Component>;
  /** Components that are not converted yet: a queue, so that a long chain of references needs no stack. */
  readonly waiting: Waiting[];
  readonly byName: Map<string, Component>;
  /** Request form of each schema, so that definitions stay shared between operations. */
  readonly requests: Map<JsonSchema, JsonSchema>;
  /** Definitions that operations reach together, by their names. */
  readonly closures: Map<string, JsonObject>;
  /** Whether a read-only property was found; most descriptions have none. */
  readonly met: { readOnly: boolean };
}

interface Waiting {
  readonly component: Component;
  readonly target: Located;
  /** The first reference to it, for messages. */
  readonly by: { readonly ref: string; readonly file: string };
}

/** Deepest nesting inside one schema; deeper schemas accept any value. References do not count. */
const MAX_SCHEMA_DEPTH = 64;

/** Opens the schemas of a document. */
export function schemaConverter(document: OpenapiDocument, report: Report): SchemaConverter {
  const state: State = {
    ...{ document, report, byKey: new Map(), byName: new Map(), waiting: [] },
    ...{ requests: new Map(), closures: new Map(), met: { readOnly: false } },
  };
  const converted: SchemaConverter["convert"] = (schema, file) => {
    const made = convert(state, schema, file, 0);
    convertWaiting(state);
    return made;
  };
  return {
    convert: converted,
    opened: (schema, file) => {
      let at = converted(schema, file);
      for (let step = 0; step < MAX_REFERENCES; step++) {
        const { $ref } = at;
        if (typeof $ref !== "string") break;
        at = state.byName.get($ref.slice(DEFS.length))?.schema ?? {};
      }
      return at;
    },
    forRequest: (schema) => forRequest(state, schema),
    definitions: (value) => {
      const reached = new Set<string>();
      const waiting = [...namesIn(value)];
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
        const component = state.byName.get(name);
        if (!component || reached.has(name)) continue;
        reached.add(name);
        component.uses ??= namesIn(component.schema);
        waiting.push(...component.uses);
      }
      const names = [...reached].sort(byCodeUnit);
      // Operations that reach the same definitions hold the same object, so that later stages look at it once.
      const key = JSON.stringify(names);
      const known = state.closures.get(key);
      if (known) return known;
      const entries = names.map((name) => [name, (state.byName.get(name)?.schema ?? {}) as JsonObject] as const);
      if (entries.length === 0) return undefined;
      const made = Object.fromEntries(entries);
      state.closures.set(key, made);
      return made;
    },
  };
}

/** The request form of an input. The input itself is not cached, since it belongs to one operation. */
function forRequest(state: State, schema: JsonSchema): JsonSchema {
  const { $defs = {}, ...own } = schema;
  if (!state.met.readOnly) return schema;
  const request = asked(state, own);
  return Object.keys($defs as JsonSchema).length === 0
    ? request
    : { ...request, $defs: askedAll(state, $defs as JsonObject) };
}

/** The request forms of definitions; the same object for the same definitions. */
function askedAll(state: State, $defs: JsonObject): JsonObject {
  const before = state.requests.get($defs);
  if (before) return before as JsonObject;
  const definitions = Object.entries($defs).map(([name, one]) => {
    if (!isSchema(one)) return [name, one] as const;
    const made = state.requests.get(one) ?? asked(state, one);
    state.requests.set(one, made);
    return [name, made] as const;
  });
  const all = Object.fromEntries(definitions) as JsonObject;
  state.requests.set($defs, all);
  return all;
}

function asked(state: State, schema: JsonSchema): JsonSchema {
  const mapped = mapSubschemas(schema, (one) => asked(state, one));
  const { required } = mapped;
  if (!Array.isArray(required)) return mapped;
  const answers = readOnlyNames(state, schema, 0);
  const needed = required.filter((name) => !answers.has(name));
  if (needed.length > 0) return { ...mapped, required: needed };
  const { required: _, ...rest } = mapped;
  return rest;
}

/** Names of read-only properties, including those of the parts of `allOf`. */
function readOnlyNames(state: State, schema: JsonSchema, depth: number): ReadonlySet<unknown> {
  const opened = (one: unknown): JsonSchema | undefined => {
    if (!isSchema(one)) return undefined;
    const { $ref } = one;
    return typeof $ref === "string" ? state.byName.get($ref.slice(DEFS.length))?.schema : one;
  };
  const { properties, allOf } = schema;
  const own = Object.entries(isSchema(properties) ? properties : {}).filter(([, one]) => {
    return opened(one)?.["readOnly"] === true || (isSchema(one) && one["readOnly"] === true);
  });
  const parts = Array.isArray(allOf) && depth < MAX_REFERENCES ? allOf : [];
  const below = parts.flatMap((one) => [...readOnlyNames(state, opened(one) ?? {}, depth + 1)]);
  return new Set([...own.map(([name]) => name), ...below]);
}

/** Most references that are followed in a row. */
const MAX_REFERENCES = 16;

/** Names of the definitions that a converted value refers to directly. */
function namesIn(value: unknown, found: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof value !== "object" || value === null) return found;
  for (const [key, member] of Object.entries(value))
    if (key === "$ref" && typeof member === "string") found.add(member.slice(DEFS.length));
    else namesIn(member, found);
  return found;
}

const DEFS = "#/$defs/";

/** A referenced schema. Its entry is made at the first reference and its content later, so that recursion ends. */
function referred(state: State, ref: string, file: string): Component | undefined {
  const found = state.document.target(ref, file);
  if (!found) return undefined;
  const known = state.byKey.get(found.key);
  if (known) return known;
  const component: Component = { name: freeName(state, found.key), schema: {} };
  state.byKey.set(found.key, component);
  state.byName.set(component.name, component);
  state.waiting.push({ component, target: found, by: { ref, file } });
  return component;
}

/** Converts the components that references reached, and those that they reach. */
function convertWaiting(state: State): void {
  const done: Waiting[] = [];
  for (let one = state.waiting.shift(); one; one = state.waiting.shift()) {
    one.component.schema = convert(state, one.target.node, one.target.file, 0);
    done.push(one);
  }
  for (const { component, by } of done)
    if (leadsBack(state, component)) {
      state.document.lost(by.ref, by.file);
      component.schema = {};
    }
}

/** Whether a schema is only a reference that leads back to itself. */
function leadsBack({ byName }: State, component: Component): boolean {
  let at: Component | undefined = component;
  for (let step = 0; at && step < MAX_REFERENCES; step++) {
    const ref: unknown = at.schema["$ref"];
    at = typeof ref === "string" ? byName.get(ref.slice(DEFS.length)) : undefined;
    if (at === component) return true;
  }
  return false;
}

function freeName({ byName }: State, key: string): string {
  const stem = (key.split(/[/#]/).at(-1) ?? "").replace(/[^A-Za-z0-9_.-]/g, "_") || "Schema";
  for (let count = 2, name = stem; ; name = `${stem}_${count++}`) if (!byName.has(name)) return name;
}

/** Keywords that only OpenAPI tools read, or that identify a schema, which is resolved here. */
const DROPPED: ReadonlySet<string> = new Set([
  "discriminator",
  "xml",
  "externalDocs",
  "nullable",
  "example",
  "$schema",
  "$id",
  "$anchor",
  "title",
]);
/** Keywords of toolwright that a description may use. */
const OWN: ReadonlySet<string> = new Set(["x-id", "x-aliases", "x-values", "x-form"]);

function convert(state: State, schema: unknown, file: string, depth: number): JsonSchema {
  if (!isRecord(schema) || depth > MAX_SCHEMA_DEPTH) return {};
  const { $ref, description } = schema;
  if (schema["readOnly"] === true) state.met.readOnly = true;
  if (typeof $ref === "string") {
    const component = referred(state, $ref, file);
    if (!component) return {};
    return { $ref: DEFS + component.name, ...(typeof description === "string" ? { description } : {}) };
  }
  reportMisspellings(state, schema, file);
  const below = (one: unknown): JsonValue =>
    typeof one === "boolean" ? one : (convert(state, one, file, depth + 1) as JsonObject);
  const entries = Object.entries(schema).flatMap(([key, value]) => keyword(key, value, below));
  return nullable(schema, bounded(schema, Object.fromEntries(entries)));
}

/** Reports misspelled keywords, and required names that are misspelled. */
function reportMisspellings({ document, report }: State, schema: Node, file: string): void {
  const of = "this schema";
  for (const keyword of Object.keys(schema)) {
    const nearest = misspelledKeyword(keyword);
    if (nearest !== undefined)
      report.add("keyword-misspelled", document.placeIn(schema, file, keyword), { of, keyword, nearest });
  }
  for (const { name, index, nearest } of undeclaredNames(schema as JsonSchema))
    if (nearest !== undefined) {
      const place = document.placeIn(schema, file, "required", String(index));
      report.add("required-not-declared", place, { of, argument: name, nearest });
    }
}

type Entries = readonly (readonly [string, JsonValue])[];

function keyword(key: string, value: unknown, below: (one: unknown) => JsonValue): Entries {
  if (DROPPED.has(key) || (key.startsWith("x-") && !OWN.has(key))) return [];
  if (KEYED.has(key) && isRecord(value))
    return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, below(one)]))]];
  if (Array.isArray(value) && (LISTED.has(key) || key === "items")) return [[key, value.map(below)]];
  if (SINGLE.has(key)) return [[key, below(value)]];
  // `required: true` on a member is from an older dialect; the `required` list of the object decides.
  if (key === "required" && !Array.isArray(value)) return [];
  return [[key, value as JsonValue]];
}

/** Converts `exclusiveMinimum: true` beside `minimum`, the form of OpenAPI 3.0. */
function bounded(schema: Node, converted: JsonSchema): JsonSchema {
  let made = converted;
  for (const [flag, limit] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof schema[flag] !== "boolean") continue;
    const { [flag]: excludes, [limit]: bound, ...rest } = made;
    if (bound === undefined) made = rest;
    else made = { ...rest, [excludes === true ? flag : limit]: bound };
  }
  return made;
}

/** Converts `nullable: true` beside the type, the form of OpenAPI 3.0. */
function nullable(schema: Node, converted: JsonSchema): JsonSchema {
  if (schema["nullable"] !== true) return converted;
  const { type, enum: values } = converted;
  const said = ["allOf", "anyOf", "oneOf", "enum"].some((key) => key in converted);
  if (typeof type !== "string") return said ? { anyOf: [converted as JsonObject, { type: "null" }] } : converted;
  const listed = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  return { ...converted, type: [type, "null"], ...listed };
}
