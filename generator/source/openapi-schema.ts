/**
 * Schemas of an OpenAPI description as JSON Schema. What is referred to is converted once a document and named once; an op carries,
 * in `$defs`, what it reaches and nothing else. Nothing is inlined, so that recursion stays and nothing grows.
 */

import { byCodeUnit, isRecord, isSchema, type JsonObject, type JsonSchema, type JsonValue } from "toolwright/codegen";
import { KEYED, LISTED, mapSubschemas, SINGLE } from "../dialect.js";
import type { Node, OpenapiDocument } from "./openapi-document.js";

/** Converts the schemas of one document. */
export interface SchemaConverter {
  /** A schema, its references pointing into `$defs`. */
  readonly convert: (schema: unknown, file: string) => JsonSchema;
  /** What a schema is: where it is a reference, that which it leads to. */
  readonly opened: (schema: unknown, file: string) => JsonSchema;
  /** The definitions that a converted value reaches, sorted; undefined where there are none. */
  readonly definitions: (value: unknown) => JsonObject | undefined;
  /** An input in which nothing that only an answer has is required, at any depth. */
  readonly forRequest: (schema: JsonSchema) => JsonSchema;
}

interface Component {
  readonly name: string;
  schema: JsonSchema;
  /** Names that it refers to, once somebody asked. */
  uses?: ReadonlySet<string>;
}

interface State {
  readonly document: OpenapiDocument;
  readonly byKey: Map<string, Component>;
  readonly byName: Map<string, Component>;
  /** Schemas as a request has them, by the schema: definitions stay shared between operations. */
  readonly requests: Map<JsonSchema, JsonSchema>;
  /** What was met so far: most descriptions hold nothing that is read-only. */
  readonly met: { readOnly: boolean };
}

/** Nesting inside one schema; a deeper one accepts any value. References are not nesting. */
const DEEPEST = 64;

/** Opens the schemas of a document. */
export function schemaConverter(document: OpenapiDocument): SchemaConverter {
  const state: State = { document, byKey: new Map(), byName: new Map(), requests: new Map(), met: { readOnly: false } };
  return {
    convert: (schema, file) => convert(state, schema, file, 0),
    opened: (schema, file) => {
      let at = convert(state, schema, file, 0);
      for (let step = 0; step < MOST_REFERENCES; step++) {
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
      const entries = names.map((name) => [name, (state.byName.get(name)?.schema ?? {}) as JsonObject] as const);
      return entries.length === 0 ? undefined : Object.fromEntries(entries);
    },
  };
}

/** Inputs themselves are no part of what is remembered: each is an operation's own. */
function forRequest(state: State, schema: JsonSchema): JsonSchema {
  const { $defs = {}, ...own } = schema;
  if (!state.met.readOnly) return schema;
  const definitions = Object.entries($defs as JsonSchema).map(([name, one]) => {
    const known = isSchema(one) ? state.requests.get(one) : undefined;
    const made = known ?? (isSchema(one) ? asked(state, one) : one);
    if (isSchema(one) && isSchema(made)) state.requests.set(one, made);
    return [name, made] as const;
  });
  const request = asked(state, own);
  return definitions.length === 0 ? request : { ...request, $defs: Object.fromEntries(definitions) as JsonObject };
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

/** Names of properties that only an answer has, those of the parts of `allOf` among them. */
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
  const parts = Array.isArray(allOf) && depth < MOST_REFERENCES ? allOf : [];
  const below = parts.flatMap((one) => [...readOnlyNames(state, opened(one) ?? {}, depth + 1)]);
  return new Set([...own.map(([name]) => name), ...below]);
}

/** References followed in a row. */
const MOST_REFERENCES = 16;

/** Names of the definitions that a converted value refers to itself. */
function namesIn(value: unknown, found: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof value !== "object" || value === null) return found;
  for (const [key, member] of Object.entries(value))
    if (key === "$ref" && typeof member === "string") found.add(member.slice(DEFS.length));
    else namesIn(member, found);
  return found;
}

const DEFS = "#/$defs/";

/** A referred schema, converted when first met; its entry is there before its content, so that recursion ends. */
function referred(state: State, ref: string, file: string): Component | undefined {
  const found = state.document.target(ref, file);
  if (!found) return undefined;
  const known = state.byKey.get(found.key);
  if (known) return known;
  const component: Component = { name: freeName(state, found.key), schema: {} };
  state.byKey.set(found.key, component);
  state.byName.set(component.name, component);
  component.schema = convert(state, found.node, found.file, 0);
  if (leadsBack(state, component)) {
    state.document.lost(ref, file);
    component.schema = {};
  }
  return component;
}

/** Whether a schema is nothing but a reference that ends at itself. */
function leadsBack({ byName }: State, component: Component): boolean {
  let at: Component | undefined = component;
  for (let step = 0; at && step < MOST_REFERENCES; step++) {
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

/** What only OpenAPI's own tools read, or what names a schema in ways that are resolved here. */
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
/** Keywords of ours that a description may use. */
const OWN: ReadonlySet<string> = new Set(["x-id", "x-aliases", "x-values", "x-form"]);

function convert(state: State, schema: unknown, file: string, depth: number): JsonSchema {
  if (!isRecord(schema) || depth > DEEPEST) return {};
  const { $ref, description } = schema;
  if (schema["readOnly"] === true) state.met.readOnly = true;
  if (typeof $ref === "string") {
    const component = referred(state, $ref, file);
    if (!component) return {};
    return { $ref: DEFS + component.name, ...(typeof description === "string" ? { description } : {}) };
  }
  const below = (one: unknown): JsonValue =>
    typeof one === "boolean" ? one : (convert(state, one, file, depth + 1) as JsonObject);
  const entries = Object.entries(schema).flatMap(([key, value]) => keyword(key, value, below));
  return nullable(schema, bounded(schema, Object.fromEntries(entries)));
}

type Entries = readonly (readonly [string, JsonValue])[];

function keyword(key: string, value: unknown, below: (one: unknown) => JsonValue): Entries {
  if (DROPPED.has(key) || (key.startsWith("x-") && !OWN.has(key))) return [];
  if (KEYED.has(key) && isRecord(value))
    return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, below(one)]))]];
  if (Array.isArray(value) && (LISTED.has(key) || key === "items")) return [[key, value.map(below)]];
  if (SINGLE.has(key)) return [[key, below(value)]];
  // `required: true` on a member is an older dialect's; whether it is required is said by what holds it.
  if (key === "required" && !Array.isArray(value)) return [];
  return [[key, value as JsonValue]];
}

/** 3.0 wrote `exclusiveMinimum: true` beside `minimum`. */
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

/** 3.0 wrote `nullable: true` beside the type. */
function nullable(schema: Node, converted: JsonSchema): JsonSchema {
  if (schema["nullable"] !== true) return converted;
  const { type, enum: values } = converted;
  const said = ["allOf", "anyOf", "oneOf", "enum"].some((key) => key in converted);
  if (typeof type !== "string") return said ? { anyOf: [converted as JsonObject, { type: "null" }] } : converted;
  const listed = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  return { ...converted, type: [type, "null"], ...listed };
}
