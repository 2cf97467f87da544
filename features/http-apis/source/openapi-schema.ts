/**
 * Converts the schemas of an OpenAPI description to JSON Schema. Each referenced schema is converted and named once per document;
 * the `$defs` of an op contain only what it reaches. Nothing is inlined, so that recursive schemas work and nothing grows.
 */

import type { Report } from "../../../generator/core/diagnostic.js";
import { misspelledKeyword, undeclaredNames } from "../../../generator/core/keywords.js";
import { byCodeUnit } from "../../../runtime/contract/canonical.js";
import { isRecord } from "../../../runtime/contract/json.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../../runtime/contract/registry.js";
import { KEYED, LISTED, SINGLE } from "../../../runtime/contract/schema-copy.js";
import { reportApiFault } from "../diagnostics.js";
import { membersShutOut } from "./openapi-closure.js";
import { type Directions, directionsOf } from "./openapi-direction.js";
import {
  type BranchTarget,
  type DiscriminatorBranch,
  type Discriminators,
  discriminatorsOf,
} from "./openapi-discriminator.js";
import type { LocatedObject, OpenApiObject, OpenapiDocument } from "./openapi-document.js";
import { withTextValues } from "./openapi-scalars.js";

/** Converts the schemas of one document. */
export interface SchemaConverter extends Directions {
  /** A schema with references into `$defs`. */
  readonly convert: (schema: unknown, file: string) => JsonSchema;
  /** A schema, or its target if it is a reference. */
  readonly opened: (schema: unknown, file: string) => JsonSchema;
  /** The definitions that a converted value reaches, sorted; undefined if there are none. */
  readonly definitions: (value: unknown) => JsonObject | undefined;
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
  readonly discriminators: Discriminators;
  /** Definitions that operations reach together, by their names. */
  readonly closures: Map<string, JsonObject>;
  /** Whether a property with the flag was found. */
  readonly met: { readOnly: boolean; writeOnly: boolean };
}

interface Waiting {
  readonly component: Component;
  readonly target: LocatedObject;
  /** Whether members may be added, whatever it says. */
  readonly isOpen: boolean;
}

/** Deepest nesting inside one schema; deeper schemas accept any value. References do not count. */
const MAX_SCHEMA_DEPTH = 64;

/** Opens the schemas of a document. */
export function schemaConverter(document: OpenapiDocument, report: Report): SchemaConverter {
  const state: State = {
    ...{ document, report, byKey: new Map(), byName: new Map(), waiting: [] },
    ...{ discriminators: discriminatorsOf(document), closures: new Map(), met: { readOnly: false, writeOnly: false } },
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
    ...directionsOf((ref) => state.byName.get(ref.slice(DEFS.length))?.schema, state.met),
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
function referred(state: State, ref: string, file: string, part: Part): Component | undefined {
  const found = state.document.target(ref, file);
  if (!found) return undefined;
  const family = state.discriminators.familyOf(found);
  if (family && !(part.of && state.discriminators.isExtension(part.of, found)))
    return familyComponent(state, found, family);
  return componentOf(state, found, part.isOpen);
}

function componentOf(state: State, target: BranchTarget, isOpen = false): Component {
  const key = isOpen ? `${target.key} open` : target.key;
  const known = state.byKey.get(key);
  if (known) return known;
  const component = newComponent(state, key, isOpen ? target.key.replace(/[^/#]*$/, "Open$&") : target.key);
  state.waiting.push({ component, target, isOpen });
  return component;
}

function newComponent(state: State, key: string, named: string): Component {
  const component: Component = { name: freeName(state, named), schema: {} };
  state.byKey.set(key, component);
  state.byName.set(component.name, component);
  return component;
}

/** Most branches of a parent; one with more is itself, open to the members of all. */
const MAX_FAMILY = 64;

/** The union of the schemas that a parent with a discriminator stands for. */
function familyComponent(state: State, parent: BranchTarget, family: readonly DiscriminatorBranch[]): Component {
  const key = `${parent.key} any`;
  const known = state.byKey.get(key);
  if (known) return known;
  const component = newComponent(state, key, parent.key.replace(/[^/#]*$/, "Any$&"));
  const refTo = (target: BranchTarget): JsonObject => ({ $ref: DEFS + componentOf(state, target).name });
  component.schema =
    family.length > MAX_FAMILY
      ? { allOf: [refTo(parent)], additionalProperties: true }
      : {
          [family.every(({ isDecided }) => isDecided) ? "oneOf" : "anyOf"]: family.map(({ target, mark }) =>
            mark ? { allOf: [mark as JsonObject, refTo(target)] } : refTo(target),
          ),
        };
  return component;
}

/** Converts the components that references reached, and those that they reach. */
function convertWaiting(state: State): void {
  for (let one = state.waiting.shift(); one; one = state.waiting.shift())
    one.component.schema = convert(state, one.target.node, one.target.file, 0, { isOpen: one.isOpen });
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

/** Keywords about members, which count beside a `$ref` from OpenAPI 3.1 on. */
const ABOUT_MEMBERS = [
  ...["properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties"],
  ...["allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "dependentRequired", "unevaluatedProperties"],
];

/** A reference and the keywords beside it as one schema, if they are about members; undefined if they add nothing. */
function membersBeside({ $ref, ...beside }: OpenApiObject, { root }: OpenapiDocument): OpenApiObject | undefined {
  if (!/^3\.[1-9]/.test(String(root.node["openapi"])) || !ABOUT_MEMBERS.some((key) => key in beside)) return undefined;
  return { ...beside, allOf: [{ $ref }, ...(Array.isArray(beside["allOf"]) ? beside["allOf"] : [])] };
}

/** For a part of `allOf`: its schema, and whether members may be added in spite of it. */
interface Part {
  readonly of?: OpenApiObject;
  readonly isOpen?: boolean;
  /** Whether it is a branch of a union that has a discriminator itself. */
  readonly isDecided?: boolean;
}

/** The values of a discriminator that a child of its parent has where it is used by itself. */
function ownMark({ document, discriminators }: State, ref: string, file: string, part: Part): JsonObject | undefined {
  const found = part.isDecided ? undefined : document.find(ref, file);
  if (!found || (part.of && discriminators.isExtension(part.of, found))) return undefined;
  return discriminators.ownMark(found) as JsonObject | undefined;
}

function convert(state: State, schema: unknown, file: string, depth: number, part: Part = {}): JsonSchema {
  if (!isRecord(schema) || depth > MAX_SCHEMA_DEPTH) return {};
  const { $ref, description } = schema;
  if (schema["readOnly"] === true) state.met.readOnly = true;
  if (schema["writeOnly"] === true) state.met.writeOnly = true;
  if (typeof $ref === "string") {
    const beside = membersBeside(schema, state.document);
    if (beside) return convert(state, beside, file, depth + 1, part);
    const component = referred(state, $ref, file, part);
    if (!component) return {};
    const about = typeof description === "string" ? { description } : {};
    const own = ownMark(state, $ref, file, part);
    const made = { $ref: DEFS + component.name };
    return own ? { allOf: [own, made], ...about } : { ...made, ...about };
  }
  reportMisspellings(state, schema, file);
  const own = withTextValues(schema, (...path) => state.document.placeIn(schema, file, ...path), state.report);
  const shutOut = membersShutOut(schema, file, state.document);
  if (shutOut.length > 0 && !part.isOpen)
    reportApiFault(state.report, "members-shut-out", state.document.placeIn(schema, file, "allOf"), { names: shutOut });
  const isOpen = part.isOpen || shutOut.length > 0;
  const below = (one: unknown, key?: string): JsonValue => {
    if (typeof one === "boolean") return one;
    const isUnion = key === "oneOf" || key === "anyOf";
    const inside =
      key === "allOf" ? { of: schema, isOpen } : { isDecided: isUnion && schema["discriminator"] !== undefined };
    const made = convert(state, one, file, depth + 1, inside) as JsonObject;
    const isBranch = isUnion && isRecord(one) && typeof one["$ref"] === "string";
    const mark = isBranch ? state.discriminators.branchOf(schema, file, String(one["$ref"]))?.mark : undefined;
    return mark ? { allOf: [mark as JsonObject, made] } : made;
  };
  const entries = Object.entries(own).flatMap(([key, value]) => keyword(key, value, below));
  const made = nullable(schema, bounded(schema, Object.fromEntries(entries)));
  if (!isOpen) return made;
  const { additionalProperties: closure, ...rest } = made;
  return {
    ...rest,
    ...(part.isOpen ? (closure ? { additionalProperties: closure } : {}) : { additionalProperties: true }),
  };
}

/** Reports misspelled keywords, and required names that are misspelled. */
function reportMisspellings({ document, report }: State, schema: OpenApiObject, file: string): void {
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

function keyword(key: string, value: unknown, below: (one: unknown, key?: string) => JsonValue): Entries {
  if (DROPPED.has(key) || (key.startsWith("x-") && !OWN.has(key))) return [];
  if (KEYED.has(key) && isRecord(value))
    return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, below(one)]))]];
  if (Array.isArray(value) && (LISTED.has(key) || key === "items")) return [[key, value.map((one) => below(one, key))]];
  if (SINGLE.has(key)) return [[key, below(value)]];
  // `required: true` on a member is from an older dialect; the `required` list of the object decides.
  if (key === "required" && !Array.isArray(value)) return [];
  return [[key, value as JsonValue]];
}

/** Converts `exclusiveMinimum: true` beside `minimum`, the form of OpenAPI 3.0. */
function bounded(schema: OpenApiObject, converted: JsonSchema): JsonSchema {
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
function nullable(schema: OpenApiObject, converted: JsonSchema): JsonSchema {
  if (schema["nullable"] !== true) return converted;
  const { type, enum: values } = converted;
  const said = ["allOf", "anyOf", "oneOf", "enum"].some((key) => key in converted);
  if (typeof type !== "string") return said ? { anyOf: [converted as JsonObject, { type: "null" }] } : converted;
  const listed = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  return { ...converted, type: [type, "null"], ...listed };
}
